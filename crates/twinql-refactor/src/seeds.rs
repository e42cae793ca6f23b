//! Seeds: the columns of a CSV file, with the types that its values have.

use twinql::files::table_rows;

use crate::properties::Column;

/// Rows that say what a column holds.
const ROWS: usize = 1_000;

/// The columns of a CSV file: dbt's own guess of types, by all values that are not empty.
pub(crate) fn columns(text: &str) -> Vec<Column> {
    // A large file is cut off, perhaps within quotes: its header says what it can.
    let whole = table_rows(text, ',').or_else(|_| table_rows(text.lines().next().unwrap_or(""), ','));
    let mut records = whole.unwrap_or_default().into_iter().map(|(_, record)| record);
    let Some(header) = records.next() else { return Vec::new() };
    let mut kinds: Vec<Option<Kind>> = vec![None; header.len()];
    for record in records.take(ROWS) {
        for (kind, value) in kinds.iter_mut().zip(record).filter(|(_, value)| !value.is_empty()) {
            let of = Kind::of(&value);
            *kind = Some(kind.map_or(of, |known| known.with(of)));
        }
    }
    let column = |(name, kind): (String, Option<Kind>)| Column {
        name,
        data_type: kind.unwrap_or(Kind::Text).sql().to_owned(),
        ..Column::default()
    };
    header.into_iter().zip(kinds).map(column).collect()
}

/// What the values of a column are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Whole,
    Number,
    Boolean,
    Date,
    Text,
}

impl Kind {
    fn of(value: &str) -> Kind {
        let is_date = || {
            let parts: Vec<&str> = value.split('-').collect();
            parts.iter().map(|part| part.len()).eq([4, 2, 2])
                && parts.iter().all(|part| part.bytes().all(|b| b.is_ascii_digit()))
        };
        match value {
            _ if value.parse::<i64>().is_ok() => Kind::Whole,
            // inf and nan are texts.
            _ if value.parse::<f64>().is_ok_and(f64::is_finite) => Kind::Number,
            _ if value.eq_ignore_ascii_case("true") || value.eq_ignore_ascii_case("false") => Kind::Boolean,
            _ if is_date() => Kind::Date,
            _ => Kind::Text,
        }
    }

    /// The kind that holds values of both.
    fn with(self, other: Kind) -> Kind {
        match (self, other) {
            (a, b) if a == b => a,
            (Kind::Whole, Kind::Number) | (Kind::Number, Kind::Whole) => Kind::Number,
            _ => Kind::Text,
        }
    }

    fn sql(self) -> &'static str {
        match self {
            Kind::Whole => "INTEGER",
            Kind::Number => "NUMERIC",
            Kind::Boolean => "BOOLEAN",
            Kind::Date => "DATE",
            Kind::Text => "TEXT",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_say_what_a_column_is() {
        let text = "id,name,price,at,on,mixed\r\n1,\"a, \"\"b\"\"\",2.5,2020-01-02,true,1\n2,c,3,,false,x\n";
        let found: Vec<(String, String)> = columns(text).into_iter().map(|c| (c.name, c.data_type)).collect();
        let of = |name: &str, kind: &str| (name.to_owned(), kind.to_owned());
        assert_eq!(
            found,
            [
                of("id", "INTEGER"),
                of("name", "TEXT"),
                of("price", "NUMERIC"),
                of("at", "DATE"),
                of("on", "BOOLEAN"),
                of("mixed", "TEXT")
            ]
        );
        assert!(columns("").is_empty());
    }
}
