//! A profile of PostgreSQL's own statistics: the view `pg_stats`, exported as CSV. No connection is needed.
//!
//! The statistics are a sample's (`ANALYZE` makes them): shares and distinct counts are estimates. They know nothing
//! of keys of several columns and of references.

use std::collections::HashMap;

use serde_json::Value;

use super::csv::{Table, array};
use super::format::{ColumnProfile, Common, Profile, ProfileError, TableProfile};
use super::sample::{spread, year};
use super::shape::{self, share};

/// What was exported.
#[derive(Debug, Clone, Copy)]
pub struct PgStats<'a> {
    /// `pg_stats`, with a header.
    pub stats: &'a str,
    /// `relname` and `reltuples` of `pg_class`, with a header, where there is one.
    pub classes: Option<&'a str>,
    /// The database's id in the profile.
    pub db_id: &'a str,
    /// How many common values of a column are told; 0 for none.
    pub values: usize,
}

/// Schemas of the system itself.
const OWN: [&str; 3] = ["pg_catalog", "information_schema", "pg_toast"];

/// Times that a value is counted for each thousandth of its frequency.
const GRAIN: f64 = 1000.0;

/// The profile that PostgreSQL's statistics give.
///
/// # Errors
/// A file is not what it should be: which, at which line, and why.
pub fn from_pg_stats(given: &PgStats<'_>) -> Result<Profile, ProfileError> {
    read(given).map_err(ProfileError::whole)
}

fn read(given: &PgStats<'_>) -> Result<Profile, String> {
    let rows = given.classes.map_or_else(|| Ok(HashMap::new()), row_counts)?;
    let table = Table::read(given.stats, &["tablename", "attname", "null_frac", "n_distinct"])
        .map_err(|e| format!("pg_stats: {e}"))?;
    let mut tables: Vec<(String, TableProfile)> = Vec::new();
    // The schema that each table was found in.
    let mut schemas: HashMap<String, String> = HashMap::new();
    for (line, record) in &table.records {
        let place = |what: &str| format!("pg_stats: line {line}: {what}");
        let field = |name: &str| table.field(record, name);
        let schema = field("schemaname").unwrap_or("public");
        if OWN.contains(&schema) {
            continue;
        }
        let (Some(name), Some(attribute)) = (field("tablename"), field("attname")) else {
            return Err(place("no name of a table and a column"));
        };
        let known = schemas.entry(name.to_owned()).or_insert_with(|| schema.to_owned());
        if known != schema {
            return Err(place(&format!(
                "table {name} stands in the schemas {known} and {schema}: export one, with WHERE schemaname = '{schema}'"
            )));
        }
        let column = read_column(&field, rows.get(name).copied(), given.values).map_err(|e| place(&e))?;
        let position = tables.iter().position(|(n, _)| n == name).unwrap_or_else(|| {
            tables.push((
                name.to_owned(),
                TableProfile { rows: rows.get(name).copied(), ..TableProfile::default() },
            ));
            tables.len() - 1
        });
        let columns = &mut tables[position].1.columns;
        match columns.iter_mut().find(|(n, _)| n == attribute) {
            // A table with children has a line for itself and one for all of them.
            Some((_, old)) if field("inherited").is_some_and(|i| i.starts_with('t')) => *old = column,
            Some(_) => {}
            None => columns.push((attribute.to_owned(), column)),
        }
    }
    if tables.is_empty() {
        return Err("pg_stats: there is no column of a user's table in it; run ANALYZE first".into());
    }
    Ok(Profile { db_id: given.db_id.to_owned(), source: Some("pg_stats".into()), tables })
}

fn row_counts(text: &str) -> Result<HashMap<String, u64>, String> {
    let table = Table::read(text, &["relname", "reltuples"]).map_err(|e| format!("pg_class: {e}"))?;
    let mut rows = HashMap::new();
    for (line, record) in &table.records {
        let name = table.field(record, "relname").unwrap_or_default();
        let n: f64 = number(table.field(record, "reltuples").unwrap_or_default())
            .ok_or_else(|| format!("pg_class: line {line}: reltuples is no number"))?;
        // PostgreSQL has -1 where a table was never analysed.
        if n >= 0.0 {
            rows.insert(name.to_owned(), n as u64);
        }
    }
    Ok(rows)
}

fn number(text: &str) -> Option<f64> {
    text.parse().ok().filter(|n: &f64| n.is_finite())
}

fn read_column<'r>(
    field: &dyn Fn(&str) -> Option<&'r str>,
    rows: Option<u64>,
    values: usize,
) -> Result<ColumnProfile, String> {
    let needed = |name: &str| {
        let text = field(name).ok_or_else(|| format!("{name} is empty"))?;
        number(text).ok_or_else(|| format!("{name} is no number: {text:?}"))
    };
    let list =
        |name: &str| field(name).map_or_else(|| Ok(Vec::new()), array).map_err(|e| format!("{name} {e}"));
    let (nulls, distinct) = (needed("null_frac")?, needed("n_distinct")?);
    let (most_common, bounds) = (list("most_common_vals")?, list("histogram_bounds")?);
    let frequencies: Vec<f64> = list("most_common_freqs")?
        .iter()
        .map(|f| number(f).ok_or_else(|| format!("most_common_freqs holds {f:?}, which is no number")))
        .collect::<Result<_, _>>()?;
    if most_common.len() != frequencies.len() {
        return Err(format!(
            "{} most_common_vals have {} most_common_freqs",
            most_common.len(),
            frequencies.len()
        ));
    }
    let filled = 1.0 - nulls;
    let mut column = ColumnProfile {
        null_share: Some(rounded(nulls)),
        // A negative number is a share of the rows.
        distinct: match (distinct, rows) {
            (d, _) if d > 0.0 => Some(d as u64),
            (d, Some(rows)) if d < 0.0 => Some(((-d * rows as f64).round() as u64).min(rows)),
            _ => None,
        },
        unique: match distinct {
            d if d < 0.0 => Some(-d >= filled - 1e-6),
            d => (d > 0.0).then_some(false),
        },
        frequencies: frequencies.iter().take(10).map(|f| rounded(*f)).collect(),
        ..ColumnProfile::default()
    };
    // Each value with how often it counts: what is not common is spread evenly between the bounds.
    let rest = (filled - frequencies.iter().sum::<f64>()).max(0.0) / bounds.len().max(1) as f64;
    let weighted: Vec<(&str, f64)> = most_common
        .iter()
        .zip(&frequencies)
        .map(|(value, f)| (value.as_str(), *f))
        .chain(bounds.iter().map(|value| (value.as_str(), rest)))
        .collect();
    let numeric = !weighted.is_empty() && weighted.iter().all(|(value, _)| number(value).is_some());
    if numeric {
        numbers(&weighted, &mut column);
    } else {
        texts(&weighted, &mut column);
    }
    column.common = most_common
        .iter()
        .zip(&frequencies)
        .take(values)
        .map(|(value, f)| Common {
            value: match number(value).filter(|_| numeric) {
                Some(n) if n.fract() == 0.0 && n.abs() < 9e15 => (n as i64).into(),
                Some(n) => serde_json::Number::from_f64(n).map_or(Value::Null, Value::Number),
                None => value.as_str().into(),
            },
            share: rounded(*f),
        })
        .collect();
    Ok(column)
}

fn rounded(share: f64) -> f64 {
    (share * 1e4).round() / 1e4
}

/// Values as often as they count, in order.
fn repeated<T: Copy>(weighted: &[(T, f64)]) -> Vec<T> {
    let times = |weight: f64| ((weight * GRAIN).round() as usize).clamp(1, GRAIN as usize);
    weighted.iter().flat_map(|(value, weight)| std::iter::repeat_n(*value, times(*weight))).collect()
}

fn numbers(weighted: &[(&str, f64)], column: &mut ColumnProfile) {
    let weighted: Vec<(f64, f64)> = weighted.iter().filter_map(|(v, w)| Some((number(v)?, *w))).collect();
    let mut all = repeated(&weighted);
    all.sort_by(f64::total_cmp);
    let whole = all.iter().filter(|n| n.fract() == 0.0).count() as u64;
    column.number_share = Some(1.0);
    column.whole_share = Some(share(whole, all.len() as u64));
    column.range = all.first().zip(all.last()).map(|(a, b)| [*a, *b]);
    column.quantiles = spread(&all);
}

fn texts(weighted: &[(&str, f64)], column: &mut ColumnProfile) {
    let all = repeated(weighted);
    let mut shapes: HashMap<String, u64> = HashMap::new();
    for text in &all {
        if let Some(shape) = shape::exact(text) {
            *shapes.entry(shape).or_default() += 1;
        }
    }
    column.shapes = shape::common(&shapes, all.len() as u64);
    let lengths = weighted.iter().map(|(t, _)| t.chars().count() as u64);
    column.lengths = lengths.fold(None, |found: Option<[u64; 2]>, n| {
        Some(found.map_or([n, n], |[least, most]| [least.min(n), most.max(n)]))
    });
    let mut years: Vec<i64> = all.iter().filter_map(|t| year(t)).collect();
    if !years.is_empty() && years.len() * 10 >= all.len() * 9 {
        years.sort_unstable();
        column.years = spread(&years);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STATS: &str = r#"schemaname,tablename,attname,inherited,null_frac,n_distinct,most_common_vals,most_common_freqs,histogram_bounds
public,singer,id,f,0,-1,,,"{1,250,500,750,1000}"
public,singer,name,f,0,-0.5,"{""O'Hara, ""A"""",Bo}","{0.02,0.01}","{Adam,""Zoe \\"" X""}"
public,singer,country,f,0.1,3,"{France,Peru,""New, York""}","{0.5,0.3,0.1}",
public,singer,born,f,0,-0.9,,,"{1950-01-02,1970-03-04,1999-12-31}"
public,singer,price,f,0,40,{2.5},{0.25},"{0.5,10,99.99}"
pg_catalog,pg_class,oid,f,0,-1,,,
"#;

    fn read(values: usize) -> Profile {
        // PostgreSQL doubles quotes inside quoted fields; the array's own are escaped by a backslash.
        let stats = STATS
            .replace("{\"\"O'Hara, \"\"A\"\"\"\"", "{\"\"O'Hara, \\\"\"A\\\"\"\"\"")
            .replace("\\\\\"\"", "\\\"\"");
        let classes = "relname,reltuples\nsinger,1000\nother,-1\n";
        from_pg_stats(&PgStats { stats: &stats, classes: Some(classes), db_id: "concert", values }).unwrap()
    }

    #[test]
    fn statistics_become_a_profile() {
        let profile = read(0);
        let (name, singer) = &profile.tables[0];
        assert_eq!((name.as_str(), singer.rows, profile.tables.len()), ("singer", Some(1000), 1));
        let column = |name: &str| singer.columns.iter().find(|(n, _)| n == name).unwrap().1.clone();
        let id = column("id");
        assert_eq!((id.distinct, id.unique, id.range), (Some(1000), Some(true), Some([1.0, 1000.0])));
        assert_eq!(id.whole_share, Some(1.0));
        assert_eq!((column("name").distinct, column("name").unique), (Some(500), Some(false)));
        let country = column("country");
        assert_eq!((country.distinct, country.null_share), (Some(3), Some(0.1)));
        assert_eq!(country.frequencies, [0.5, 0.3, 0.1]);
        assert_eq!(column("born").years.first().zip(column("born").years.last()), Some((&1950, &1999)));
        assert_eq!(column("born").shapes[0].shape, "9999-99-99");
        assert_eq!(column("price").whole_share.unwrap(), 0.25);
        let text = profile.text();
        for told in ["Adam", "Zoe", "France", "Peru", "New", "Hara", "1950-01"] {
            assert!(!text.contains(told), "{told}");
        }
    }

    #[test]
    fn values_are_told_where_they_were_asked_for() {
        let profile = read(2);
        let common = |i: usize| {
            profile.tables[0].1.columns[i].1.common.iter().map(|c| c.value.clone()).collect::<Vec<_>>()
        };
        assert_eq!(common(1), [Value::from("O'Hara, \"A\""), Value::from("Bo")]);
        assert_eq!(common(2), [Value::from("France"), Value::from("Peru")]);
        assert_eq!(common(4), [Value::from(2.5)]);
    }

    #[test]
    fn what_is_wrong_names_its_line() {
        let says = |stats: &str| {
            from_pg_stats(&PgStats { stats, classes: None, db_id: "d", values: 0 }).unwrap_err().to_string()
        };
        assert!(says("a,b\n").contains("tablename"));
        let head = "schemaname,tablename,attname,null_frac,n_distinct,most_common_vals,most_common_freqs\n";
        assert!(
            says(&format!("{head}public,t,a,x,1,,")).starts_with("pg_stats: line 2: null_frac is no number")
        );
        assert!(
            says(&format!("{head}public,t,a,0,1,\"{{a,b}}\",{{0.1}}")).contains("2 most_common_vals have 1")
        );
        assert!(says(&format!("{head}public,t,a,0,1,\"{{a\",")).contains("is no array"));
        assert!(says(&format!("{head}a,t,a,0,1,,\nb,t,a,0,1,,")).contains("schemas a and b"));
        assert!(says(head).contains("ANALYZE"));
        let unknown = format!("{head}public,t,a,0,-0.5,,");
        let profile =
            from_pg_stats(&PgStats { stats: &unknown, classes: None, db_id: "d", values: 0 }).unwrap();
        assert_eq!(profile.tables[0].1.columns[0].1.distinct, None);
    }
}
