//! Where one statement ends and the next begins.

use super::words::Run as _;
use crate::schema::scan::Token;

/// A statement's tokens.
#[derive(Debug, Clone, Copy)]
pub(super) struct Statement<'t> {
    pub(super) tokens: &'t [Token],
    /// No semicolon stands before it.
    pub(super) joined: bool,
}

/// Splits at semicolons, at lines that are `GO`, and where a CREATE, ALTER or INSERT begins
/// a line although the statement before it has no end. The body of a trigger or routine is
/// one with its CREATE.
pub(super) fn statements(tokens: &[Token]) -> Vec<Statement<'_>> {
    let mut out = Vec::new();
    let (mut start, mut joined) = (0, false);
    let mut parentheses = 0_usize;
    let mut blocks = 0_usize;
    let mut routine = false;
    let mut push = |from: usize, to: usize, joined: bool| {
        let tokens = tokens.get(from..to).unwrap_or_default();
        if !tokens.is_empty() {
            out.push(Statement { tokens, joined });
        }
    };
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        if at == start {
            (parentheses, blocks) = (0, 0);
            routine = is_routine(tokens.rest(at));
        }
        let first_on_line = at == 0 || tokens.get(at - 1).is_some_and(|t| t.line < token.line);
        let next = tokens.get(at + 1);
        let go = token.is("GO") && first_on_line && next.is_none_or(|t| t.line > token.line);
        if go || (token.is_symbol(';') && (!routine || blocks == 0)) {
            push(start, at, joined);
            (start, joined) = (at + 1, false);
        } else if at > start && !routine && first_on_line && parentheses == 0 && begins(token, next) {
            push(start, at, joined);
            (start, joined) = (at, true);
            continue;
        } else if token.is_symbol('(') {
            parentheses += 1;
        } else if token.is_symbol(')') {
            parentheses = parentheses.saturating_sub(1);
        } else if routine && token.is_any(&["BEGIN", "CASE"]) {
            blocks += 1;
        } else if routine && token.is("END") {
            match next {
                Some(t) if t.is_any(&["IF", "LOOP", "WHILE", "REPEAT", "FOR"]) => {}
                Some(t) if t.is("CASE") => {
                    blocks = blocks.saturating_sub(1);
                    at += 1;
                }
                _ => blocks = blocks.saturating_sub(1),
            }
        }
        at += 1;
    }
    push(start, tokens.len(), joined);
    out
}

/// True for the first words of a statement that cannot stand inside another.
fn begins(token: &Token, next: Option<&Token>) -> bool {
    const CREATED: &[&str] =
        &words![TABLE VIEW UNIQUE INDEX TEMP TEMPORARY OR TYPE DOMAIN TRIGGER MATERIALIZED];
    let next = |words: &[&str]| next.is_some_and(|t| t.is_any(words));
    token.is("CREATE") && next(CREATED)
        || token.is("ALTER") && next(&["TABLE"])
        || token.is("INSERT") && next(&["INTO"])
}

fn is_routine(tokens: &[Token]) -> bool {
    tokens.is(0, &["CREATE"])
        && tokens
            .iter()
            .take(10)
            .take_while(|t| !t.is_symbol('(') && !t.is_any(&["TABLE", "VIEW", "INDEX"]))
            .any(|t| t.is_any(&["TRIGGER", "PROCEDURE", "FUNCTION", "EVENT", "PACKAGE"]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialects::Dialect;
    use crate::schema::scan::scan;

    #[test]
    fn statements_end_where_they_should() {
        let text = "CREATE TRIGGER t AFTER INSERT ON a BEGIN UPDATE a SET x = CASE WHEN 1 THEN 2 END; \
                    DELETE FROM b; END;\nCREATE TABLE a (x INT)\nCREATE TABLE b (y INT)\nGO\nINSERT INTO a VALUES (1)";
        let tokens = scan(text, Dialect::Sqlite).tokens;
        let found: Vec<(usize, bool)> =
            statements(&tokens).iter().map(|s| (s.tokens[0].line, s.joined)).collect();
        assert_eq!(found, [(1, false), (2, false), (3, true), (5, false)]);
    }
}
