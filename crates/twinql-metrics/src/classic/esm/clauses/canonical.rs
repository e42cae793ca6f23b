//! Clauses as texts that are equal if the clauses are the same sets.
//!
//! Sorted: output columns, conjuncts and disjuncts, group keys, inner joins, values of IN, the two sides of `=`. Kept
//! in order: keys of ORDER BY, outer joins, what else an operator has. A table that stands twice in one FROM is
//! told apart by its place, in the order that gives the least text, so names of aliases and the order of a
//! self-join's two sides do not matter.

use std::cell::Cell;
use std::collections::HashMap;

use twinql_sql::Schema;

use super::tree::{Block, Body, Item, Join, Key, Op, Query, SetOp, Source, Term};

/// Orders of equal tables that are tried for one query; behind that, FROM's own order stands.
const MOST_ORDERS: usize = 200;

/// Writes clauses down.
pub(in crate::classic::esm) struct Writer<'s> {
    schema: &'s Schema,
    /// Without values, a literal that a condition compares with is `?`.
    values: bool,
    orders: Cell<usize>,
}

/// What each source is called.
#[derive(Debug, Clone, Default)]
pub(in crate::classic::esm) struct Labels {
    names: HashMap<usize, String>,
    depth: usize,
    /// Output columns stay in their order: those of a set operation's arms belong together.
    ordered: bool,
}

impl Labels {
    /// What a source is called; `?` where it is not in sight.
    fn of(&self, source: usize) -> &str {
        self.names.get(&source).map_or("?", String::as_str)
    }
}

impl<'s> Writer<'s> {
    pub(in crate::classic::esm) fn new(schema: &'s Schema, values: bool) -> Writer<'s> {
        Writer { schema, values, orders: Cell::new(0) }
    }

    /// A whole query, the outermost.
    pub(in crate::classic::esm) fn text(&self, query: &Query) -> String {
        if !matches!(query.body, Body::Set { .. }) {
            return self.query(query, &Labels::default());
        }
        let labels = self.labels_of_first(query, &Labels::default());
        let mut query = query.clone();
        let first: Vec<String> = leaves(&mut query)
            .first()
            .map(|b| b.select.iter().map(|t| self.term(t, &labels)).collect())
            .unwrap_or_default();
        let mut places: Vec<usize> = (0..first.len()).collect();
        places.sort_by_key(|p| first.get(*p));
        let mut blocks = leaves(&mut query);
        let plain = |b: &Block| {
            b.select.len() == places.len() && !b.select.iter().any(|t| matches!(t, Term::Star(_)))
        };
        if blocks.iter().all(|b| plain(b)) {
            for block in &mut blocks {
                block.select = places.iter().filter_map(|p| block.select.get(*p).cloned()).collect();
            }
        }
        self.query(&query, &Labels { ordered: true, ..Labels::default() })
    }

    /// A query, and what the sources around it are called.
    pub(in crate::classic::esm) fn query(&self, query: &Query, outer: &Labels) -> String {
        match &query.body {
            Body::Block(block) => {
                let labels = self.labels(query, block, outer);
                self.block(query, block, &labels)
            }
            Body::Set { op, all, left, right } => {
                let mut pair = [self.query(left, outer), self.query(right, outer)];
                // Two arms of one column each may change places.
                if *op != SetOp::Except && (one_column(left) && one_column(right)) {
                    pair.sort();
                }
                let all = if *all { " all" } else { "" };
                let labels = self.labels_of_first(left, outer);
                let [left, right] = pair;
                format!("({left} {}{all} {right}{})", op.name(), self.tail(query, &labels))
            }
            Body::Values(text) => format!("({text}{})", self.tail(query, outer)),
        }
    }

    /// Labels under which the block's text is least.
    pub(in crate::classic::esm) fn labels(&self, query: &Query, block: &Block, outer: &Labels) -> Labels {
        let mut groups: Vec<(String, Vec<usize>)> = Vec::new();
        for source in &block.from {
            let name = self.item_name(&source.item);
            match groups.iter_mut().find(|(n, _)| *n == name) {
                Some((_, ids)) => ids.push(source.id),
                None => groups.push((name, vec![source.id])),
            }
        }
        let mut candidates =
            vec![Labels { names: outer.names.clone(), depth: outer.depth + 1, ordered: outer.ordered }];
        for (name, ids) in &groups {
            let orders = if ids.len() > 4 { vec![ids.clone()] } else { permutations(ids) };
            let allowed = self.orders.get() + candidates.len() * orders.len() <= MOST_ORDERS;
            let orders = if allowed { orders } else { vec![ids.clone()] };
            let mut next = Vec::with_capacity(candidates.len() * orders.len());
            for labels in &candidates {
                for order in &orders {
                    let mut labels = labels.clone();
                    for (place, id) in order.iter().enumerate() {
                        // A table that stands here once, in the outermost block, is called by its name.
                        let mut label = name.clone();
                        if ids.len() > 1 {
                            label.push_str(&format!("~{}", place + 1));
                        }
                        if outer.depth > 0 {
                            label.push_str(&format!("^{}", outer.depth));
                        }
                        labels.names.insert(*id, label);
                    }
                    next.push(labels);
                }
            }
            candidates = next;
        }
        if candidates.len() > 1 {
            self.orders.set(self.orders.get() + candidates.len());
        }
        let single = candidates.len() == 1;
        let least = candidates
            .into_iter()
            .min_by_key(|labels| if single { String::new() } else { self.block(query, block, labels) });
        least.unwrap_or_default()
    }

    /// The labels of a set operation's first block, whose columns ORDER BY names.
    fn labels_of_first(&self, query: &Query, outer: &Labels) -> Labels {
        let first = query.first();
        first.block().map_or_else(|| outer.clone(), |block| self.labels(first, block, outer))
    }

    fn item_name(&self, item: &Item) -> String {
        match item {
            Item::Table(table) => {
                self.schema.tables.get(*table).map(|t| t.name.to_lowercase()).unwrap_or_default()
            }
            Item::Derived(_) => "()".to_owned(),
            Item::Other(text) => text.clone(),
        }
    }

    fn block(&self, query: &Query, block: &Block, labels: &Labels) -> String {
        let mut out = String::from("(select ");
        if block.distinct {
            out.push_str("distinct ");
        }
        // A derived table's columns are called by their places, so those are kept.
        let mut select: Vec<String> = block.select.iter().map(|t| self.term(t, labels)).collect();
        if labels.depth == 1 && !labels.ordered {
            select.sort();
        }
        out.push_str(&select.join(", "));
        out.push_str(" from ");
        out.push_str(&self.from(block, labels).join(" "));
        for (word, terms) in [("where", &block.filter), ("group by", &block.group), ("having", &block.having)]
        {
            if !terms.is_empty() {
                out.push_str(&format!(" {word} {}", self.sorted(terms, labels).join(" & ")));
            }
        }
        out.push_str(&self.tail(query, labels));
        out.push(')');
        out
    }

    fn tail(&self, query: &Query, labels: &Labels) -> String {
        let mut out = String::new();
        if !query.order.is_empty() {
            let keys: Vec<String> = query.order.iter().map(|k| self.key(k, labels)).collect();
            out.push_str(&format!(" order by {}", keys.join(", ")));
        }
        for (word, term) in [("limit", &query.limit), ("offset", &query.offset)] {
            if let Some(term) = term {
                out.push_str(&format!(" {word} {}", self.term(term, labels)));
            }
        }
        out
    }

    /// The items of FROM and all conditions of joins.
    pub(in crate::classic::esm) fn from(&self, block: &Block, labels: &Labels) -> Vec<String> {
        let item = |source: &Source| {
            let label = labels.names.get(&source.id).cloned().unwrap_or_default();
            match &source.item {
                Item::Derived(query) => format!("{label} {}", self.query(query, labels)),
                Item::Table(_) | Item::Other(_) => label,
            }
        };
        if block.inner() {
            let mut items: Vec<String> = block.from.iter().map(item).collect();
            let on: Vec<Term> = block.from.iter().flat_map(|s| s.on.clone()).collect();
            items.sort();
            items.extend(self.sorted(&on, labels).into_iter().map(|on| format!("on {on}")));
            return items;
        }
        let joined = block.from.iter().enumerate().map(|(i, source)| {
            let word = if i == 0 && source.join == Join::Inner { "" } else { source.join.name() };
            format!("{word} {} on {}", item(source), self.sorted(&source.on, labels).join(" & "))
        });
        joined.collect()
    }

    pub(in crate::classic::esm) fn key(&self, key: &Key, labels: &Labels) -> String {
        let way = if key.descending { " desc" } else { "" };
        let nulls = match key.nulls_first {
            // SQLite sorts NULLs first, and last where the order is turned.
            Some(first) if first == key.descending => " nulls",
            _ => "",
        };
        format!("{}{way}{nulls}", self.term(&key.term, labels))
    }

    /// Terms as texts, sorted.
    pub(in crate::classic::esm) fn sorted(&self, terms: &[Term], labels: &Labels) -> Vec<String> {
        let mut out: Vec<String> = terms.iter().map(|t| self.term(t, labels)).collect();
        out.sort();
        out
    }

    /// One term.
    pub(in crate::classic::esm) fn term(&self, term: &Term, labels: &Labels) -> String {
        match term {
            Term::Column { source, name } => format!("{}.{name}", labels.of(*source)),
            Term::Star(None) => "*".to_owned(),
            Term::Star(Some(source)) => format!("{}.*", labels.of(*source)),
            Term::Number(n) => n.clone(),
            Term::Text(s) => format!("'{}'", s.replace('\'', "''")),
            Term::Null => "null".to_owned(),
            Term::Call { name, distinct, args } => {
                let mut args: Vec<String> = args.iter().map(|t| self.term(t, labels)).collect();
                if matches!(name.as_str(), "+" | "*") {
                    args.sort();
                }
                format!("{name}({}{})", if *distinct { "distinct " } else { "" }, args.join(", "))
            }
            Term::Test { op, args } => self.test(*op, args, labels),
            Term::Not(inner) => format!("not({})", self.term(inner, labels)),
            Term::And(terms) => format!("({})", self.sorted(terms, labels).join(" & ")),
            Term::Or(terms) => format!("({})", self.sorted(terms, labels).join(" | ")),
            Term::Query(query) => self.query(query, labels),
            Term::Other(text) => format!("`{text}`"),
        }
    }

    fn test(&self, op: Op, args: &[Term], labels: &Labels) -> String {
        let operand = |t: &Term| match t {
            Term::Number(_) | Term::Text(_) if !self.values => "?".to_owned(),
            other => self.term(other, labels),
        };
        let mut texts: Vec<String> = args.iter().map(operand).collect();
        if op == Op::In {
            let mut list = texts.split_off(1.min(texts.len()));
            list.sort();
            if !self.values {
                // How many values there are is a matter of values.
                list.dedup();
            }
            texts.extend(list);
        }
        let mut op = op;
        if let (Some(mirrored), [left, right]) = (op.mirrored(), args)
            && (mirrored == op && texts.first() > texts.last()
                || mirrored != op && (left.literal() && !right.literal() || flips(op, left, right)))
        {
            texts.reverse();
            op = mirrored;
        }
        format!("{}({})", op.name(), texts.join(", "))
    }
}

/// The blocks of a set operation, from left to right.
fn leaves(query: &mut Query) -> Vec<&mut Block> {
    match &mut query.body {
        Body::Block(block) => vec![block.as_mut()],
        Body::Set { op: _, all: _, left, right } => {
            let mut out = leaves(left);
            out.extend(leaves(right));
            out
        }
        Body::Values(_) => Vec::new(),
    }
}

/// True for `a > b` between two expressions, which is written `b < a`.
fn flips(op: Op, left: &Term, right: &Term) -> bool {
    !left.literal() && !right.literal() && matches!(op, Op::Gt | Op::GtEq)
}

fn one_column(query: &Query) -> bool {
    query.bare_block().is_some_and(|b| b.select.len() == 1)
}

/// All orders of up to a handful of ids.
fn permutations(ids: &[usize]) -> Vec<Vec<usize>> {
    let mut out: Vec<Vec<usize>> = vec![Vec::new()];
    for (count, id) in ids.iter().enumerate() {
        let mut next = Vec::with_capacity(out.len() * (count + 1));
        for order in &out {
            for place in 0..=order.len() {
                let mut order = order.clone();
                order.insert(place, *id);
                next.push(order);
            }
        }
        out = next;
    }
    out
}
