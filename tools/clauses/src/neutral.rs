//! Mutations that change nothing in an answer, each with its reason.

use twinql_sql::Dialect;

use crate::mutate::{Kind, Mutation, Step, names, variant};

/// The end of the names down to a place, and why what stands there has no influence.
const PLACES: &[(&[&str], &str)] = &[
    (&["quote_style"], "a name means the same with quotes, where it is found at all"),
    (&["explicit"], "AS before an alias"),
    (&["as_keyword"], "AS in REPLACE"),
    (&["optimizer_hints"], "a hint in a comment says how an answer is computed"),
    (&["index_hints"], "USE INDEX says how rows are found"),
    (&["select_modifiers"], "MySQL's hints: priority, buffers, caches, a count beside the answer"),
    (&["materialized"], "how a common table expression is computed"),
    (&["top_before_distinct"], "where TOP stands, and TOP is refused"),
    (&["window_before_qualify"], "the order of two clauses"),
    (&["explicit_row"], "VALUES ROW(1) is VALUES (1)"),
    (&["value_keyword"], "VALUE for VALUES"),
    (&["uses_odbc_syntax"], "{fn upper(x)} is upper(x), {d '2020-01-01'} is DATE '2020-01-01'"),
    (&["Substring", "special"], "commas or words between the arguments of SUBSTRING"),
    (&["Substring", "shorthand"], "SUBSTR for SUBSTRING"),
    (&["Extract", "syntax"], "EXTRACT(YEAR, x) for EXTRACT(YEAR FROM x)"),
    (&["AnyOp", "is_some"], "SOME for ANY"),
    (&["RLike", "regexp"], "REGEXP for RLIKE"),
    (&["offset", "rows"], "OFFSET 3 ROWS for OFFSET 3"),
    (&["Function", "lateral"], "a table function sees the tables before it, with LATERAL or without"),
    (&["tag"], "the tag of a dollar-quoted string"),
    (&["Number"], "the suffix of a long number, 10L"),
    (&["flavor"], "FROM first, then SELECT"),
    (&["with_hints"], "WITH (NOLOCK) says how rows are locked; other hints are refused"),
];

/// The same, where the mutated query has the very plan of the first: what was put there is
/// read, and nothing asks for it.
const UNUSED: &[(&[&str], &str)] = &[
    (&["Array", "named"], "ARRAY before the brackets, or nothing"),
    (&["named_window"], "a window that no call names"),
    (&["with"], "a common table expression that nothing reads"),
    (&["cte_tables"], "a common table expression that nothing reads"),
    (&["recursive"], "RECURSIVE where no expression reads itself, or where it need not be said"),
    (&["alias"], "an alias that nothing names"),
    (&["alias", "columns"], "names of columns that nothing names"),
    (&["lateral"], "LATERAL before a subquery that reads nothing beside it"),
    (&["Interval", "leading_field"], "a unit behind a text that names its own"),
    (&["nulls_first"], "NULLS FIRST where they come first anyhow"),
    (&["escape_char"], "an escape character that the pattern does not hold, or that is meant anyhow"),
];

/// Variants that say the same.
const SYNONYMS: &[(&[&str], &str)] = &[
    (&["Year", "Years"], "a unit in the plural"),
    (&["Month", "Months"], "a unit in the plural"),
    (&["Week", "Weeks"], "a unit in the plural"),
    (&["Day", "Days"], "a unit in the plural"),
    (&["Hour", "Hours"], "a unit in the plural"),
    (&["Minute", "Minutes"], "a unit in the plural"),
    (&["Second", "Seconds"], "a unit in the plural"),
    (
        &[
            "SingleQuotedString",
            "DoubleQuotedString",
            "TripleSingleQuotedString",
            "TripleDoubleQuotedString",
            "SingleQuotedRawStringLiteral",
            "DoubleQuotedRawStringLiteral",
            "EscapedStringLiteral",
            "UnicodeStringLiteral",
            "NationalStringLiteral",
        ],
        "another way to write one string",
    ),
    (&["Join", "Inner", "CrossJoin", "StraightJoin"], "JOIN, INNER JOIN, CROSS JOIN … ON, STRAIGHT_JOIN"),
    (&["Left", "LeftOuter"], "LEFT [OUTER] JOIN"),
    (&["Right", "RightOuter"], "RIGHT [OUTER] JOIN"),
    (&["Except", "Minus"], "MINUS for EXCEPT"),
    (&["IsNull", "IsUnknown"], "IS UNKNOWN asks for NULL"),
    (&["IsNotNull", "IsNotUnknown"], "IS NOT UNKNOWN asks for NULL"),
    (&["Not", "BangNot"], "! for NOT"),
    (&["Cast", "DoubleColon"], "x::t for CAST(x AS t)"),
    (&["TryCast", "SafeCast"], "SAFE_CAST for TRY_CAST"),
    (&["Characters", "None"], "a length counts characters"),
    (&["UnnamedExpr", "ExprWithAlias"], "the name of an output that nothing names"),
    (&["WithoutTimeZone", "None"], "a timestamp has no time zone unless it is said"),
    (&["WithTimeZone", "Tz"], "TIMESTAMPTZ"),
];

/// Variants that say the same where the plan is the very same.
const SAME_HERE: &[(&[&str], &str)] = &[
    (&["On", "Using", "Natural", "None"], "NATURAL, USING and ON over the same columns, or no condition"),
    (&["UnnamedExpr", "Wildcard"], "* over the only column"),
    (&["Number", "Boolean"], "TRUE for 1; and what an EXISTS gives is not read"),
    (&["Int", "Bool", "Boolean"], "what a comparison gives is 0 or 1"),
    (&["None", "Tz", "WithTimeZone"], "a moment that names no zone is in UTC, the session's"),
    (&["List", "None"], "a function without arguments, with parentheses or without"),
    (&["Like", "ILike"], "a pattern without letters"),
    (&["OrderBy", "Separator"], "DISTINCT brings the texts of a group into their own order"),
    (&["All", "AllByName"], "columns of the same names, in the same order"),
    (&["None", "ByName"], "columns of the same names, in the same order"),
    (&["None", "DistinctByName"], "columns of the same names, in the same order"),
    (&["Divide", "MyIntegerDivide"], "DIV of whole numbers, where / is whole too"),
];

/// Types that say the same in a cast, in every dialect.
const TYPES: &[(&[&str], &str)] = &[
    (
        &[
            "TinyInt",
            "Int2",
            "SmallInt",
            "MediumInt",
            "Int",
            "Int4",
            "Int8",
            "Integer",
            "BigInt",
            "Int64",
            "Signed",
            "SignedInteger",
        ],
        "the width of an integer only says what is an overflow",
    ),
    (
        &["Float", "Double", "DoublePrecision", "Real", "Float4", "Float8", "Float64"],
        "how many bits a real has shows less than two reals may differ and be the same",
    ),
    (
        &[
            "Text",
            "TinyText",
            "MediumText",
            "LongText",
            "Varchar",
            "Nvarchar",
            "CharVarying",
            "CharacterVarying",
            "String",
            "Clob",
            "CharLargeObject",
            "CharacterLargeObject",
        ],
        "a text of any length",
    ),
    (&["Numeric", "Decimal", "Dec"], "DECIMAL for NUMERIC"),
    (&["Bool", "Boolean"], "BOOL for BOOLEAN"),
    (&["Blob", "Bytea", "Bytes", "Binary", "Varbinary"], "bytes of any length"),
    (&["Datetime", "Timestamp", "TimestampNtz"], "a timestamp without a time zone"),
];

/// What stands for the absence of a word.
const DEFAULTS: &[(&str, &str, &str)] = &[
    ("null_treatment", "RespectNulls", "RESPECT NULLS is meant where nothing is said"),
    ("duplicate_treatment", "All", "ALL is meant where nothing is said"),
    ("distinct", "All", "SELECT ALL is SELECT"),
    ("sort", "Asc", "ASC is meant where nothing is said"),
    ("set_quantifier", "Distinct", "UNION DISTINCT is UNION"),
    ("trim_where", "Both", "BOTH is meant where nothing is said"),
];

/// Why a mutation has no influence, if it has none; `unused` says that the plan is the same.
pub fn reason(mutation: &Mutation, dialect: Dialect, unused: bool) -> Option<&'static str> {
    let names = names(&mutation.path);
    let found = |table: &[(&[&str], &'static str)]| {
        table.iter().find(|(end, _)| names.ends_with(end)).map(|(_, reason)| *reason)
    };
    if let Some(reason) = found(PLACES) {
        return Some(reason);
    }
    if unused && let Some(reason) = found(UNUSED) {
        return Some(reason);
    }
    let (old, new) = (variant(&mutation.old), variant(&mutation.new));
    let last = names.last().copied().unwrap_or_default();
    if mutation.kind == Kind::Exchanged
        && let Some((_, reason)) = SYNONYMS.iter().find(|(set, _)| set.contains(&old) && set.contains(&new))
    {
        return Some(reason);
    }
    if unused
        && let Some((_, reason)) = SAME_HERE.iter().find(|(set, _)| set.contains(&old) && set.contains(&new))
    {
        return Some(reason);
    }
    if names.contains(&"data_type") && mutation.kind != Kind::Flipped {
        if dialect == Dialect::Sqlite {
            return Some("SQLite looks at the affinity of a type alone");
        }
        let types = TYPES.iter().find(|(set, _)| set.contains(&old) && set.contains(&new));
        if let Some((_, reason)) = types {
            return Some(reason);
        }
        let integers = TYPES.first().map_or(&[][..], |(set, _)| set);
        if integers.contains(&last) {
            return Some("the number behind an integer type is a width to print it with");
        }
    }
    if let Some((_, _, reason)) =
        DEFAULTS.iter().find(|(field, word, _)| *field == last && *word == new && matches!(old, "…" | "None"))
    {
        return Some(reason);
    }
    let ignores_case = matches!(dialect, Dialect::Sqlite | Dialect::Mysql);
    match (last, mutation.kind) {
        // The first number of the two.
        ("PrecisionAndScale", Kind::Counted) if mutation.path.last() == Some(&Step::At(0)) => {
            Some("the precision of a number only says what is an overflow")
        }
        (_, Kind::Exchanged) if ignores_case && [old, new] == ["Like", "ILike"] => Some("LIKE ignores case"),
        _ => None,
    }
}
