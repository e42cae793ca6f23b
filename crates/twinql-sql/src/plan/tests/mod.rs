mod errors;
mod infos;
mod sexpr;

use super::plan;
use crate::parse::parse;
use crate::schema::Schema;

fn schema() -> Schema {
    Schema::from_ddl(
        "music",
        "CREATE TABLE singer (id INTEGER PRIMARY KEY, name TEXT NOT NULL, country TEXT, age INT);
         CREATE TABLE concert (id INTEGER PRIMARY KEY, venue TEXT, singer_id INT REFERENCES singer (id));",
    )
    .unwrap()
}

/// The plan of a query as an S-expression.
fn planned(sql: &str) -> String {
    let schema = schema();
    let parsed = parse(sql).unwrap_or_else(|e| panic!("{sql}: {e}"));
    let plan = plan(&schema, &parsed).unwrap_or_else(|e| panic!("{sql}: {e}"));
    sexpr::print(&schema, &plan)
}

/// Each query with its plan.
fn check(table: &[(&str, &str)]) {
    for (sql, expected) in table {
        assert_eq!(planned(sql), *expected, "{sql}");
    }
}

#[test]
fn names_and_clauses() {
    check(&[
        (
            r#"SELECT Name, "age", "nothing" FROM singer WHERE `Name` = "Joe" AND (age > 20 AND age < 30) OR NOT age = 5"#,
            r#"(project (filter singer [(or [(and [(eq name#3 'Joe') (gt age#0 20) (lt age#0 30)]) (not (eq age#0 5))])]) [name#3 age#0 nothing#4='nothing']) -> [name#3 age#0 nothing#4]"#,
        ),
        (
            r#"SELECT count(*), max(age), name FROM singer"#,
            r#"(project (group singer [] [count#4=count[] max#5=max[age#0] name#6=bare[name#3]]) [count#4 max#5 name#6]) -> [count#4 max#5 name#6]"#,
        ),
        (
            r#"SELECT country, count(*) AS n FROM singer GROUP BY country HAVING n > 1 AND avg(age) > 3 ORDER BY count(*) DESC, name LIMIT 2, 3"#,
            r#"(project (sort (project (filter (group singer [country#1] [count#4=count[] avg#5=avg[age#0] name#6=bare[name#3]]) [(gt count#4 1) (gt avg#5 3)]) [country#1 count#4 name#6]) [-count#4 name#6] limit 3 offset 2) [country#1 count#4]) -> [country#1 count#4]"#,
        ),
        (
            r#"SELECT substr(name, 1, 1) AS initial, count(DISTINCT age) FILTER (WHERE age > 1) FROM singer GROUP BY initial ORDER BY initial COLLATE nocase DESC"#,
            r#"(sort (project (group singer [initial#5=substr[name#3 1 1]] [count#4=count distinct[age#0] filter (gt age#0 1)]) [initial#5 count#4]) [-lower[initial#5]]) -> [initial#5 count#4]"#,
        ),
        (
            r#"SELECT country FROM singer GROUP BY 1"#,
            r#"(project (group singer [country#1] []) [country#1]) -> [country#1]"#,
        ),
        (
            r#"SELECT DISTINCT country FROM singer ORDER BY age"#,
            r#"(project (sort (group (project singer [country#1 age#0]) [country#1] [age#4=bare distinct[age#0]]) [age#4]) [country#1]) -> [country#1]"#,
        ),
        (
            r#"SELECT country FROM singer ORDER BY age + 1, country"#,
            r#"(project (sort (project singer [country#1 order#4=(add age#0 1)]) [order#4 country#1]) [country#1]) -> [country#1]"#,
        ),
    ]);
}

#[test]
fn joins() {
    check(&[
        (
            r#"SELECT s.name FROM singer AS s, concert c JOIN singer t ON t.id = c.singer_id AND s.id < t.id"#,
            r#"(project (join singer concert singer [(eq id#9 singer_id#5) (lt id#2 id#9)]) [name#3]) -> [name#3]"#,
        ),
        (
            r#"SELECT * FROM singer LEFT JOIN concert ON singer.id = singer_id"#,
            r#"(project (left singer concert [(eq id#2 singer_id#5)]) [id#2 name#3 country#1 age#0 id#4 venue#6 singer_id#5]) -> [id#2 name#3 country#1 age#0 id#4 venue#6 singer_id#5]"#,
        ),
        (
            r#"SELECT singer.*, c.id FROM concert c RIGHT JOIN singer ON singer.id = singer_id"#,
            r#"(project (left singer concert [(eq id#5 singer_id#1)]) [id#5 name#6 country#4 age#3 id#0]) -> [id#5 name#6 country#4 age#3 id#0]"#,
        ),
        (
            r#"SELECT * FROM singer JOIN concert USING (id)"#,
            r#"(project (join singer concert [(eq id#2 id#4)]) [id#2 name#3 country#1 age#0 venue#6 singer_id#5]) -> [id#2 name#3 country#1 age#0 venue#6 singer_id#5]"#,
        ),
        // A table's own star has its own columns, those of USING among them.
        (
            r#"SELECT concert.*, singer.* FROM singer LEFT JOIN concert USING (id)"#,
            r#"(project (left singer concert [(eq id#2 id#4)]) [id#4 venue#6 singer_id#5 id#2 name#3 country#1 age#0]) -> [id#4 venue#6 singer_id#5 id#2 name#3 country#1 age#0]"#,
        ),
        (
            r#"SELECT id, concert.id FROM singer NATURAL FULL JOIN concert"#,
            r#"(project (full singer concert [(eq id#2 id#4)]) [id#7=coalesce[id#2 id#4] id#4]) -> [id#7 id#4]"#,
        ),
    ]);
}

#[test]
fn subqueries_and_compounds() {
    check(&[
        (
            r#"SELECT name FROM singer WHERE id NOT IN (SELECT singer_id FROM concert) AND age BETWEEN 1 AND 2"#,
            r#"(project (filter singer [(not (in [id#2] (project concert [singer_id#5]) -> [singer_id#5])) (gteq age#0 1) (lteq age#0 2)]) [name#3]) -> [name#3]"#,
        ),
        (
            r#"SELECT name FROM singer s WHERE EXISTS (SELECT 1 FROM concert WHERE singer_id = s.id) AND age > (SELECT avg(age) FROM singer)"#,
            r#"(project (filter singer [(exists (project (filter concert [(eq singer_id#5 id#2)]) [1#7=1]) -> [1#7]) (gt age#0 (scalar (project (group singer [] [avg#12=avg[age#8]]) [avg#12]) -> [avg#12]))]) [name#3]) -> [name#3]"#,
        ),
        (
            r#"SELECT name FROM singer UNION SELECT venue FROM concert EXCEPT SELECT country FROM singer ORDER BY 1 LIMIT 3"#,
            r#"(sort (except (union (project singer [name#3]) -> [name#3] (project concert [venue#6]) -> [venue#6]) -> [name#7] (project singer [country#9]) -> [country#9]) [name#12] limit 3) -> [name#12]"#,
        ),
        (
            r#"WITH x(a) AS (SELECT age FROM singer), y AS (SELECT a FROM x) SELECT p.a FROM y p JOIN y q ON p.a = q.a"#,
            r#"(project (join (project (project singer [age#0]) [age#0]) (project (project singer [age#4]) [age#4]) [(eq age#0 age#4)]) [age#0]) -> [age#0]"#,
        ),
        (
            r#"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5) SELECT sum(i) FROM n"#,
            r#"(project (group (recursive-all n#1 (project (values [[]]) [1#0=1]) -> [1#0] (project (filter (ref n#1) [(lt i#1 5)]) [i + 1#2=(add i#1 1)]) -> [i + 1#2]) [] [sum#4=sum[i#3]]) [sum#4]) -> [sum#4]"#,
        ),
    ]);
}

#[test]
fn windows_and_expressions() {
    check(&[
        (
            r#"SELECT name, rank() OVER (PARTITION BY country ORDER BY age DESC) FROM singer"#,
            r#"(project (window singer [rank#4=rank[] by [country#1] order [-age#0] None]) [name#3 rank#4]) -> [name#3 rank#4]"#,
        ),
        (
            r#"SELECT country, sum(count(*)) OVER w FROM singer GROUP BY country WINDOW w AS (ORDER BY count(*) ROWS 1 PRECEDING)"#,
            r#"(project (window (group singer [country#1] [count#4=count[]]) [sum#5=sum[count#4] by [] order [count#4] Some("ROWS BETWEEN 1 PRECEDING AND CURRENT ROW")]) [country#1 sum#5]) -> [country#1 sum#5]"#,
        ),
        (
            r#"SELECT a.n FROM (SELECT country, count(*) AS n FROM singer GROUP BY country) a"#,
            r#"(project (project (group singer [country#1] [count#4=count[]]) [country#1 count#4]) [count#4]) -> [count#4]"#,
        ),
        (
            r#"SELECT CASE country WHEN 'x' THEN 1 ELSE -2 END, CAST(age AS REAL), iif(age, 1, NULL), min(age, 3), name LIKE 'a%' ESCAPE '\' FROM singer"#,
            r#"(project singer [CASE country WHEN 'x' THEN 1 ELSE -2 END#4=(case country#1 ['x':1] -2) CAST(age AS REAL)#5=(cast age#0 Real) iif(age, 1, NULL)#6=iif[age#0 1 null] min(age, 3)#7=min[age#0 3] name LIKE 'a%' ESCAPE '\'#8=like['a%' name#3 '\']]) -> [CASE country WHEN 'x' THEN 1 ELSE -2 END#4 CAST(age AS REAL)#5 iif(age, 1, NULL)#6 min(age, 3)#7 name LIKE 'a%' ESCAPE '\'#8]"#,
        ),
        (
            r#"SELECT (id, age) IN (SELECT id, singer_id FROM concert), rowid, age IS TRUE, x'ff' FROM singer"#,
            r#"(project singer [(id, age) IN (SELECT id, singer_id FROM concert)#7=(in [id#2 age#0] (project concert [id#4 singer_id#5]) -> [id#4 singer_id#5]) id#2 age IS TRUE#8=(is (not age#0) 0) X'ff'#9=x[255]]) -> [(id, age) IN (SELECT id, singer_id FROM concert)#7 id#2 age IS TRUE#8 X'ff'#9]"#,
        ),
    ]);
}

#[test]
fn calls_belong_to_their_select() {
    check(&[
        (r#"VALUES (1, 'a'), (2.5, NULL)"#, r#"(values [[1 'a'] [2.5 null]]) -> [column1#0 column2#1]"#),
        (
            r#"SELECT (SELECT max(s.age) FROM concert) FROM singer s"#,
            r#"(project (group singer [] [max#7=max[age#0]]) [(SELECT max(s.age) FROM concert)#8=(scalar (project concert [max#7]) -> [max#7])]) -> [(SELECT max(s.age) FROM concert)#8]"#,
        ),
        (
            r#"SELECT country, (SELECT count(*) FROM concert WHERE singer_id = s.id) FROM singer s GROUP BY country"#,
            r#"(project (group singer [country#1] [id#8=bare[id#2]]) [country#1 (SELECT count(*) FROM concert WHERE singer_id = s.id)#9=(scalar (project (group (filter concert [(eq singer_id#5 id#8)]) [] [count#7=count[]]) [count#7]) -> [count#7])]) -> [country#1 (SELECT count(*) FROM concert WHERE singer_id = s.id)#9]"#,
        ),
        (
            r#"SELECT age > ALL (SELECT id FROM concert) FROM singer FETCH FIRST 2 ROWS ONLY"#,
            r#"(sort (project singer [age > ALL(SELECT id FROM concert)#7=(all Gt age#0 (project concert [id#4]) -> [id#4])]) [] limit 2) -> [age > ALL(SELECT id FROM concert)#7]"#,
        ),
    ]);
}
