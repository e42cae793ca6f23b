//! What each function gives, and that no argument makes one panic or run on.

use rusqlite::Connection;
use twinql_sql::Value;
use twinql_sql::function::PREFIXES;

use super::register::{call_by_name, register};
use super::{AGGREGATES, FUNCTIONS, MATHEMATICS};

fn connection() -> Connection {
    let connection = Connection::open_in_memory().unwrap();
    register(&connection, 65_536).unwrap();
    connection
}

/// What SQLite shows of an expression.
fn shown(connection: &Connection, expression: &str) -> String {
    let sql = format!("SELECT {expression}");
    match connection.query_row(&sql, [], |row| row.get::<_, rusqlite::types::Value>(0)) {
        Ok(rusqlite::types::Value::Null) => "NULL".into(),
        Ok(rusqlite::types::Value::Integer(i)) => i.to_string(),
        Ok(rusqlite::types::Value::Real(r)) => format!("{r:?}"),
        Ok(rusqlite::types::Value::Text(t)) => t,
        Ok(other) => format!("{other:?}"),
        Err(e) => format!("error: {e}"),
    }
}

/// The answers are PostgreSQL's and MySQL's.
#[test]
fn what_each_function_gives() {
    let connection = connection();
    for (expression, answer) in [
        ("pg_add('2024-01-31', pg_interval(1, 0, 0))", "2024-02-29 00:00:00"),
        ("pg_add('2024-01-31', 2)", "2024-02-02"),
        ("pg_substr('abcdef', -2) || pg_substr('abcdef', -1, 4) || pg_substr('abcdef', 0, 3)", "abcdefabab"),
        ("pg_substr('abc', 2, -1)", "error: negative substring length not allowed"),
        ("my_substr('abcdef', -2) || my_substr('abcdef', -2, 1) || my_substr('abc', 2, 1)", "efeb"),
        ("my_substr('abcdef', -9) || my_substr('abc', 0) || my_substr('abc', 2, -1)", ""),
        (
            "pg_left('abcdef', -2) || pg_right('abcdef', -2) || pg_left('abc', 9) || pg_right('abc', -9)",
            "abcdcdefabc",
        ),
        ("my_right('abcdef', 2) || my_right('abcdef', -2) || my_right('abc', 9)", "efabc"),
        ("my_hex(255) || my_hex('é')", "FFC3A9"),
        ("my_hex(-1)", "FFFFFFFFFFFFFFFF"),
        ("pg_to_hex(255)", "ff"),
        (
            "my_format(12345.678, 2) || ' ' || my_format(-1234.5, 1) || ' ' || my_format(999, 0)",
            "12,345.68 -1,234.5 999",
        ),
        ("my_locate('b', 'abcB', 3)", "4"),
        ("my_locate('b', 'abc', 0)", "0"),
        ("pg_round_to(125, -1)", "130"),
        ("pg_round_to(1.005, 2)", "1.01"),
        ("pg_round_to(-135.5, -1)", "-140.0"),
        ("pg_trunc_to(-12.678, 1)", "-12.6"),
        ("pg_trunc_to(125, -1)", "120"),
        ("pg_round_even(2.5)", "2.0"),
        ("pg_add(2, '2024-01-31')", "2024-02-02"),
        ("pg_add('2024-01-31 10:00:00', 2)", "NULL"),
        ("pg_add('1 day', '2 hours')", "1 day 02:00:00"),
        ("pg_subtract('2024-03-01', '2024-02-01')", "29"),
        ("pg_subtract('2024-03-01 12:00:00', '2024-02-29 00:00:00')", "1 day 12:00:00"),
        ("pg_subtract('2024-03-31', pg_interval(1, 0, 0))", "2024-02-29 00:00:00"),
        ("pg_scale('1 day', 1.5)", "1 day 12:00:00"),
        ("pg_scale(2, '1 month')", "2 mons"),
        ("pg_interval_length('1 day 00:00:01.5')", "86401.5"),
        ("pg_interval_of('3', 'day')", "3 days"),
        ("pg_interval_of('3 weeks')", "21 days"),
        ("pg_age('2024-05-01', '2019-06-15')", "4 years 10 mons 16 days"),
        ("pg_date_trunc('month', '2024-05-17 10:11:12')", "2024-05-01 00:00:00"),
        ("pg_date_trunc('moon', '2024-05-17')", "error: date_trunc() of an unknown unit"),
        ("pg_boolean(' YES ') || pg_boolean('tr') || pg_boolean(7)", "111"),
        ("pg_boolean('of') || pg_boolean('f') || pg_boolean(0.0)", "000"),
        ("pg_boolean('o')", "NULL"),
        ("pg_boolean('')", "NULL"),
        ("cast_as('a', 'UUID')", "error: a cast to UUID cannot be executed"),
        ("pg_extract('quarter', '2024-05-17')", "2"),
        ("pg_extract('day', '3 days 04:00:00')", "3"),
        ("pg_extract('epoch', '1 day')", "86400"),
        ("pg_extract('second', '2024-05-17 10:11:12.5')", "12.5"),
        ("pg_timestamp('2024-05-17')", "2024-05-17 00:00:00"),
        ("pg_to_char('2024-12-30', 'IYYY-IW')", "2025-01"),
        ("my_date_add('2024-01-31', 1, 'month')", "2024-02-29"),
        ("my_date_add('2024-01-31', -1, 'hour')", "2024-01-30 23:00:00"),
        ("my_date_add('2024-01-31 10:00:00', 1, 'day')", "2024-02-01 10:00:00"),
        ("my_date_format('2024-05-07', '%M %e')", "May 7"),
        ("my_last_day('2024-02-10')", "2024-02-29"),
        ("my_str_to_date('07/05/2024', '%d/%m/%Y')", "2024-05-07"),
        ("my_str_to_date('31/31/2024', '%d/%m/%Y')", "NULL"),
        ("my_str_to_date(' 2023 01 02', '%Y%m%d')", "2023-01-02"),
        ("my_timestampdiff('year', '2006-06-15', '2024-06-14')", "17"),
        ("my_timestampdiff('year', '2006-06-15', '2024-06-15')", "18"),
        ("my_timestampdiff('month', '2024-06-15', '2024-01-16')", "-4"),
        ("my_timestampdiff('hour', '2024-06-15', '2024-06-15 01:59:59')", "1"),
        ("pg_regexp('Abc', '^a', 'i')", "1"),
        ("pg_regexp('Abc', '^a', 'c')", "0"),
        ("pg_regexp('a cat', '\\mcat\\M', 'c')", "1"),
        ("pg_regexp('a', '(?=a)', 'c')", "error: the regular expression \"(?=a)\" cannot be executed here"),
        ("pg_regexp_replace('aXbX', 'x', '-', 'gi')", "a-b-"),
        ("pg_regexp_replace('ab', '(a)(b)', '\\2$\\1')", "b$a"),
        ("pg_similar('abc', 'a(b|d)%')", "1"),
        ("pg_similar('abc', 'b')", "0"),
        ("pg_initcap('hELLO wORLD-x')", "Hello World-X"),
        ("pg_lpad('7', 3, '0')", "007"),
        ("pg_lpad('1234', 3, '0')", "123"),
        ("pg_rpad('7', 3)", "7  "),
        ("pg_repeat('ab', 3)", "ababab"),
        ("pg_repeat('ab', 9999999999)", "error: string or blob too big"),
        ("pg_reverse('abc')", "cba"),
        ("pg_split_part('a-b-c', '-', 2)", "b"),
        ("pg_split_part('a-b-c', '-', -1)", "c"),
        ("pg_translate('abc', 'ac', 'x')", "xb"),
        ("my_substring_index('a.b.c', '.', 2)", "a.b"),
        ("my_substring_index('a.b.c', '.', -1)", "c"),
        ("my_find_in_set('b', 'a,b')", "2"),
        ("pg_greatest(1, NULL, 3)", "3"),
        ("pg_least('b', NULL, 'a')", "a"),
        ("pg_greatest(NULL)", "NULL"),
        (r#"pg_json_text('{"a": {"b": [1, "x"]}}', 'a')"#, r#"{"b": [1, "x"]}"#),
        (r#"pg_json_text('{"a": "x"}', 'a')"#, "x"),
        (r#"pg_json_get('{"a": "x"}', 'a')"#, r#""x""#),
        (r#"pg_json_text('{"a": null}', 'a')"#, "NULL"),
        (r#"pg_json_text('[5, 6]', -1)"#, "6"),
        (r#"pg_json_path_text('{"a": {"b": [1, "x"]}}', '{a,b,1}')"#, "x"),
        (r#"pg_json_has('{"a": 1}', 'a')"#, "1"),
        (r#"pg_json_contains('{"a": 1, "b": [1, 2]}', '{"b": [2]}')"#, "1"),
        (r#"pg_json_contains('[1, 2]', '1')"#, "1"),
        (r#"pg_json_contains('{"a": 1}', '{"a": 2}')"#, "0"),
        ("pg_json_contains('no json', '{}')", "NULL"),
        ("pg_array('a', 1, NULL)", r#"["a",1,null]"#),
        ("pg_array_contains(pg_array('a', 'b'), pg_array('b'))", "1"),
        ("pg_array_overlaps('{a,b}', pg_array('c'))", "0"),
        ("pg_array_length(pg_array('a', 'b'))", "2"),
        ("pg_array_to_string(pg_array('a', NULL, 'b'), ', ')", "a, b"),
        ("pg_string_to_array('a,b', ',')", r#"["a","b"]"#),
        ("floor(-1.5)", "-2.0"),
        ("ceil(2)", "2"),
        ("log(2, 8)", "3.0"),
        ("power(2, 10)", "1024.0"),
        ("ln(0)", "NULL"),
        ("mod(7, 0)", "NULL"),
        ("pg_add('2024-01-31')", "error: wrong number of arguments to function pg_add()"),
    ] {
        let answer_now = shown(&connection, expression);
        assert_eq!(answer_now, answer, "{expression}");
    }
}

#[test]
fn what_each_aggregate_gives() {
    let connection = connection();
    connection
        .execute_batch(
            "CREATE TABLE t (x, s, i); INSERT INTO t VALUES (1, 'b', '1 day'), (2, 'a', '3 days'), (4, 'b', '24:00:00'), (NULL, NULL, NULL)",
        )
        .unwrap();
    for (expression, answer) in [
        ("pg_array_agg(s ORDER BY x DESC) FROM t", r#"["b","a","b",null]"#),
        ("pg_array_agg(s) FROM t WHERE 0", "NULL"),
        ("pg_interval_sum(i) FROM t", "4 days 24:00:00"),
        ("pg_interval_avg(i) FROM t", "1 day 16:00:00"),
        ("pg_interval_max(i) FROM t", "3 days"),
        ("pg_interval_min(i) FROM t", "1 day"),
        ("pg_mode(s) FROM t", "b"),
        ("pg_percentile_cont(0.5, x) FROM t", "2.0"),
        ("pg_percentile_cont(0.25, x) FROM t", "1.5"),
        ("pg_percentile_disc(0.5, x) FROM t", "2"),
        ("pg_percentile_disc_desc(0.34, x) FROM t", "2"),
        ("pg_percentile_cont(2, x) FROM t", "error: a percentile lies between 0 and 1"),
        ("pg_var_pop(x) FROM t WHERE x < 3", "0.25"),
        ("pg_var_samp(x) FROM t WHERE x < 3", "0.5"),
        ("pg_stddev_samp(x) FROM t WHERE x < 2", "NULL"),
        ("pg_stddev_pop(x) FROM t WHERE x < 3", "0.5"),
        ("pg_string_agg_distinct(s, ', ') FROM t", "a, b"),
        ("pg_representative(s) FROM t", "b"),
        ("pg_string_agg_distinct_asc(s, ', ') FROM t", "a, b"),
        ("pg_string_agg_distinct_desc(s, '/') FROM t", "b/a"),
    ] {
        assert_eq!(shown(&connection, expression), answer, "{expression}");
    }
}

/// Odd values in every place: a function gives something or an error, in bounded size.
#[test]
fn odd_arguments_are_survived() {
    let odd = [
        Value::Null,
        Value::Integer(0),
        Value::Integer(i64::MIN),
        Value::Integer(i64::MAX),
        Value::Real(1e308.into()),
        Value::Real((-0.5).into()),
        Value::Text(String::new()),
        Value::Text("é\u{0}ß".into()),
        Value::Text("9999-12-31 23:59:59.999999".into()),
        Value::Text("0001-01-01".into()),
        Value::Text("178000000 years".into()),
        Value::Text("-9223372036854775807 days".into()),
        Value::Text("[[[{\"a\":1}]]]".into()),
        Value::Text("{".into()),
        Value::Text("%".into()),
        Value::Text("(a*)*$".into()),
        Value::Text("year".into()),
        Value::Text("x".repeat(60_000)),
        Value::Blob(vec![0xff, 0x00]),
    ];
    for function in FUNCTIONS.iter().chain(MATHEMATICS) {
        let (least, most) = function.row().unwrap().arity;
        for count in least..=most.min(3) {
            let mut at = vec![0; count];
            loop {
                let args: Vec<Value> = at.iter().map(|&i: &usize| odd[i].clone()).collect();
                if let Ok(Value::Text(text)) = call_by_name(function.name, &args) {
                    assert!(text.len() < 4 << 20, "{} of {args:?}", function.name);
                }
                let Some(next) = at.iter().position(|&i| i + 1 < odd.len()) else {
                    break;
                };
                at[next] += 1;
                at[..next].fill(0);
            }
        }
    }
    for aggregate in AGGREGATES {
        for value in &odd {
            let row = vec![value.clone(); aggregate.arity().unwrap()];
            let _ = (aggregate.call)(&[row.clone(), row]);
        }
        let _ = (aggregate.call)(&[]);
    }
}

#[test]
fn names_are_their_own() {
    let mut names: Vec<&str> = FUNCTIONS.iter().map(|f| f.name).collect();
    names.extend(AGGREGATES.iter().map(|a| a.name));
    let own = |n: &&str| PREFIXES.iter().any(|p| n.starts_with(p)) || *n == "cast_as";
    assert!(names.iter().all(own), "{names:?}");
    names.sort_unstable();
    let count = names.len();
    names.dedup();
    assert_eq!(names.len(), count);
}

/// What the sandbox executes is what the planner writes: one table names both.
#[test]
fn functions_are_those_of_the_table() {
    let mut here: Vec<&str> = FUNCTIONS.iter().chain(MATHEMATICS).map(|f| f.name).collect();
    here.extend(AGGREGATES.iter().map(|a| a.name));
    here.sort_unstable();
    let mathematics = |name: &str| MATHEMATICS.iter().any(|f| f.name == name);
    let ours =
        |name: &&str| PREFIXES.iter().any(|p| name.starts_with(p)) || *name == "cast_as" || mathematics(name);
    let scalars = twinql_sql::function::SCALARS.iter().map(|f| f.name);
    let aggregates = twinql_sql::function::AGGREGATES.iter().map(|a| a.name);
    let mut there: Vec<&str> = scalars.chain(aggregates).filter(ours).collect();
    there.sort_unstable();
    assert_eq!(here, there);
}

/// The counts are those that SQL Server's and BigQuery's documentation give for DATEDIFF and DATE_DIFF.
#[test]
fn boundaries_between_moments() {
    let count = |unit: &str, from: &str, to: &str| {
        let args = [unit, from, to].map(|t| Value::Text(t.into()));
        call_by_name("ms_datediff", &args)
    };
    for (unit, expected) in
        [("year", 1), ("quarter", 1), ("month", 1), ("day", 1), ("week", 1), ("hour", 1), ("second", 1)]
    {
        // 2005-12-31 was a Saturday.
        let found = count(unit, "2005-12-31 23:59:59", "2006-01-01 00:00:00");
        assert_eq!(found, Ok(Value::Integer(expected)), "{unit}");
    }
    assert_eq!(count("isoweek", "2017-10-14", "2017-10-15"), Ok(Value::Integer(0)));
    assert_eq!(count("week", "2017-10-14", "2017-10-15"), Ok(Value::Integer(1)));
    assert_eq!(count("month", "2024-03-01", "2023-12-31"), Ok(Value::Integer(-3)));
}
