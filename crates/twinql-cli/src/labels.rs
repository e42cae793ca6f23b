//! Labels of a file in place of the pairs' own.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde_json::Value;
use twinql::corpus;
use twinql::files::Lines;

use crate::output::Console;
use twinql::input::id_of;

/// Labels by id, and what became of them.
pub(crate) struct Labels {
    labels: HashMap<String, bool>,
    /// Ids that no pair has had so far.
    unused: HashSet<String>,
    path: PathBuf,
    /// Pairs that got a label, how many of them another than their own, and how many have passed in all.
    given: usize,
    changed: usize,
    pairs: usize,
}

impl Labels {
    /// Reads the file at `path`.
    pub(crate) fn read(path: &Path) -> Result<Labels> {
        let labels = read_labels(path)?;
        Ok(Labels {
            unused: labels.keys().cloned().collect(),
            labels,
            path: path.to_owned(),
            given: 0,
            changed: 0,
            pairs: 0,
        })
    }

    /// Those of the file at `path`, where one is given, for the pairs of the file at `pairs`.
    pub(crate) fn of(path: Option<&Path>, pairs: &Path) -> Result<Option<Labels>> {
        let labels = path.map(Labels::read).transpose()?;
        labels.iter().try_for_each(|labels| labels.check(pairs))?;
        Ok(labels)
    }

    /// Refuses labels of which none is of a pair of the file at `pairs`: better now than after
    /// the hours that its pairs may take. What can be read only once is not looked at.
    fn check(&self, pairs: &Path) -> Result<()> {
        if !pairs.is_file() || self.labels.is_empty() {
            return Ok(());
        }
        let mut number = 0usize;
        for line in Lines::open(pairs)?.filled() {
            let line = line?;
            let draft = line.text().map(corpus::pairs::Draft::from_json).unwrap_or_default();
            if self.labels.contains_key(&id_of(&draft, number)) {
                return Ok(());
            }
            number += 1;
        }
        self.strangers(number)
    }

    /// The error of labels that belong to other pairs.
    fn strangers(&self, pairs: usize) -> Result<()> {
        let (ids, path) = (self.labels.len(), self.path.display());
        bail!("none of the {ids} ids of {path} is an id of the {pairs} pairs")
    }

    /// The label of a pair that has this id: its `own` where the file has none.
    pub(crate) fn of_pair(&mut self, id: &str, own: Option<bool>) -> Option<bool> {
        self.pairs += 1;
        let Some(label) = self.labels.get(id).copied() else { return own };
        self.given += 1;
        self.changed += usize::from(own != Some(label));
        self.unused.remove(id);
        Some(label)
    }

    /// Says how many labels were given, once all pairs have passed.
    pub(crate) fn say(&self, console: Console) -> Result<()> {
        if self.given == 0 && !self.labels.is_empty() {
            self.strangers(self.pairs)?;
        }
        let Labels { path, given, pairs, changed, unused, .. } = self;
        let path = path.display();
        console.say(format!(
            "{path} gives the labels of {given} of {pairs} pairs; {changed} differ from the pair file's"
        ));
        if !unused.is_empty() {
            console.warn(format!("{} ids of {path} are no ids of the pairs", unused.len()));
        }
        Ok(())
    }
}

/// Labels by id, from a JSON object `{"id": 0, …}`; ids are compared as text.
fn read_labels(path: &Path) -> Result<HashMap<String, bool>> {
    let bytes = corpus::io::read_bytes(path)?;
    let what = "give a JSON object of id to label, {\"12\": 1, …}";
    let json: Value =
        serde_json::from_slice(&bytes).with_context(|| format!("{}: {what}", path.display()))?;
    let Value::Object(map) = json else {
        bail!("{}: {what}", path.display());
    };
    map.into_iter()
        .map(|(id, label)| match label_of(&label) {
            Some(label) => Ok((id, label)),
            None => bail!("{}: the label of {id:?} is {label}, not 0 or 1", path.display()),
        })
        .collect()
}

/// 0 or 1, plain or in an object's `label`.
fn label_of(value: &Value) -> Option<bool> {
    match value {
        Value::Object(map) => label_of(map.get("label")?),
        Value::Bool(label) => Some(*label),
        other => match other.as_u64()? {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        },
    }
}
