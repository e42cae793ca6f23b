use std::time::Instant;
use twinql_suite::facts::Facts;
use twinql_suite::generate::Generator;
use twinql_suite::plausible::Plausible;
use twinql_sql::Semantics;
fn main() {
    let mut args = std::env::args().skip(1);
    let (pairs, schemas, n) = (args.next().unwrap(), args.next().unwrap(), args.next().unwrap().parse::<usize>().unwrap());
    let all = twinql_sql::schema::load(&schemas).unwrap();
    let lines = std::fs::read_to_string(&pairs).unwrap();
    let mut t = [0f64; 5]; let mut count = 0; let mut rows = [0usize; 2];
    for line in lines.lines().step_by(7).take(n) {
        let v: serde_json::Value = serde_json::from_str(line).unwrap();
        let (db, g, p) = (v["db_id"].as_str().unwrap(), v["gold"].as_str().unwrap(), v["pred"].as_str().unwrap());
        let Some(schema) = all.get(db) else { continue };
        let (Ok(g), Ok(p)) = (twinql_sql::parse(g), twinql_sql::parse(p)) else { continue };
        let s = Instant::now();
        let facts = [Facts::of(schema, &g.query), Facts::of(schema, &p.query)];
        t[0] += s.elapsed().as_secs_f64();
        let s = Instant::now();
        let semantics = Semantics::default();
        let gen_ = Generator::new(schema, &semantics, &facts, &[], 8);
        t[1] += s.elapsed().as_secs_f64();
        let s = Instant::now();
        for i in 0..8 { rows[0] += gen_.database(i).map_or(0, |d| d.len()); }
        t[2] += s.elapsed().as_secs_f64() / 8.;
        let s = Instant::now();
        let pl = Plausible::new(schema, &facts[0], &facts[1], &[], 8);
        t[3] += s.elapsed().as_secs_f64();
        let s = Instant::now();
        for i in 0..8 { rows[1] += pl.database(i, false).len(); }
        t[4] += s.elapsed().as_secs_f64() / 8.;
        count += 1;
    }
    println!("{count} pairs, us: facts {:.0} generator {:.0} db {:.0} plausible {:.0} pdb {:.0} rows {:?}", t[0]*1e6/count as f64, t[1]*1e6/count as f64, t[2]*1e6/count as f64, t[3]*1e6/count as f64, t[4]*1e6/count as f64, rows.map(|r| r / count / 8));
}
