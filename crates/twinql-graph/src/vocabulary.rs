//! The fixed words and tags of graph nodes: what the network's embedding tables are
//! indexed by.
//!
//! A checkpoint is valid only for the vocabulary it was trained with, so it stores
//! [`hash`]. New words go to the end of their list; any change changes the hash.

use std::sync::LazyLock;

use twinql_sql::{Affinity, ColumnRef, Nulls, Schema, Semantics, TypeClass, Value};

/// Raised when the shape of graphs changes although the lists below do not.
const GRAPH_VERSION: &str = "2";

/// A node's word: the operator of a computing node, or the kind of a content node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Word(u16);

/// A node's tag: schema facts of a column, the storage class of a literal, and a few marks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Tag(u16);

/// The letters of a name in lower case.
const fn lower<const N: usize>(name: &str) -> [u8; N] {
    let mut out = [0; N];
    let mut i = 0;
    while i < N {
        out[i] = name.as_bytes()[i].to_ascii_lowercase();
        i += 1;
    }
    out
}

/// Declares the operators' words as constants of [`Word`], numbered in order. Their texts are their names in lower case, but
/// for the last.
macro_rules! words {
    ($($id:ident)*; $last:ident = $text:literal) => {
        #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
        #[repr(u16)]
        enum Position { $($id,)* $last }

        #[allow(missing_docs)] // the texts are the documentation
        impl Word {
            $(pub const $id: Word = Word(Position::$id as u16);)*
            pub const $last: Word = Word(Position::$last as u16);
        }

        const OPERATORS: [&str; [$(stringify!($id),)* $text].len()] = [
            $({
                const NAME: [u8; stringify!($id).len()] = lower(stringify!($id));
                match std::str::from_utf8(&NAME) {
                    Ok(text) => text,
                    Err(_) => stringify!($id),
                }
            },)*
            $text,
        ];
    };
}

words! {
    // Blocks: nodes whose children are the operators of one query block.
    RELS ASSUME ARM SECOND_ARM DERIVED OPTIONAL SCALAR_QUERY IN_QUERY NOT_IN_QUERY EXISTS NOT_EXISTS
    ANY_QUERY ALL_QUERY
    // Relational operators, in the order in which clauses run.
    TABLE VALUES ROW TABLE_FUNCTION RECURSIVE RECURSIVE_REF JOIN LEFT_JOIN FULL_JOIN UNION UNION_ALL
    INTERSECT INTERSECT_ALL EXCEPT EXCEPT_ALL FILTER GROUP AGGREGATE HAVING WINDOW QUALIFY SELECT DISTINCT
    SORT LIMIT OFFSET
    // Keys of an order; `then_…` are the keys after the first.
    ASC DESC THEN_ASC THEN_DESC NULLS_FIRST NULLS_LAST
    // Parts of a window call.
    PARTITION FRAME
    // Content nodes.
    COLUMN OUTER_COLUMN COMPUTED_COLUMN STRING NUMBER NULL BLOB NAME
    // Logic.
    AND OR NOT IS_NULL IS_NOT_NULL
    // Comparisons.
    EQ NOT_EQ LT LT_EQ GT GT_EQ IS IS_NOT LIKE NOT_LIKE GLOB REGEXP MATCH IN_LIST NOT_IN_LIST
    // Arithmetic and strings.
    ADD SUB MUL DIV MOD NEG CONCAT BIT_AND BIT_OR BIT_NOT SHIFT_LEFT SHIFT_RIGHT ARROW LONG_ARROW
    // Positions, where the order of operands matters and cannot be seen otherwise.
    SECOND THIRD LATER
    // CASE.
    CASE CASE_OPERAND WHEN NEXT_WHEN THEN ELSE
    // Conversions.
    CAST_TEXT CAST_NUMERIC CAST_INTEGER CAST_REAL CAST_BLOB COLLATE TUPLE
    // Aggregates.
    COUNT COUNT_DISTINCT SUM SUM_DISTINCT TOTAL TOTAL_DISTINCT AVG AVG_DISTINCT MIN MAX GROUP_CONCAT
    GROUP_CONCAT_DISTINCT BARE AGGREGATE_FILTER
    // Functions without a word of their own; a `name` child holds the name.
    ; UNKNOWN_FUNCTION = "function"
}

/// Functions with a word of their own, sorted by name. Scalar and window functions share
/// the list; aggregates are words above, which window calls of aggregates use too.
#[rustfmt::skip]
const FUNCTIONS: [&str; 62] = [
    "abs()", "ceil()", "char()", "coalesce()", "concat()", "cume_dist()", "current_date()",
    "current_time()", "current_timestamp()", "date()", "date_part()", "datetime()", "day()",
    "dense_rank()", "exp()", "extract()", "first_value()", "floor()", "format()", "hex()",
    "ifnull()", "iif()", "instr()", "json_extract()", "julianday()", "lag()", "last_value()",
    "lead()", "left()", "length()", "like()", "ln()", "log()", "lower()", "ltrim()", "max()",
    "min()", "month()", "now()", "nth_value()", "ntile()", "nullif()", "percent_rank()",
    "position()", "pow()", "power()", "printf()", "random()", "rank()", "replace()", "right()",
    "round()", "row_number()", "rtrim()", "sqrt()", "strftime()", "substr()", "time()", "trim()",
    "typeof()", "upper()", "year()",
];

const fn join_words() -> [&'static str; OPERATORS.len() + FUNCTIONS.len()] {
    let mut all = [""; OPERATORS.len() + FUNCTIONS.len()];
    let mut i = 0;
    while i < OPERATORS.len() {
        all[i] = OPERATORS[i];
        i += 1;
    }
    while i < all.len() {
        all[i] = FUNCTIONS[i - OPERATORS.len()];
        i += 1;
    }
    all
}

/// All words, by index. Functions end in `()`.
pub static WORDS: [&str; OPERATORS.len() + FUNCTIONS.len()] = join_words();

/// How many words there are: rows of the word embedding.
pub const WORD_COUNT: usize = OPERATORS.len() + FUNCTIONS.len();

impl Word {
    /// The row of the word embedding.
    pub fn index(self) -> u16 {
        self.0
    }

    /// The word as text.
    pub fn name(self) -> &'static str {
        WORDS.get(usize::from(self.0)).copied().unwrap_or("?")
    }

    /// The word of a scalar or window function, if it has one of its own. Spellings that
    /// mean the same in SQLite share a word.
    pub fn function(name: &str) -> Option<Word> {
        let name = match name {
            "substring" => "substr",
            "ceiling" => "ceil",
            "len" | "char_length" => "length",
            "if" => "iif",
            other => other,
        };
        FUNCTIONS
            .binary_search_by(|f| f.trim_end_matches("()").cmp(name))
            .ok()
            .and_then(|i| u16::try_from(OPERATORS.len() + i).ok())
            .map(Word)
    }

    /// The word of a conversion to this affinity.
    pub(crate) fn cast(affinity: Affinity) -> Word {
        match affinity {
            Affinity::Text => Word::CAST_TEXT,
            Affinity::Numeric => Word::CAST_NUMERIC,
            Affinity::Integer => Word::CAST_INTEGER,
            Affinity::Real => Word::CAST_REAL,
            Affinity::Blob => Word::CAST_BLOB,
        }
    }
}

/// Tags that are not schema facts, by index.
const MARKS: [&str; 17] = [
    "none",
    "reference",
    "foreign_key",
    "folded",
    "integer",
    "real",
    "text",
    "blob",
    "foreign_key_holds",
    // What the semantics asked for says beyond or against the plain case; marks of `assume`.
    "set_of_rows",
    "order_ignored",
    "columns_as_given",
    "distinct_ignored",
    "keys_open",
    "foreign_keys_hold",
    "nulls",
    "empty_tables",
];

/// The first mark of an `assume` node.
const FIRST_ASSUMPTION: u16 = 9;

const CLASSES: [&str; 6] = ["integer", "number", "text", "boolean", "time", "other"];
const ROLES: [&str; 6] = ["plain", "primary", "part_of_primary", "foreign", "unique", "referring"];

/// How many tags columns have.
const FACTS: usize = CLASSES.len() * ROLES.len() * 2;

/// Marks of `assume` that came later: what is asked, where it is not the usual question, and what was taken for granted
/// then.
const LATER_MARKS: [&str; 2] = ["plausible", "regularity"];

/// How many tags there are: rows of the tag embedding.
pub const TAG_COUNT: usize = MARKS.len() + FACTS + LATER_MARKS.len();

/// All tags, by index: marks, then `class:role:null` or `class:role:not_null` of columns, then later marks.
pub static TAGS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let mut tags: Vec<String> = MARKS.iter().map(|m| (*m).to_owned()).collect();
    for class in CLASSES {
        for role in ROLES {
            for null in ["not_null", "null"] {
                tags.push(format!("{class}:{role}:{null}"));
            }
        }
    }
    tags.extend(LATER_MARKS.map(str::to_owned));
    tags
});

/// What a column is to the keys of its table; the first that holds, in this order:
/// primary (the whole key), unique, part of the primary key, referring (a foreign key that
/// holds), foreign, plain. What the semantics does not assume does not hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Plain,
    Primary,
    PartOfPrimary,
    Foreign,
    Unique,
    Referring,
}

impl Tag {
    /// No tag.
    pub const NONE: Tag = Tag(0);
    /// The node refers to a value computed elsewhere in the graph.
    pub const REFERENCE: Tag = Tag(1);
    /// An equality between a foreign key's column and the column it refers to.
    pub const FOREIGN_KEY: Tag = Tag(2);
    /// The same where foreign keys hold.
    pub const FOREIGN_KEY_HOLDS: Tag = Tag(8);
    /// The node stands for many literals at the end of a long list.
    pub const FOLDED: Tag = Tag(3);
    /// The question is about plausible databases ([`Question::Plausible`](crate::Question::Plausible)).
    pub const PLAUSIBLE: Tag = Tag((MARKS.len() + FACTS) as u16);
    /// A regularity that the query met; the node's content is its name.
    pub const REGULARITY: Tag = Tag((MARKS.len() + FACTS + 1) as u16);

    /// The row of the tag embedding.
    pub fn index(self) -> u16 {
        self.0
    }

    /// The tag as text.
    pub fn name(self) -> &'static str {
        TAGS.get(usize::from(self.0)).map_or("?", String::as_str)
    }

    /// The storage class of a literal.
    pub(crate) fn literal(value: &Value) -> Tag {
        match value {
            Value::Null => Tag::NONE,
            Value::Integer(_) => Tag(4),
            Value::Real(_) => Tag(5),
            Value::Text(_) => Tag(6),
            Value::Blob(_) => Tag(7),
        }
    }

    /// Facts of a column of unknown role, such as one that a set operation produces.
    pub(crate) fn computed(class: TypeClass, nullable: bool) -> Tag {
        facts(class, Role::Plain, nullable)
    }

    /// The marks of what `semantics` says beyond or against the plain case: bags of rows
    /// (lists under ORDER BY), columns in any order, keys that hold, foreign keys that need not,
    /// no NULLs, no empty tables.
    pub(crate) fn assumptions(semantics: &Semantics) -> impl Iterator<Item = Tag> {
        let said = [
            semantics.rows_as_set,
            !semantics.respect_order,
            !semantics.any_column_order,
            semantics.ignore_distinct,
            !semantics.keys_hold,
            semantics.foreign_keys_hold,
            semantics.nulls == Nulls::Nullable,
            semantics.empty_tables,
        ];
        (FIRST_ASSUMPTION..).zip(said).filter_map(|(mark, said)| said.then_some(Tag(mark)))
    }

    /// Facts of a schema column, as far as they hold under `semantics`.
    pub(crate) fn column(schema: &Schema, column: ColumnRef, semantics: &Semantics) -> Tag {
        let (Some(table), Some(info)) = (schema.tables.get(column.table), schema.column(column)) else {
            return Tag::NONE;
        };
        let keys = semantics.keys_hold;
        let foreign = table.foreign_keys.iter().any(|key| key.columns.contains(&column.column));
        // Spider's schemas list one column of a composite key: where it is a foreign key
        // too, uniqueness is not certain.
        let role = if keys && table.primary_key == [column.column] && !foreign {
            Role::Primary
        } else if keys && table.unique.iter().any(|key| *key == [column.column]) {
            Role::Unique
        } else if keys && table.primary_key.contains(&column.column) {
            Role::PartOfPrimary
        } else if foreign && semantics.foreign_keys_hold {
            Role::Referring
        } else if foreign {
            Role::Foreign
        } else {
            Role::Plain
        };
        let key = keys && table.primary_key.contains(&column.column);
        // As declared, whether or not keys hold: so networks have learned it.
        facts(info.class, role, semantics.nulls.reach(column) && !info.not_null && !key)
    }
}

fn facts(class: TypeClass, role: Role, nullable: bool) -> Tag {
    let class = match class {
        TypeClass::Integer => 0,
        TypeClass::Number => 1,
        TypeClass::Text => 2,
        TypeClass::Boolean => 3,
        TypeClass::Time => 4,
        TypeClass::Other => 5,
    };
    let index = MARKS.len() + (class * ROLES.len() + role as usize) * 2 + usize::from(nullable);
    u16::try_from(index).map_or(Tag::NONE, Tag)
}

/// A hash of both lists and of the graphs' version, 16 hexadecimal digits, the same on
/// every machine: equal exactly where a checkpoint's embedding tables fit.
pub fn hash() -> String {
    let mut hash = Fnv::default();
    hash.write(GRAPH_VERSION.as_bytes());
    for word in WORDS {
        hash.write(word.as_bytes());
    }
    hash.write(b"tags");
    for tag in TAGS.iter() {
        hash.write(tag.as_bytes());
    }
    format!("{:016x}", hash.0)
}

/// FNV-1a with 64 bits: stable across Rust versions, which the standard hasher is not.
pub(crate) struct Fnv(pub(crate) u64);

impl Default for Fnv {
    fn default() -> Self {
        Fnv(twinql_sql::hash::FNV)
    }
}

impl Fnv {
    /// Adds bytes and an end mark, so that `ab, c` differs from `a, bc`.
    pub(crate) fn write(&mut self, bytes: &[u8]) {
        self.0 = twinql_sql::hash::fnv(self.0, bytes.iter().copied().chain([0xff]));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_sorted_distinct_and_counted() {
        assert!(FUNCTIONS.is_sorted());
        assert!(FUNCTIONS.iter().map(|f| f.trim_end_matches("()")).is_sorted());
        let mut all = WORDS.to_vec();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), WORD_COUNT);
        assert_eq!(TAGS.len(), TAG_COUNT);
    }

    #[test]
    fn words_and_tags_have_their_names() {
        assert_eq!(Word::RELS.index(), 0);
        assert_eq!(Word::UNKNOWN_FUNCTION.name(), "function");
        assert_eq!(Word::function("year").unwrap().name(), "year()");
        assert_eq!(Word::function("substring").unwrap().name(), "substr()");
        assert_eq!(Word::function("soundex"), None);
        assert_eq!(Tag::FOLDED.name(), "folded");
        assert_eq!(Tag::literal(&Value::Integer(1)).name(), "integer");
        assert_eq!(Tag::literal(&Value::Blob(vec![])).name(), "blob");
        assert_eq!(Tag::FOREIGN_KEY_HOLDS.name(), "foreign_key_holds");
        assert_eq!(Tag::PLAUSIBLE.name(), "plausible");
        assert_eq!(Tag::computed(TypeClass::Other, true).name(), "other:plain:null");
    }

    #[test]
    fn assumptions_are_what_is_not_plain() {
        for (preset, marks) in [
            ("no-fk", ""),
            ("default", "foreign_keys_hold"),
            ("spider", "distinct_ignored foreign_keys_hold"),
            ("bird", "set_of_rows order_ignored columns_as_given foreign_keys_hold"),
            ("strict", "columns_as_given keys_open nulls empty_tables"),
        ] {
            let semantics = Semantics::preset(preset).unwrap();
            let names: Vec<&str> = Tag::assumptions(&semantics).map(Tag::name).collect();
            assert_eq!(names.join(" "), marks, "{preset}");
        }
    }

    /// A changed vocabulary makes shipped checkpoints useless: change it knowingly.
    #[test]
    fn hash_is_stable() {
        assert_eq!(hash(), hash());
        assert_eq!(hash().len(), 16);
    }
}
