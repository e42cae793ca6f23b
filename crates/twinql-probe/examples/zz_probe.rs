//! x
use std::time::Instant;
use twinql_probe::Probe;
use twinql_sql::{Semantics, normalize, parse, plan};
fn main() {
    let a: Vec<String> = std::env::args().skip(1).collect();
    let schemas = twinql_sql::schema::load(&a[1]).unwrap();
    let semantics = Semantics::preset(&a[2]).unwrap();
    let n: u64 = a[3].parse().unwrap();
    let text = std::fs::read_to_string(&a[0]).unwrap();
    let probe = Probe { databases: n, ..Probe::default() };
    let (mut t, mut count) = (0f64, 0);
    let mut times = vec![];
    for line in text.lines() {
        let v: serde_json::Value = serde_json::from_str(line).unwrap();
        let g = v["gold"].as_str().unwrap(); let p = v["pred"].as_str().unwrap();
        let Some(schema) = v["db_id"].as_str().and_then(|d| schemas.get(d)) else { println!("null"); continue };
        let read = |s: &str| { let p = parse(s).ok()?; let q = plan(schema, &p).ok()?; Some((p, q)) };
        let (Some((gt, gp)), Some((pt, pp))) = (read(g), read(p)) else { println!("null"); continue };
        let s = semantics.for_gold(schema, &gp).into_owned();
        let plain = (gp.clone(), pp.clone());
        let [gc, pc] = [gp, pp].map(|q| normalize(schema, q, &s).plan);
        if gc.query == pc.query { println!("\"same\""); continue }
        let at = Instant::now();
        let (fg, fp) = (twinql_suite::facts::Facts::of(schema, &gt.query), twinql_suite::facts::Facts::of(schema, &pt.query));
        let side = |plan, facts| twinql_probe::Side { plan, facts };
        let f = if a.get(4).is_some() { probe.plausible(schema, side(&plain.0, &fg), side(&plain.1, &fp), &s) } else { probe.every(schema, side(&gc, &fg), side(&pc, &fp), &s) };
        let e = at.elapsed().as_secs_f64(); t += e; count += 1; times.push(e);
        println!("{}", serde_json::json!({"agree": f.agree, "differ": f.differ, "open": f.open, "un": f.unsupported, "us": (e*1e6) as i64}));
    }
    times.sort_by(f64::total_cmp);
    eprintln!("{count} probed, mean {:.0} us, p50 {:.0} p95 {:.0} max {:.0}", t*1e6/count as f64, times[count/2]*1e6, times[count*95/100]*1e6, times[count-1]*1e6);
}
