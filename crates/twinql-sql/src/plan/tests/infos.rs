use super::schema;
use crate::parse::parse;
use crate::plan::plan;

/// The outputs of a query: name, origin, affinity, class, and `?` where NULL may stand.
fn outputs(sql: &str) -> Vec<String> {
    let schema = schema();
    let plan = plan(&schema, &parse(sql).unwrap()).unwrap_or_else(|e| panic!("{sql}: {e}"));
    plan.query
        .output
        .iter()
        .map(|id| {
            let info = &plan.columns[id.0 as usize];
            let origin = info.origin.map_or("-".into(), |o| {
                let table = &schema.tables[o.table];
                format!("{}.{}", table.name, table.columns[o.column].name)
            });
            let affinity = info.affinity.map_or("-".into(), |a| format!("{a:?}"));
            let null = if info.nullable { "?" } else { "" };
            format!("{} {origin} {affinity} {:?}{null}", info.name, info.class)
        })
        .collect()
}

#[test]
fn outputs_know_what_they_are() {
    let table: [(&str, &[&str]); 8] = [
        ("SELECT name, age FROM singer", &["name singer.name Text Text", "age singer.age Integer Integer?"]),
        (
            "SELECT name, venue FROM concert LEFT JOIN singer ON singer.id = singer_id",
            &["name singer.name Text Text?", "venue concert.venue Text Text?"],
        ),
        (
            "SELECT name, venue FROM concert RIGHT JOIN singer ON singer.id = singer_id",
            &["name singer.name Text Text", "venue concert.venue Text Text?"],
        ),
        (
            "SELECT country, count(*), max(name), avg(age) FROM singer GROUP BY country",
            &[
                "country singer.country Text Text?",
                "count - - Integer",
                "max singer.name - Text",
                "avg - - Number?",
            ],
        ),
        ("SELECT max(name) FROM singer", &["max singer.name - Text?"]),
        ("SELECT name FROM singer UNION SELECT country FROM singer", &["name - Text Text?"]),
        ("SELECT country FROM singer INTERSECT SELECT name FROM singer", &["country - Text Text"]),
        (
            "SELECT age + 1 AS next, CAST(age AS TEXT) AS t, name = 'x' AS same FROM singer",
            &["next - - Integer?", "t - Text Text?", "same - - Boolean"],
        ),
    ];
    for (sql, expected) in table {
        assert_eq!(outputs(sql), expected, "{sql}");
    }
}
