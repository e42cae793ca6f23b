//! Projects as people write them, read from nothing but their files.
#![allow(clippy::unwrap_used)]

use std::path::Path;

use twinql::sql::Dialect;
use twinql_refactor::{Catalog, Project, Tree, Written, tree};

fn catalog(tree: &Tree) -> (Project, Catalog) {
    with(tree, &Written::default())
}

fn with(tree: &Tree, written: &Written) -> (Project, Catalog) {
    let project = Project::read(tree, written, Dialect::Postgres).unwrap();
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

/// A folder with these files below it.
fn written(files: &[(&str, &str)]) -> twinql::files::Scratch {
    let folder = twinql::files::Scratch::folder().unwrap();
    for (path, text) in files {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    folder
}

fn read(folder: &twinql::files::Scratch) -> (Project, Catalog) {
    let tree = tree::of_folder(folder.path()).unwrap();
    with(&tree, &Written::of(folder.path(), &tree))
}

/// The SQL of a model, references in brackets; or why there is none.
fn sql(project: &Project, name: &str) -> String {
    match &project.models[name].full {
        Ok(rendered) => rendered
            .sql
            .replace('\u{E000}', "<")
            .replace('\u{E001}', ">")
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" "),
        Err(error) => error.to_string(),
    }
}

const KEYS: &str = "{% macro key(columns) -%}
    {{ return(adapter.dispatch('key', 'house_rules')(columns)) }}
{%- endmacro %}
{% macro default__key(columns) -%}
    {%- set parts = [] -%}
    {%- for column in columns -%}
        {%- do parts.append('coalesce(cast(' ~ column ~ ' as ' ~ dbt.type_string() ~ '), ' ~ empty() ~ ')') -%}
        {%- if not loop.last -%}{%- do parts.append(\"'-'\") -%}{%- endif -%}
    {%- endfor -%}
    {{ dbt.hash(dbt.concat(parts)) }}
{%- endmacro %}
{% macro empty() %}{{ return(\"'none'\") }}{% endmacro %}
{% macro bigquery__key(columns) %}farm_fingerprint({{ columns | join }}){% endmacro %}
{% macro columns_of(table) %}{{ return(adapter.get_columns_in_relation(table)) }}{% endmacro %}
{% macro round_and_round() %}{{ again() }}{% endmacro %}
{% macro again() %}{{ round_and_round() }}{% endmacro %}";

/// Macros of a package are text where they ask no warehouse: lists that grow, returned values, the macro of a dialect.
#[test]
fn macros_of_packages() {
    let folder = written(&[
        ("dbt_project.yml", "name: shop"),
        ("dbt_packages/house-rules/dbt_project.yml", "name: house_rules"),
        ("dbt_packages/house-rules/macros/keys.sql", KEYS),
        ("dbt_packages/house-rules/models/none.sql", "select 1"),
        ("macros/own.sql", "{% macro of_day(column) %}{{ dbt.date_trunc('day', column) }}{% endmacro %}"),
        ("models/keys.sql", "select {{ house_rules.key(['id', 'day']) }} as k from {{ ref('orders') }}"),
        ("models/days.sql", "select {{ of_day('at') }} as day, {{ shop.of_day('at') }} as again"),
        ("models/columns.sql", "select {{ house_rules.columns_of(ref('keys')) | join(', ') }}"),
        ("models/other.sql", "select {{ house_rules.nothing() }}"),
        ("models/bare.sql", "select {{ key(['id']) }}"),
        ("models/block.sql", "{% call house_rules.key() %}id{% endcall %}"),
        ("models/circle.sql", "select {{ house_rules.round_and_round() }}"),
    ]);
    let (project, _) = read(&folder);
    assert_eq!(project.models.len(), 7);
    assert_eq!(
        sql(&project, "keys"),
        "select md5(cast(coalesce(cast(id as text), 'none') || '-' || coalesce(cast(day as text), 'none') as text)) as k from <orders>"
    );
    assert_eq!(sql(&project, "days"), "select date_trunc('day', at) as day, date_trunc('day', at) as again");
    for (model, says) in [
        ("columns", "adapter.get_columns_in_relation"),
        ("other", "house_rules.nothing"),
        ("bare", "key"),
        ("block", "a call block of house_rules.key"),
        ("circle", "which calls itself"),
    ] {
        assert!(sql(&project, model).contains(says), "{}", sql(&project, model));
    }
    let tree = tree::of_folder(folder.path()).unwrap();
    let written = Written::of(folder.path(), &tree);
    let project = Project::read(&tree, &written, Dialect::Bigquery).unwrap();
    assert_eq!(sql(&project, "keys"), "select farm_fingerprint(idday) as k from <orders>");
}

/// A manifest of dbt with what is of use here, and what is not.
const MANIFEST: &str = r#"{
  "metadata": {"dbt_schema_version": "https://schemas.getdbt.com/dbt/manifest/v12.json", "adapter_type": "postgres"},
  "nodes": {
    "model.shop.by_kind": {
      "resource_type": "model", "package_name": "shop", "name": "by_kind", "original_file_path": "models/by_kind.sql",
      "raw_code": "select {{ kinds() }} from {{ ref('orders') }} o join {{ source('raw', 'lines') }} on lines.id = o.id",
      "compiled_code": "select o.kind, lines.price from \"dev\".\"shop\".\"orders\" o join \"dev\".\"raw\".\"lines_v1\" as lines on lines.id = o.id",
      "relation_name": "\"dev\".\"shop\".\"by_kind\"", "columns": {}, "config": {"materialized": "table"},
      "depends_on": {"macros": ["macro.shop.kinds"], "nodes": ["model.shop.orders", "source.shop.raw.lines"]}
    },
    "model.shop.orders": {
      "resource_type": "model", "package_name": "shop", "name": "orders", "original_file_path": "models/orders.sql",
      "raw_code": "select id, kind from {{ source('raw', 'orders') }}", "relation_name": "\"dev\".\"shop\".\"orders\"",
      "config": {"materialized": "view"}, "depends_on": {"macros": [], "nodes": ["source.shop.raw.orders"]}
    },
    "model.crm.people": {
      "resource_type": "model", "package_name": "crm", "name": "people", "original_file_path": "models/people.sql",
      "raw_code": "select {{ crm.all() }}", "compiled_code": null, "relation_name": "\"dev\".\"crm\".\"people\"",
      "columns": {"person": {"name": "person", "data_type": "bigint", "constraints": [{"type": "not_null"}]}}, "constraints": []
    },
    "test.crm.unique_people_person.1": {
      "resource_type": "test", "package_name": "crm", "name": "unique_people_person", "attached_node": "model.crm.people",
      "column_name": "person", "test_metadata": {"name": "unique", "kwargs": {"column_name": "person", "model": "{{ ref('people') }}"}},
      "config": {"severity": "ERROR", "where": null, "error_if": "!= 0"}
    },
    "test.shop.not_null_orders_kind.2": {
      "resource_type": "test", "package_name": "shop", "name": "not_null_orders_kind", "depends_on": {"nodes": ["model.shop.orders"]},
      "column_name": "kind", "test_metadata": {"name": "not_null", "kwargs": {}}, "config": {"severity": "WARN"}
    }
  },
  "sources": {
    "source.shop.raw.lines": {
      "resource_type": "source", "package_name": "shop", "name": "lines", "source_name": "raw", "relation_name": "\"dev\".\"raw\".\"lines_v1\"",
      "columns": {}
    }
  },
  "macros": {
    "macro.shop.kinds": {
      "package_name": "shop", "name": "kinds", "original_file_path": "macros/kinds.sql", "depends_on": {"macros": []},
      "macro_sql": "{% macro kinds() %}{{ run_query('select 1') }}{% endmacro %}"
    }
  },
  "exposures": {}, "disabled": null
}"#;

const CATALOG: &str = r#"{
  "metadata": {"dbt_schema_version": "https://schemas.getdbt.com/dbt/catalog/v1.json"},
  "nodes": {"model.shop.orders": {"metadata": {"type": "VIEW"}, "columns": {"KIND": {"type": "TEXT", "index": 2, "name": "KIND"}}, "stats": {}}},
  "sources": {"source.shop.raw.lines": {"metadata": {}, "columns": {
    "price": {"type": "numeric", "index": 2, "name": "price", "comment": null}, "id": {"type": "integer", "index": 1, "name": "id"}
  }}},
  "errors": null
}"#;

fn compiled() -> Vec<(&'static str, &'static str)> {
    vec![
        ("dbt_project.yml", "name: shop"),
        ("macros/kinds.sql", "{% macro kinds() %}{{ run_query('select 1') }}{% endmacro %}"),
        (
            "models/by_kind.sql",
            "select {{ kinds() }} from {{ ref('orders') }} o join {{ source('raw', 'lines') }} on lines.id = o.id\n",
        ),
        ("models/orders.sql", "select id, kind from {{ source('raw', 'orders') }}"),
        (
            "models/schema.yml",
            "models: [{name: orders, columns: [{name: id, tests: [not_null]}, {name: kind, tests: [not_null]}]}]
sources: [{name: raw, tables: [{name: lines}, {name: orders}]}]",
        ),
        ("target/manifest.json", MANIFEST),
        ("target/catalog.json", CATALOG),
    ]
}

/// What dbt compiled stands for what only dbt can read; the catalog has columns and types, the manifest what packages say.
#[test]
fn what_dbt_has_written() {
    let (project, catalog) = read(&written(&compiled()));
    assert_eq!(
        sql(&project, "by_kind"),
        "select o.kind, lines.price from <orders> o join <raw.lines> as lines on lines.id = o.id"
    );
    assert!(project.models["by_kind"].full.as_ref().unwrap().compiled);
    assert!(!project.models["orders"].full.as_ref().unwrap().compiled);
    assert_eq!(table(&catalog, "by_kind"), "kind text, price numeric");
    assert_eq!(table(&catalog, "lines"), "id integer, price numeric");
    // In the project's YAML the test of `kind` looks as if it failed runs.
    assert_eq!(table(&catalog, "orders"), "id integer not null, kind text");
    assert!(
        table(&catalog, "people").starts_with("person bigint not null key"),
        "{}",
        table(&catalog, "people")
    );
}

/// Compiled SQL is of one moment: whatever went into it has to be what it was.
#[test]
fn what_dbt_compiled_of_another_version() {
    for (path, text) in [
        ("models/by_kind.sql", "select {{ kinds() }} from {{ ref('orders') }}"),
        ("macros/kinds.sql", "{% macro kinds() %}{{ run_query('select 2') }}{% endmacro %}"),
    ] {
        let mut files = compiled();
        files.push((path, text));
        let says = sql(&read(&written(&files)).0, "by_kind");
        assert!(says.contains("run_query") && says.contains("dbt has compiled another version"), "{says}");
    }
    let mut files = compiled();
    files.retain(|(path, _)| !path.starts_with("target/"));
    let says = sql(&read(&written(&files)).0, "by_kind");
    assert!(says.contains("run_query") && !says.contains("another version"), "{says}");
}

#[test]
fn broken_files_of_dbt_are_left_out() {
    for (text, says) in [
        ("{\"nodes\": {", "EOF"),
        ("{\"nodes\": 3}", "invalid type"),
        (
            r#"{"metadata": {"dbt_schema_version": "https://schemas.getdbt.com/dbt/manifest/v9.json"}}"#,
            "version 9",
        ),
    ] {
        let mut files = compiled();
        files.push(("target/manifest.json", text));
        let folder = written(&files);
        let tree = tree::of_folder(folder.path()).unwrap();
        let written = Written::of(folder.path(), &tree);
        let [note] = &written.notes[..] else { unreachable!("{:?}", written.notes) };
        assert!(
            note.contains("manifest.json") && note.contains(says) && note.contains("run dbt again"),
            "{note}"
        );
        assert!(sql(&with(&tree, &written).0, "by_kind").contains("run_query"));
    }
}

/// Models of SQLMesh: names from their heads, variables, audits, times of a run.
#[test]
fn sqlmesh() {
    let folder = written(&[
        ("config.yaml", "variables:\n  smallest: 5\nmodel_defaults: {dialect: postgres}"),
        ("external_models.yaml", "- name: raw.lines\n  columns: {id: INT, cents: INT, day: DATE}"),
        ("seeds/kinds.csv", "kind,label\n1,new\n"),
        (
            "models/kinds.sql",
            "MODEL (name shop.kinds, kind SEED (path '../seeds/kinds.csv'));",
        ),
        (
            "models/staging/lines.sql",
            "/* Lines, as sold. */
MODEL (
  name shop.lines, -- the place, and the name
  kind INCREMENTAL_BY_TIME_RANGE (time_column day),
  audits (unique_values(columns := (id)), not_null(columns := (id, day)), not_null(columns := cents, blocking := false))
);
@DEF(large, 100 * 10);
SELECT id, cents / 100 AS total, day FROM raw.lines
WHERE cents > @large AND cents > @VAR('smallest', 1) AND day BETWEEN @start_ds AND @end_ds;",
        ),
        ("models/days.sql", "MODEL (name shop.days, kind VIEW);\nSELECT day, SUM(total) AS total FROM shop.lines GROUP BY day"),
        ("models/each.sql", "MODEL (name shop.each, kind FULL);\nSELECT @EACH([a, b], x -> x) FROM shop.lines"),
    ]);
    let (project, catalog) = read(&folder);
    let parameter = |name: &str| format!("(SELECT MAX(query_parameters.{name}) FROM query_parameters)");
    assert_eq!(
        sql(&project, "shop.lines"),
        format!(
            "SELECT id, cents / 100 AS total, day FROM <raw.lines> WHERE cents > (100 * 10) AND cents > 5 AND day BETWEEN {} AND {}",
            parameter("start_ds"),
            parameter("end_ds")
        )
    );
    assert!(sql(&project, "shop.each").contains("uses the macro @EACH"), "{}", sql(&project, "shop.each"));
    assert_eq!(catalog.unplanned.keys().collect::<Vec<_>>(), ["shop.each"]);
    assert_eq!(table(&catalog, "kinds"), "kind integer, label text");
    assert_eq!(table(&catalog, "shop.lines"), "id int not null key, total integer, day date not null");
    assert_eq!(catalog.schema.table("shop.days").unwrap().columns.len(), 2);
}
