//! The tableau test of a pair: heads that agree, and tableaux that contain each other.

use crate::expr::Expr;
use crate::plan::Plan;
use crate::print;
use crate::rel::SortKey;
use crate::schema::Schema;
use crate::semantics::Semantics;
use crate::substitution::Substitution;

use super::Side;
use super::homomorphism::{Alignment, MAX_STEPS, Search, Target, check, column_map};
use super::tableau::{Head, Shape, Tableau, call, shape, slot};

/// Orders of outputs, group keys and aggregates that are tried, at most.
const MAX_ALIGNMENTS: usize = 120;

/// What the tableau test says of a pair.
#[derive(Debug, Clone, PartialEq)]
pub enum Conjunctive {
    /// The rows of each query are mapped into the other's: the same answer on every database that meets the
    /// semantics.
    Equal(Box<Homomorphisms>),
    /// Both are conjunctive, or unions of such, and no mapping exists. Where all conditions are equalities
    /// and no key or foreign key plays a part, this decides that they differ (Chandra & Merlin 1977 for sets,
    /// Chaudhuri & Vardi 1993 for bags); elsewhere it says that this test does not show them equal. Rows may be mapped one
    /// way.
    NoMapping(Option<Contained>),
    /// No mapping was found, and these sides are not conjunctive: they read a derived table, an outer join or a
    /// subquery, of which the test knows only what is written alike.
    NotConjunctive(Vec<Side>),
    /// A limit ended the search; which one.
    Limit(String),
}

impl Conjunctive {
    /// The value of the metric `conjunctive`: 1 equal, 0 no mapping, 0.5 not said.
    pub fn score(&self) -> f64 {
        match self {
            Conjunctive::Equal(_) => 1.0,
            Conjunctive::NoMapping(_) => 0.0,
            Conjunctive::NotConjunctive(_) | Conjunctive::Limit(_) => 0.5,
        }
    }

    /// The outcome's name in files.
    pub fn name(&self) -> &'static str {
        match self {
            Conjunctive::Equal(_) => "equal",
            Conjunctive::NoMapping(_) => "no_mapping",
            Conjunctive::NotConjunctive(_) => "not_conjunctive",
            Conjunctive::Limit(_) => "limit",
        }
    }
}

/// One query is contained in the other: each row that it answers the other answers too, on every database that meets the
/// semantics. How often a row is answered does not count.
#[derive(Debug, Clone, PartialEq)]
pub struct Contained {
    /// The query whose rows are among the other's.
    pub side: Side,
    /// The mappings that show it, all of which lead to that query (the homomorphism theorem of Chandra & Merlin 1977).
    pub maps: Box<Homomorphisms>,
}

/// Why two conjunctive queries (or unions of them) are equal: mappings of rows.
#[derive(Debug, Clone, PartialEq)]
pub struct Homomorphisms {
    /// What the mappings show to be the same.
    pub rows: Rows,
    /// The gold's tableau, or one for each arm of its UNION.
    pub gold: Vec<TableauText>,
    /// The prediction's.
    pub pred: Vec<TableauText>,
    /// Item `i` of the gold's summaries is item `summary[i]` of the prediction's.
    pub summary: Vec<usize>,
    /// The mappings.
    pub maps: Vec<Mapping>,
}

/// What of two tableaux is the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rows {
    /// Their sets of summaries, which is all that counts: duplicates are removed above
    /// them, change nothing there, or do not occur. Mappings lead both ways.
    Set,
    /// Their bags of summaries: the first mapping is one to one, the second its inverse.
    Bag,
}

/// A tableau as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableauText {
    /// Names of the rows: the table's, numbered where it occurs more than once.
    pub rows: Vec<String>,
    /// The same as FROM has them: a table and its number, or a derived table.
    pub from: Vec<String>,
    /// Conditions.
    pub conditions: Vec<String>,
    /// The summary.
    pub summary: Vec<String>,
}

/// A homomorphism: every answer of the tableau that it leads to is one of that it starts from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mapping {
    /// The side that it starts from; it leads to the other one.
    pub from: Side,
    /// The arm that it starts from.
    pub from_arm: usize,
    /// The arm that it leads to.
    pub to_arm: usize,
    /// The image of each row, by number. A column goes to the same column of the image.
    pub rows: Vec<usize>,
    /// What becomes of each condition; the images follow from the other side's conditions.
    pub conditions: Vec<String>,
}

impl std::fmt::Display for TableauText {
    /// `SELECT … FROM … WHERE …`
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "SELECT {} FROM {}", self.summary.join(", "), self.from.join(", "))?;
        if !self.conditions.is_empty() {
            write!(f, " WHERE {}", self.conditions.join(" AND "))?;
        }
        Ok(())
    }
}

impl Homomorphisms {
    /// The rows of a mapping with their images, by name.
    pub fn named(&self, map: &Mapping) -> Vec<(&str, &str)> {
        let arms = |side: Side| side.pick(&self.gold, &self.pred);
        let (from, to) = (arms(map.from).get(map.from_arm), arms(map.from.other()).get(map.to_arm));
        let (Some(from), Some(to)) = (from, to) else {
            return Vec::new();
        };
        let images = map.rows.iter().filter_map(|i| to.rows.get(*i));
        from.rows.iter().zip(images).map(|(a, b)| (a.as_str(), b.as_str())).collect()
    }
}

impl std::fmt::Display for Homomorphisms {
    /// Both tableaux, then each mapping with its rows and what becomes of the conditions.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let name = |side: Side, i: usize| match side.pick(&self.gold, &self.pred).len() {
            1 => side.to_string(),
            _ => format!("{side}[{i}]"),
        };
        for (side, arms) in [(Side::Gold, &self.gold), (Side::Pred, &self.pred)] {
            for (i, arm) in arms.iter().enumerate() {
                writeln!(f, "{}: {arm}", name(side, i))?;
            }
        }
        for map in &self.maps {
            let (from, to) = (name(map.from, map.from_arm), name(map.from.other(), map.to_arm));
            let rows: Vec<String> = self.named(map).into_iter().map(|(a, b)| format!("{a} ↦ {b}")).collect();
            writeln!(f, "{from} into {to}: {}", rows.join(", "))?;
            for condition in &map.conditions {
                writeln!(f, "  {condition}")?;
            }
        }
        let one_way =
            self.maps.first().is_some_and(|first| self.maps.iter().all(|map| map.from == first.from));
        match self.rows {
            _ if one_way => Ok(()),
            Rows::Set => writeln!(f, "each answer of one is an answer of the other; duplicates do not count"),
            Rows::Bag => writeln!(f, "the mapping is one to one, and so is its inverse: duplicates agree"),
        }
    }
}

/// The tableau test of two canonical plans.
pub(super) fn contained(schema: &Schema, semantics: &Semantics, gold: &Plan, pred: &Plan) -> Conjunctive {
    let [gold, pred] = [gold, pred].map(|plan| shape(schema, semantics, plan));
    // The sides that have no tableau, or none of tables alone.
    let beyond = |lacks: &dyn Fn(&Option<Shape>) -> bool| -> Vec<Side> {
        let found = [(Side::Gold, lacks(&gold)), (Side::Pred, lacks(&pred))];
        found.into_iter().filter_map(|(side, lacks)| lacks.then_some(side)).collect()
    };
    let (Some(gold), Some(pred)) = (&gold, &pred) else {
        return Conjunctive::NotConjunctive(beyond(&Option::is_none));
    };
    let unmapped = |contained| match beyond(&|shape| shape.as_ref().is_some_and(|s| !s.is_conjunctive())) {
        none if none.is_empty() => Conjunctive::NoMapping(contained),
        sides => Conjunctive::NotConjunctive(sides),
    };
    let Some(rows) = mode(gold, pred) else {
        return unmapped(None);
    };
    let onto_gold = targets(schema, semantics, gold);
    let onto_pred = targets(schema, semantics, pred);
    let mut steps = MAX_STEPS;
    let found = |rows, align: Alignment, mut maps: Vec<Mapping>| {
        for map in &mut maps {
            map.conditions = images(map, gold, pred);
        }
        Box::new(Homomorphisms {
            rows,
            gold: gold.arms.iter().map(text).collect(),
            pred: pred.arms.iter().map(text).collect(),
            summary: align.of,
            maps,
        })
    };
    let mut contained = None;
    for align in alignments(&gold.head, &pred.head, semantics.any_column_order) {
        let maps = match rows {
            Rows::Set => both_ways(&onto_gold, &onto_pred, &align, &mut steps),
            Rows::Bag => one_to_one(&onto_gold, &onto_pred, &align, &mut steps),
        };
        if let Some(maps) = maps {
            return Conjunctive::Equal(found(rows, align, maps));
        }
        // Each summary is a row of the answer.
        if contained.is_none() && gold.head.answers_all() && pred.head.answers_all() {
            contained = [Side::Gold, Side::Pred].into_iter().find_map(|from| {
                let maps = one_way(from, &onto_gold, &onto_pred, &align, &mut steps)?;
                let maps = found(Rows::Set, Alignment { of: align.of.clone() }, maps);
                Some(Contained { side: from.other(), maps })
            });
        }
        if steps == 0 {
            let why = format!("the search for mappings of rows ended after {MAX_STEPS} steps");
            return Conjunctive::Limit(why);
        }
    }
    unmapped(contained)
}

fn targets<'a>(schema: &'a Schema, semantics: &'a Semantics, shape: &'a Shape) -> Vec<Target<'a>> {
    let target = |t: &'a Tableau| Target::new(schema, semantics, t);
    shape.arms.iter().map(target).collect()
}

/// Checks a certificate: both queries are read again, and every mapping is held against
/// the definition. Nothing of the search is used.
///
/// # Errors
/// What does not hold.
pub(super) fn verify(
    schema: &Schema,
    semantics: &Semantics,
    (gold, pred): (&Plan, &Plan),
    certificate: &Homomorphisms,
) -> Result<(), String> {
    let shape = |side: Side, plan: &Plan| {
        shape(schema, semantics, plan).ok_or(format!("the {side} query has no tableau"))
    };
    let (gold, pred) = (shape(Side::Gold, gold)?, shape(Side::Pred, pred)?);
    for (side, shape) in [(Side::Gold, &gold), (Side::Pred, &pred)] {
        if shape.arms.iter().any(|arm| !arm.is_closed()) {
            return Err(format!("a condition of the {side} query reads what none of its rows has"));
        }
    }
    let align = Alignment { of: certificate.summary.clone() };
    let mut places = align.of.clone();
    places.sort_unstable();
    if places.iter().enumerate().any(|(i, p)| i != *p) {
        return Err("the summaries are not matched one to one".into());
    }
    if !heads_agree(&gold.head, &pred.head, &align, semantics.any_column_order) {
        return Err("what is done with the summaries differs".into());
    }
    if mode(&gold, &pred).is_none_or(|m| m == Rows::Bag && certificate.rows == Rows::Set) {
        return Err("duplicates count, and the mappings say nothing of them".into());
    }
    for map in &certificate.maps {
        let (from, to, align) = match map.from {
            Side::Gold => (&gold, &pred, align.clone()),
            Side::Pred => (&pred, &gold, align.inverse()),
        };
        let from = from.arms.get(map.from_arm).ok_or("no such arm")?;
        let to = to.arms.get(map.to_arm).ok_or("no such arm")?;
        check(from, &Target::new(schema, semantics, to), &map.rows, &align)?;
    }
    let reached =
        |side: Side, arm: usize| certificate.maps.iter().any(|m| m.from == side.other() && m.to_arm == arm);
    let all = |side: Side| (0..side.pick(&gold, &pred).arms.len()).all(|arm| reached(side, arm));
    if !all(Side::Gold) || !all(Side::Pred) {
        return Err("no mapping leads to one of the tableaux".into());
    }
    if certificate.rows == Rows::Bag {
        let [one, two] = certificate.maps.as_slice() else {
            return Err("a bag needs one mapping and its inverse".into());
        };
        let inverse = |(i, j): (usize, &usize)| two.rows.get(*j) == Some(&i);
        let same = one.rows.len() == two.rows.len() && one.rows.iter().enumerate().all(inverse);
        if !same || one.from == two.from {
            return Err("the mappings are not inverse to each other".into());
        }
    }
    Ok(())
}

/// How the tableaux must agree for the queries to be equal.
fn mode(gold: &Shape, pred: &Shape) -> Option<Rows> {
    let distinct = |s: &Shape| s.union || s.arms.iter().all(|t| t.distinct);
    let idle = |s: &Shape| {
        let calls = s.head.grouping.as_ref().map(|g| &g.calls);
        calls.is_some_and(|calls| calls.iter().all(super::tableau::HeadCall::ignores_duplicates))
    };
    let (g, p) = (distinct(gold), distinct(pred));
    if g && p || idle(gold) && idle(pred) {
        return Some(Rows::Set);
    }
    // Rows that are distinct because duplicates were removed are no bag of combinations.
    let as_bag = |s: &Shape| !s.union && s.arms.iter().all(|t| !t.deduplicated);
    (as_bag(gold) && as_bag(pred)).then_some(Rows::Bag)
}

/// A mapping to each arm of each side.
fn both_ways(
    gold: &[Target<'_>],
    pred: &[Target<'_>],
    align: &Alignment,
    steps: &mut usize,
) -> Option<Vec<Mapping>> {
    let mut maps = one_way(Side::Gold, gold, pred, align, steps)?;
    maps.extend(one_way(Side::Pred, gold, pred, align, steps)?);
    Some(maps)
}

/// A mapping to each arm of the other side.
fn one_way(
    from: Side,
    gold: &[Target<'_>],
    pred: &[Target<'_>],
    align: &Alignment,
    steps: &mut usize,
) -> Option<Vec<Mapping>> {
    let back = align.inverse();
    let (sources, targets, align) = from.pick((gold, pred, align), (pred, gold, &back));
    let onto = |(to_arm, target): (usize, &Target<'_>)| {
        let (from_arm, rows) = sources.iter().enumerate().find_map(|(from_arm, source)| {
            let search = Search::new(source.tableau, target, align, false);
            Some((from_arm, search.run(steps, &mut |_| true)?))
        })?;
        Some(Mapping { from, from_arm, to_arm, rows, conditions: Vec::new() })
    };
    targets.iter().enumerate().map(onto).collect()
}

/// A mapping of the gold's rows that has an inverse.
fn one_to_one(
    gold: &[Target<'_>],
    pred: &[Target<'_>],
    align: &Alignment,
    steps: &mut usize,
) -> Option<Vec<Mapping>> {
    let ([gold], [pred]) = (gold, pred) else {
        return None;
    };
    if gold.tableau.rows.len() != pred.tableau.rows.len() {
        return None;
    }
    let back = align.inverse();
    let mut inverse = Vec::new();
    let rows = Search::new(gold.tableau, pred, align, true).run(steps, &mut |rows| {
        inverse = vec![0; rows.len()];
        for (i, j) in rows.iter().enumerate() {
            if let Some(place) = inverse.get_mut(*j) {
                *place = i;
            }
        }
        check(pred.tableau, gold, &inverse, &back).is_ok()
    })?;
    let map = |from, rows| Mapping { from, from_arm: 0, to_arm: 0, rows, conditions: Vec::new() };
    Some(vec![map(Side::Gold, rows), map(Side::Pred, inverse)])
}

/// Ways to match the items of two summaries under which the heads agree.
fn alignments(gold: &Head, pred: &Head, any_order: bool) -> Vec<Alignment> {
    let free = |head: &Head| match &head.grouping {
        Some(g) => g.keys,
        None => head.outputs.len(),
    };
    let (n, m) = (free(gold), free(pred));
    if n != m || gold.outputs.len() != pred.outputs.len() || gold.sort.len() != pred.sort.len() {
        return Vec::new();
    }
    let orders =
        if any_order || gold.grouping.is_some() { orders(n, MAX_ALIGNMENTS) } else { vec![(0..n).collect()] };
    let mut out = Vec::new();
    for order in orders {
        let rests: Vec<Vec<usize>> = match (&gold.grouping, &pred.grouping) {
            (None, None) => vec![(n..n + gold.sort.len()).collect()],
            (Some(g), Some(p)) if g.calls.len() == p.calls.len() => calls_matched(g, p),
            _ => return Vec::new(),
        };
        for rest in rests {
            let mut of = order.clone();
            of.extend(rest);
            let align = Alignment { of };
            if heads_agree(gold, pred, &align, any_order) {
                out.push(align);
            }
            if out.len() >= MAX_ALIGNMENTS {
                return out;
            }
        }
    }
    out
}

/// Ways to match aggregates of the same kind, as places of the gold's arguments among the
/// prediction's.
fn calls_matched(gold: &super::tableau::Grouping, pred: &super::tableau::Grouping) -> Vec<Vec<usize>> {
    let like = |i: usize, j: usize| match (gold.calls.get(i), pred.calls.get(j)) {
        (Some(a), Some(b)) => {
            a.func == b.func
                && a.distinct == b.distinct
                && a.args.len() == b.args.len()
                && a.filter.is_some() == b.filter.is_some()
        }
        _ => false,
    };
    orders(gold.calls.len(), MAX_ALIGNMENTS)
        .into_iter()
        .filter(|order| order.iter().enumerate().all(|(i, j)| like(i, *j)))
        .map(|order| {
            let of = order.iter().filter_map(|j| pred.calls.get(*j));
            of.flat_map(|c| c.args.iter().chain(&c.filter).copied()).collect()
        })
        .collect()
}

/// Orders of `0..n`, the given one first, at most `limit`.
fn orders(n: usize, limit: usize) -> Vec<Vec<usize>> {
    let mut out = Vec::new();
    let mut order: Vec<usize> = (0..n).collect();
    loop {
        out.push(order.clone());
        if out.len() >= limit {
            return out;
        }
        // The next order in lexicographic order.
        let Some(i) = (1..n).rev().find(|i| order.get(i - 1) < order.get(*i)) else {
            return out;
        };
        let Some(j) = (i..n).rev().find(|j| order.get(*j) > order.get(i - 1)) else {
            return out;
        };
        order.swap(i - 1, j);
        if let Some(rest) = order.get_mut(i..) {
            rest.reverse();
        }
    }
}

/// True if both heads do the same with summaries that are matched so.
fn heads_agree(gold: &Head, pred: &Head, align: &Alignment, any_order: bool) -> bool {
    let mut map: Substitution =
        align.of.iter().enumerate().map(|(i, j)| (slot(i), Expr::Column(slot(*j)))).collect();
    let grouped = match (&gold.grouping, &pred.grouping) {
        (None, None) => true,
        (Some(g), Some(p)) => {
            let moved = |place: &usize| align.of.get(*place).copied();
            for (i, a) in g.calls.iter().enumerate() {
                let args: Option<Vec<usize>> = a.args.iter().map(moved).collect();
                let filter = a.filter.as_ref().map(moved);
                let partner = p.calls.iter().position(|b| {
                    a.func == b.func
                        && a.distinct == b.distinct
                        && args.as_ref() == Some(&b.args)
                        && filter == b.filter.map(Some)
                });
                let Some(j) = partner else { return false };
                map.insert(call(i), Expr::Column(call(j)));
            }
            let keys_stay = align.of.iter().take(g.keys).all(|j| *j < p.keys);
            // COUNT(*) has no arguments to be told apart by: two of a kind are one.
            let having: Vec<Expr> = g.having.iter().map(|e| e.substituted(&map)).collect();
            g.keys == p.keys
                && g.calls.len() == p.calls.len()
                && keys_stay
                && same_members(&having, &p.having)
        }
        _ => false,
    };
    let outputs: Vec<Expr> = gold.outputs.iter().map(|e| e.substituted(&map)).collect();
    let sorted = gold.sort.iter().zip(&pred.sort).all(|(a, b)| {
        let a = SortKey { expr: a.expr.substituted(&map), ..a.clone() };
        a == *b
    });
    let same_outputs =
        if any_order { same_members(&outputs, &pred.outputs) } else { outputs == pred.outputs };
    grouped
        && same_outputs
        && gold.sort.len() == pred.sort.len()
        && sorted
        && gold.limit == pred.limit
        && gold.offset == pred.offset
}

/// Equal as bags.
fn same_members(a: &[Expr], b: &[Expr]) -> bool {
    let (mut a, mut b) = (a.to_vec(), b.to_vec());
    a.sort_unstable();
    b.sort_unstable();
    a == b
}

fn text(tableau: &Tableau) -> TableauText {
    let names = tableau.names();
    let printed = |list: &[Expr]| list.iter().map(|e| print::shallow(e, &names)).collect();
    TableauText {
        rows: tableau.rows.iter().map(|r| r.alias.clone()).collect(),
        from: tableau.rows.iter().map(super::tableau::Row::from).collect(),
        conditions: printed(&tableau.conditions),
        summary: printed(&tableau.summary),
    }
}

/// Each condition with what the mapping makes of it.
fn images(map: &Mapping, gold: &Shape, pred: &Shape) -> Vec<String> {
    let (from, to) = (map.from.pick(gold, pred), map.from.pick(pred, gold));
    let (Some(from), Some(to)) = (from.arms.get(map.from_arm), to.arms.get(map.to_arm)) else {
        return Vec::new();
    };
    let (names, images) = (from.names(), to.names());
    let columns = column_map(from, to, &map.rows);
    let line = |e: &Expr| {
        let image = print::shallow(&e.substituted(&columns), &images);
        format!("{} ↦ {image}", print::shallow(e, &names))
    };
    from.conditions.iter().map(line).collect()
}
