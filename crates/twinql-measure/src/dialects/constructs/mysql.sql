-- One expression over item a line, or a query.
n / m
n / 2
n DIV 2
n % 3
n MOD 3
MOD(price, 3)
price / 3
ROUND(price)
ROUND(price, 1)
ROUND(n, -1)
ROUND(ratio)
ROUND(2.5)
TRUNCATE(price, 1)
TRUNCATE(n, -1)
CEIL(price)
FLOOR(ratio)
ABS(n)
SIGN(price)
SQRT(ABS(n))
POW(n, 2)
EXP(1)
LN(ABS(n) + 1)
LOG(ABS(n) + 1)
LOG(2, 8)
LOG2(8)
LOG10(100)
GREATEST(n, m)
LEAST(n, m, 3)
CAST(price AS SIGNED)
CAST(2.5 AS SIGNED)
CAST('12ab' AS SIGNED)
CAST(n AS CHAR)
CAST(n AS DECIMAL(10, 2))
CAST(price AS DECIMAL)
CAST(name AS UNSIGNED)
CAST(made AS DATE)
CONVERT(n, CHAR)
CONVERT(price, SIGNED)
CONVERT(name USING utf8mb4)
name = 'A'
name IN ('a', 'B')
name LIKE 'A%'
name LIKE BINARY 'a%'
name REGEXP '^a'
name NOT REGEXP 'b$'
BINARY name = 'a'
name < 'b'
name = 0
n = '3'
n + '3'
CONCAT(name, '-', n)
CONCAT(name, NULL)
CONCAT_WS(',', name, NULL, n)
LENGTH(name)
CHAR_LENGTH(note)
UPPER(name)
LCASE(name)
TRIM(name)
TRIM(LEADING 'a' FROM name)
LPAD(name, 8, '*')
RPAD(name, 3, ' ')
LEFT(name, 2)
LEFT(name, -1)
RIGHT(name, 2)
SUBSTRING(name, 2)
SUBSTRING(name, 2, 2)
SUBSTRING(name, 0)
SUBSTRING(name, -2)
SUBSTRING(name FROM 2 FOR 1)
MID(name, 1, 2)
SUBSTRING_INDEX(note, ' ', 1)
SUBSTRING_INDEX(note, ' ', -1)
LOCATE('a', name)
LOCATE('a', name, 2)
INSTR(name, 'a')
POSITION('a' IN name)
REPLACE(name, 'a', 'bb')
REVERSE(name)
REPEAT(name, 2)
SPACE(3)
ASCII(name)
ORD(name)
CHAR(65)
HEX(n)
HEX(name)
FIELD(name, 'a', 'b')
ELT(2, 'x', 'y')
FIND_IN_SET('b', 'a,b,c')
INSERT(name, 1, 2, 'zz')
FORMAT(price, 1)
STRCMP(name, 'a')
IF(n > 2, 'big', 'small')
IFNULL(n, 0)
NULLIF(n, 3)
COALESCE(note, name)
ISNULL(n)
n <=> m
n XOR m
NOT n
n && m
n || m
!ok
n & 3
n | 4
n ^ 1
CASE WHEN n > 2 THEN 'a' ELSE 'b' END
YEAR(day)
MONTH(day)
DAY(made)
DAYOFMONTH(day)
DAYOFWEEK(day)
WEEKDAY(day)
DAYOFYEAR(day)
DAYNAME(day)
MONTHNAME(day)
QUARTER(day)
WEEK(day)
WEEKOFYEAR(day)
YEARWEEK(day)
HOUR(made)
MINUTE(made)
SECOND(made)
DATE(made)
TIME(made)
LAST_DAY(day)
TO_DAYS(day)
FROM_DAYS(738000)
MAKEDATE(2024, 60)
EXTRACT(YEAR FROM day)
EXTRACT(YEAR_MONTH FROM day)
EXTRACT(DAY FROM made)
DATE_FORMAT(day, '%Y-%m')
DATE_FORMAT(made, '%d %b %Y %H:%i')
DATE_FORMAT(day, '%W %M %e')
DATE_FORMAT(day, '%Y') = 2024
STR_TO_DATE('05,12,2000', '%d,%m,%Y')
DATE_ADD(day, INTERVAL 1 MONTH)
DATE_SUB(day, INTERVAL 7 DAY)
day + INTERVAL 1 YEAR
ADDDATE(day, 31)
SUBDATE(day, INTERVAL 1 WEEK)
DATEDIFF(day, '2024-01-01')
TIMESTAMPDIFF(YEAR, day, '2024-06-01')
TIMESTAMPDIFF(MONTH, '2024-01-31', '2024-02-29')
TIMESTAMPDIFF(HOUR, made, '2024-06-01')
TIMESTAMPADD(DAY, 3, day)
PERIOD_DIFF(202402, 202310)
UNIX_TIMESTAMP('1970-01-02 00:00:00') - UNIX_TIMESTAMP('1970-01-01 00:00:00')
day BETWEEN '2020-01-01' AND '2024-12-31'
made >= '2024-01-01'
day > 20200101
JSON_EXTRACT('{"a": [1, 2]}', '$.a[1]')
JSON_UNQUOTE(JSON_EXTRACT('{"a": "x"}', '$.a'))
SELECT COUNT(*), COUNT(n), COUNT(DISTINCT n), SUM(n), AVG(n), MIN(name), MAX(day) FROM item
SELECT COUNT(DISTINCT n, m) FROM item
SELECT COUNT(DISTINCT name) FROM item
SELECT SUM(price), AVG(price) FROM item
SELECT SUM(n > 2), AVG(ok) FROM item
SELECT GROUP_CONCAT(n ORDER BY id) FROM item
SELECT GROUP_CONCAT(DISTINCT n ORDER BY n SEPARATOR ';') FROM item
SELECT STDDEV(n), VARIANCE(n), STDDEV_SAMP(n), VAR_SAMP(n) FROM item
SELECT BIT_AND(n), BIT_OR(n), BIT_XOR(n) FROM item
SELECT n FROM item ORDER BY n LIMIT 3
SELECT n FROM item ORDER BY n DESC LIMIT 1, 2
SELECT name FROM item ORDER BY name, id
SELECT LOWER(name), COUNT(*) FROM item GROUP BY LOWER(name)
SELECT COUNT(*) FROM item GROUP BY name HAVING COUNT(*) > 1
SELECT n, COUNT(*) FROM item GROUP BY n WITH ROLLUP
SELECT id, ROW_NUMBER() OVER (PARTITION BY n ORDER BY id) FROM item
SELECT id, RANK() OVER (ORDER BY n), SUM(m) OVER (PARTITION BY n ORDER BY id) FROM item
SELECT id, LAG(m) OVER (ORDER BY id), LEAD(m, 2, 0) OVER (ORDER BY id) FROM item
SELECT n FROM item UNION SELECT m FROM item
SELECT n FROM item UNION ALL SELECT m FROM item INTERSECT SELECT 3
WITH RECURSIVE s AS (SELECT 1 AS k UNION ALL SELECT k + 1 FROM s WHERE k < 5) SELECT k FROM s
SELECT a.id, b.id FROM item a LEFT JOIN item b ON a.n = b.m
SELECT id FROM item WHERE (n, m) IN (SELECT m, n FROM item)
SELECT id FROM item WHERE n = ANY (SELECT m FROM item)
SELECT id FROM item WHERE n > ALL (SELECT m FROM item WHERE m IS NOT NULL)
SELECT STRAIGHT_JOIN a.id FROM item a STRAIGHT_JOIN item b ON a.id = b.id
SELECT TRUE + TRUE, 1 = 1, NULL IS NULL
