//! Two tables as one (MT-TEQL, 3.1.2, flattening).

use std::collections::BTreeSet;

use rand_chacha::ChaCha8Rng;
use twinql_corpus::schemas::{fresh, with_tables};
use twinql_sql::schema::quote;
use twinql_sql::{ForeignKey, Table};

use super::{Change, Given, GoldChange};
use crate::mapping::{GoneTable, MappedTable, Source};
use crate::relation::{Relation, Target};

/// Flattening.
pub const FLATTENING: Relation = Relation {
    name: "flattening",
    short: "FL",
    section: "3.1.2, flattening",
    precondition: "a foreign key of one column refers to another table's key; the gold selects no star of either, and either does not read the table that is referred to, or is proved to answer the same without it",
    question: "stays",
    schema: "the columns of the table that is referred to stand in the one that refers to it, or in every one that does, and it goes",
    gold: "stays where it does not read that table, else reads what is left of it: rows that nothing refers to are lost; label judged there, and where the gold's tables lose a key",
    paper: 2018,
    target: Target::Schema(flatten),
};

/// A foreign key that can go: the table that owns it and its number there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Link {
    child: usize,
    number: usize,
    parent: usize,
}

/// `shop(id, country_id), country(id, region)` ⇒ `shop(id, country_id, country_region)`
fn flatten(given: &Given<'_>, _: &mut ChaCha8Rng) -> Vec<Change> {
    let schema = given.schema;
    let mut links = Vec::new();
    for (child, table) in schema.tables.iter().enumerate() {
        for (number, key) in table.foreign_keys.iter().enumerate() {
            let parent = schema.tables.get(key.target);
            let to_key = parent.is_some_and(|p| p.primary_key == key.target_columns);
            if key.target != child && key.columns.len() == 1 && to_key {
                links.push(Link { child, number, parent: key.target });
            }
        }
    }
    let mut made: Vec<Change> = Vec::new();
    for &link in &links {
        made.extend(flattened(given, &[link], false));
    }
    // Into every table that refers to it.
    for parent in 0..schema.tables.len() {
        let all: Vec<Link> = links.iter().filter(|l| l.parent == parent).copied().collect();
        let mut children: Vec<usize> = all.iter().map(|l| l.child).collect();
        children.sort_unstable();
        children.dedup();
        if children.len() > 1 && children.len() == all.len() {
            made.extend(flattened(given, &all, false));
        }
    }
    // Two at once.
    for (i, &first) in links.iter().enumerate() {
        for &second in links.iter().skip(i + 1) {
            let apart = first.parent != second.parent
                && first.parent != second.child
                && second.parent != first.child
                && first.child != second.child;
            if apart {
                made.extend(flattened(given, &[first, second], false));
            }
        }
    }
    for &link in &links {
        made.extend(flattened(given, &[link], true));
    }
    made
}

/// The schema with these foreign keys flattened; `read` where the gold may read the table that goes.
fn flattened(given: &Given<'_>, links: &[Link], read: bool) -> Option<Change> {
    let old = given.schema;
    let mut taken = given.taken();
    let mut change = Change::new(old, old.clone());
    for link in links {
        let key = old.tables.get(link.child)?.foreign_keys.get(link.number)?.clone();
        let parent = old.tables.get(link.parent)?;
        let names = merge(&mut change, *link, &key, parent, &mut taken)?;
        change.bars.words.extend(names.iter().map(|n| n.to_ascii_lowercase()));
        change.bars.starred.insert(link.child);
        change.near.insert(link.child);
        if read {
            change.mapping.gone.push(rest_of(old.tables.get(link.child)?, &key, parent, &names)?);
            change.gold = GoldChange::Rewritten(link.parent);
            change.bars.starred.insert(link.parent);
        } else {
            change.bars.tables.insert(link.parent);
        }
    }
    let gone: BTreeSet<usize> = links.iter().map(|l| l.parent).collect();
    drop_tables(&mut change, &gone)?;
    Some(change)
}

/// Puts the columns of a parent but for its key behind those of the child; gives their new names.
fn merge(
    change: &mut Change,
    link: Link,
    key: &ForeignKey,
    parent: &Table,
    taken: &mut std::collections::HashSet<String>,
) -> Option<Vec<String>> {
    let table = change.schema.tables.get_mut(link.child)?;
    let (&own, &to) = (key.columns.first()?, key.target_columns.first()?);
    table.foreign_keys.retain(|k| k != key);
    let before = table.columns.len();
    let mut names = Vec::new();
    // Where each of the parent's columns stands now: its key is what referred to it.
    let mut places = Vec::new();
    for (i, column) in parent.columns.iter().enumerate() {
        if i == to {
            places.push(own);
            continue;
        }
        places.push(table.columns.len());
        let name = fresh(taken, &format!("{}_{}", parent.name, column.name));
        names.push(name.clone());
        // A row of the child may refer to nothing.
        table.columns.push(twinql_sql::Column { name, not_null: false, ..column.clone() });
    }
    for k in &parent.foreign_keys {
        let columns = k.columns.iter().map(|&c| places.get(c).copied()).collect::<Option<Vec<usize>>>()?;
        // A table that refers to itself has no place in itself any more.
        if k.target != link.parent {
            table.foreign_keys.push(ForeignKey { columns, ..k.clone() });
        }
    }
    let (child_name, parent_name) = (quote(&table.name), quote(&parent.name));
    let mut sources: Vec<Source<'_>> = table.columns.iter().take(before).map(Source::Old).collect();
    let others = parent.columns.iter().enumerate().filter(|(i, _)| *i != to);
    sources.extend(others.map(|(_, c)| Source::Computed(format!("{parent_name}.{}", quote(&c.name)))));
    let joined = format!(
        " LEFT JOIN {parent_name} ON {child_name}.{} = {parent_name}.{}",
        quote(&table.columns.get(own)?.name),
        quote(&parent.columns.get(to)?.name)
    );
    let mapped = MappedTable::new(table, &table.name, &sources, Some(&joined));
    change.mapping.tables.push(mapped);
    Some(names)
}

/// What the child's rows still say of the parent's.
fn rest_of(child: &Table, key: &ForeignKey, parent: &Table, names: &[String]) -> Option<GoneTable> {
    let (&own, &to) = (key.columns.first()?, key.target_columns.first()?);
    let own = quote(&child.columns.get(own)?.name);
    let mut names = names.iter();
    let mut items = Vec::new();
    for (i, column) in parent.columns.iter().enumerate() {
        let from = if i == to { own.clone() } else { quote(names.next()?) };
        items.push(format!("{from} AS {}", quote(&column.name)));
    }
    let query =
        format!("SELECT DISTINCT {} FROM {} WHERE {own} IS NOT NULL", items.join(", "), quote(&child.name));
    Some(GoneTable { name: parent.name.clone(), query })
}

/// Leaves tables out; foreign keys to them go.
fn drop_tables(change: &mut Change, gone: &BTreeSet<usize>) -> Option<()> {
    let mut lost = gone.clone();
    for (i, table) in change.schema.tables.iter_mut().enumerate() {
        let before = table.foreign_keys.len();
        table.foreign_keys.retain(|k| !gone.contains(&k.target));
        if table.foreign_keys.len() != before {
            lost.insert(i);
        }
    }
    // The keys that were flattened are gone as well.
    lost.extend(change.near.iter().copied());
    change.keyless = lost;
    let order: Vec<usize> = (0..change.schema.tables.len()).filter(|t| !gone.contains(t)).collect();
    change.schema = with_tables(&change.schema, &order)?;
    Some(())
}

#[cfg(test)]
mod tests {
    use twinql_sql::Schema;

    use super::super::tests::{changes, fitting, shop};
    use super::*;

    #[test]
    fn unread_tables_go() {
        let schema = shop();
        let found = fitting(flatten, &schema, "SELECT price FROM car");
        let names = |c: &Change| c.schema.tables.iter().map(|t| t.name.clone()).collect::<Vec<_>>();
        // country into shop, shop into car.
        assert_eq!(found.len(), 2);
        assert_eq!(names(&found[0]), ["shop", "car", "note"]);
        let merged = found[0].schema.table("shop").unwrap();
        assert!(merged.column_index("country_name").is_some() && merged.foreign_keys.is_empty());
        // The columns of shop stand in car, and so does its foreign key.
        assert_eq!(names(&found[1]), ["country", "car", "note"]);
        let car = found[1].schema.table("car").unwrap();
        assert_eq!(
            car.columns.iter().map(|c| c.name.as_str()).collect::<Vec<_>>()[3..],
            ["shop_name", "shop_country_id", "shop_rating"]
        );
        assert_eq!(found[1].schema.tables[car.foreign_keys[0].target].name, "country");
        assert!(
            found[1].mapping.tables[0]
                .query
                .ends_with(r#"FROM "car" LEFT JOIN "shop" ON "car"."shop_id" = "shop"."id""#)
        );
    }

    #[test]
    fn read_tables_go_with_a_rewritten_gold() {
        let schema = shop();
        let gold = "SELECT country.region FROM shop JOIN country ON shop.country_id = country.id";
        let found = fitting(flatten, &schema, gold);
        let rewritten: Vec<&Change> = found.iter().filter(|c| c.gold != GoldChange::Stays).collect();
        // country, and shop.
        assert_eq!(rewritten.len(), 2);
        assert_eq!(
            rewritten[0].mapping.gone[0].query,
            r#"SELECT DISTINCT "country_id" AS "id", "country_name" AS "name", "country_region" AS "region" FROM "shop" WHERE "country_id" IS NOT NULL"#
        );
    }

    #[test]
    fn left_alone() {
        assert!(
            fitting(flatten, &shop(), "SELECT * FROM shop JOIN country ON country_id = country.id")
                .iter()
                .all(|c| !c.bars.starred.contains(&1))
        );
        // What refers to no key, to itself, or by two columns.
        let schema = Schema::from_ddl(
            "x",
            "CREATE TABLE a (id INTEGER PRIMARY KEY, up INTEGER REFERENCES a(id), x INTEGER, y INTEGER);
             CREATE TABLE b (x INTEGER, y INTEGER, PRIMARY KEY (x, y));
             CREATE TABLE c (x INTEGER, y INTEGER, FOREIGN KEY (x, y) REFERENCES b(x, y));",
        )
        .unwrap();
        assert!(changes(flatten, &schema).is_empty());
    }
}
