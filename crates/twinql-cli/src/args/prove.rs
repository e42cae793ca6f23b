//! `twinql prove`, as typed.

use clap::Args;

use super::shared::{BatchFlags, Input, LabelsFlag, Output, RunFlags, SemanticsFlag};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  twinql prove --schemas school.sql 'SELECT COUNT(*) FROM t' 'SELECT COUNT(id) FROM t'
  twinql prove --pairs pairs.jsonl --schemas tables.json --semantics no-fk > proofs.jsonl
  twinql prove --gold gold.sql --pred pred.txt --schemas tables.json --format text
  twinql prove --schemas shop.sql --without 'unique(customer.email)' 'SELECT DISTINCT email FROM customer' \
    'SELECT email FROM customer'

equal: the same answer on every database, with the rules, the assumptions needed and a certificate;
different: a database of the semantics tells the two apart, with the argument;
unknown: neither is proved, with what still differs. The judge then looks for a database that tells the
two apart, and it is shown with both answers; the proof stays unknown. --no-witness leaves that out.
--steps shows a proof of equality as a walk from one query to the other, of which each step is one rule's.
Where pairs have labels, what is proved is counted against them, and the ids of proofs that
contradict a label are listed: one of the two is wrong.")]
pub(crate) struct Prove {
    /// The gold query and the prediction of a single pair
    #[arg(value_names = ["GOLD", "PRED"], num_args = 2, conflicts_with_all = ["pairs", "gold", "pred", "gold_sql", "pred_sql"])]
    pub(crate) queries: Vec<String>,
    #[command(flatten)]
    pub(crate) input: Input,
    #[command(flatten)]
    pub(crate) semantics: SemanticsFlag,
    /// Prove without a statement of the schema, by the name that proofs give it: unique(orders.id), not_null(orders.total)
    /// (repeatable)
    #[arg(long, value_name = "NAME")]
    pub(crate) without: Vec<String>,
    /// Write each proof of equality as steps from the gold to the prediction, which `twinql verify` checks
    #[arg(long)]
    pub(crate) steps: bool,
    #[command(flatten)]
    pub(crate) labels: LabelsFlag,
    /// Databases on which the judge looks for a difference where nothing is proved
    #[arg(long, value_name = "N", default_value_t = 30)]
    pub(crate) databases: usize,
    /// Execute nothing: proofs alone
    #[arg(long)]
    pub(crate) no_witness: bool,
    #[command(flatten)]
    pub(crate) run: RunFlags,
    #[command(flatten)]
    pub(crate) output: Output,
    #[command(flatten)]
    pub(crate) batch: BatchFlags,
}
