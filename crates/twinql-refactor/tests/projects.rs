//! Projects as people write them, read from nothing but their files.
#![allow(clippy::unwrap_used)]

use std::path::Path;

use twinql::sql::Dialect;
use twinql_refactor::{Catalog, Project, Tree, tree};

fn catalog(tree: &Tree) -> (Project, Catalog) {
    let project = Project::read(tree).unwrap();
    assert!(project.notes.is_empty(), "{:?}", project.notes);
    let catalog = Catalog::of(&project, Dialect::Postgres);
    (project, catalog)
}

fn folder(name: &str) -> (Project, Catalog) {
    catalog(&tree::of_folder(&Path::new("tests/projects").join(name)).unwrap())
}

/// Name and declared type of each column, a key behind those that have one.
fn table(catalog: &Catalog, name: &str) -> String {
    let table = catalog.schema.table(name).unwrap();
    let columns = table.columns.iter().enumerate().map(|(at, column)| {
        let key = if table.unique.contains(&vec![at]) { " key" } else { "" };
        let null = if column.not_null { " not null" } else { "" };
        format!("{} {}{null}{key}", column.name, column.declared.to_lowercase())
    });
    columns.collect::<Vec<_>>().join(", ")
}

/// Seeds, variables, a macro of its own, a loop over a list, tests.
#[test]
fn a_shop() {
    let (project, catalog) = folder("shop");
    assert!(catalog.unplanned.is_empty(), "{:?}", catalog.unplanned);
    assert_eq!(project.models.len(), 4);
    assert_eq!(
        table(&catalog, "raw_orders"),
        "id integer, customer_id integer, ordered_on date, state text, cents integer"
    );
    assert_eq!(
        table(&catalog, "stg_customers"),
        "customer_id integer not null key, full_name text, country text"
    );
    assert!(table(&catalog, "customers").ends_with("paid_amount numeric, shipped_amount numeric"));
    let orders = catalog.schema.table("stg_orders").unwrap();
    assert_eq!(orders.columns[3].values, ["paid", "shipped", "returned"]);
    assert_eq!(orders.foreign_keys.len(), 1);
    assert_eq!(catalog.order.last().map(String::as_str), Some("countries"));
}

/// Sources of one name in two places, unions by a macro, columns that no file lists.
#[test]
fn a_package() {
    let (_, catalog) = folder("library");
    assert!(catalog.unplanned.is_empty(), "{:?}", catalog.unplanned);
    assert_eq!(table(&catalog, "books"), "book_id integer, title , shelf  not null");
    assert!(table(&catalog, "north.books").contains("title"), "{}", table(&catalog, "north.books"));
    assert!(
        table(&catalog, "loans").starts_with("region text not null, loan_id integer not null, member_id")
    );
}

/// A test refers to a source and not to the model of its name, from each of two tables of one name.
#[test]
fn references_of_sources() {
    let (_, catalog) = folder("library");
    let books = catalog.schema.table_index("north.books");
    for loans in ["north.loans", "south.loans"] {
        let keys = &catalog.schema.table(loans).unwrap().foreign_keys;
        assert_eq!(keys.iter().map(|key| Some(key.target)).collect::<Vec<_>>(), [books], "{loans}");
    }
}

/// A model that grows, a contract, a snapshot.
#[test]
fn events() {
    let (project, catalog) = folder("events");
    assert!(catalog.unplanned.is_empty(), "{:?}", catalog.unplanned);
    assert!(project.models["page_views"].growing.is_some() && project.models["daily"].growing.is_none());
    assert_eq!(
        table(&catalog, "page_views"),
        "view_id integer not null key, user_id integer, path text, viewed_at timestamp"
    );
    assert_eq!(catalog.schema.table("daily").unwrap().unique, [[0, 1]]);
}

/// Many models, each over those before it.
#[test]
fn a_warehouse() {
    let mut tree = Tree::new();
    tree.insert("dbt_project.yml".into(), "name: warehouse".into());
    for at in 0..300 {
        let sql = match at {
            0..50 => {
                format!("select id, amount, day from {{{{ source('raw', 't{at}') }}}} where amount > {at}")
            }
            _ => format!(
                "with a as (select * from {{{{ ref('m{}') }}}}) select a.id, a.amount + b.amount as amount, b.day from a join {{{{ ref('m{}') }}}} b on a.id = b.id",
                at - 50,
                at / 2
            ),
        };
        tree.insert(format!("models/m{at}.sql"), sql);
    }
    tree.insert("models/bad.sql".into(), "select {{ some_package.star('m1') }} from {{ ref('m1') }}".into());
    let (_, catalog) = catalog(&tree);
    assert_eq!(catalog.unplanned.keys().collect::<Vec<_>>(), ["bad"]);
    assert!(catalog.unplanned["bad"].contains("some_package"));
    assert_eq!(table(&catalog, "m299").split(", ").count(), 3);
}
