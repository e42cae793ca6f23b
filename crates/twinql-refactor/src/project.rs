//! A dbt project: its models, sources, seeds and snapshots, and what it says of their columns.
//!
//! What is read, and where it is described: [properties](https://docs.getdbt.com/reference/configs-and-properties),
//! [tests](https://docs.getdbt.com/docs/build/data-tests), [constraints](https://docs.getdbt.com/reference/resource-properties/constraints),
//! [seeds](https://docs.getdbt.com/docs/build/seeds), [snapshots](https://docs.getdbt.com/docs/build/snapshots).

use std::collections::BTreeMap;

use serde_json::Value as Json;

use crate::RefactorError;
use crate::properties::{Properties, Relations};
use crate::seeds;
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
}

/// A table that no model makes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    /// The source that it is part of; none for a seed.
    pub source: Option<String>,
    /// Its name.
    pub name: String,
    /// What is said of its columns.
    pub properties: Properties,
}

impl Project {
    /// Reads a project from its files.
    ///
    /// # Errors
    /// There is no `dbt_project.yml`, or it is no YAML.
    pub fn read(tree: &Tree) -> Result<Project, RefactorError> {
        let text = ["dbt_project.yml", "dbt_project.yaml"].iter().find_map(|name| tree.get(*name));
        let settings = yaml::parse(text.ok_or(RefactorError::NoProject)?)
            .map_err(|error| RefactorError::Yaml("dbt_project.yml".to_owned(), error))?;
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
                    Ok(read) => said.add(&read),
                    Err(error) => project.notes.push(format!("{path}: {error}")),
                }
            }
        }
        let vars = settings.get("vars").map(|vars| variables(vars, settings.get("name"))).unwrap_or_default();
        let files: Vec<&str> = tree
            .iter()
            .filter(|(path, _)| path.ends_with(".sql") && below(path, &macros))
            .map(|(_, text)| text.as_str())
            .collect();
        let templates = Templates::new(vars, &files);
        for (path, text) in tree {
            let Some(name) = stem(path) else { continue };
            if path.ends_with(".sql") && (below(path, &models) || below(path, &snapshots)) {
                let full = templates.render(name, text, false);
                let grows = matches!(&full, Ok(rendered) if rendered.incremental);
                let growing = grows.then(|| templates.render(name, text, true));
                let properties = said.take(name);
                project
                    .models
                    .insert(name.to_owned(), Model { path: path.clone(), full, growing, properties });
            } else if path.ends_with(".csv") && below(path, &seeds) {
                let mut properties = said.take(name);
                properties.complete(seeds::columns(text));
                project.tables.push(Table { source: None, name: name.to_owned(), properties });
            }
        }
        project.tables.extend(said.sources);
        Ok(project)
    }
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
