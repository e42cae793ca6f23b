//! The bundled data.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use twinql_sql::Schema;

/// Its folder.
pub(crate) fn data() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data")
}

/// The schemas by their names.
pub(crate) fn schemas() -> BTreeMap<String, Schema> {
    let files = std::fs::read_dir(data().join("schemas")).unwrap();
    let read = |path: &Path| {
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let schema = Schema::from_ddl(&name, &std::fs::read_to_string(path).unwrap()).unwrap();
        (name, schema)
    };
    files.map(|file| read(&file.unwrap().path())).collect()
}

/// The golds with the names of their schemas.
pub(crate) fn golds() -> Vec<(String, String)> {
    let text = std::fs::read_to_string(data().join("gold.tsv")).unwrap();
    let golds = text.lines().map(|line| line.rsplit_once('\t').unwrap());
    golds.map(|(gold, name)| (gold.to_owned(), name.to_owned())).collect()
}
