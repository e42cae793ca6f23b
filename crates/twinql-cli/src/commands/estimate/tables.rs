//! Estimates as text tables.

use twinql::estimates::{Assumed, Contest, Estimated};

use super::Found;
use crate::output::table;

/// More systems than this are compared with their neighbours in rank only: a grid would not fit a terminal.
const GRID: usize = 8;

impl Found {
    /// All tables, and what they are over.
    pub(super) fn text(&self) -> String {
        let mut ranked: Vec<&Estimated> = self.found.systems.iter().collect();
        ranked.sort_by(|a, b| b.estimate.total_cmp(&a.estimate));
        let percent = self.how.level * 100.0;
        let mut out = format!(
            "Execution accuracy, estimated without databases ({percent:.0} % intervals; best first)\n"
        );
        let header = ["system", "estimate", "from", "to", "golds", "untested", "failed"];
        let mut rows = vec![header.map(str::to_owned).to_vec()];
        for s in &ranked {
            let figures = [s.estimate, s.low, s.high].map(|x| format!("{x:.3}"));
            let counts = [s.golds, s.untested, s.failed].map(|n| n.to_string());
            rows.push([s.system.clone()].into_iter().chain(figures).chain(counts).collect());
        }
        out.push_str(&table(&rows));
        if ranked.len() > 1 {
            out.push_str("\nDifferences\n");
            out.push_str(&self.contests(&ranked));
            out.push_str("p: how likely a difference of another sign is, doubled; adjusted for all pairs of systems (Holm)\n");
        }
        let assumed = match self.assumed {
            Assumed::AsFitted => {
                "\ntaken to be right: as many as of the predictions that ex was fitted to\n".to_owned()
            }
            Assumed::Share(p) => format!("\ntaken to be right: {p} of the predictions\n"),
            Assumed::Batch => "\ntaken to be right: as many as the scores of each system say\n".to_owned(),
        };
        out + &assumed + &self.signature + "\n"
    }

    /// Each two systems, the better first; of many systems, neighbours in rank.
    fn contests(&self, ranked: &[&Estimated]) -> String {
        let header = ["better", "worse", "difference", "from", "to", "p"];
        let mut rows = vec![header.map(str::to_owned).to_vec()];
        for (place, better) in ranked.iter().enumerate() {
            for (further, worse) in ranked.iter().enumerate().skip(place + 1) {
                if ranked.len() > GRID && further > place + 1 {
                    break;
                }
                let found = self.found.contests.iter().find_map(|c| turned(c, &better.system, &worse.system));
                let Some((difference, low, high, p)) = found else { continue };
                let figures = [difference, low, high].map(|x| format!("{x:+.3}"));
                let names = [better.system.clone(), worse.system.clone()];
                rows.push(names.into_iter().chain(figures).chain([format!("{p:.4}")]).collect());
            }
        }
        table(&rows)
    }
}

/// The difference of these two, with its interval and p, if the contest is theirs.
fn turned(d: &Contest, better: &str, worse: &str) -> Option<(f64, f64, f64, f64)> {
    if d.first == better && d.second == worse {
        Some((d.difference, d.low, d.high, d.p_adjusted))
    } else if d.first == worse && d.second == better {
        Some((-d.difference, -d.high, -d.low, d.p_adjusted))
    } else {
        None
    }
}
