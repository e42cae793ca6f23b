//! What dbt has written beside a project: installed packages, and what it made of the project when it last ran.
//!
//! [`manifest.json`](https://docs.getdbt.com/reference/artifacts/manifest-json) has the SQL that dbt compiled, and what packages say of
//! their tables; [`catalog.json`](https://docs.getdbt.com/reference/artifacts/catalog-json) the columns that tables have in the
//! warehouse. Both are of some moment. So the project's own files are believed first, and compiled SQL only where all that it was
//! compiled from is what it is now.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value as Json, json};
use twinql::files::read_bounded;

use crate::jinja::without_blocks;
use crate::properties::{Column, limited};
use crate::tables::referring;
use crate::templates::Rendered;
use crate::tree::{self, Tree};
use crate::yaml;

/// MiB of a manifest or a catalog.
const MAX_MIB: u64 = 1024;

/// The first version of manifests that is read, of dbt 1.6.
const FIRST_MANIFEST: u32 = 10;

/// Nodes that a compiled one may stand on by ephemeral models.
const DEPTH: usize = 50;

/// What dbt has written beside a project; nothing where it has not run.
#[derive(Debug, Clone, Default)]
pub struct Written {
    /// Files of macros by their packages.
    pub(crate) macros: Vec<(String, String)>,
    manifest: Manifest,
    /// The columns of tables in the warehouse: of sources as `source.table`.
    catalog: BTreeMap<String, Vec<Column>>,
    /// The models of the manifest, by their files.
    by_file: BTreeMap<String, String>,
    /// Tests that fail no run: the node, the column and the test.
    weak: BTreeSet<(String, Option<String>, String)>,
    /// What the project is called.
    project: String,
    /// Its variables, which its SQL was compiled with.
    vars: Json,
    /// Files that were left out, and why.
    pub notes: Vec<String>,
}

/// A manifest, as far as it is of use here: <https://schemas.getdbt.com/dbt/manifest/v12/index.html>.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
struct Manifest {
    metadata: Metadata,
    nodes: BTreeMap<String, Node>,
    sources: BTreeMap<String, Node>,
    macros: BTreeMap<String, Node>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
struct Metadata {
    dbt_schema_version: Option<String>,
}

/// A model, seed, snapshot, source, test or macro.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
struct Node {
    resource_type: Option<String>,
    package_name: Option<String>,
    name: Option<String>,
    source_name: Option<String>,
    original_file_path: Option<String>,
    raw_code: Option<String>,
    compiled_code: Option<String>,
    macro_sql: Option<String>,
    relation_name: Option<String>,
    columns: Option<Map<String, Json>>,
    constraints: Json,
    config: Json,
    depends_on: Depends,
    test_metadata: Option<Test>,
    attached_node: Option<String>,
    column_name: Option<String>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
struct Depends {
    nodes: Vec<String>,
    macros: Vec<String>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
struct Test {
    name: String,
    kwargs: Json,
}

/// A catalog: <https://schemas.getdbt.com/dbt/catalog/v1.json>.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Stored {
    nodes: BTreeMap<String, StoredTable>,
    sources: BTreeMap<String, StoredTable>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct StoredTable {
    columns: BTreeMap<String, StoredColumn>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct StoredColumn {
    name: String,
    #[serde(rename = "type")]
    data_type: Option<String>,
    index: i64,
}

/// A model of a package, as dbt compiled it; none of one that it did not.
pub(crate) struct OfPackage {
    pub(crate) name: String,
    pub(crate) path: String,
    pub(crate) sql: Option<Rendered>,
}

impl Written {
    /// What dbt has written in the folder of a project, whose files are these.
    pub fn of(folder: &Path, tree: &Tree) -> Written {
        let settings = yaml::settings(tree);
        let at = |field: &str, usual: &str| {
            folder.join(settings.get(field).map_or_else(|| usual.to_owned(), yaml::text))
        };
        let mut written = Written {
            project: settings.get("name").map(yaml::text).unwrap_or_default(),
            vars: settings.get("vars").cloned().unwrap_or_default(),
            macros: macros(&at("packages-install-path", "dbt_packages")),
            ..Written::default()
        };
        let target = at("target-path", "target");
        if let Some(manifest) = written.read::<Manifest>(&target.join("manifest.json")) {
            written.manifest = manifest;
            written.look_up();
        }
        if let Some(stored) = written.read::<Stored>(&target.join("catalog.json")) {
            let tables = stored.nodes.into_iter().chain(stored.sources);
            written.catalog =
                tables.filter_map(|(id, table)| Some((reference(&id)?, table.columns()))).collect();
        }
        written
    }

    /// Reads a file that dbt may have written. The project can be read without: so a broken one is left out.
    fn read<T: DeserializeOwned>(&mut self, path: &Path) -> Option<T> {
        if !path.exists() {
            return None;
        }
        let read = || -> Result<T, String> {
            let bytes = read_bounded(path, MAX_MIB, "what dbt writes").map_err(|error| error.to_string())?;
            let json: Head = serde_json::from_slice(&bytes).map_err(|error| error.to_string())?;
            if let Some(version) = json.manifest_version().filter(|version| *version < FIRST_MANIFEST) {
                return Err(format!("a manifest of version {version}; those of dbt 1.6 and later are read"));
            }
            serde_json::from_slice(&bytes).map_err(|error| error.to_string())
        };
        read()
            .map_err(|why| {
                let path = path.display();
                self.notes.push(format!("{path}: {why}; left out: run dbt again, or remove the file"));
            })
            .ok()
    }

    /// Notes what is looked up in the manifest.
    fn look_up(&mut self) {
        for node in self.manifest.nodes.values_mut().chain(self.manifest.macros.values_mut()) {
            // As Windows writes it.
            node.original_file_path = node.original_file_path.take().map(|path| path.replace('\\', "/"));
            // Older manifests do not name the table of a test.
            if let ([table], None, Some(_)) =
                (&node.depends_on.nodes[..], &node.attached_node, &node.test_metadata)
            {
                node.attached_node = Some(table.clone());
            }
        }
        for (id, node) in &self.manifest.nodes {
            if let Some(path) =
                node.original_file_path.as_ref().filter(|_| node.has_rows() && self.is_own(node))
            {
                self.by_file.insert(path.clone(), id.clone());
            }
            let of = node.attached_node.as_deref().and_then(reference).zip(node.test_metadata.as_ref());
            if let Some((of, test)) = of.filter(|_| limited(&node.config)) {
                self.weak.insert((of, node.column_name.clone(), test.name.clone()));
            }
        }
    }

    /// The columns of a table in the warehouse, in their order.
    pub(crate) fn columns(&self, reference: &str) -> &[Column] {
        self.catalog.get(reference).map_or(&[], Vec::as_slice)
    }

    /// The SQL that dbt made of a file of the project, whose files and variables are these; an error says that it is of another
    /// version.
    pub(crate) fn compiled(
        &self,
        path: &str,
        tree: &Tree,
        vars: Option<&Json>,
    ) -> Option<Result<Rendered, ()>> {
        let node = self.manifest.nodes.get(self.by_file.get(path)?)?;
        let code = node.compiled_code.as_deref()?;
        let current = *vars.unwrap_or(&Json::Null) == self.vars && self.is_current(node, tree, 0);
        Some(if current { Ok(self.rendered(node, code)) } else { Err(()) })
    }

    /// Whether a node, and all that goes into its SQL, are what dbt compiled.
    fn is_current(&self, node: &Node, tree: &Tree, depth: usize) -> bool {
        let file = node.original_file_path.as_ref().and_then(|path| tree.get(path));
        let same = !self.is_own(node)
            || file
                .zip(node.raw_code.as_ref())
                .is_some_and(|(file, raw)| without_blocks(file).trim() == raw.trim());
        let mut seen = Vec::new();
        let mut open: Vec<&String> = node.depends_on.macros.iter().collect();
        while let Some(id) = open.pop() {
            if !seen.contains(&id) {
                seen.push(id);
                open.extend(
                    self.manifest.macros.get(id).into_iter().flat_map(|node| &node.depends_on.macros),
                );
            }
        }
        let macros = seen.into_iter().filter_map(|id| self.manifest.macros.get(id));
        let ephemeral =
            |node: &&Node| node.config.get("materialized").and_then(Json::as_str) == Some("ephemeral");
        let mut inlined =
            node.depends_on.nodes.iter().filter_map(|id| self.manifest.nodes.get(id)).filter(ephemeral);
        same && depth < DEPTH
            && macros.into_iter().all(|known| self.has_macro(known, tree))
            && inlined.all(|node| self.is_current(node, tree, depth + 1))
    }

    /// Whether a macro is still what it was; of dbt's own, and of a package that is not installed here, nothing else is known.
    fn has_macro(&self, node: &Node, tree: &Tree) -> bool {
        let text = node.macro_sql.as_deref().unwrap_or("").trim();
        if self.is_own(node) {
            let file = node.original_file_path.as_ref().and_then(|path| tree.get(path));
            return file.is_some_and(|file| file.contains(text));
        }
        let mut files =
            self.macros.iter().filter(|(package, _)| Some(package) == node.package_name.as_ref()).peekable();
        files.peek().is_none() || files.any(|(_, file)| file.contains(text))
    }

    fn is_own(&self, node: &Node) -> bool {
        node.package_name.as_ref() == Some(&self.project)
    }

    /// Compiled SQL with references for the tables that they became.
    fn rendered(&self, node: &Node, code: &str) -> Rendered {
        let nodes = node.depends_on.nodes.iter().filter_map(|id| {
            let of = self.manifest.nodes.get(id).or_else(|| self.manifest.sources.get(id))?;
            Some((of.relation_name.clone()?, reference(id)?))
        });
        let this = node.relation_name.clone().zip(node.name.clone());
        let tables: Vec<(String, String)> = nodes.chain(this).collect();
        Rendered { sql: referring(code, &tables), incremental: false, compiled: true }
    }

    /// Models, seeds and snapshots of packages.
    pub(crate) fn of_packages(&self) -> impl Iterator<Item = OfPackage> {
        let foreign = |node: &&Node| node.has_rows() && !self.is_own(node);
        self.manifest.nodes.values().filter(foreign).filter_map(|node| {
            let package = node.package_name.as_deref().unwrap_or("");
            let path = node.original_file_path.as_deref().unwrap_or("");
            Some(OfPackage {
                name: node.name.clone()?,
                path: format!("dbt_packages/{package}/{path}"),
                sql: node.compiled_code.as_deref().map(|code| self.rendered(node, code)),
            })
        })
    }

    /// What the manifest says of the tables of packages, as their YAML would: the project's own is read itself.
    pub(crate) fn said(&self) -> Json {
        let mut kinds: BTreeMap<&str, Vec<Json>> = BTreeMap::new();
        let mut sources: BTreeMap<&str, Vec<Json>> = BTreeMap::new();
        let tests = self.tests();
        for (id, node) in self.manifest.nodes.iter().chain(&self.manifest.sources) {
            if self.is_own(node) {
                continue;
            }
            let entry = node.entry(tests.get(id.as_str()).map_or(&[], Vec::as_slice));
            match (node.resource_type.as_deref(), node.source_name.as_deref()) {
                (Some("model"), _) => kinds.entry("models").or_default().push(entry),
                (Some("seed"), _) => kinds.entry("seeds").or_default().push(entry),
                (Some("snapshot"), _) => kinds.entry("snapshots").or_default().push(entry),
                (Some("source"), Some(source)) => sources.entry(source).or_default().push(entry),
                _ => {}
            }
        }
        let sources: Vec<Json> =
            sources.into_iter().map(|(name, tables)| json!({"name": name, "tables": tables})).collect();
        let mut said = json!({"sources": sources});
        for (kind, entries) in kinds {
            said[kind] = Json::from(entries);
        }
        said
    }

    /// Tests by the nodes that they are of.
    fn tests(&self) -> BTreeMap<&str, Vec<&Node>> {
        let mut tests: BTreeMap<&str, Vec<&Node>> = BTreeMap::new();
        for node in self.manifest.nodes.values() {
            if let Some(of) = node.attached_node.as_deref().filter(|_| node.test_metadata.is_some()) {
                tests.entry(of).or_default().push(node);
            }
        }
        tests
    }

    /// Whether a test, which a file writes, fails no run: its severity or its condition may stand in `dbt_project.yml`.
    pub(crate) fn is_weak(&self, of: &str, column: Option<&str>, test: &str) -> bool {
        self.weak.contains(&(of.to_owned(), column.map(str::to_owned), test.to_owned()))
    }
}

/// The head of a file of dbt.
#[derive(Deserialize)]
struct Head {
    #[serde(default)]
    metadata: Metadata,
}

impl Head {
    /// `10` of `https://schemas.getdbt.com/dbt/manifest/v10.json`.
    fn manifest_version(&self) -> Option<u32> {
        let (_, version) = self.metadata.dbt_schema_version.as_deref()?.split_once("/manifest/v")?;
        version.split('.').next()?.parse().ok()
    }
}

impl Node {
    /// Whether it makes a table.
    fn has_rows(&self) -> bool {
        matches!(self.resource_type.as_deref(), Some("model" | "seed" | "snapshot"))
    }

    /// What a file of properties would say of it.
    fn entry(&self, tests: &[&Node]) -> Json {
        let test = |node: &&Node| {
            let test = node.test_metadata.as_ref()?;
            let mut arguments = test.kwargs.clone();
            arguments.as_object_mut()?.insert("config".to_owned(), node.config.clone());
            Some(json!({test.name.clone(): arguments}))
        };
        let of = |column: Option<&str>| -> Vec<Json> {
            tests.iter().filter(|test| test.column_name.as_deref() == column).filter_map(test).collect()
        };
        let columns = self.columns.iter().flatten().map(|(name, column)| {
            let mut column = column.clone();
            if let Some(fields) = column.as_object_mut() {
                fields.insert("tests".to_owned(), Json::from(of(Some(name))));
            }
            column
        });
        json!({
            "name": self.name,
            "columns": columns.collect::<Vec<Json>>(),
            "constraints": self.constraints,
            "config": self.config,
            "tests": of(None),
        })
    }
}

impl StoredTable {
    fn columns(self) -> Vec<Column> {
        let mut columns: Vec<StoredColumn> = self.columns.into_values().collect();
        columns.sort_by_key(|column| column.index);
        let column = |column: StoredColumn| Column {
            name: column.name,
            data_type: column.data_type.unwrap_or_default(),
            ..Column::default()
        };
        columns.into_iter().map(column).collect()
    }
}

/// `orders` of `model.shop.orders`, `raw.orders` of `source.shop.raw.orders`.
fn reference(id: &str) -> Option<String> {
    let (kind, rest) = id.split_once('.')?;
    let (_, name) = rest.split_once('.')?;
    match kind {
        "source" => Some(name.to_owned()),
        "model" | "seed" | "snapshot" => Some(name.split('.').next()?.to_owned()),
        _ => None,
    }
}

/// The files of macros of installed packages, by what the packages call themselves.
fn macros(folder: &Path) -> Vec<(String, String)> {
    // None is installed where there is no folder.
    let tree = tree::of_folder(folder).unwrap_or_default();
    let of = |(path, text): (&String, &String)| {
        let (package, below) = path.split_once('/')?;
        let settings =
            tree.get(&format!("{package}/dbt_project.yml")).and_then(|text| yaml::parse(text).ok())?;
        let paths: Vec<String> = yaml::list(&settings, "macro-paths").map(yaml::text).collect();
        let paths = if paths.is_empty() { vec!["macros".to_owned()] } else { paths };
        let within =
            paths.iter().any(|path| below.strip_prefix(path.as_str()).is_some_and(|b| b.starts_with('/')));
        let name = settings.get("name").map_or_else(|| package.to_owned(), yaml::text);
        (within && below.ends_with(".sql")).then(|| (name, text.clone()))
    };
    tree.iter().filter_map(of).collect()
}
