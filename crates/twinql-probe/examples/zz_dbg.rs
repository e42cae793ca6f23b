//! x
use twinql_probe::evaluate;
use twinql_sql::{Semantics, normalize, parse, plan};
use twinql_suite::{facts::Facts, generate::Generator};
fn main() {
    let a: Vec<String> = std::env::args().skip(1).collect();
    let schemas = twinql_sql::schema::load(&a[0]).unwrap();
    let schema = schemas.get(&a[1]).unwrap();
    let p = parse(&a[2]).unwrap(); let q = plan(schema, &p).unwrap();
    let s = Semantics::default(); let s = s.for_gold(schema, &q).into_owned();
    let facts = [Facts::of(schema, &p.query)];
    let g = Generator::new(schema, &s, &facts, &[], 5);
    let c = normalize(schema, q.clone(), &s).plan;
    let db = g.database(1).unwrap();
    println!("{:#?}", if a.len() > 3 { &q.query } else { &c.query });
    println!("{:?} {:?}", evaluate(&q, &db, 50000).map(|r| r.to_values()), evaluate(&c, &db, 50000).map(|r| r.to_values()));
}
