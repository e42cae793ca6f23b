//! docs/reference/python.md: the functions and classes of the Python package, with every argument and its default.

use super::tables::written_from;
use super::{Page, root};

/// The files of the package that users call into, below `python/python/twinql`, and where their names are imported from.
const FILES: [(&str, &str); 6] = [
    ("_scorer.py", "twinql"),
    ("_functions.py", "twinql"),
    ("_rerank.py", "twinql"),
    ("rewards/_rewarder.py", "twinql.rewards"),
    ("testing.py", "twinql.testing"),
    ("scale.py", "twinql.scale"),
];

/// The page.
pub(super) fn page() -> Result<Page, Box<dyn std::error::Error>> {
    let mut text = format!("# Python signatures\n\n{}\n", written_from("the package's sources"));
    text += "Every argument with its default. [The Python page](../python.md) shows them at work.\n";
    let mut module = "";
    for (file, of) in FILES {
        if module != of {
            module = of;
            text += &format!("\n## {module}\n");
        }
        let path = root().join("python/python/twinql").join(file);
        let source = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        let signatures = signatures(&source);
        if signatures.is_empty() {
            return Err(format!("{}: it defines nothing public", path.display()).into());
        }
        text += &format!("\n```python\n{}```\n", signatures.join("\n"));
    }
    Ok(Page { path: "docs/reference/python.md".into(), text })
}

/// The signatures of public functions, classes and methods, as the source has them.
fn signatures(source: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut class_is_public = false;
    let mut lines = source.lines();
    while let Some(line) = lines.next() {
        let within = line.starts_with("    ");
        let bare = line.trim_start();
        if let Some(name) = line.strip_prefix("class ") {
            class_is_public = !name.starts_with('_');
            if class_is_public {
                found.push(format!("{line}\n"));
            }
        } else if !within && line.starts_with("def ") {
            class_is_public = false;
        }
        let deep = line.starts_with("     ");
        let Some(name) = bare.strip_prefix("def ").filter(|_| !deep) else { continue };
        if (within && !class_is_public) || (name.starts_with('_') && !name.starts_with("__init__")) {
            continue;
        }
        // To the colon that ends it, which may stand lines below.
        let mut signature = format!("{line}\n");
        let mut last = line;
        while !last.trim_end().ends_with(':') {
            let Some(next) = lines.next() else { break };
            signature += &format!("{next}\n");
            last = next;
        }
        let open = signature.trim_end().trim_end_matches(':').len();
        signature.truncate(open);
        found.push(signature + ": ...\n");
    }
    found
}
