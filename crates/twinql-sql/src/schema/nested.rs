//! Declared types that are made of others: `STRUCT<a INT64, b ARRAY<STRING>>`.

use super::types::is_document;

/// A declared type with its parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Nested {
    /// One value of this declared type.
    Plain(String),
    /// Fields by name.
    Struct(Vec<(String, Nested)>),
    /// Elements of one type.
    Array(Box<Nested>),
    /// A document that may hold anything: JSON, VARIANT.
    Any,
}

/// Brackets inside one another in a type; deeper ones are taken for any document.
const MAX_DEPTH: usize = 40;

impl Nested {
    /// The parts of a declared type.
    pub fn of_declared(declared: &str) -> Nested {
        Nested::at_depth(declared.trim(), 0)
    }

    fn at_depth(declared: &str, depth: usize) -> Nested {
        if depth > MAX_DEPTH {
            return Nested::Any;
        }
        let inside = |declared: &str| Nested::at_depth(declared.trim(), depth + 1);
        if let Some(element) = declared.strip_suffix("[]") {
            return Nested::Array(Box::new(inside(element)));
        }
        if !is_document(&declared.to_ascii_uppercase()) {
            return Nested::Plain(declared.to_owned());
        }
        let Some((word, inner)) = declared.strip_suffix('>').and_then(|d| d.split_once('<')) else {
            return Nested::Any;
        };
        match word.to_ascii_uppercase().as_str() {
            "ARRAY" => Nested::Array(Box::new(inside(inner))),
            "STRUCT" | "RECORD" | "ROW" => {
                let field = |part: &str| {
                    let (name, declared) = name_of(part.trim());
                    (name, inside(declared))
                };
                Nested::Struct(parts(inner).into_iter().map(field).collect())
            }
            _ => Nested::Any,
        }
    }
}

/// Splits at the commas outside brackets and quotes.
fn parts(inner: &str) -> Vec<&str> {
    let (mut depth, mut quoted) = (0_i32, false);
    inner
        .split(|c: char| {
            match c {
                '"' => quoted = !quoted,
                '<' | '(' if !quoted => depth += 1,
                '>' | ')' if !quoted => depth -= 1,
                _ => {}
            }
            c == ',' && depth == 0 && !quoted
        })
        .collect()
}

/// A field's name and its type; the name is empty where there is none.
fn name_of(part: &str) -> (String, &str) {
    if let Some(rest) = part.strip_prefix('"') {
        let (name, declared) = rest.split_once('"').unwrap_or((rest, ""));
        return (name.to_owned(), declared);
    }
    let end = part.find([' ', '<']).unwrap_or(part.len());
    match (part.get(..end), part.get(end..)) {
        (Some(name), Some(declared)) if declared.starts_with(' ') => (name.to_owned(), declared),
        _ => (String::new(), part),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declared_types_have_parts() {
        let plain = |declared: &str| Nested::Plain(declared.to_owned());
        let array = |of| Nested::Array(Box::new(of));
        for (declared, parts) in [
            ("NUMERIC(10, 2)", plain("NUMERIC(10, 2)")),
            ("JSON", Nested::Any),
            ("INTEGER[]", array(plain("INTEGER"))),
            (
                "ARRAY<STRUCT<a NUMERIC(10,2), \"b, c\" STRUCT<d DATE>, e ARRAY<STRING>>>",
                array(Nested::Struct(vec![
                    ("a".into(), plain("NUMERIC(10,2)")),
                    ("b, c".into(), Nested::Struct(vec![("d".into(), plain("DATE"))])),
                    ("e".into(), array(plain("STRING"))),
                ])),
            ),
        ] {
            assert_eq!(Nested::of_declared(declared), parts, "{declared}");
        }
        let deep = "ARRAY<".repeat(500);
        assert!(matches!(Nested::of_declared(&deep), Nested::Any | Nested::Array(_)));
    }
}
