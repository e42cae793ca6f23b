//! Functions that are rare in queries: the suite's sandbox is asked for their values, so that they are SQLite's.
//!
//! A call takes a microsecond or two, where a function written here takes a few nanoseconds.

use twinql_sql::tree::{Node, Tree};
use twinql_sql::{BinaryOp, Expr, Value};
use twinql_suite::ExecError;
use twinql_suite::execute::{call, collect};

use super::rows::same_rows;
use super::{Cell, Evaluator, Result, Stop};

/// Scalar functions of SQLite, and of other systems as the sandbox has them, by their names there.
#[rustfmt::skip]
pub(super) const ASKED: &[&str] = &[
    "->", "->>", "bq_first_elements", "bq_generate_array", "bq_generate_date_array", "bq_json_array",
    "bq_json_value", "bq_st_distance", "bq_st_geogpoint", "bq_st_x", "bq_st_y", "bq_substr", "cast_as",
    "ceil", "ceiling", "char", "concat", "concat_ws", "current_date", "current_time", "current_timestamp",
    "exp", "floor", "format", "glob", "hex", "json", "json_array", "json_array_insert",
    "json_array_length", "json_error_position", "json_extract", "json_insert", "json_object", "json_patch",
    "json_pretty", "json_quote", "json_remove", "json_replace", "json_set", "json_type", "json_valid",
    "jsonb", "jsonb_array", "jsonb_array_insert", "jsonb_extract", "jsonb_insert", "jsonb_object",
    "jsonb_patch", "jsonb_remove", "jsonb_replace", "jsonb_set", "ln", "log", "log10", "log2", "mod",
    "ms_charindex", "ms_date_text", "ms_datediff", "ms_isnumeric", "ms_like", "ms_patindex", "ms_replace",
    "ms_stuff", "ms_try_integer", "ms_try_number", "my_addtime", "my_conv", "my_date_add",
    "my_date_format", "my_find_in_set", "my_format", "my_hex", "my_json_length", "my_last_day",
    "my_locate", "my_maketime", "my_right", "my_sec_to_time", "my_str_to_date", "my_substr",
    "my_substring_index", "my_time_to_sec", "my_timediff", "my_timestampdiff", "octet_length",
    "ora_add_months", "ora_instr", "ora_months_between", "ora_number_text", "ora_substr", "pg_add",
    "pg_age", "pg_array", "pg_array_cat", "pg_array_contains", "pg_array_length", "pg_array_of",
    "pg_array_overlaps", "pg_array_to_string", "pg_array_zip", "pg_ascii", "pg_boolean", "pg_cbrt",
    "pg_date_bin", "pg_date_trunc", "pg_extract", "pg_greatest", "pg_initcap", "pg_interval",
    "pg_interval_length", "pg_interval_of", "pg_json_contains", "pg_json_get", "pg_json_has",
    "pg_json_path", "pg_json_path_text", "pg_json_text", "pg_jsonb", "pg_justify", "pg_least", "pg_left",
    "pg_lpad", "pg_number_text", "pg_overlaps", "pg_regexp", "pg_regexp_matches", "pg_regexp_replace",
    "pg_regexp_split", "pg_repeat", "pg_reverse", "pg_right", "pg_round_even", "pg_round_to", "pg_rpad",
    "pg_scale", "pg_similar", "pg_split_part", "pg_string_to_array", "pg_substr", "pg_subtract",
    "pg_timestamp", "pg_timestamptz", "pg_to_char", "pg_to_hex", "pg_to_number", "pg_translate",
    "pg_trunc_to", "pi", "pow", "power", "printf", "quote", "sf_to_timestamp", "sign", "soundex",
    "sql_acos", "sql_array_compact", "sql_array_concat", "sql_array_distinct", "sql_array_intersect",
    "sql_array_max", "sql_array_min", "sql_array_position", "sql_array_remove", "sql_array_reverse",
    "sql_array_slice", "sql_array_sort", "sql_asin", "sql_atan", "sql_atan2", "sql_cos", "sql_degrees",
    "sql_edit_distance", "sql_geography", "sql_haversine", "sql_md5", "sql_of_epoch", "sql_radians",
    "sql_range", "sql_regexp_count", "sql_regexp_extract", "sql_regexp_extract_all", "sql_regexp_place",
    "sql_sha256", "sql_sin", "sql_split", "sql_st_area", "sql_st_contains", "sql_st_covers",
    "sql_st_intersects", "sql_st_length", "sql_st_perimeter", "sql_tan", "sql_try_json", "sql_try_number",
    "sqrt", "timediff", "trunc", "typeof", "unhex", "unicode", "unistr", "unistr_quote", "unixepoch",
    "zeroblob",
];

/// Aggregates of the same kind: those whose values depend on the order of the rows, and the others.
pub(super) const IN_ORDER: &[&str] = &twinql_sql::words![
    json_group_array json_group_object jsonb_group_array jsonb_group_object pg_array_agg
    sql_any_value sql_first_present sql_last_present sql_max_by sql_min_by
];
pub(super) const COLLECTED: &[&str] = &twinql_sql::words![
    bq_approx_quantiles pg_interval_avg pg_interval_max pg_interval_min pg_interval_sum pg_mode
    pg_percentile_cont pg_percentile_disc pg_percentile_disc_desc pg_stddev_pop pg_stddev_samp
    pg_string_agg_distinct pg_string_agg_distinct_asc pg_string_agg_distinct_desc pg_var_pop pg_var_samp sql_approx_percentile
    sql_approx_percentile_disc sql_bit_and sql_bit_or sql_bit_xor sql_covar_pop sql_covar_samp
    sql_regr_intercept sql_regr_r2 sql_regr_slope sql_approx_count_distinct sql_avg_distinct sql_corr
    sql_count_distinct sql_sum_distinct
];

/// What SQLite has in the sandbox and is not evaluated, with the reason; a name that ends in `_` stands for all that begin so.
#[cfg(test)]
pub(super) const UNEVALUATED: &[(&str, &[&str])] = &[
    ("gives another value at each call", &["random", "randomblob", "twinql_tie_breaker"]),
    ("tells what the connection did", &["changes", "last_insert_rowid", "total_changes"]),
    ("tells of SQLite and not of rows, and the sandbox refuses it", &["sqlite_"]),
    ("reaches outside the database, and the sandbox refuses it", &["load_extension", "fts3_tokenizer"]),
    ("reads a mark that a value loses where it is passed on", &["subtype"]),
    (
        "needs a table of the full-text search or of the R*Tree, which no schema here has",
        &twinql_sql::words![
            bm25 fts5 fts5_ highlight match matchinfo offsets optimize rtreecheck rtreedepth rtreenode snippet
        ],
    ),
];

/// Functions that write a text as a document where another function of documents gave it, which only SQLite sees; and the
/// first argument of which that holds.
const WRITERS: [(usize, &[&str]); 2] = [
    (
        0,
        &twinql_sql::words![
            json_array json_object json_quote jsonb_array jsonb_object json_group_array json_group_object
            jsonb_group_array jsonb_group_object
        ],
    ),
    (
        1,
        &twinql_sql::words![
            json_array_insert json_insert json_replace json_set jsonb_array_insert jsonb_insert jsonb_replace
            jsonb_set
        ],
    ),
];

/// Functions of which the second argument is an expression that has to be compiled: one that is computed may be another in
/// each row, which takes long.
const PATTERNS: [&str; 5] =
    ["pg_regexp", "pg_regexp_matches", "pg_regexp_replace", "pg_regexp_split", "pg_similar"];

/// Steps that a call costs.
const ASKING: usize = 16;

impl<'d> Evaluator<'d> {
    /// The value of a function by the sandbox.
    pub(super) fn asked(&mut self, name: &str, args: &[Expr], values: &[Cell<'d>]) -> Result<Value> {
        self.step(ASKING)?;
        self.may_ask(name, args)?;
        let values: Vec<Value> = values.iter().map(|v| v.clone().into_owned()).collect();
        said(call(name, &values))
    }

    /// The value of an aggregate by the sandbox, over the arguments in each row.
    pub(super) fn collected(
        &mut self,
        name: &str,
        args: &[Expr],
        rows: &[Vec<Cell<'d>>],
        sorted: bool,
    ) -> Result<Value> {
        let ordered = IN_ORDER.contains(&name);
        if !ordered && !COLLECTED.contains(&name) {
            return Err(Stop::Unsupported("aggregate"));
        }
        self.step(ASKING + rows.len())?;
        self.may_ask(name, args)?;
        // SQL leaves the order of the rows open, unless the call says it.
        if ordered && !sorted && rows.windows(2).any(|two| matches!(two, [a, b] if !same_rows(a, b))) {
            return Err(Stop::Undetermined);
        }
        let owned = |row: &Vec<Cell<'d>>| row.iter().map(|v| v.clone().into_owned()).collect();
        let rows: Vec<Vec<Value>> = rows.iter().map(owned).collect();
        said(collect(name, args.len(), &rows))
    }

    /// Whether a call by itself has the value that it has in its query.
    fn may_ask(&self, name: &str, args: &[Expr]) -> Result<()> {
        let pattern = PATTERNS.contains(&name);
        if pattern && !matches!(args.get(1), Some(Expr::Literal(_))) {
            return Err(Stop::Unsupported("a pattern that is computed"));
        }
        let writer = WRITERS.iter().find(|(_, names)| names.contains(&name));
        if writer.is_some_and(|(from, _)| args.iter().skip(*from).any(|arg| self.may_be_document(arg))) {
            return Err(Stop::Unsupported("documents in documents"));
        }
        Ok(())
    }

    /// Whether a function of documents may have given this value.
    fn may_be_document(&self, expr: &Expr) -> bool {
        let mut may = false;
        expr.for_each_deep(|node| {
            may |= match node {
                Node::Expr(Expr::Function { name, .. }) => name.starts_with("json") || name == "->",
                Node::Expr(Expr::Binary { op, .. }) => matches!(op, BinaryOp::Arrow),
                Node::Expr(Expr::Column(c)) => c.info(&self.plan.columns).is_none_or(|i| i.origin.is_none()),
                Node::Query(_) => true,
                _ => false,
            }
        });
        may
    }
}

/// What the sandbox said. An error ends the query in SQLite too.
fn said(value: std::result::Result<Value, ExecError>) -> Result<Value> {
    value.map_err(|error| match error {
        ExecError::Limit(_) => Stop::Steps,
        _ => Stop::Failed,
    })
}

#[cfg(test)]
mod tests {
    use twinql_sql::plan::REPRESENTATIVE;

    use twinql_suite::execute::functions;

    use super::super::aggregates::FOLDED;
    use super::super::expressions::CHOICES;
    use super::super::functions::FUNCTIONS;
    use super::super::windows::WINDOWS;
    use super::*;

    #[test]
    fn each_function_of_the_sandbox_is_evaluated_or_listed() {
        let listed = |name: &str| {
            let mut prefixes = UNEVALUATED.iter().flat_map(|(_, names)| *names);
            prefixes.any(|own| *own == name || own.ends_with('_') && name.starts_with(own))
        };
        let known = |name: &str| {
            FUNCTIONS.iter().any(|(own, _)| *own == name)
                || [ASKED, CHOICES, FOLDED, WINDOWS, IN_ORDER, COLLECTED]
                    .iter()
                    .any(|names| names.contains(&name))
                || name == REPRESENTATIVE
        };
        let all = functions().unwrap();
        assert!(all.len() > 150, "{all:?}");
        let open: Vec<&String> = all.iter().filter(|name| !known(name) && !listed(name)).collect();
        assert!(open.is_empty(), "neither evaluated nor listed with a reason: {open:?}");
        let both: Vec<&String> = all.iter().filter(|name| known(name) && listed(name)).collect();
        assert!(both.is_empty(), "evaluated and listed: {both:?}");
        // And none that SQLite does not have.
        let have = |name: &&str| all.iter().any(|own| own == name);
        let gone: Vec<&&str> = ASKED.iter().filter(|name| !have(name)).collect();
        assert!(gone.is_empty(), "{gone:?}");
        assert!([IN_ORDER, COLLECTED].iter().all(|names| names.iter().all(have)));
        assert!(ASKED.is_sorted());
    }
}
