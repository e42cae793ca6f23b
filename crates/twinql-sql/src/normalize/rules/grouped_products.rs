//! Aggregates of a join, computed of aggregates of its sides.

use crate::column_set::ColumnSet;
use crate::normalize::prelude::*;

pub(super) const GROUPED_PRODUCTS: Rule = Rule {
    name: "grouped-products",
    summary: "two groupings joined on all their keys are the grouping of the join: SUM(x) or COUNT of the one side times COUNT(*) of the other is that of the join, MIN and MAX are what they were",
    why: "Each row of a group meets each row of the other side's group, so that sums and counts are multiplied by its size and extremes stay.",
    source: "Yan & Larson 1995, eager aggregation; Gupta, Harinarayan & Quass 1995",
    needs: Needs::TYPED,
    examples: examples! {
        "nulls": "SELECT a.k, a.s * b.n, a.m FROM (SELECT city AS k, SUM(age) AS s, MAX(score) AS m FROM customer GROUP BY city) a JOIN (SELECT day AS k, COUNT(*) AS n FROM orders GROUP BY day) b ON a.k = b.k"
            == "SELECT c.city, SUM(c.age), MAX(c.score) FROM customer c JOIN orders o ON o.day = c.city GROUP BY c.city";
        "nulls": "SELECT SUM(a.n * b.n) FROM (SELECT city AS k, COUNT(*) AS n FROM customer GROUP BY city) a JOIN (SELECT day AS k, COUNT(*) AS n FROM orders GROUP BY day) b ON a.k = b.k"
            == "SELECT SUM(n) FROM (SELECT COUNT(*) AS n FROM customer c JOIN orders o ON o.day = c.city GROUP BY c.city)";
        "nulls": "SELECT a.k, a.s FROM (SELECT city AS k, SUM(age) AS s FROM customer GROUP BY city) a JOIN (SELECT day AS k, COUNT(*) AS n FROM orders GROUP BY day) b ON a.k = b.k"
            != "SELECT c.city, SUM(c.age) FROM customer c JOIN orders o ON o.day = c.city GROUP BY c.city";
        "nulls": "SELECT a.k, a.s * b.n FROM (SELECT city AS k, SUM(age) AS s FROM customer GROUP BY city) a JOIN (SELECT day AS k, COUNT(total) AS n FROM orders GROUP BY day) b ON a.k = b.k"
            != "SELECT c.city, SUM(c.age) FROM customer c JOIN orders o ON o.day = c.city GROUP BY c.city";
        "nulls": "SELECT a.k, a.s * b.n FROM (SELECT city AS k, SUM(age) AS s FROM customer GROUP BY city) a JOIN (SELECT day AS k, code, COUNT(*) AS n FROM orders GROUP BY day, code) b ON a.k = b.k"
            != "SELECT c.city, SUM(c.age) FROM customer c JOIN orders o ON o.day = c.city GROUP BY c.city";
    },
    apply: Apply::RelOf(rels::PROJECT.or(rels::AGGREGATE), grouped_products),
};

/// Looks from what reads the join. The keys have to be equated one by one, or a group would meet several; and what is read
/// of sums and counts has to be the product, in whole numbers, for a product of reals is rounded once and their sum often.
///
/// ```sql
/// SELECT a.k, a.s * b.n FROM (SELECT city AS k, SUM(age) AS s FROM customer GROUP BY city) a
///   JOIN (SELECT day AS k, COUNT(*) AS n FROM orders GROUP BY day) b ON a.k = b.k
/// -- is
/// SELECT c.city, SUM(c.age) FROM customer c JOIN orders o ON o.day = c.city GROUP BY c.city
/// ```
fn grouped_products(rel: &mut Rel, cx: &mut Context<'_>) -> Changed {
    let (Rel::Project { input, .. } | Rel::Aggregate { input, .. }) = &*rel else {
        return None;
    };
    let ([one, two], on) = input.as_join().map(|(inputs, on)| (inputs.as_slice(), on))? else {
        return None;
    };
    let sides = [one.as_grouping()?, two.as_grouping()?];
    // A side without aggregates is a DISTINCT, and no bare column may be taken from another row.
    let grouped = |side: &Grouping<'_>| !side.keys.is_empty() && !side.calls.is_empty() && !side.has_bare();
    if !sides.iter().all(grouped) || !one.is_deterministic() || !two.is_deterministic() {
        return None;
    }
    let (keys, links) = paired(sides, on, cx)?;
    let mut new = Products { sides, calls: Vec::new(), cx };
    let mut reader = rel.clone();
    for e in reader.exprs_mut() {
        if e.has_subquery() {
            return None;
        }
        e.map(|e| put(e, new.product(e)).is_some());
    }
    let calls = new.read_alone(&reader)?;
    let below = Rel::join(sides.iter().map(|side| side.input.clone()).collect(), links);
    let grouping = Rel::aggregate(below, keys, calls);
    match &mut reader {
        Rel::Project { input, .. } | Rel::Aggregate { input, .. } => **input = grouping,
        _ => return None,
    }
    *rel = reader;
    Some(())
}

/// Group keys with the columns they make.
type Keys = Vec<(ColumnId, Expr)>;

/// The keys of both sides, and the equalities between what they are of, where each key of the one is equated with one key
/// of the other and nothing else is asked.
fn paired(sides: [Grouping<'_>; 2], on: &[Expr], cx: &Context<'_>) -> Option<(Keys, Vec<Expr>)> {
    let key =
        |side: Grouping<'_>, c: ColumnId| side.keys.iter().find(|(k, _)| *k == c).map(|(_, e)| e.clone());
    let mut links = Vec::new();
    let mut seen = ColumnSet::new();
    for e in on {
        let (a, b) = cx.column_equality(e)?;
        let [one, two] = sides;
        let (x, y) = key(one, a).zip(key(two, b)).or_else(|| key(one, b).zip(key(two, a)))?;
        // Bare columns alone are compared as the keys are.
        x.as_column().zip(y.as_column())?;
        if !seen.insert(a) || !seen.insert(b) {
            return None;
        }
        links.push(x.eq(y));
    }
    let keys: Keys = sides.iter().flat_map(|side| side.keys.iter().cloned()).collect();
    (keys.iter().all(|(k, _)| seen.contains(k))).then_some((keys, links))
}

/// The calls of the one grouping, as they are found in what reads the two.
struct Products<'a, 'c, 'd> {
    sides: [Grouping<'a>; 2],
    calls: Vec<(ColumnId, AggregateCall)>,
    cx: &'c mut Context<'d>,
}

impl Products<'_, '_, '_> {
    /// The call of a column, and the side that it is of.
    fn call(&self, e: &Expr) -> Option<(usize, &AggregateCall)> {
        let c = e.as_column()?;
        self.sides
            .iter()
            .enumerate()
            .find_map(|(at, side)| side.calls.iter().find(|(id, _)| *id == c).map(|(_, call)| (at, call)))
    }

    /// The call that a product of calls is of the join: a sum or count of one side times the size of the other's group.
    fn product(&mut self, e: &Expr) -> Option<Expr> {
        let (op, left, right) = e.as_binary()?;
        let new = [(left, right), (right, left)].into_iter().find_map(|(x, n)| {
            let ((of, call), (other, count)) = (self.call(x)?, self.call(n)?);
            let adds_up = match (&call.func, call.args.as_slice()) {
                (AggFunc::Count, _) => true,
                (AggFunc::Sum, [x]) => self.cx.numbers(x) == Some(Numbers::Whole),
                _ => false,
            };
            let plain = !call.distinct && *op == BinaryOp::Mul && of != other && count.counts_rows();
            (adds_up && plain).then(|| (x.as_column(), call.clone()))
        });
        let (like, call) = new?;
        let known = self.calls.iter().find(|(_, own)| *own == call).map(|(c, _)| *c);
        let c = known.unwrap_or_else(|| {
            let c = self.cx.fresh_like(like.unwrap_or(ColumnId(0)));
            self.calls.push((c, call));
            c
        });
        Some(Expr::Column(c))
    }

    /// All calls, if what is read besides products are keys, and aggregates that do not count how often a row comes.
    fn read_alone(mut self, reader: &Rel) -> Option<Vec<(ColumnId, AggregateCall)>> {
        let mut read = ColumnSet::new();
        reader.exprs().into_iter().for_each(|e| e.reads_into(&mut read));
        for (c, call) in self.sides.iter().flat_map(|side| side.calls) {
            if read.contains(c) {
                if !call.ignores_duplicates() {
                    return None;
                }
                self.calls.push((*c, call.clone()));
            }
        }
        (!self.calls.is_empty()).then_some(self.calls)
    }
}
