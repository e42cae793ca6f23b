//! A dbt project: its models, sources, seeds and snapshots, and what it says of their columns.
//!
//! What is read, and where it is described: [properties](https://docs.getdbt.com/reference/configs-and-properties),
//! [tests](https://docs.getdbt.com/docs/build/data-tests), [constraints](https://docs.getdbt.com/reference/resource-properties/constraints),
//! [seeds](https://docs.getdbt.com/docs/build/seeds), [snapshots](https://docs.getdbt.com/docs/build/snapshots).

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value as Json;
use twinql::sql::Dialect;

use crate::RefactorError;
use crate::artifacts::Written;
use crate::macros::{Macros, definitions};
use crate::properties::{Column, Properties, Relations, Table};
use crate::seeds;
use crate::sqlmesh;
use crate::tables;
use crate::templates::{Rendered, Templates};
use crate::tree::Tree;
use crate::yaml;

/// A project.
#[derive(Debug, Clone, Default)]
pub struct Project {
    /// Models and snapshots by name.
    pub models: BTreeMap<String, Model>,
    /// Sources and seeds: the tables that no model makes.
    pub tables: Vec<Table>,
    /// The file that says something of a table or a model.
    said_in: BTreeMap<String, String>,
    /// Its own macros.
    macros: BTreeMap<String, String>,
    /// Files that were not read, and why.
    pub notes: Vec<String>,
}

/// A query that makes a table.
#[derive(Debug, Clone)]
pub struct Model {
    /// The file, below the project's folder.
    pub path: String,
    /// Its SQL, its table being empty; or why that is not known.
    pub full: Result<Rendered, RefactorError>,
    /// Its SQL where rows are added, if that is another.
    pub growing: Option<Result<Rendered, RefactorError>>,
    /// What is said of its columns.
    pub properties: Properties,
    /// Its columns in the warehouse, as it was when dbt looked.
    pub stored: Vec<Column>,
}

impl Project {
    /// Reads a project, whose SQL is in `dialect`, from its files and from what dbt has written beside them.
    ///
    /// # Errors
    /// There is no `dbt_project.yml` and no model of SQLMesh, or it is no YAML.
    pub fn read(tree: &Tree, written: &Written, dialect: Dialect) -> Result<Project, RefactorError> {
        let text = ["dbt_project.yml", "dbt_project.yaml"].iter().find_map(|name| tree.get(*name));
        let Some(text) = text else {
            return Project::of_sqlmesh(tree, dialect).ok_or(RefactorError::NoProject);
        };
        let settings =
            yaml::parse(text).map_err(|error| RefactorError::Yaml("dbt_project.yml".to_owned(), error))?;
        let within = |field: &str, usual: &str| -> Vec<String> {
            let given: Vec<String> = yaml::list(&settings, field).map(yaml::text).collect();
            let paths = if given.is_empty() { vec![usual.to_owned()] } else { given };
            paths
                .into_iter()
                .map(|path| format!("{}/", path.trim_start_matches("./").trim_end_matches('/')))
                .collect()
        };
        let [models, seeds, macros, snapshots] = [
            within("model-paths", "models"),
            within("seed-paths", "seeds"),
            within("macro-paths", "macros"),
            within("snapshot-paths", "snapshots"),
        ];
        let below =
            |path: &str, folders: &[String]| folders.iter().any(|folder| path.starts_with(folder.as_str()));
        let mut project = Project::default();
        let mut said = Relations::default();
        for (path, text) in tree {
            let is_yaml = path.ends_with(".yml") || path.ends_with(".yaml");
            if is_yaml && [&models, &seeds, &snapshots].iter().any(|folders| below(path, folders)) {
                match yaml::parse(text) {
                    Ok(read) => said.add(path, &read, &|of, column, test| written.is_weak(of, column, test)),
                    Err(error) => project.notes.push(format!("{path}: {error}")),
                }
            }
        }
        said.add("target/manifest.json", &written.said(), &|_, _, _| false);
        let vars = settings.get("vars");
        let files = || tree.iter().filter(|(path, _)| path.ends_with(".sql") && below(path, &macros));
        for (definition, name) in files().flat_map(|(_, text)| definitions(text)) {
            project.macros.insert(name.to_owned(), definition.to_owned());
        }
        let templates = Templates::with(
            vars.map(|vars| variables(vars, settings.get("name"))).unwrap_or_default(),
            own_macros(files(), &settings, written, dialect),
        );
        for (path, text) in tree {
            let Some(name) = stem(path) else { continue };
            if path.ends_with(".sql") && (below(path, &models) || below(path, &snapshots)) {
                let mut full = templates.render(name, text, false);
                let grows = matches!(&full, Ok(rendered) if rendered.incremental);
                let growing = grows.then(|| templates.render(name, text, true));
                if let Err(RefactorError::Template(why)) = &mut full {
                    match written.compiled(path, tree, vars) {
                        Some(Ok(compiled)) => full = Ok(compiled),
                        Some(Err(())) => why.push_str(", and dbt has compiled another version of it"),
                        None => {}
                    }
                }
                project.add(name, path, (full, growing), said.take(name), written);
            } else if path.ends_with(".csv") && below(path, &seeds) {
                let mut properties = said.take(name);
                properties.complete(typed(seeds::columns(text), written.columns(name)));
                project.tables.push(Table { source: None, name: name.to_owned(), properties });
            }
        }
        for model in written.of_packages() {
            let name = &model.name;
            if project.models.contains_key(name) || project.tables.iter().any(|table| table.name == *name) {
                continue;
            }
            let mut properties = said.take(name);
            match model.sql {
                Some(sql) => project.add(name, &model.path, (Ok(sql), None), properties, written),
                None => {
                    properties.add(written.columns(name));
                    project.tables.push(Table { source: None, name: name.clone(), properties });
                }
            }
        }
        for table in &mut said.sources {
            let place = table.source.as_deref().unwrap_or("");
            let stored = written.columns(&format!("{place}.{}", table.name));
            table.properties.add(stored);
            table.properties.complete |= !stored.is_empty();
        }
        project.tables.extend(said.sources);
        project.said_in = said.said_in;
        Ok(project)
    }

    /// A project of SQLMesh: its models are found by their heads; none where there are none.
    fn of_sqlmesh(tree: &Tree, dialect: Dialect) -> Option<Project> {
        let mut project = Project::default();
        let settings =
            ["config.yaml", "config.yml"].iter().find_map(|name| yaml::parse(tree.get(*name)?).ok());
        let vars = settings.as_ref().and_then(|settings| settings.get("variables"));
        let templates =
            Templates::with(vars.map(|vars| variables(vars, None)).unwrap_or_default(), Macros::new(dialect));
        let mut found = Vec::new();
        for (path, text) in tree.iter().filter(|(path, _)| path.starts_with("models/")) {
            let Some(mut head) = sqlmesh::head(text) else { continue };
            if head.name.is_empty() {
                head.name = stem(path)?.to_owned();
            }
            match head.seed {
                Some(file) => {
                    let rows =
                        tree.iter().find(|(path, _)| path.ends_with(file.trim_start_matches(['.', '/'])));
                    head.properties.complete(rows.map(|(_, text)| seeds::columns(text)).unwrap_or_default());
                    project.tables.push(Table::named(&head.name, head.properties));
                }
                None => found.push((path, text, head)),
            }
        }
        let external = tree.iter().filter(|(path, _)| path.starts_with("external_models"));
        for table in external.filter_map(|(_, text)| yaml::parse(text).ok()).flat_map(|yaml| match yaml {
            Json::Array(tables) => tables,
            _ => Vec::new(),
        }) {
            let columns = table.get("columns").and_then(Json::as_object).into_iter().flatten();
            let column = |(name, kind): (&String, &Json)| Column {
                name: name.clone(),
                data_type: yaml::text(kind),
                ..Column::default()
            };
            let columns: Vec<Column> = columns.map(column).collect();
            let properties = Properties { complete: !columns.is_empty(), columns, ..Properties::default() };
            if let Some(name) = table.get("name").map(yaml::text) {
                project.tables.push(Table::named(&name.replace('"', ""), properties));
            }
        }
        let named = found.iter().map(|(.., head)| head.name.clone());
        let tables = project.tables.iter().map(|table| match &table.source {
            Some(place) => format!("{place}.{}", table.name),
            None => table.name.clone(),
        });
        // A name alone may be that of a column or of a common table expression.
        let known: Vec<(String, String)> =
            named.chain(tables).filter(|name| name.contains('.')).map(|name| (name.clone(), name)).collect();
        for (path, text, head) in found {
            // The head has its own name.
            let rendered = templates.render(&head.name, text, false).map(|rendered| {
                let query = crate::files::parts(&rendered.sql).into_iter().next();
                let sql = query.map(|part| tables::referring(&part.sql, &known)).unwrap_or_default();
                Rendered { sql, ..rendered }
            });
            project.add(&head.name, path, (rendered, None), head.properties, &Written::default());
        }
        (!project.models.is_empty()).then_some(project)
    }

    /// The file that says something of a table or a model.
    pub fn said_in(&self, table: &str) -> Option<&str> {
        self.said_in.get(table).map(String::as_str)
    }

    /// The macros that have changed, and those that call them.
    pub fn changed_macros(&self, new: &Project) -> BTreeSet<String> {
        let all = || self.macros.keys().chain(new.macros.keys());
        let mut changed: BTreeSet<String> =
            all().filter(|name| self.macros.get(*name) != new.macros.get(*name)).cloned().collect();
        loop {
            let calls = |name: &String| new.macros.get(name).is_some_and(|text| names_one(text, &changed));
            let more: Vec<String> =
                all().filter(|name| !changed.contains(*name) && calls(name)).cloned().collect();
            if more.is_empty() {
                return changed;
            }
            changed.extend(more);
        }
    }

    /// Adds a model.
    fn add(
        &mut self,
        name: &str,
        path: &str,
        (full, growing): (Result<Rendered, RefactorError>, Option<Result<Rendered, RefactorError>>),
        properties: Properties,
        written: &Written,
    ) {
        let stored = written.columns(name).to_vec();
        let model = Model { path: path.to_owned(), full, growing, properties, stored };
        self.models.insert(name.to_owned(), model);
    }
}

/// Whether one of some names stands in a text.
pub fn names_one(text: &str, names: &BTreeSet<String>) -> bool {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| names.contains(word))
}

/// The macros that a project has: its own, in these files, and those of the packages that are installed.
fn own_macros<'f>(
    files: impl Iterator<Item = (&'f String, &'f String)>,
    settings: &Json,
    written: &Written,
    dialect: Dialect,
) -> Macros {
    let mut macros = Macros::new(dialect);
    for (package, text) in &written.macros {
        macros.add(package, text);
    }
    let name = settings.get("name").map(yaml::text).unwrap_or_default();
    for (_, text) in files {
        macros.add_own(&name, text);
    }
    for rule in yaml::list(settings, "dispatch") {
        if let Some(package) = rule.get("macro_namespace").map(yaml::text) {
            macros.search(&package, yaml::list(rule, "search_order").map(yaml::text).collect());
        }
    }
    macros
}

/// The columns of a seed, with their types in the warehouse.
fn typed(columns: Vec<Column>, stored: &[Column]) -> Vec<Column> {
    let typed = |column: Column| {
        let known = stored.iter().find(|known| known.name.eq_ignore_ascii_case(&column.name));
        match known.filter(|known| !known.data_type.is_empty()) {
            Some(known) => Column { data_type: known.data_type.clone(), ..column },
            None => column,
        }
    };
    columns.into_iter().map(typed).collect()
}

/// Variables: those of the project stand under its name, or beside it.
fn variables(vars: &Json, project: Option<&Json>) -> BTreeMap<String, Json> {
    let own = project.and_then(Json::as_str).and_then(|name| vars.get(name));
    let fields = |json: Option<&Json>| json.and_then(Json::as_object).cloned().unwrap_or_default();
    fields(Some(vars)).into_iter().chain(fields(own)).collect()
}

/// A file's name without its ending.
fn stem(path: &str) -> Option<&str> {
    path.rsplit('/').next()?.rsplit_once('.').map(|(stem, _)| stem)
}
