//! What a dialect says of itself: data that scanner, parser and planner read.

use super::aggregates::Aggregate;
use super::functions::Function;
pub(crate) use crate::parse::variables::Style;

/// One system's SQL.
pub(crate) struct Profile {
    /// Its name on the command line and in signatures.
    pub(crate) name: &'static str,
    /// Other names that the command line takes.
    pub(crate) also: &'static [&'static str],
    /// The system, as messages call it.
    pub(crate) system: &'static str,
    /// The parser's view of its grammar.
    pub(crate) grammar: fn() -> &'static dyn sqlparser::dialect::Dialect,
    /// How its text is cut into tokens, and which forms it has.
    pub(crate) text: Text,
    /// How names are found.
    pub(crate) names: Names,
    /// What its words mean.
    pub(crate) meaning: Meaning,
    /// Its functions, where it has tables: its own, then those that it shares with others; `None` for those that share the oldest one ([`crate::function`]).
    pub(crate) functions: Option<&'static [&'static [Function]]>,
    /// Its aggregates that others call otherwise: its own, then those that it shares with others.
    pub(crate) aggregates: &'static [&'static [Aggregate]],
}

/// How a text is cut into tokens.
pub(crate) struct Text {
    /// Double quotes hold strings.
    pub(crate) double_quotes_are_strings: bool,
    /// Brackets hold names.
    pub(crate) brackets_quote_names: bool,
    /// A backslash escapes in strings.
    pub(crate) backslash_escapes: bool,
    /// `#` begins a comment.
    pub(crate) hash_is_comment: bool,
    /// `$tag$` quotes a text.
    pub(crate) dollars_quote: bool,
    /// `||` is OR.
    pub(crate) bars_are_or: bool,
    /// A window frame may end in EXCLUDE.
    pub(crate) frames_exclude: bool,
    /// A SELECT may end in QUALIFY.
    pub(crate) qualify: bool,
    /// How variables are declared before a query.
    pub(crate) variables: Option<Style>,
}

/// How names are found.
pub(crate) struct Names {
    /// A name without quotes means its lower case, one in quotes exactly what is written.
    pub(crate) fold_to_lower: bool,
    /// A name in double quotes that no column has is a string.
    pub(crate) quoted_may_be_string: bool,
    /// What may stand before a table whose schema is not declared.
    pub(crate) schemas: &'static [&'static str],
    /// So may the name of the database.
    pub(crate) database_is_schema: bool,
    /// The names behind an alias stand for all columns; elsewhere those after the last keep theirs.
    pub(crate) aliases_name_all: bool,
    /// A table has a path, `project.dataset.table`, of which a query may write the end; quotes may hold all of it.
    pub(crate) paths: bool,
    /// `events_*` stands for all tables whose names begin so.
    pub(crate) wildcards: bool,
    /// A dot behind a column reaches into its value.
    pub(crate) fields: bool,
    /// A name in GROUP BY is an alias before it is a column.
    pub(crate) groups_by_aliases: bool,
    /// A whole number in GROUP BY that is no output's position is a constant.
    pub(crate) groups_by_constants: bool,
    /// An output may name the aliases of those before it; a column of that name is meant first.
    pub(crate) outputs_see_aliases: bool,
    /// A name is an alias before it is a column, wherever aliases are seen.
    pub(crate) aliases_before_columns: bool,
    /// The number of an array's first element in `array[n]`.
    pub(crate) first_element: i64,
    /// UNPIVOT writes the names of columns in capitals where they are not quoted.
    pub(crate) unpivots_in_capitals: bool,
    /// UNPIVOT puts the column of values before that of names.
    pub(crate) unpivots_values_first: bool,
    /// `t.*` has the columns by which USING or NATURAL joined t; `None` where that is not known.
    pub(crate) shared_in_star: Option<bool>,
}

/// What words mean.
pub(crate) struct Meaning {
    /// What `/` does.
    pub(crate) division: Division,
    /// Where NULL stands in an order that does not say.
    pub(crate) nulls: NullOrder,
    /// LIKE tells cases apart.
    pub(crate) like_minds_case: bool,
    /// What takes a pattern's `%` literally where no ESCAPE says so.
    pub(crate) like_escape: Option<char>,
    /// Texts that differ in case alone are the same, unless something says otherwise.
    pub(crate) ignores_case: bool,
    /// So are texts that differ in blanks at their end alone.
    pub(crate) ignores_blanks: bool,
    /// A column of CHAR(n) is compared with constants without the blanks at their ends.
    pub(crate) pads_characters: bool,
    /// All set operators bind alike, from the left; elsewhere INTERSECT binds tighter.
    pub(crate) set_operators_are_of_one_level: bool,
    /// A common table expression sees itself only after WITH RECURSIVE.
    pub(crate) recursion_is_said: bool,
    /// LENGTH counts bytes.
    pub(crate) length_counts_bytes: bool,
    /// What CONCAT makes of a NULL.
    pub(crate) concat: WithNull,
    /// What GREATEST and LEAST make of a NULL.
    pub(crate) greatest: WithNull,
    /// What a cast to a whole number does with a fraction.
    pub(crate) whole: Whole,
    /// The scale of DECIMAL where none is said; `None` keeps every digit.
    pub(crate) decimal_scale: Option<u8>,
    /// A text beside a number is read as a number; elsewhere that is an error.
    pub(crate) texts_as_numbers: bool,
    /// A text that is not a number is NULL or an error where it is cast to one; elsewhere what it begins with counts.
    pub(crate) casts_whole_texts: bool,
    /// A truth value as a text is `true` or `false`; elsewhere a digit.
    pub(crate) truth_in_words: bool,
    /// A date and a span of whole days make a date; elsewhere a timestamp.
    pub(crate) days_keep_dates: bool,
    /// A text of eight digits beside a date is a date.
    pub(crate) dates_without_dashes: bool,
    /// An outer join fills up with 0 and empty texts, and not with NULL, but for columns that may hold NULL.
    pub(crate) outer_joins_fill: bool,
    /// RLIKE matches the whole text; elsewhere a part of it.
    pub(crate) rlike_matches_all: bool,
}

/// What `/` does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Division {
    /// Whole numbers are cut to a whole number, by how each value is stored (SQLite).
    ByStorage,
    /// Whole numbers are cut to a whole number, by the operands' types.
    ByType,
    /// Always a fraction.
    Fraction,
    /// One or the other, unless an operand has a fraction by its type.
    Unknown,
}

/// Where NULL stands in an order that does not say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NullOrder {
    /// It is smaller than every value.
    Smallest,
    /// It is greater than every value.
    Greatest,
    /// It comes last, ascending and descending.
    Last,
}

/// What a function of several values makes of a NULL among them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WithNull {
    /// NULL.
    Null,
    /// What the others give.
    Skips,
}

/// What a cast to a whole number does with a fraction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Whole {
    /// It is cut off.
    Cuts,
    /// The number is rounded.
    Rounds,
    /// One or the other.
    Unknown,
}

impl Text {
    /// Standard SQL: double quotes for names, single ones for strings.
    pub(crate) const STANDARD: Text = Text {
        double_quotes_are_strings: false,
        brackets_quote_names: false,
        backslash_escapes: false,
        hash_is_comment: false,
        dollars_quote: false,
        bars_are_or: false,
        frames_exclude: true,
        qualify: true,
        variables: None,
    };
}

impl Meaning {
    /// The standard's meaning, where most systems keep to it; each says itself how it divides, where NULLs stand, and what CONCAT
    /// and GREATEST make of them.
    pub(crate) const STANDARD: Meaning = Meaning {
        division: Division::Unknown,
        nulls: NullOrder::Smallest,
        like_minds_case: true,
        like_escape: None,
        ignores_case: false,
        ignores_blanks: false,
        pads_characters: false,
        set_operators_are_of_one_level: false,
        recursion_is_said: true,
        length_counts_bytes: false,
        concat: WithNull::Null,
        greatest: WithNull::Null,
        whole: Whole::Rounds,
        decimal_scale: None,
        texts_as_numbers: false,
        casts_whole_texts: false,
        truth_in_words: false,
        days_keep_dates: false,
        dates_without_dashes: false,
        outer_joins_fill: false,
        rlike_matches_all: false,
    };
}

impl Names {
    /// Without regard to case, and no schema known.
    pub(crate) const STANDARD: Names = Names {
        fold_to_lower: false,
        quoted_may_be_string: false,
        schemas: &[],
        database_is_schema: true,
        aliases_name_all: true,
        paths: false,
        wildcards: false,
        fields: false,
        groups_by_aliases: false,
        groups_by_constants: false,
        outputs_see_aliases: false,
        aliases_before_columns: false,
        first_element: 0,
        unpivots_in_capitals: false,
        unpivots_values_first: false,
        shared_in_star: Some(true),
    };
}
