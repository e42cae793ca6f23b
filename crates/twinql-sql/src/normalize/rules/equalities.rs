//! Equality classes: columns that an inner join makes equal are one column.

use crate::column_set::ColumnSet;
use crate::normalize::prelude::*;

pub(super) const CLASSES: Rule = Rule {
    name: "equality-classes",
    summary: "of columns that an inner join or filter makes equal, one stands for all, there and above",
    why: "In rows that an inner join or a filter keeps, columns that it asks to be equal hold the same value.",
    source: "transitive closure of equalities, every optimiser; columns of equal storage alone, so that values are the same",
    needs: Needs::TYPED,
    examples: examples! {
        "no-fk": "SELECT o.customer_id FROM orders o JOIN customer c ON o.customer_id = c.id WHERE c.id > 3"
            == "SELECT c.id FROM orders o JOIN customer c ON o.customer_id = c.id WHERE o.customer_id > 3";
        "no-fk": "SELECT o.day FROM customer c JOIN orders o ON o.customer_id = c.id WHERE c.id > 1 AND c.age > 1"
            == "SELECT o.day FROM customer c JOIN orders o ON o.customer_id = c.id WHERE o.customer_id > 1 AND c.age > 1";
        "no-fk": "SELECT c.id FROM customer c LEFT JOIN orders o ON o.customer_id = c.id"
            != "SELECT o.customer_id FROM customer c LEFT JOIN orders o ON o.customer_id = c.id";
        "default": "SELECT COUNT(i.link) FROM customer m LEFT JOIN (SELECT y.customer_id AS link FROM orders y JOIN customer x ON y.customer_id = x.id) i ON m.id = i.link"
            != "SELECT COUNT(*) FROM customer m LEFT JOIN (SELECT y.customer_id AS link FROM orders y JOIN customer x ON y.customer_id = x.id) i ON m.id = i.link";
        "default": "SELECT o.day FROM customer c LEFT JOIN orders o ON c.id = o.customer_id AND c.id = 2"
            != "SELECT o.day FROM customer c LEFT JOIN orders o ON c.id = o.customer_id WHERE c.id = 2";
    },
    apply: Apply::RelOf(Kinds::BLOCKS, classes),
};

/// Replaces all equalities of a class by those of one column with each other, a star, and writes that column
/// in all other conjuncts and above. So `a = b AND b = c` and `a = c AND c = b` are one:
///
/// ```sql
/// WHERE a = b AND b = c AND c > 3
/// -- is
/// WHERE a = b AND a = c AND a > 3
/// ```
fn classes(rel: &mut Rel, cx: &mut Context<'_>) -> Changed {
    let BlockMut { on, .. } = rel.as_block_mut()?;
    let classes = cx.equal_columns(on);
    if classes.is_empty() {
        return None;
    }
    let produced = rel.outputs_among(&classes.iter().flatten().copied().collect());
    let mut map = Substitution::new();
    let mut stars = Vec::new();
    for class in &classes {
        let center = representative(class, &produced, cx)?;
        for c in class.iter().filter(|c| **c != center) {
            map.insert(*c, Expr::Column(center));
            stars.push(Expr::Column(center).eq(Expr::Column(*c)));
        }
    }
    let BlockMut { on, .. } = rel.as_block_mut()?;
    let before = on.clone();
    let mut others: Vec<Expr> = Vec::new();
    for mut e in std::mem::take(on) {
        if cx.column_equality(&e).is_none() {
            e.substitute(&map);
            others.push(e);
        }
    }
    *on = stars;
    on.extend(others);
    // An outer column is no output of this query; what reads it from above keeps its own.
    cx.replace_all(map.into_iter().filter(|(c, _)| produced.contains(c)));
    let same: BTreeSet<&Expr> = before.iter().collect();
    (on.len() != before.len() || !on.iter().all(|e| same.contains(e))).then_some(())
}

/// The column that stands for its class: one of an enclosing query, else by [`Context::standing`].
fn representative(class: &[ColumnId], produced: &ColumnSet, cx: &Context<'_>) -> Option<ColumnId> {
    class.iter().copied().min_by_key(|c| (produced.contains(c), cx.standing(*c)))
}
