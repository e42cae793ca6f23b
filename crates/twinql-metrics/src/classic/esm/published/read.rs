//! Reads a query as the published scripts do: by recursive descent over words, with all that they leave unread.

use std::collections::HashMap;

use super::names::{ALL, Names, id};
use super::plus;
use super::token::words;
use super::tree::{Agg, Arithmetic, Col, Cond, Item, Operand, Source, Test, Tree, Unit, Way};
use super::{Script, Unread};

/// Deeper nesting is not read: the scripts end at Python's recursion limit.
const DEPTH: usize = 64;

const CLAUSES: [&str; 9] =
    ["select", "from", "where", "group", "order", "limit", "intersect", "union", "except"];
const JOIN_WORDS: [&str; 3] = ["join", "on", "as"];
/// ESM+ glues the word before JOIN to it.
const JOINS: [&str; 5] = ["join", "left-join", "right-join", "outer-join", "cross-join"];

type Read<T> = Result<T, Unread>;

/// Reads a whole query.
pub(super) fn read(script: Script, names: &Names, sql: &str) -> Read<Tree> {
    let mut words = match script {
        Script::Spider => words(sql)?,
        Script::EsmPlus => glue_joins(words(&sql.replace("<>", "!="))?),
    };
    let mut aliases: HashMap<String, String> = HashMap::new();
    for at in 0..words.len() {
        if words[at] != "as" {
            continue;
        }
        let before = at.checked_sub(1).unwrap_or(words.len() - 1);
        if at + 1 >= words.len() {
            return Err(Unread::new("AS at the end"));
        }
        if script == Script::EsmPlus {
            for place in [at + 1, before] {
                words[place] = bare(&words[place]).to_lowercase();
            }
        }
        aliases.insert(words[at + 1].clone(), words[before].clone());
    }
    for table in names.tables.keys() {
        if aliases.contains_key(table) {
            return Err(Unread::new(format!("the alias {table} is a table's name")));
        }
        aliases.insert(table.clone(), table.clone());
    }
    let mut reader = Reader { script, names, words: &words, aliases, depth: 0 };
    Ok(reader.query(0)?.1)
}

fn glue_joins(words: Vec<String>) -> Vec<String> {
    let mut out: Vec<String> = Vec::with_capacity(words.len());
    for word in words {
        match out.last_mut() {
            Some(last) if word == "join" && matches!(last.as_str(), "left" | "right" | "outer" | "cross") => {
                last.push_str("-join");
            }
            _ => out.push(word),
        }
    }
    out
}

/// A word without quotation marks around it.
fn bare(word: &str) -> &str {
    word.trim_matches('"').trim_matches('`')
}

struct Reader<'a> {
    script: Script,
    names: &'a Names,
    words: &'a [String],
    /// Aliases of the whole text, whatever block they stand in, and the tables' own names.
    aliases: HashMap<String, String>,
    depth: usize,
}

/// What a block's columns are looked up in.
struct Scope {
    aliases: HashMap<String, String>,
    tables: Vec<String>,
}

impl<'a> Reader<'a> {
    fn plus(&self) -> bool {
        self.script == Script::EsmPlus
    }

    /// The word at a place; the end of the text is an error.
    fn word(&self, at: usize) -> Read<&'a str> {
        word(self.words, at)
    }

    fn is(&self, at: usize, expected: &str) -> bool {
        self.words.get(at).is_some_and(|w| w == expected)
    }

    fn expect(&self, at: usize, expected: &str) -> Read<usize> {
        match self.word(at)? {
            w if w == expected => Ok(at + 1),
            other => Err(Unread::new(format!("{other} where {expected} is expected"))),
        }
    }

    fn query(&mut self, start: usize) -> Read<(usize, Tree)> {
        self.depth += 1;
        if self.depth > DEPTH {
            return Err(Unread::new("nested too deep"));
        }
        let out = self.block(start);
        self.depth -= 1;
        out
    }

    fn block(&mut self, start: usize) -> Read<(usize, Tree)> {
        let mut scope = Scope { aliases: self.aliases.clone(), tables: Vec::new() };
        let nested = self.word(start)? == "(";
        let select = start + usize::from(nested);
        let mut tree = Tree::default();
        let mut at = self.from(start, &mut scope, &mut tree)?;
        self.select(select, &scope, &mut tree)?;
        if self.is(at, "where") {
            (at, tree.filter) = self.conditions(at + 1, &scope)?;
        }
        if self.is(at, "group") {
            at = self.expect(at + 1, "by")?;
            while self.within_clause(at) {
                let col;
                (at, col) = self.column_unit(self.words, at, &scope)?;
                tree.group.push(col);
                if !self.is(at, ",") {
                    break;
                }
                at += 1;
            }
        }
        if self.is(at, "having") {
            (at, tree.having) = self.conditions(at + 1, &scope)?;
        }
        if self.is(at, "order") {
            at = self.order(at + 1, &scope, &mut tree)?;
        }
        if self.is(at, "limit") {
            let value = self.word(at + 1)?;
            at += 2;
            tree.limit = Some(match self.script {
                // The script asks whether the word is a number before it makes it one.
                Script::Spider => 1,
                Script::EsmPlus => value.parse().map_err(|_| Unread::new(format!("LIMIT {value}")))?,
            });
        }
        at = self.skip_semicolons(at);
        if nested {
            at = self.expect(at, ")")?;
        }
        at = self.skip_semicolons(at);
        let operator = self.words.get(at).map(String::as_str).unwrap_or_default();
        if matches!(operator, "intersect" | "union" | "except") {
            let (end, right) = self.query(at + 1)?;
            at = end;
            let right = Some(Box::new(right));
            match operator {
                "intersect" => tree.intersect = right,
                "union" => tree.union = right,
                _ => tree.except = right,
            }
        }
        if self.plus() {
            plus::apply(&mut tree, self.names)?;
        }
        Ok((at, tree))
    }

    fn skip_semicolons(&self, mut at: usize) -> usize {
        while self.is(at, ";") {
            at += 1;
        }
        at
    }

    /// True where a list of keys goes on.
    fn within_clause(&self, at: usize) -> bool {
        self.words.get(at).is_some_and(|w| !CLAUSES.contains(&w.as_str()) && w != ")" && w != ";")
    }

    /// The tables of a FROM and the conditions of all its ONs, in one list. Tables are what the scripts compare, and
    /// which of them an ON belongs to is lost, as it is there.
    fn from(&mut self, start: usize, scope: &mut Scope, tree: &mut Tree) -> Read<usize> {
        let from = self.words.iter().skip(start).position(|w| w == "from");
        let mut at = start + from.ok_or_else(|| Unread::new("no FROM"))? + 1;
        while at < self.words.len() {
            let nested = self.is(at, "(");
            at += usize::from(nested);
            if self.word(at)? == "select" {
                let (end, query) = self.query(at)?;
                at = end;
                tree.from.push(Source::Query(Box::new(query)));
            } else {
                let word = self.word(at)?;
                let join = JOINS.iter().find(|j| **j == word).filter(|j| self.plus() || **j == "join");
                at += usize::from(join.is_some());
                let table = self.table(&mut at, scope)?;
                if let (Some(join), true) = (join, self.plus()) {
                    tree.from.push(Source::Join(join));
                }
                tree.from.push(Source::Table(table.clone()));
                scope.tables.push(table);
            }
            if self.is(at, "on") {
                let on;
                (at, on) = self.conditions(at + 1, scope)?;
                if !tree.on.is_empty() {
                    tree.on.push(Item::And);
                }
                tree.on.extend(on);
            }
            if nested {
                at = self.expect(at, ")")?;
            }
            if at < self.words.len() && !self.within_clause(at) {
                break;
            }
        }
        Ok(at)
    }

    fn table(&mut self, at: &mut usize, scope: &mut Scope) -> Read<String> {
        let word = self.word(*at)?;
        let key = if self.plus() { bare(word).to_lowercase() } else { word.to_owned() };
        let table = scope.aliases.get(&key).cloned().filter(|t| self.names.table(t).is_some());
        let table = table.ok_or_else(|| Unread::new(format!("no table {word}")))?;
        let next = self.words.get(*at + 1).map(String::as_str);
        *at += match next {
            Some("as") => 3,
            Some(alias)
                if self.plus()
                    && !JOIN_WORDS.contains(&alias)
                    && !JOINS.contains(&alias)
                    && !CLAUSES.contains(&alias)
                    && !matches!(alias, "and" | "or" | "asc" | "desc" | ")" | ";" | ",") =>
            {
                scope.aliases.insert(alias.to_owned(), table.clone());
                2
            }
            _ => 1,
        };
        Ok(table)
    }

    fn select(&mut self, start: usize, scope: &Scope, tree: &mut Tree) -> Read<()> {
        let mut at = self.expect(start, "select")?;
        if self.is(at, "distinct") {
            at += 1;
            tree.distinct = true;
        }
        while at < self.words.len() && !CLAUSES.contains(&self.words[at].as_str()) {
            let agg = Agg::named(&self.words[at]);
            at += usize::from(agg.is_some());
            let unit;
            (at, unit) = self.unit(self.words, at, scope)?;
            tree.select.push((agg.unwrap_or(Agg::None), unit));
            if self.plus() && self.is(at, "as") {
                at += 2;
            }
            if self.is(at, ",") {
                at += 1;
            }
        }
        Ok(())
    }

    fn order(&mut self, start: usize, scope: &Scope, tree: &mut Tree) -> Read<usize> {
        let mut at = self.expect(start, "by")?;
        let (mut way, mut keys) = (Way::Asc, Vec::new());
        while self.within_clause(at) {
            let unit;
            (at, unit) = self.unit(self.words, at, scope)?;
            keys.push(unit);
            match self.words.get(at).map(String::as_str) {
                Some("desc") => (way, at) = (Way::Desc, at + 1),
                Some("asc") => (way, at) = (Way::Asc, at + 1),
                _ => {}
            }
            if !self.is(at, ",") {
                break;
            }
            at += 1;
        }
        tree.order = Some((way, keys));
        Ok(at)
    }

    fn column(&self, words: &[String], at: usize, scope: &Scope) -> Read<String> {
        let word = word(words, at)?;
        let word = if self.plus() { bare(word).to_lowercase() } else { word.to_owned() };
        if word == "*" {
            return Ok(ALL.to_owned());
        }
        let has = |table: &str, column: &str| {
            self.names.table(table).is_some_and(|t| t.columns.iter().any(|c| c == column))
        };
        if let Some((alias, column)) = word.split_once('.') {
            let table = scope.aliases.get(alias).filter(|t| has(t, column));
            let table = table.ok_or_else(|| Unread::new(format!("no column {word}")))?;
            return Ok(id(table, column));
        }
        // An alias of ESM+ may be the name of another table, and then stands for it here too.
        let table = scope.tables.iter().filter_map(|t| scope.aliases.get(t)).find(|t| has(t, &word));
        let table = table.ok_or_else(|| Unread::new(format!("no column {word}")))?;
        Ok(id(table, &word))
    }

    /// A column, or an aggregate of one, perhaps in brackets.
    fn column_unit(&self, words: &[String], start: usize, scope: &Scope) -> Read<(usize, Col)> {
        let nested = word(words, start)? == "(";
        let mut at = start + usize::from(nested);
        if let Some(agg) = Agg::named(word(words, at)?) {
            at = expect(words, at + 1, "(")?;
            let distinct = word(words, at)? == "distinct";
            at += usize::from(distinct);
            let id = self.column(words, at, scope)?;
            at = expect(words, at + 1, ")")?;
            // A bracket that was opened stays open here.
            let distinct = distinct && !self.distinct_anyway(&id);
            return Ok((at, Col { agg, id, distinct }));
        }
        let distinct = word(words, at)? == "distinct";
        at += usize::from(distinct);
        let id = self.column(words, at, scope)?;
        at += 1;
        if nested {
            at = expect(words, at, ")")?;
        }
        let distinct = distinct && !self.distinct_anyway(&id);
        Ok((at, Col { agg: Agg::None, id, distinct }))
    }

    /// ESM+'s rule 2, where it meets a column: DISTINCT says nothing of a unique one, nor of `*`.
    fn distinct_anyway(&self, id: &str) -> bool {
        self.plus() && (id == ALL || self.names.unique(id))
    }

    fn unit(&self, words: &[String], start: usize, scope: &Scope) -> Read<(usize, Unit)> {
        let nested = word(words, start)? == "(";
        let mut at = start + usize::from(nested);
        let first;
        (at, first) = self.column_unit(words, at, scope)?;
        let op = words.get(at).and_then(|w| Arithmetic::named(w));
        let mut second = None;
        if op.is_some() {
            let col;
            (at, col) = self.column_unit(words, at + 1, scope)?;
            second = Some(col);
        }
        if nested {
            at = expect(words, at, ")")?;
        }
        Ok((at, Unit { op: op.unwrap_or(Arithmetic::None), first, second }))
    }

    fn operand(&mut self, start: usize, scope: &Scope) -> Read<(usize, Operand)> {
        let nested = self.word(start)? == "(";
        let mut at = start + usize::from(nested);
        let word = self.word(at)?;
        let operand;
        if word == "select" {
            let query;
            (at, query) = self.query(at)?;
            operand = Operand::Query(Box::new(query));
        } else if word.contains('"') {
            let number = number(&word.replace('"', "")).filter(|_| self.plus());
            operand = number.map_or_else(|| Operand::Text(word.to_owned()), Operand::Number);
            at += 1;
        } else if word == "null" && self.plus() {
            operand = Operand::Null;
            at += 1;
        } else if let Some(number) = number(word) {
            operand = Operand::Number(number);
            at += 1;
        } else {
            let mut end = at;
            while let Some(w) = self.words.get(end).map(String::as_str)
                && !matches!(w, "," | ")" | "and")
                && !CLAUSES.contains(&w)
                && !JOIN_WORDS.contains(&w)
                && !(self.plus() && JOINS.contains(&w))
            {
                end += 1;
            }
            // What follows the column up to there is dropped: `a = b OR c = 1` ends at `b`.
            let slice = self.words.get(start..end).unwrap_or_default();
            let unit = if self.plus() {
                self.unit(slice, 0, scope)?.1
            } else {
                let first = self.column_unit(slice, 0, scope)?.1;
                Unit { op: Arithmetic::None, first, second: None }
            };
            operand = Operand::Unit(unit);
            at = end;
        }
        if nested {
            at = self.expect(at, ")")?;
        }
        Ok((at, operand))
    }

    /// The conditions of a WHERE, HAVING or ON, as a flat list with AND and OR between them: the scripts know no grouping
    /// parentheses and no precedence. NOT in front of a condition and lists of IN are read by ESM+ alone.
    fn conditions(&mut self, start: usize, scope: &Scope) -> Read<(usize, Vec<Item>)> {
        let mut at = start;
        let mut items = Vec::new();
        while at < self.words.len() {
            let mut not = false;
            let skip_not = |at: &mut usize, not: &mut bool| {
                if self.words.get(*at).is_some_and(|w| w == "not") {
                    *not = !*not;
                    *at += 1;
                }
            };
            if self.plus() {
                skip_not(&mut at, &mut not);
            }
            let unit;
            (at, unit) = self.unit(self.words, at, scope)?;
            skip_not(&mut at, &mut not);
            let word = self.word(at)?;
            let test = Test::named(word).ok_or_else(|| Unread::new(format!("{word} in a condition")))?;
            if self.plus() && test == Test::In && self.starts_list(at + 2)? {
                at = self.list(at + 1, scope, not, &unit, &mut items)?;
            } else {
                at = self.comparison(
                    at + 1,
                    scope,
                    Cond { not, test, unit, low: Operand::None, high: Operand::None },
                    &mut items,
                )?;
            }
            let Some(word) = self.words.get(at).map(String::as_str) else { break };
            if CLAUSES.contains(&word)
                || JOIN_WORDS.contains(&word)
                || matches!(word, ")" | ";")
                || (self.plus() && JOINS.contains(&word))
            {
                break;
            }
            match word {
                "and" => items.push(Item::And),
                "or" => items.push(Item::Or),
                _ => continue,
            }
            at += 1;
        }
        if self.plus() {
            items.pop_if(|i| i.links());
            if items.first().is_some_and(Item::links) {
                items.remove(0);
            }
        }
        Ok((at, items))
    }

    fn comparison(
        &mut self,
        start: usize,
        scope: &Scope,
        mut cond: Cond,
        items: &mut Vec<Item>,
    ) -> Read<usize> {
        let mut at = start;
        if cond.test != Test::Between && self.plus() && self.word(at)? == "not" {
            cond.not = !cond.not;
            at += 1;
        }
        (at, cond.low) = self.operand(at, scope)?;
        if cond.test == Test::Between {
            at = self.expect(at, "and")?;
            (at, cond.high) = self.operand(at, scope)?;
        }
        if self.plus() {
            if let (Test::Eq, Operand::Unit(other)) = (cond.test, &mut cond.low)
                && *other < cond.unit
            {
                std::mem::swap(other, &mut cond.unit);
            }
            plus::flip_not(&mut cond);
            if plus::says_nothing(&cond, self.names)? {
                return Ok(at);
            }
        }
        items.push(Item::Cond(cond));
        Ok(at)
    }

    /// True if the word begins a list of values rather than a query.
    fn starts_list(&self, at: usize) -> Read<bool> {
        let word = self.word(at)?;
        Ok(word != "select" && (word.contains('"') || number(word).is_some()))
    }

    /// ESM+'s rule 15: `IN (a, b)` is read as `= a OR = b`, `NOT IN` as `!= a AND != b`.
    fn list(
        &mut self,
        start: usize,
        scope: &Scope,
        not: bool,
        unit: &Unit,
        items: &mut Vec<Item>,
    ) -> Read<usize> {
        let mut at = self.expect(start, "(")?;
        let (test, link) = if not { (Test::NotEq, Item::And) } else { (Test::Eq, Item::Or) };
        let mut first = true;
        while at < self.words.len() && !self.is(at, ")") {
            let low;
            (at, low) = self.operand(at, scope)?;
            if !std::mem::take(&mut first) {
                items.push(link.clone());
            }
            items.push(Item::Cond(Cond { not: false, test, unit: unit.clone(), low, high: Operand::None }));
            at += usize::from(self.is(at, ","));
        }
        self.expect(at, ")")
    }
}

fn word(words: &[String], at: usize) -> Read<&str> {
    words.get(at).map(String::as_str).ok_or_else(|| Unread::new("an end where more is expected"))
}

fn expect(words: &[String], at: usize, expected: &str) -> Read<usize> {
    match word(words, at)? {
        w if w == expected => Ok(at + 1),
        other => Err(Unread::new(format!("{other} where {expected} is expected"))),
    }
}

/// A number as Python's `float` reads one.
fn number(word: &str) -> Option<f64> {
    let word = word.trim();
    let parsed = word.parse::<f64>().ok().filter(|_| !word.is_empty());
    parsed.or_else(|| {
        // Python allows an underscore between two digits.
        let digits: Vec<char> = word.chars().collect();
        let between = digits.windows(3).filter(|w| w[1] == '_');
        let inner = digits.iter().filter(|c| **c == '_').count();
        let good = between.filter(|w| w[0].is_ascii_digit() && w[2].is_ascii_digit()).count() == inner;
        (inner > 0 && good).then(|| word.replace('_', "").parse().ok()).flatten()
    })
}
