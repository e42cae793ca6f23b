-- One query a line, over the schema of `Example`.
SELECT name FROM customer WHERE age > 2 AND city = 'a'
SELECT DISTINCT city FROM customer
SELECT city, COUNT(*) FROM customer GROUP BY city HAVING COUNT(*) >= 1 AND city <> 'b'
SELECT c.name FROM customer AS c JOIN orders AS o ON c.id = o.customer_id WHERE o.total > 1.5
SELECT DISTINCT c.name FROM customer c JOIN orders o ON c.id = o.customer_id
SELECT name FROM customer WHERE id IN (SELECT customer_id FROM orders)
SELECT name FROM customer WHERE id NOT IN (SELECT customer_id FROM orders WHERE total > 1)
SELECT name FROM customer WHERE city NOT IN (SELECT day FROM orders)
SELECT c.name FROM customer c LEFT JOIN orders o ON c.id = o.customer_id WHERE o.id IS NULL
SELECT id FROM customer EXCEPT SELECT customer_id FROM orders
SELECT city FROM customer EXCEPT SELECT day FROM orders
SELECT city FROM customer INTERSECT SELECT day FROM orders
SELECT city FROM customer WHERE age > 1 INTERSECT SELECT city FROM customer WHERE age < 3
SELECT city FROM customer UNION SELECT day FROM orders
SELECT name FROM customer UNION ALL SELECT product FROM line
SELECT MAX(age) FROM customer
SELECT age FROM customer ORDER BY age DESC LIMIT 1
SELECT name, (SELECT COUNT(*) FROM orders o WHERE o.customer_id = c.id) FROM customer c
SELECT name FROM customer c WHERE EXISTS (SELECT 1 FROM orders o WHERE o.customer_id = c.id AND o.total > 2)
SELECT name FROM customer c WHERE NOT EXISTS (SELECT * FROM orders o WHERE o.customer_id = c.id)
SELECT name FROM customer WHERE age = (SELECT MAX(age) FROM customer)
SELECT COUNT(DISTINCT id), COUNT(id), COUNT(city), COUNT(DISTINCT city) FROM customer
SELECT c.city, SUM(o.total) FROM customer c JOIN orders o ON o.customer_id = c.id GROUP BY c.city ORDER BY SUM(o.total)
SELECT c.id, c.name, COUNT(*) FROM customer c JOIN orders o ON c.id = o.customer_id GROUP BY c.id
SELECT c.name FROM customer c JOIN orders o ON c.id = o.customer_id GROUP BY o.customer_id HAVING COUNT(*) >= 2
SELECT c.name FROM customer c JOIN (SELECT customer_id FROM orders GROUP BY customer_id HAVING COUNT(*) >= 2) s ON s.customer_id = c.id
SELECT name FROM customer WHERE id IN (SELECT customer_id FROM orders GROUP BY customer_id HAVING COUNT(*) >= 2)
SELECT a.name FROM customer a JOIN customer b ON a.id = b.id WHERE b.age < 4
SELECT a.name, b.name FROM customer a JOIN customer b ON a.city = b.city WHERE a.id < b.id
SELECT name FROM customer WHERE age BETWEEN 1 AND 3 OR city IN ('a', 'b')
SELECT name FROM customer WHERE NOT (age > 2 OR city = 'a')
SELECT name FROM customer WHERE age = '2' OR age = 3.0
SELECT CASE WHEN age > 2 THEN 'old' ELSE 'young' END AS k, COUNT(*) FROM customer GROUP BY k
WITH t AS (SELECT city, COUNT(*) AS n FROM customer GROUP BY city) SELECT city FROM t WHERE n > 1
SELECT city FROM (SELECT city, age + 1 AS next FROM customer) WHERE next > 3
SELECT o.id FROM orders o JOIN customer c ON o.customer_id = c.id
SELECT product, amount, SUM(amount) OVER (PARTITION BY product) FROM line
SELECT c.name, o.id FROM customer c LEFT JOIN orders o ON o.customer_id = c.id AND o.total > 2
SELECT c.name, o.id FROM customer c LEFT JOIN orders o ON o.customer_id = c.id WHERE o.total > 2
SELECT c.name FROM customer c LEFT JOIN orders o ON o.customer_id = c.id
SELECT COUNT(*) FROM customer c LEFT JOIN (SELECT DISTINCT customer_id FROM orders) o ON o.customer_id = c.id
SELECT SUM(1), COUNT(1), AVG(CAST(age AS REAL)) FROM customer
SELECT name FROM customer WHERE id = (SELECT customer_id FROM orders WHERE id = 3)
SELECT name FROM customer WHERE age IN (SELECT MIN(age) FROM customer)
SELECT name FROM customer c, (SELECT AVG(age) AS m FROM customer) s WHERE c.age > s.m
SELECT 1
SELECT name FROM customer WHERE city IS NOT NULL AND city LIKE 'a%'
SELECT city, MAX(age), name FROM customer GROUP BY city
SELECT DISTINCT c.city FROM customer c JOIN orders o ON o.customer_id = c.id JOIN line l ON l.order_id = o.id WHERE l.amount > 1
SELECT name FROM customer WHERE id IN (SELECT customer_id FROM orders WHERE id IN (SELECT order_id FROM line WHERE product = 'a'))
SELECT name FROM customer WHERE age > 1 UNION SELECT name FROM customer WHERE city = 'a'
SELECT city FROM customer WHERE age > 1 EXCEPT SELECT city FROM customer WHERE age > 3
SELECT id FROM customer WHERE age > 1 EXCEPT SELECT id FROM customer WHERE city = 'a'
SELECT COUNT(*) FROM (SELECT DISTINCT city FROM customer)
SELECT COUNT(*) FROM (SELECT city FROM customer ORDER BY age)
SELECT COUNT(*) FROM customer WHERE id IN (SELECT customer_id FROM orders ORDER BY total LIMIT 1)
SELECT t.city FROM (SELECT city FROM customer UNION SELECT day FROM orders) t WHERE t.city > 'a'
SELECT x.city, x.n FROM (SELECT city, COUNT(*) AS n FROM customer GROUP BY city) x ORDER BY x.n DESC, x.city LIMIT 2
SELECT customer_id, total FROM orders GROUP BY id
SELECT o.id, c.name FROM orders o JOIN customer c ON CAST(o.code AS REAL) = c.id
SELECT COUNT(*) FROM orders o JOIN customer c ON CAST(o.code AS NUMERIC) = c.id WHERE o.total > 2
SELECT name FROM customer ORDER BY age DESC, name LIMIT 2
SELECT id FROM customer WHERE id = (SELECT customer_id FROM orders ORDER BY total LIMIT 1)
SELECT o.* FROM customer c JOIN orders o USING (id)
SELECT c.*, o.* FROM customer c LEFT JOIN orders o USING (id)
SELECT c.*, o.total FROM customer c NATURAL JOIN orders o
SELECT c.* FROM customer c FULL JOIN orders o USING (id)
