//! Comma-separated values with a header, as PostgreSQL writes them (RFC 4180).

use std::collections::HashMap;

use twinql_files::table_rows;

/// The records of a file, by the names of its header.
#[derive(Debug)]
pub(super) struct Table {
    names: HashMap<String, usize>,
    /// The line on which each record begins, and its fields.
    pub(super) records: Vec<(usize, Vec<String>)>,
}

impl Table {
    /// Reads a text; `needed` columns must be there.
    ///
    /// # Errors
    /// No header, a column that is missing, a record of another width, a quote without an end: where, in words.
    pub(super) fn read(text: &str, needed: &[&str]) -> Result<Table, String> {
        let mut records = table_rows(text, ',').map_err(|e| e.to_string())?.into_iter();
        let Some((_, header)) = records.next() else {
            return Err("is empty; export it with a header line".into());
        };
        let names: HashMap<String, usize> =
            header.iter().enumerate().map(|(i, n)| (n.trim().to_ascii_lowercase(), i)).collect();
        for name in needed {
            if !names.contains_key(*name) {
                return Err(format!(
                    "line 1: the header has no column {name:?}; export it with `csv header`"
                ));
            }
        }
        let records: Vec<(usize, Vec<String>)> = records.collect();
        for (line, fields) in &records {
            if fields.len() != header.len() {
                return Err(format!(
                    "line {line}: {} fields, where the header has {}",
                    fields.len(),
                    header.len()
                ));
            }
        }
        Ok(Table { names, records })
    }

    /// A field of a record; none where the column is not there or the field is empty.
    pub(super) fn field<'r>(&self, record: &'r [String], name: &str) -> Option<&'r str> {
        record.get(*self.names.get(name)?).map(|f| f.trim()).filter(|f| !f.is_empty())
    }
}

/// The elements of a PostgreSQL array of one dimension: `{a,"b, \"c\"",NULL}`; NULLs are left out.
///
/// # Errors
/// It is no such array, in words.
pub(super) fn array(text: &str) -> Result<Vec<String>, String> {
    let inner = text
        .trim()
        .strip_prefix('{')
        .and_then(|t| t.strip_suffix('}'))
        .ok_or("is no array: PostgreSQL writes {…}")?;
    let mut out = Vec::new();
    let mut chars = inner.chars().peekable();
    if chars.peek().is_none() {
        return Ok(out);
    }
    loop {
        let mut element = String::new();
        let quoted = chars.next_if_eq(&'"').is_some();
        let mut closed = !quoted;
        while let Some(&c) = chars.peek() {
            if !quoted && c == ',' {
                break;
            }
            chars.next();
            match c {
                '\\' => element.extend(chars.next()),
                '"' if quoted => {
                    closed = true;
                    break;
                }
                '{' if !quoted => return Err("has more than one dimension".into()),
                c => element.push(c),
            }
        }
        if !closed {
            return Err("has a quote without an end".into());
        }
        if quoted || element != "NULL" {
            out.push(element);
        }
        match chars.next() {
            Some(',') => {}
            None => return Ok(out),
            Some(_) => return Err("has something between an element and the next comma".into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_and_quotes() {
        let table = Table::read("\u{feff}A,b\r\n1,\"x, \"\"y\"\"\nz\"\n\n2,\n", &["a", "b"]).unwrap();
        assert_eq!(table.records.len(), 2);
        let (line, first) = &table.records[0];
        assert_eq!((*line, table.field(first, "b")), (2, Some("x, \"y\"\nz")));
        let (line, second) = &table.records[1];
        assert_eq!((*line, table.field(second, "b"), table.field(second, "c")), (5, None, None));
        assert!(Table::read("a\n1", &["b"]).unwrap_err().contains("\"b\""));
        assert!(Table::read("", &[]).unwrap_err().contains("empty"));
        assert!(Table::read("a,b\n1", &[]).unwrap_err().starts_with("line 2: 1 fields"));
        assert!(Table::read("a\n\"1", &[]).unwrap_err().starts_with("line 2: a quote"));
    }

    #[test]
    fn arrays() {
        assert_eq!(array("{1,2.5,-3}").unwrap(), ["1", "2.5", "-3"]);
        assert_eq!(
            array(r#"{a,"b, {c}","say \"hi\" \\",NULL,"NULL",""}"#).unwrap(),
            ["a", "b, {c}", r#"say "hi" \"#, "NULL", ""]
        );
        assert!(array("{}").unwrap().is_empty());
        for wrong in ["", "1,2", "{\"a}", "{{1},{2}}", "{\"a\"b}"] {
            assert!(array(wrong).is_err(), "{wrong}");
        }
    }
}
