//! What the expressions of a query make of a column's values: some values look the same until they are trimmed,
//! rounded, cut or read as something else.

use sqlparser::ast::{
    BinaryOperator, DataType, Expr, Function, FunctionArg, FunctionArguments, TableFactor, UnaryOperator,
};
use twinql_sql::syntax::{Named, plain_argument, read_own_expressions};
use twinql_sql::{Affinity, TypeClass, Value};

use super::Slot;
use super::names::last_name;
use super::walk::{Walker, comparison, constant};

/// What an expression makes of a column's values.
#[derive(Debug, Clone, PartialEq)]
pub enum Treatment {
    /// It takes blanks from their ends.
    Trimmed,
    /// It writes their letters in one case.
    Cased,
    /// It keeps so many digits after the point.
    Rounded(i64),
    /// It turns on their sign: ABS, FLOOR, a whole number of a fraction.
    Signed,
    /// It turns on so many characters of them.
    Measured(usize),
    /// It looks for this text in them.
    Searched(String),
    /// This constant stands in for them, or beside them.
    Beside(Value),
    /// It reads them as numbers.
    Number,
    /// It reads them as dates.
    Date,
    /// It reads them as JSON, this path of it if one is named.
    Document(Option<String>),
    /// It asks whether they are well-formed JSON.
    Validated,
    /// It reads them as geographies.
    Geography,
}

/// Treatments that are kept of one query.
const MAX_TREATED: usize = 200;

/// Functions of dates whose names say no more of that.
const OF_DATES: &[&str] = &twinql_sql::words![
    age adddate datediff date datetime day dayname dayofmonth dayofweek dayofyear extract julianday last_day month
    monthname quarter strftime subdate timediff timestampdiff to_days unixepoch week weekday weekofyear year
];

/// Functions that make JSON of plain values.
const MAKE_DOCUMENTS: &[&str] =
    &["array", "object", "group_array", "group_object", "quote", "agg", "object_agg"];

/// The name without what the sandbox puts before functions of other systems.
fn plain_name(function: &Function) -> String {
    let name = last_name(&function.name).to_ascii_lowercase();
    let bare = twinql_sql::function::PREFIXES.iter().find_map(|prefix| name.strip_prefix(prefix));
    bare.map_or_else(|| name.clone(), str::to_owned)
}

/// What a function of JSON is called without that word; none of other functions, and of those that make JSON.
fn of_documents(name: &str) -> Option<&str> {
    let rest = name.strip_prefix("jsonb").or_else(|| name.strip_prefix("json"))?;
    let rest = rest.trim_start_matches('_');
    let makes = MAKE_DOCUMENTS.contains(&rest) || rest.starts_with("build");
    (!makes).then_some(rest)
}

fn args(function: &Function) -> Vec<&Expr> {
    match &function.args {
        FunctionArguments::List(list) => unnamed(&list.args),
        _ => Vec::new(),
    }
}

fn unnamed(args: &[FunctionArg]) -> Vec<&Expr> {
    args.iter().filter_map(plain_argument).collect()
}

/// A whole number of a moderate size.
fn whole(expr: Option<&&Expr>) -> Option<i64> {
    match constant(expr?)? {
        Value::Integer(n) if n.abs() < 1_000 => Some(n),
        _ => None,
    }
}

fn text(expr: Option<&&Expr>) -> Option<String> {
    match constant(expr?)? {
        Value::Text(text) => Some(text),
        _ => None,
    }
}

/// The digits that a format asks for: 2 of `%.2f`.
fn digits_of(format: &str) -> Option<i64> {
    let after = format.split_once('.')?.1;
    let digits: String = after.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().ok().filter(|n| *n < 20)
}

impl Walker<'_> {
    /// Notes what an expression and its parts make of columns in scope. Its subqueries are read as queries of their
    /// own.
    pub(super) fn treat(&mut self, expr: &Expr) {
        read_own_expressions(expr, &mut |part| self.treated(part));
    }

    /// The columns that an expression names, but for those of its subqueries.
    fn columns_in(&self, expr: &Expr) -> Vec<Slot> {
        let mut columns = Vec::new();
        read_own_expressions(expr, &mut |part| {
            if matches!(part, Expr::Identifier(_) | Expr::CompoundIdentifier(_)) {
                columns.extend(self.slot(part));
            }
        });
        columns
    }

    fn note(&mut self, expr: &Expr, how: &[Treatment]) {
        for slot in self.columns_in(expr) {
            for how in how {
                let treated = (slot, how.clone());
                if self.facts.treated.len() < MAX_TREATED && !self.facts.treated.contains(&treated) {
                    self.facts.treated.push(treated);
                }
            }
        }
    }

    /// What one node makes of the columns below it.
    fn treated(&mut self, expr: &Expr) {
        use Treatment::{Date, Measured, Number, Rounded, Signed, Trimmed};
        match expr {
            Expr::Trim { expr: of, trim_where: _, trim_what, trim_characters } => {
                self.note(of, &[Trimmed]);
                let what = trim_what.as_deref().or(trim_characters.as_ref().and_then(|c| c.first()));
                self.note_searched(of, what);
            }
            Expr::Ceil { expr: of, field: _ } | Expr::Floor { expr: of, field: _ } => {
                self.note(of, &[Rounded(0), Signed, Number]);
            }
            Expr::Cast { expr: of, data_type, kind: _, format: _ } => {
                let how = cast(data_type);
                self.note(of, &how);
            }
            Expr::Extract { expr: of, field: _, syntax: _ } => self.note(of, &[Date]),
            Expr::Position { expr: part, r#in: of } => self.note_searched(of, Some(part)),
            Expr::Substring { expr: of, substring_from, substring_for, special: _, shorthand: _ } => {
                let [from, length] = [substring_from, substring_for].map(|e| whole(e.as_deref().as_ref()));
                if let Some(n) = cut(from, length) {
                    self.note(of, &[Measured(n)]);
                }
            }
            Expr::UnaryOp { op: UnaryOperator::Minus | UnaryOperator::Plus, expr: of } => {
                self.note(of, &[Number]);
            }
            Expr::BinaryOp { left, op, right } => self.treated_by_operator(left, op, right),
            Expr::Function(f) => self.treated_by_function(&plain_name(f), &args(f)),
            Expr::Case { operand: _, conditions, else_result, case_token: _, end_token: _ } => {
                let results = conditions.iter().map(|when| &when.result);
                let all: Vec<&Expr> = results.chain(else_result.as_deref()).collect();
                self.stand_in(&all);
            }
            Expr::InList { expr: of, list, negated: _ } => {
                for constant in list {
                    self.treated_by_comparison(of, constant);
                }
            }
            Expr::Between { expr: of, low, high, negated: _ } => {
                self.treated_by_comparison(of, low);
                self.treated_by_comparison(of, high);
            }
            Expr::JsonAccess { value, path: _ } => self.note(value, &[Treatment::Document(None)]),
            _ => {}
        }
    }

    fn treated_by_operator(&mut self, left: &Expr, op: &BinaryOperator, right: &Expr) {
        match op {
            BinaryOperator::Arrow | BinaryOperator::LongArrow => {
                let path = match constant(right) {
                    Some(Value::Text(path)) if path.starts_with('$') => Some(path),
                    Some(Value::Text(name)) => Some(format!("$.{name}")),
                    Some(Value::Integer(n)) => Some(format!("$[{n}]")),
                    _ => None,
                };
                self.note(left, &[Treatment::Document(path)]);
            }
            BinaryOperator::Plus
            | BinaryOperator::Minus
            | BinaryOperator::Multiply
            | BinaryOperator::Divide
            | BinaryOperator::Modulo => {
                for (side, other) in [(left, right), (right, left)] {
                    let how =
                        if matches!(other, Expr::Interval(_)) { Treatment::Date } else { Treatment::Number };
                    if matches!(side, Expr::Identifier(_) | Expr::CompoundIdentifier(_)) {
                        self.note(side, &[how]);
                    }
                }
            }
            op if comparison(op).is_some() => {
                self.treated_by_comparison(left, right);
                self.treated_by_comparison(right, left);
            }
            _ => {}
        }
    }

    /// What a comparison with `other` makes of the columns of `side`.
    fn treated_by_comparison(&mut self, side: &Expr, other: &Expr) {
        let plain = matches!(side, Expr::Identifier(_) | Expr::CompoundIdentifier(_));
        match constant(other) {
            Some(Value::Integer(_) | Value::Real(_)) if plain => self.note(side, &[Treatment::Number]),
            Some(Value::Integer(n)) if (1..200).contains(&n) && measures(side) => {
                self.note(side, &[Treatment::Measured(n as usize)]);
            }
            Some(_) => {}
            // What stands in for something else is met by a partner.
            None if plain => {
                for constant in outcomes(other) {
                    self.note(side, &[Treatment::Beside(constant)]);
                }
            }
            None => {}
        }
    }

    fn note_searched(&mut self, of: &Expr, part: Option<&Expr>) {
        if let Some(part) = text(part.as_ref()).filter(|part| !part.is_empty() && part.len() < 40) {
            self.note(of, &[Treatment::Searched(part)]);
        }
    }

    /// What a call makes of the columns of its arguments.
    fn treated_by_function(&mut self, name: &str, args: &[&Expr]) {
        use Treatment::{Date, Measured, Number, Rounded, Signed, Trimmed};
        let Some(&first) = args.first() else { return };
        match name {
            "trim" | "ltrim" | "rtrim" | "btrim" => {
                self.note(first, &[Trimmed]);
                self.note_searched(first, args.get(1).copied());
            }
            "lower" | "upper" | "lcase" | "ucase" => self.note(first, &[Treatment::Cased]),
            "replace" | "instr" | "strpos" | "split_part" | "substring_index" => {
                self.note_searched(first, args.get(1).copied());
            }
            "position" | "locate" | "charindex" => {
                if let Some(of) = args.get(1) {
                    self.note_searched(of, Some(first));
                }
            }
            "round" => self.note(first, &[Rounded(whole(args.get(1)).unwrap_or(0)), Number]),
            "trunc" | "truncate" => {
                self.note(first, &[Rounded(whole(args.get(1)).unwrap_or(0)), Signed, Number]);
            }
            "ceil" | "ceiling" | "floor" => self.note(first, &[Rounded(0), Signed, Number]),
            "abs" | "sign" | "mod" => self.note(first, &[Signed, Number]),
            "sum" | "avg" | "total" => self.note(first, &[Number]),
            "format" | "printf" => {
                if let Some(digits) = text(Some(&first)).and_then(|format| digits_of(&format)) {
                    for arg in args.iter().skip(1) {
                        self.note(arg, &[Rounded(digits)]);
                    }
                } else if let Some(digits) = whole(args.get(1)) {
                    self.note(first, &[Rounded(digits), Number]);
                }
            }
            "substr" | "substring" => {
                if let Some(n) = cut(whole(args.get(1)), whole(args.get(2))) {
                    self.note(first, &[Measured(n)]);
                }
            }
            "left" | "right" | "lpad" | "rpad" => {
                if let Some(n) = whole(args.get(1)) {
                    self.note(first, &[Measured(n.unsigned_abs() as usize)]);
                }
            }
            "coalesce" | "ifnull" | "nvl" | "nullif" => self.stand_in(args),
            "iif" | "if" => self.stand_in(args.get(1..).unwrap_or_default()),
            _ if OF_DATES.contains(&name) || name.starts_with("date_") => {
                for arg in args {
                    self.note(arg, &[Date]);
                }
            }
            "st_geogpoint" => {}
            _ if name == "geography" || name.starts_with("st_") => {
                for arg in args {
                    self.note(arg, &[Treatment::Geography]);
                }
            }
            _ => match of_documents(name) {
                Some("valid") => self.note(first, &[Treatment::Validated]),
                Some(_) => self.note_documents(args),
                None => {}
            },
        }
    }

    /// The first argument is read as JSON, the paths of it that the others name.
    fn note_documents(&mut self, args: &[&Expr]) {
        let Some((of, paths)) = args.split_first() else { return };
        let path = |arg| text(Some(arg)).filter(|path: &String| path.starts_with('$'));
        let mut read: Vec<Treatment> = paths.iter().map(|arg| Treatment::Document(path(arg))).collect();
        if read.is_empty() {
            read.push(Treatment::Document(None));
        }
        self.note(of, &read);
    }

    /// Notes the columns that a table function in FROM takes documents from.
    pub(super) fn treat_called(&mut self, factor: &TableFactor) {
        if let Some(Named { name, alias: _, args: Some(called) }) = Named::of(factor)
            && of_documents(&last_name(name).to_ascii_lowercase()).is_some()
        {
            self.note_documents(&unnamed(&called.args));
        }
    }

    /// Of several results the constants stand beside the columns.
    fn stand_in(&mut self, results: &[&Expr]) {
        let constants: Vec<Treatment> =
            results.iter().filter_map(|e| constant(e)).map(Treatment::Beside).collect();
        for result in results.iter().filter(|e| constant(e).is_none()) {
            self.note(result, &constants);
        }
    }
}

/// What a cast to this type makes of values.
fn cast(to: &DataType) -> Vec<Treatment> {
    let declared = to.to_string();
    match TypeClass::of_declared(&declared) {
        TypeClass::Integer => vec![Treatment::Rounded(0), Treatment::Signed, Treatment::Number],
        TypeClass::Number => {
            let scale =
                declared.split_once(',').and_then(|(_, scale)| scale.trim_matches([' ', ')']).parse().ok());
            scale.map(Treatment::Rounded).into_iter().chain([Treatment::Number]).collect()
        }
        TypeClass::Time => vec![Treatment::Date],
        _ if Affinity::of_declared(&declared).is_numeric() => vec![Treatment::Number],
        _ => Vec::new(),
    }
}

/// Up to which character SUBSTR looks.
fn cut(from: Option<i64>, length: Option<i64>) -> Option<usize> {
    let from = from?.unsigned_abs() as usize;
    let end = match length {
        Some(length) => from + (length.unsigned_abs() as usize).saturating_sub(1),
        None => from,
    };
    (1..200).contains(&end).then_some(end)
}

/// Whether an expression is the length of a text.
pub(super) fn measures(expr: &Expr) -> bool {
    match expr {
        Expr::Nested(e) => measures(e),
        Expr::Function(f) => {
            matches!(
                plain_name(f).as_str(),
                "length" | "len" | "char_length" | "character_length" | "octet_length"
            )
        }
        _ => false,
    }
}

/// The constants that an expression may be in place of a column.
fn outcomes(expr: &Expr) -> Vec<Value> {
    match expr {
        Expr::Nested(e) => outcomes(e),
        Expr::Case { operand: _, conditions, else_result, case_token: _, end_token: _ } => {
            let results = conditions.iter().map(|when| &when.result);
            results.chain(else_result.as_deref()).filter_map(constant).collect()
        }
        Expr::Function(f)
            if matches!(plain_name(f).as_str(), "coalesce" | "ifnull" | "nvl" | "iif" | "if") =>
        {
            args(f).into_iter().filter_map(constant).collect()
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use twinql_sql::Schema;

    use super::*;
    use crate::facts::Facts;

    #[test]
    fn what_expressions_make_of_columns() {
        use Treatment::{
            Beside, Date, Document, Measured, Number, Rounded, Searched, Signed, Trimmed, Validated,
        };
        let ddl = "CREATE TABLE t (s TEXT, n INTEGER, x REAL, d DATE); CREATE TABLE u (m INTEGER)";
        let schema = Schema::from_ddl("t", ddl).unwrap();
        let int = Value::Integer;
        for (sql, column, expected) in [
            ("SELECT TRIM(s) FROM t", "s", vec![Trimmed]),
            ("SELECT s FROM t WHERE RTRIM(s, '-') = 'a'", "s", vec![Trimmed, Searched("-".into())]),
            ("SELECT ROUND(x, 2) FROM t", "x", vec![Rounded(2), Number]),
            ("SELECT ROUND(SUM(x)) FROM t", "x", vec![Rounded(0), Number]),
            ("SELECT PRINTF('%.1f', x) FROM t", "x", vec![Rounded(1)]),
            ("SELECT CAST(x AS INTEGER) FROM t", "x", vec![Rounded(0), Signed, Number]),
            ("SELECT SUBSTR(s, 3, 4) FROM t ORDER BY n", "s", vec![Measured(6)]),
            ("SELECT 1 FROM t WHERE LENGTH(s) > 9", "s", vec![Measured(9)]),
            ("SELECT 1 FROM t GROUP BY n HAVING COALESCE(n, 4) > 2", "n", vec![Beside(int(4))]),
            ("SELECT CASE WHEN x > 1 THEN n ELSE 5 END FROM t", "n", vec![Beside(int(5))]),
            ("SELECT 1 FROM t JOIN u ON n = COALESCE(m, 6)", "n", vec![Beside(int(6))]),
            // A column of an outer query, and one that only a subquery treats.
            ("SELECT 1 FROM t WHERE EXISTS (SELECT 1 FROM u WHERE m = ABS(n))", "n", vec![Signed, Number]),
            ("SELECT n FROM t WHERE 'a' IN (SELECT TRIM(s) FROM t)", "n", vec![]),
            ("SELECT 1 FROM t WHERE s = 3", "s", vec![Number]),
            ("SELECT STRFTIME('%Y', d) FROM t", "d", vec![Date]),
            ("SELECT json_extract(s, '$.a') FROM t", "s", vec![Document(Some("$.a".into()))]),
            (
                "SELECT s ->> 'b' FROM t WHERE json_valid(s)",
                "s",
                vec![Validated, Document(Some("$.b".into()))],
            ),
            ("SELECT json_array(s) FROM t", "s", vec![]),
        ] {
            let facts = Facts::of(&schema, &twinql_sql::parse(sql).unwrap().query);
            let named =
                |slot: &Slot| facts.column(*slot).and_then(|c| schema.column(c)).map(|c| c.name.as_str());
            let of_column = facts.treated.iter().filter(|(slot, _)| named(slot) == Some(column));
            let found: Vec<Treatment> = of_column.map(|(_, how)| how.clone()).collect();
            assert_eq!(found, expected, "{sql}");
        }
    }

    #[test]
    fn a_limit_reaches_what_its_offset_passes_over() {
        let schema = Schema::from_ddl("t", "CREATE TABLE t (n INTEGER)").unwrap();
        for (sql, limits) in [
            ("SELECT n FROM t LIMIT 20 OFFSET 5", vec![25, 20, 5]),
            ("SELECT n FROM t LIMIT 5, 20", vec![25, 20, 5]),
            ("SELECT n FROM t GROUP BY n HAVING COUNT(*) > 25", vec![]),
        ] {
            assert_eq!(Facts::of(&schema, &twinql_sql::parse(sql).unwrap().query).limits, limits, "{sql}");
        }
    }
}
