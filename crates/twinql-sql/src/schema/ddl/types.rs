//! CREATE TYPE, CREATE DOMAIN, and ALTER TYPE of enumerations.

use crate::dialects::Dialect;

use super::model::{CheckDraft, TypeDraft};
use super::words::{OF_PARTS, Run as _, parts_of_type, qualified, shown, texts};
use super::{NoteKind, Reader};
use crate::schema::scan::{Token, TokenKind};
use crate::schema::types::ENDS_A_TYPE;

impl Reader<'_> {
    /// CREATE TYPE name AS ENUM (…), CREATE DOMAIN name [AS] type [constraints]; `at` is where
    /// TYPE or DOMAIN stands.
    pub(super) fn create_type(&mut self, tokens: &[Token], at: usize) {
        let line = tokens.line();
        let domain = tokens.is(at, &["DOMAIN"]);
        let Some((name, mut at)) = qualified(tokens, at + 1) else {
            self.not_read(line, shown(tokens), "it has no name");
            return;
        };
        at += usize::from(tokens.is(at, &["AS"]));
        let draft = if domain {
            self.domain(tokens.rest(at))
        } else if tokens.is(at, &["ENUM"]) {
            TypeDraft {
                declared: "text".to_owned(),
                values: texts(tokens.rest(at + 1)),
                ..TypeDraft::default()
            }
        } else {
            let reason = "only enumerations are read; its columns take any value";
            self.not_read(line, shown(tokens), reason);
            return;
        };
        self.model.types.insert(name.to_lowercase(), draft);
    }

    /// A domain's type with its constraints.
    fn domain(&mut self, tokens: &[Token]) -> TypeDraft {
        let (ty, mut at) = self.declared_type(tokens, 0);
        let mut draft = self.known_type(&ty.declared).unwrap_or(TypeDraft {
            declared: ty.declared,
            values: ty.values,
            ..TypeDraft::default()
        });
        let mut name = None;
        while let Some(token) = tokens.get(at) {
            if token.is("CONSTRAINT") {
                name = tokens.name(at + 1).map(str::to_owned);
                at += 2;
            } else if token.is("CHECK") && tokens.opens(at + 1) {
                let (inner, after) = tokens.group(at + 1);
                draft.checks.push(CheckDraft { name: name.take(), condition: self.written(inner) });
                at = after;
            } else if token.is("NOT") && tokens.is(at + 1, &["NULL"]) {
                draft.not_null = true;
                at += 2;
            } else if token.is_any(&["NULL", "COLLATE"]) {
                at += 1 + usize::from(token.is("COLLATE"));
            } else if token.is("DEFAULT") {
                at = behind_default(tokens, at + 1);
            } else {
                self.not_read(token.line, shown(&tokens[at..]), "a clause of a domain that is not known");
                break;
            }
        }
        draft
    }

    /// The type that a name stands for.
    pub(super) fn known_type(&self, declared: &str) -> Option<TypeDraft> {
        self.model.types.get(&declared.to_lowercase()).cloned()
    }

    /// ALTER TYPE name ADD VALUE 'x' | RENAME VALUE 'a' TO 'b' | RENAME TO name.
    pub(super) fn alter_type(&mut self, tokens: &[Token]) {
        let line = tokens.line();
        let Some((name, at)) = qualified(tokens, 2) else {
            self.not_read(line, shown(tokens), "it has no name");
            return;
        };
        let rest = tokens.rest(at);
        let word = |i: usize, w: &str| rest.is(i, &[w]);
        let strings = texts(rest);
        let key = name.to_lowercase();
        if word(0, "OWNER") || word(0, "SET") {
            self.ignored(line, "ALTER TYPE", "rights");
        } else if word(0, "ADD") && word(1, "VALUE") {
            if let Some(value) = strings.first() {
                self.change_values(|values| values.push(value.clone()), &key);
            }
        } else if word(0, "RENAME") && word(1, "VALUE") {
            if let [old, new] = strings.as_slice() {
                let rename = |values: &mut Vec<String>| {
                    for value in values.iter_mut().filter(|v| *v == old) {
                        new.clone_into(value);
                    }
                };
                self.change_values(rename, &key);
            }
        } else if let (true, true, Some(new)) = (word(0, "RENAME"), word(1, "TO"), rest.name(2)) {
            if let Some(draft) = self.model.types.remove(&key) {
                self.model.types.insert(new.to_lowercase(), draft);
            }
        } else {
            self.not_read(line, shown(tokens), "this change of a type is not read");
        }
    }

    /// Changes the values of a type, and of the columns that were declared with it.
    fn change_values(&mut self, change: impl Fn(&mut Vec<String>), type_name: &str) {
        if let Some(draft) = self.model.types.get_mut(type_name) {
            change(&mut draft.values);
        }
        for column in self.model.tables.iter_mut().flat_map(|t| &mut t.columns) {
            if column.of_type.as_deref() == Some(type_name) {
                change(&mut column.column.values);
            }
        }
    }

    /// A type's words and size at `at`, and where the tokens go on. Spelled as SQLite takes
    /// it: all words, then a size. MySQL's `int(11) unsigned` becomes `int unsigned(11)`; the
    /// values of `enum('a')` are kept apart.
    pub(super) fn declared_type(&mut self, item: &[Token], mut at: usize) -> (Declared, usize) {
        let mut words: Vec<String> = Vec::new();
        let mut size = String::new();
        let mut values = Vec::new();
        let mut array = None;
        while let Some(token) = item.get(at) {
            let charset = token.is("CHARACTER") && item.is(at + 1, &["SET"]);
            let behind = !words.is_empty() && token.is_any(BEHIND_A_TYPE);
            if charset || behind || token.is_any(ENDS_A_TYPE) {
                break;
            }
            let of_parts = words.last().is_some_and(|w| OF_PARTS.iter().any(|p| w.eq_ignore_ascii_case(p)));
            let sized = |(inner, _): (&[Token], usize)| {
                super::words::is_size(&inner.iter().map(Token::shown).collect::<String>())
            };
            if of_parts && (token.is_symbol('<') || token.is_symbol('(') && !sized(item.group(at))) {
                let (parts, after) = parts_of_type(item, at);
                if let Some(word) = words.last_mut() {
                    word.push_str(&parts);
                }
                at = after;
                continue;
            }
            if token.is_symbol('(') {
                let (inner, after) = item.group(at);
                if let Some(word) = words.last_mut()
                    && crate::schema::CONTAINERS.iter().any(|name| word.eq_ignore_ascii_case(name))
                    && self.dialect == Dialect::Clickhouse
                {
                    let held = inner.iter().map(Token::shown).collect::<String>();
                    *word = format!("{word}({held})");
                    at = after;
                    continue;
                }
                let list: String = inner.iter().map(Token::shown).collect();
                if super::words::is_size(&list) {
                    size = format!("({list})");
                } else if words
                    .last()
                    .is_some_and(|w| w.eq_ignore_ascii_case("enum") || w.eq_ignore_ascii_case("set"))
                {
                    values = texts(inner);
                }
                at = after;
                continue;
            }
            match &token.kind {
                // public.mood is mood.
                TokenKind::Symbol('.') => {
                    words.pop();
                }
                TokenKind::Symbol('[') => array = Some(token.line),
                TokenKind::Word(w) | TokenKind::Quoted(w) => words.push(w.clone()),
                TokenKind::Text(_) | TokenKind::Inner | TokenKind::Symbol(_) => {}
            }
            at += 1;
        }
        let mut declared = words.join(" ");
        if !declared.is_empty() {
            declared.push_str(&size);
        }
        if array.is_some() && self.dialect != Dialect::Sqlite {
            declared.push_str("[]");
        } else if let Some(line) = array {
            self.note(
                NoteKind::NotEnforced,
                line,
                format!("{declared}[]"),
                "the values of an array are taken for single ones",
            );
        }
        (Declared { declared, values }, at)
    }
}

/// Words that may follow a type or a default, and are no names of types.
const BEHIND_A_TYPE: &[&str] =
    &words![FIRST AFTER STORAGE COMPRESSION ENCODE SRID ROWGUIDCOL SPARSE USING PERSISTED OPTIONS];

/// A type as it is declared, and the values of an enumeration.
pub(super) struct Declared {
    pub(super) declared: String,
    pub(super) values: Vec<String>,
}

/// Where the tokens go on behind the value of DEFAULT, which begins at `at`.
pub(super) fn behind_default(item: &[Token], at: usize) -> usize {
    let mut at = item.behind_group(at).max(at + 1);
    while let Some(token) = item.get(at) {
        let ends = token.is_any(ENDS_A_TYPE) && !token.is("KEY");
        // CAST(x AS y) stands in parentheses; a bare AS begins a computed column.
        if ends || token.is_any(BEHIND_A_TYPE) || token.is("DEFERRABLE") {
            break;
        }
        at = item.behind_group(at).max(at + 1);
    }
    at
}
