-- One expression over item a line, or a query.
n / m
n / 2
n // 2
n % 3
price / 3
ROUND(price)
ROUND(price, 1)
ROUND(ratio)
ROUND(2.5)
CEIL(ratio)
FLOOR(price)
GREATEST(n, m)
LEAST(n, m, 3)
LOG(100.0)
LN(ABS(n) + 1)
POWER(n, 2)
ratio::INT
2.5::INT
price::VARCHAR
CAST(n AS DECIMAL(10, 2))
TRY_CAST(name AS INTEGER)
ok::INT
name || '!'
CONCAT(name, NULL, n)
CONCAT_WS(',', name, NULL)
LENGTH(name)
UPPER(name)
TRIM(name)
LEFT(name, 2)
LEFT(name, -1)
RIGHT(name, 2)
SUBSTRING(name, 2, 2)
SUBSTRING(name, 0, 2)
SUBSTRING(name, -2)
STRPOS(name, 'a')
INSTR(name, 'a')
CONTAINS(name, 'a')
STARTS_WITH(name, 'a')
REPLACE(name, 'a', 'b')
SPLIT_PART(note, ' ', 2)
REGEXP_MATCHES(name, '^a')
REGEXP_REPLACE(name, '[aeiou]', '-')
REGEXP_REPLACE(name, '[aeiou]', '-', 'g')
REGEXP_EXTRACT(name, '[a-z]+')
LPAD(name, 8, '*')
REVERSE(name)
REPEAT(name, 2)
name LIKE 'a%'
name ILIKE 'A%'
name SIMILAR TO 'a.*'
IFNULL(n, 0)
COALESCE(note, name)
NULLIF(n, 3)
IF(n > 2, 'big', 'small')
YEAR(day)
MONTH(day)
DAY(made)
DAYOFWEEK(day)
ISODOW(day)
DAYOFYEAR(day)
QUARTER(day)
WEEK(day)
DAYNAME(day)
MONTHNAME(day)
HOUR(made)
EXTRACT(YEAR FROM day)
EXTRACT(EPOCH FROM made)
EPOCH(made)
DATE_PART('year', day)
DATE_TRUNC('month', day)
DATE_DIFF('day', day, DATE '2024-01-01')
DATE_DIFF('month', DATE '2024-01-31', DATE '2024-02-01')
DATE_DIFF('week', day, DATE '2024-01-01')
DATE_DIFF('year', day, DATE '2024-01-01')
DATE_SUB('month', DATE '2024-01-31', DATE '2024-02-29')
DATEDIFF('hour', made, TIMESTAMP '2024-01-01')
LAST_DAY(day)
STRFTIME(day, '%Y-%m')
STRFTIME(made, '%d/%m/%Y %H:%M')
STRPTIME('2024-01-31', '%Y-%m-%d')
MAKE_DATE(2024, 2, 29)
MAKE_DATE(NULL, 2, 29)
day + 30
day - DATE '2024-01-01'
day + INTERVAL 1 MONTH
day + INTERVAL '1 month'
made - INTERVAL 90 MINUTE
made >= '2024-01-01'
n IS DISTINCT FROM m
n IN (1, 2, NULL)
CASE WHEN n > 2 THEN 'a' ELSE 'b' END
SELECT COUNT(*), COUNT(n), COUNT(DISTINCT n), SUM(n), AVG(n), MIN(name), MAX(day) FROM item
SELECT COUNT(*) FILTER (WHERE ok), COUNT_IF(n > 2) FROM item
SELECT STRING_AGG(name, ',' ORDER BY id) FROM item
SELECT MEDIAN(n), MODE(n), STDDEV(n), VAR_POP(n) FROM item
SELECT QUANTILE_CONT(n, 0.25) FROM item
SELECT ARG_MAX(name, id), ARG_MIN(name, id) FROM item
SELECT BOOL_AND(ok), BOOL_OR(ok) FROM item
SELECT LIST(n ORDER BY id) FROM item
SELECT n FROM item ORDER BY n LIMIT 3
SELECT n FROM item ORDER BY n DESC LIMIT 3
SELECT n, COUNT(*) FROM item GROUP BY ALL
SELECT * EXCLUDE (note, made) FROM item
SELECT * REPLACE (n + 1 AS n) FROM item
SELECT id, n FROM item QUALIFY ROW_NUMBER() OVER (PARTITION BY n ORDER BY id) = 1
SELECT id FROM item i SEMI JOIN item j ON i.n = j.m
SELECT id FROM item i ANTI JOIN item j ON i.n = j.m
SELECT DISTINCT ON (n) n, id FROM item ORDER BY n, id
SELECT n + 1 AS k, k * 2 AS l FROM item
SELECT UNNEST([1, 2, 3])
SELECT x FROM RANGE(1, 4) AS r (x)
SELECT x FROM GENERATE_SERIES(1, 3) AS r (x)
SELECT n, m, COUNT(*) FROM item GROUP BY ROLLUP (n, m)
SELECT n FROM item UNION SELECT m FROM item EXCEPT SELECT 3
SELECT id, LAG(m) OVER (ORDER BY id), SUM(m) OVER (PARTITION BY n ORDER BY id) FROM item
SELECT id, LAST_VALUE(m IGNORE NULLS) OVER (ORDER BY id) FROM item
WITH RECURSIVE s AS (SELECT 1 AS k UNION ALL SELECT k + 1 FROM s WHERE k < 5) SELECT k FROM s
SELECT * FROM (VALUES (1, 'a'), (2, 'b')) v (k, w)
FROM item SELECT id
SELECT LIST_CONTAINS([1, 2], n), LEN([1, 2, 3]), [n, m][1] FROM item
SELECT id FROM item WHERE name IN ('a', 'b') OR starts_with(name, 'c')
date_diff('week', day, DATE '2024-06-01')
yearweek(day)
day + to_days(3)
day + to_months(n)
levenshtein(name, 'abc')
md5(name)
sha256(name)
regexp_extract_all(name, '[a-z]')
list_distinct([n, m, n])
list_unique([n, m, n])
list_sort([3, 1, 2])
list_reverse([n, m])
list_max([n, m])
list_position([1, 2, 3], n)
list_append([1], n)
list_slice([1, 2, 3, 4], 2, 3)
[1, 2, 3, 4][2:3]
json_extract_string('{"a": [1, 2], "b": true}', '$.b')
sin(n)
SELECT id, FIRST_VALUE(m IGNORE NULLS) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) FROM item
SELECT id, LAG(m, 2 IGNORE NULLS) OVER (ORDER BY id), LEAD(m IGNORE NULLS) OVER (ORDER BY id) FROM item
SELECT ARRAY_TO_STRING(LIST(name ORDER BY id), ',') FROM item
SELECT ARRAY_TO_STRING(ARRAY_AGG(note ORDER BY id), ',') FROM item
SELECT n, MAX_BY(name, id), MIN_BY(note, id) FROM item GROUP BY n
SELECT REGR_SLOPE(n, m), REGR_INTERCEPT(n, m), COVAR_POP(n, m), COVAR_SAMP(n, m) FROM item
SELECT BIT_AND(n), BIT_OR(n), BIT_XOR(n) FROM item
SELECT QUANTILE_DISC(n, 0.5) FROM item
SELECT UNNEST(GENERATE_SERIES(1, 3)) AS k
