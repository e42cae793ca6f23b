-- One expression over item a line, or a query.
n / m
n / 2
n % 3
price / 3
price % 3
MOD(price, 3)
MOD(n, 4)
ratio / 2
n / NULLIF(m, 0)
n * 1.0 / NULLIF(m, 0)
ROUND(price)
ROUND(price, 1)
ROUND(n, -1)
ROUND(price, -1)
ROUND(ratio)
ROUND(2.5::float8)
ROUND(2.5)
ROUND(ratio::numeric, 2)
TRUNC(price)
TRUNC(price, 1)
TRUNC(ratio)
CEIL(price)
CEILING(ratio)
FLOOR(price)
FLOOR(ratio)
ABS(n)
SIGN(price)
SQRT(ABS(n))
CBRT(27.0)
POWER(n, 2)
n ^ 2
EXP(1.0)
LN(ABS(n) + 1)
LOG(100.0)
LOG(2.0, 8.0)
GREATEST(n, m)
LEAST(n, m, 3)
GREATEST(day, DATE '2020-01-01')
DIV(n, 3)
n::text
price::text
n::float8 / 3
price::int
ratio::int
2.5::int
3.5::int
(-2.5)::numeric::int
'42'::int
ok::int
ok::text
n::boolean
CAST(n AS numeric) / 4
CAST(price AS double precision)
CAST(made AS date)
day::timestamp
made::date
made::time
'2024-03-01'::date
CAST(n AS varchar(2))
name || '!'
name || n
n || ''
CONCAT(name, '-', n)
CONCAT(name, NULL, price)
CONCAT_WS(',', name, NULL, n)
LENGTH(name)
CHAR_LENGTH(note)
OCTET_LENGTH(name)
UPPER(name)
LOWER(name)
INITCAP(note)
TRIM(name)
TRIM(BOTH 'x' FROM note)
LTRIM(name, 'ab')
RTRIM(note)
BTRIM(note, 'ab')
LPAD(name, 8, '*')
RPAD(name, 3)
LEFT(name, 2)
LEFT(name, -1)
RIGHT(name, 2)
RIGHT(name, -1)
SUBSTRING(name, 2)
SUBSTRING(name, 2, 2)
SUBSTRING(name FROM 2 FOR 2)
SUBSTRING(name, 0, 3)
SUBSTRING(name, -1, 4)
SUBSTR(note, 3)
POSITION('a' IN name)
STRPOS(name, 'a')
REPLACE(name, 'a', 'bb')
TRANSLATE(name, 'ab', 'x')
REVERSE(name)
REPEAT(name, 2)
SPLIT_PART(note, ' ', 2)
SPLIT_PART(note, ' ', -1)
ASCII(name)
CHR(65)
MD5(name)
STARTS_WITH(name, 'a')
REGEXP_REPLACE(name, '[aeiou]', '-')
REGEXP_REPLACE(name, '[aeiou]', '-', 'g')
name ~ '^a'
name ~* '^A'
name !~ 'b$'
SUBSTRING(name FROM '[a-z]+')
name LIKE 'a%'
name ILIKE 'A%'
name NOT LIKE '%b_'
name LIKE 'a\%%'
name SIMILAR TO '(a|b)%'
QUOTE_LITERAL(name)
FORMAT('%s-%s', name, n)
TO_CHAR(day, 'YYYY-MM')
TO_CHAR(made, 'DD Mon YYYY')
TO_CHAR(made, 'HH24:MI')
TO_CHAR(price, 'FM999990.00')
TO_DATE('05 Dec 2000', 'DD Mon YYYY')
TO_NUMBER('12,454.8', '99G999D9')
EXTRACT(YEAR FROM day)
EXTRACT(YEAR FROM day) / 2
EXTRACT(MONTH FROM made)
EXTRACT(DOW FROM day)
EXTRACT(ISODOW FROM day)
EXTRACT(DOY FROM day)
EXTRACT(WEEK FROM day)
EXTRACT(QUARTER FROM day)
EXTRACT(EPOCH FROM made)
EXTRACT(EPOCH FROM made) / 86400
EXTRACT(HOUR FROM made)
EXTRACT(SECOND FROM made)
DATE_PART('year', day)
DATE_PART('year', day) / 2
DATE_PART('day', made - TIMESTAMP '2024-01-01')
DATE_TRUNC('month', day)
DATE_TRUNC('year', made)
DATE_TRUNC('week', day)
DATE_TRUNC('quarter', made)
day + 30
day - 7
day - DATE '2024-01-01'
made - TIMESTAMP '2024-01-01 00:00:00' > INTERVAL '1 day'
day + INTERVAL '1 month'
made + INTERVAL '90 minutes'
made - INTERVAL '1 year 2 months'
AGE(TIMESTAMP '2024-03-15', TIMESTAMP '2023-01-31')
EXTRACT(YEAR FROM AGE(DATE '2024-06-01', day))
MAKE_DATE(2024, 2, 29)
MAKE_DATE(NULL, 2, 29)
DATE '2000-01-31' + INTERVAL '1 month'
day BETWEEN '2020-01-01' AND '2024-12-31'
made >= '2024-01-01'
day = '2024-02-30'::text::date IS NULL
COALESCE(note, name, '?')
NULLIF(n, 3)
CASE WHEN n > 2 THEN 'big' WHEN n IS NULL THEN 'none' ELSE 'small' END
CASE n WHEN 1 THEN 'one' END
n IS DISTINCT FROM m
n IS NOT DISTINCT FROM m
ok IS TRUE
ok IS NOT FALSE
NOT ok
ok = (n > 2)
n IN (1, 2, NULL)
n NOT IN (1, 2)
n = ANY (ARRAY[1, 2, 3])
n <> ALL (ARRAY[1, 2])
(ARRAY[name, note])[1]
ARRAY_LENGTH(ARRAY[n, m], 1)
STRING_TO_ARRAY(note, ' ')
ARRAY_TO_STRING(ARRAY[name, note], ',')
CARDINALITY(ARRAY[1, 2])
n & 3
n | 4
n # 1
~ n
n << 2
SELECT COUNT(*), COUNT(n), COUNT(DISTINCT n), SUM(n), AVG(n), MIN(name), MAX(day) FROM item
SELECT SUM(price), AVG(price), SUM(ratio), AVG(ratio) FROM item
SELECT COUNT(DISTINCT (n, m)) FROM item
SELECT STRING_AGG(name, ',' ORDER BY id) FROM item
SELECT STRING_AGG(DISTINCT name, ',' ORDER BY name) FROM item
SELECT ARRAY_AGG(n ORDER BY id) FROM item
SELECT BOOL_AND(ok), BOOL_OR(ok), EVERY(n > 0) FROM item
SELECT STDDEV(n), VARIANCE(n), STDDEV_POP(n), VAR_POP(n) FROM item
SELECT PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY n) FROM item
SELECT PERCENTILE_DISC(0.5) WITHIN GROUP (ORDER BY n) FROM item
SELECT MODE() WITHIN GROUP (ORDER BY name) FROM item
SELECT CORR(n, m) FROM item
SELECT COUNT(*) FILTER (WHERE ok) FROM item
SELECT SUM(CASE WHEN ok THEN 1 ELSE 0 END)::float / COUNT(*) FROM item HAVING COUNT(*) > 0
SELECT SUM(n) / COUNT(*) FROM item HAVING COUNT(*) > 0
SELECT AVG(EXTRACT(YEAR FROM day)) FROM item
SELECT n FROM item ORDER BY n LIMIT 3
SELECT n FROM item ORDER BY n DESC LIMIT 3
SELECT n FROM item ORDER BY n DESC NULLS LAST, id LIMIT 2 OFFSET 1
SELECT name AS n FROM item ORDER BY n, id
SELECT DISTINCT ON (n) n, id FROM item ORDER BY n, id
SELECT id, ROW_NUMBER() OVER (PARTITION BY n ORDER BY id) FROM item
SELECT id, RANK() OVER (ORDER BY n), DENSE_RANK() OVER (ORDER BY n) FROM item
SELECT id, SUM(m) OVER (PARTITION BY n ORDER BY id) FROM item
SELECT id, LAG(m) OVER (ORDER BY id), LEAD(m, 2, 0) OVER (ORDER BY id) FROM item
SELECT id, FIRST_VALUE(m) OVER (PARTITION BY n ORDER BY id) FROM item
SELECT id, NTILE(3) OVER (ORDER BY id), PERCENT_RANK() OVER (ORDER BY n) FROM item
SELECT id, AVG(m) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) FROM item
SELECT n, m, COUNT(*) FROM item GROUP BY ROLLUP (n, m)
SELECT n, ok, COUNT(*) FROM item GROUP BY CUBE (n, ok)
SELECT n, COUNT(*) FROM item GROUP BY GROUPING SETS ((n), ())
SELECT n, COUNT(*) FROM item GROUP BY 1 HAVING COUNT(*) > 1
SELECT n FROM item UNION SELECT m FROM item EXCEPT SELECT 3
SELECT n FROM item UNION ALL SELECT m FROM item INTERSECT SELECT 3
SELECT n FROM item EXCEPT ALL SELECT m FROM item
WITH RECURSIVE s (k) AS (SELECT 1 UNION ALL SELECT k + 1 FROM s WHERE k < 5) SELECT k FROM s
SELECT g FROM GENERATE_SERIES(1, 5) AS g
SELECT g::date FROM GENERATE_SERIES(DATE '2024-01-01', DATE '2024-03-01', INTERVAL '1 month') AS g
SELECT UNNEST(ARRAY[1, 2, 3])
SELECT i.id, x.v FROM item i CROSS JOIN LATERAL (SELECT i.n + 1 AS v) x
SELECT i.id FROM item i WHERE EXISTS (SELECT 1 FROM item j WHERE j.n = i.m)
SELECT a.id, b.id FROM item a FULL JOIN item b ON a.n = b.m
SELECT * FROM (VALUES (1, 'a'), (2, 'b')) AS v (k, w)
SELECT id FROM item WHERE (n, m) IN (SELECT m, n FROM item)
SELECT id FROM item FETCH FIRST 0 ROWS ONLY
SELECT TRUE AND NULL, FALSE AND NULL, TRUE OR NULL
to_char(n, '999')
to_char(n, 'FM000')
to_char(price, '9,999.99')
to_char(price, 'FM9,999.00')
to_char(price, 'FM$9,990.00')
to_char(n * -7, '99')
to_char(ratio, '990.9')
to_char(n, '99%')
day + make_interval(days => n)
day + make_interval(months => 1, days => 3)
made - make_interval(0, 0, 1, n)
make_interval(hours => n, mins => 30)
md5(name)
quote_literal(name)
substring(name from '[a-c]+')
substring(note from 'a(.)')
width_bucket(n, 0, 10, 5)
array_append(ARRAY[1, 2], n)
array_position(ARRAY[1, 2, 3], n)
array_remove(ARRAY[1, 2, 1], 1)
sin(n)
degrees(n)
atan2(n, 2)
(price * 1.50)::text
-(made - TIMESTAMP '2024-01-01')
array_cat(ARRAY[1], ARRAY[2])
ARRAY[1, 2] || 3
ARRAY(SELECT i.id FROM item i ORDER BY i.id)
date_bin('15 minutes', made, TIMESTAMP '2001-01-01')
justify_hours(INTERVAL '3 days -30 hours')
(made, made + INTERVAL '1 day') OVERLAPS (TIMESTAMP '2024-01-01', TIMESTAMP '2024-06-01')
(regexp_match(note, '[a-z]+'))[1]
to_number('1,234.5', '9,999.9')
jsonb_build_object('n', n, 'ok', ok)->>'ok'
SELECT STRING_AGG(DISTINCT name, ', ') FROM item
SELECT unnest(ARRAY[1, 2]), unnest(ARRAY[3])
SELECT a, b FROM unnest(ARRAY[1, 2], ARRAY['a']) AS t (a, b)
SELECT regexp_split_to_table('a1b22c', '[0-9]+')
SELECT e.key, e.value FROM jsonb_each_text('{"a": true, "b": "x"}') AS e
SELECT x->>'k' FROM jsonb_array_elements('[{"k": 1}, {}]') AS x
SELECT generate_series(MIN(n), MAX(n)) AS k FROM item
SELECT generate_series(MIN(day), MAX(day), '1 month')::date AS k FROM item WHERE day >= '2024-01-01' AND day < '2025-01-01'
SELECT date_trunc('month', generate_series('2024-01-15'::date, '2024-04-15'::date, '1 month'))::date AS k
SELECT array_to_string(array_agg(name ORDER BY id), ',') FROM item
SELECT n, array_to_string(array_agg(note ORDER BY id), ', ') FROM item GROUP BY n
SELECT COVAR_POP(n, m), COVAR_SAMP(n, m), REGR_SLOPE(n, m), REGR_INTERCEPT(n, m), REGR_R2(n, m) FROM item
SELECT BIT_AND(n), BIT_OR(n), BIT_XOR(n) FROM item
