//! What queries have in common when their values, or their names as well, are left aside.
//!
//! Source: Finegan-Dollak et al. 2018 count a data set's queries so, and split data sets by them: a question
//! whose query's template was seen in training is answered by filling in its slots.

use crate::classic::tokens::{Kind, Token, lexed};

/// When two queries count as one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Alike {
    /// Their tokens are the same.
    Text,
    /// The same but for values: one query with other slots.
    Values,
    /// The same but for values and for the names of tables, columns and aliases. Whether a column is qualified
    /// and a table or an output has an alias is left aside too.
    Names,
}

/// A text that is the same for queries that are alike. What is not made of tokens is like itself alone.
pub fn template(sql: &str, alike: Alike) -> String {
    let Some(tokens) = lexed(None, sql) else { return sql.trim().to_owned() };
    let mut out: Vec<&str> = Vec::with_capacity(tokens.len());
    for (at, token) in tokens.iter().enumerate() {
        let text = match (token.kind, alike) {
            (Kind::Literal, Alike::Values | Alike::Names) => VALUE,
            (Kind::Name, Alike::Names) if !called(&tokens, at) => NAME,
            _ => token.text.as_str(),
        };
        out.push(text);
        if alike == Alike::Names {
            fold(&mut out);
        }
    }
    out.join(" ")
}

/// How many tokens a query has; none if it is not made of tokens.
pub fn token_count(sql: &str) -> Option<usize> {
    lexed(None, sql).map(|tokens| tokens.len())
}

/// What stands for a value.
const VALUE: &str = "?";
/// What stands for a name; no token is written so.
const NAME: &str = "\u{2026}";

/// True for the name of a function.
fn called(tokens: &[Token], at: usize) -> bool {
    tokens.get(at + 1).is_some_and(|next| next.text == "(")
}

/// Makes one name of `table.column` and of what has an alias.
fn fold(out: &mut Vec<&str>) {
    let kept = match out.as_slice() {
        [.., NAME, ".", NAME] | [.., NAME, "as", NAME] => 2,
        [.., NAME, NAME] => 1,
        // What a derived table or an expression is called.
        [.., ")", "as", NAME] => 2,
        [.., ")", NAME] => 1,
        _ => return,
    };
    out.truncate(out.len() - kept);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        let sql = "SELECT T1.name, count(*) AS n FROM owner AS T1 JOIN pet p ON T1.id = p.owner_id WHERE kind = \"cat\" LIMIT 3";
        for (alike, expected) in [
            (
                Alike::Text,
                "select t1 . name , count ( * ) as n from owner as t1 join pet p on t1 . id = p . owner_id where kind = 'cat' limit 3",
            ),
            (
                Alike::Values,
                "select t1 . name , count ( * ) as n from owner as t1 join pet p on t1 . id = p . owner_id where kind = ? limit ?",
            ),
            (Alike::Names, "select … , count ( * ) from … join … on … = … where … = ? limit ?"),
        ] {
            assert_eq!(template(sql, alike), expected);
        }
    }

    #[test]
    fn what_is_alike() {
        for (a, b, alike) in [
            ("SELECT a FROM t;", "select  A from T", Some(Alike::Text)),
            ("SELECT a FROM t WHERE b = 1", "SELECT a FROM t WHERE b = 'x'", Some(Alike::Values)),
            ("SELECT a FROM t", "SELECT u.c AS x FROM u", Some(Alike::Names)),
            ("SELECT a FROM (SELECT b FROM t) AS x", "SELECT x.a FROM (SELECT b FROM t)", Some(Alike::Names)),
            ("SELECT lower(a) FROM t", "SELECT upper(a) FROM t", None),
            ("SELECT a FROM t", "SELECT a, b FROM t", None),
        ] {
            let found = [Alike::Text, Alike::Values, Alike::Names]
                .into_iter()
                .find(|alike| template(a, *alike) == template(b, *alike));
            assert_eq!(found, alike, "{a} / {b}");
        }
    }

    #[test]
    fn any_text_has_one() {
        assert_eq!(template("  SELECT 'open ", Alike::Names), "SELECT 'open");
        assert_eq!(token_count("SELECT 'open"), None);
        assert_eq!(token_count("SELECT 'a b' ;"), Some(2));
        assert_eq!(template("", Alike::Values), "");
    }
}
