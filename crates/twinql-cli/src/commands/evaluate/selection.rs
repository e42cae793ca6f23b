//! Which pairs of a file are evaluated: those of a split, with a label.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Result, bail};
use twinql::Work;
use twinql::input::Schemas;

use crate::input::{Item, PairItems, Pairs};
use crate::labels::Labels;
use crate::output::Console;

/// What passes, and what became of the rest.
pub(crate) struct Selection {
    /// Where a split is asked for, pairs of others are left out, and pairs of none.
    split: Option<String>,
    labels: Option<Labels>,
    /// Pairs of the split.
    all: usize,
    labelled: usize,
    /// Why the first of those without a label cannot be used.
    unread: Option<String>,
}

impl Selection {
    /// The pairs of a file that are evaluated, and the counts, which are complete when they end.
    pub(crate) fn of(
        pairs: &Path,
        schemas: Schemas,
        split: Option<String>,
        labels: Option<Labels>,
    ) -> Result<(Pairs, Arc<Mutex<Selection>>)> {
        let items = PairItems::open(pairs, schemas, false)?;
        let selection = Arc::new(Mutex::new(Selection { split, labels, all: 0, labelled: 0, unread: None }));
        let own = Arc::clone(&selection);
        let chosen = items.filter_map(move |item| match item {
            Ok(item) => own.lock().unwrap_or_else(PoisonError::into_inner).choose(item).map(Ok),
            Err(error) => Some(Err(error)),
        });
        let pairs = Pairs::of(Box::new(chosen), None);
        Ok((pairs, selection))
    }

    /// The item with its label, if it is of the split and has one; counts what it leaves out.
    fn choose(&mut self, mut item: Item) -> Option<Item> {
        if self.split.is_some() && item.about.split != self.split {
            return None;
        }
        self.all += 1;
        if let Some(labels) = &mut self.labels {
            item.about.label = labels.of_pair(&item.about.id_text(&item.job.id), item.about.label);
        }
        if item.about.label.is_some() {
            self.labelled += 1;
            return Some(item);
        }
        if let Work::Unusable { error, .. } = &item.job.work {
            self.unread.get_or_insert_with(|| error.clone());
        }
        None
    }

    /// Says what was left out.
    pub(crate) fn say(&self, path: &Path, console: Console) -> Result<()> {
        let (path, all) = (path.display(), self.all);
        if let (Some(split), 0) = (&self.split, self.all) {
            bail!("{path}: no pair has split {split:?}");
        }
        if let Some(labels) = &self.labels {
            labels.say(console)?;
        }
        if self.labelled == 0 {
            bail!(
                "{path}: none of the {all} pairs has a label; give `label` 0 or 1 in each line, or --labels FILE"
            );
        }
        if self.labelled < all {
            let without = all - self.labelled;
            console.warn(format!("{without} of {all} pairs have no label and are left out"));
            if let Some(error) = &self.unread {
                console.warn(format!("the first that cannot be used: {error}"));
            }
        }
        Ok(())
    }
}
