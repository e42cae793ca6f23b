//! The metrics by name: what `--metric` takes and what the documentation lists.

/// How a metric's scores are to be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScoreKind {
    /// A number in [0, 1] that ranks pairs.
    Continuous,
    /// 0 or 1.
    Binary,
}

/// Where a metric's semantics comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SemanticsOf {
    /// Any that is asked for; its network is told the nearest that its checkpoint was trained for.
    Checkpoint,
    /// Any that is asked for.
    Asked,
    /// Always the preset of this name, whatever is asked for.
    Preset(&'static str),
}

/// A metric's entry in the registry.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MetricInfo {
    /// Which one it is.
    pub id: MetricId,
    /// The name on the command line and in files.
    pub name: &'static str,
    /// One line: what it is.
    pub summary: &'static str,
    /// The publication it follows.
    pub source: &'static str,
    /// How its scores are to be read.
    pub kind: ScoreKind,
    /// Where its semantics comes from.
    pub semantics: SemanticsOf,
    /// The score from which on it calls two queries the same. A checkpoint's own one
    /// takes its place where there is one.
    pub threshold: f64,
}

/// Declares the metrics in the order in which they are listed: the variant that code asks for, and its entry. A line
/// each for its name with how its scores are read, whose semantics it has and from which score on it calls two
/// queries the same; for what it is; and for the publication that it follows.
macro_rules! metrics {
    ($(
        $(#[$doc:meta])*
        $id:ident = $name:literal, $kind:ident, $semantics:ident $(($preset:literal))?, $threshold:literal,
            $summary:literal,
            $source:literal;
    )*) => {
        /// Which metric it is: what code asks for, where people say the name.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum MetricId { $($(#[$doc])* $id,)* }

        /// All metrics, in the order in which they are listed.
        pub const METRICS: &[MetricInfo] = &[$(MetricInfo {
            id: MetricId::$id,
            name: $name,
            summary: $summary,
            source: $source,
            kind: ScoreKind::$kind,
            semantics: SemanticsOf::$semantics $(($preset))?,
            threshold: $threshold,
        },)*];
    };
}

metrics! {
    /// The network alone.
    Gmn = "gmn", Continuous, Checkpoint, 0.5,
        "graph matching network over relational operator trees, and a few rows in memory beside it: a calibrated probability",
        "Zhan et al. 2024, FuncEvalGMN; Li et al. 2019, graph matching networks";
    /// Execution on generated databases.
    Suite = "suite", Binary, Asked, 0.5,
        "built-in test suite: 0 where a generated database separates the queries, else 1",
        "Zhong et al. 2020, test suites for semantic evaluation of text-to-SQL";
    /// Partial matching of two graphs by rules.
    RelPm = "relpm", Continuous, Asked, 1.0,
        "RelPM: share of matching nodes of the two relational operator trees",
        "Zhan et al. 2024, FuncEvalGMN, Appendix A";
    /// Proofs of equality and of difference.
    Proof = "proof", Continuous, Asked, 1.0,
        "1 proved equal on every database, 0 proved different, 0.5 neither",
        "canonical forms; Chandra & Merlin 1977, homomorphisms of conjunctive queries";
    /// Proofs, then the network.
    TwoTier = "two-tier", Continuous, Checkpoint, 0.5,
        "proof, and the network where nothing is proved: a calibrated probability",
        "`proof`, then `gmn`";
    /// Proofs, then execution, then the network.
    ThreeTier = "three-tier", Continuous, Checkpoint, 0.5,
        "proof, then test suite, and the network where no database separates them: a calibrated probability",
        "`proof`, then `suite`, then `gmn`";
    /// Execution on databases as people have them.
    ExpectedEx = "expected-ex", Continuous, Asked, 0.7,
        "expected execution accuracy: the share of plausible databases on which both give the same answer",
        "Zhong et al. 2020 for suites; the regularities of plausible databases are twinql's own";
    /// All that is known of what execution on a real database would say.
    Ex = "ex", Continuous, Checkpoint, 0.5,
        "the probability that execution on a real database calls the prediction right, by proof, suite and expected-ex together",
        "`proof`, `suite`, `expected-ex`, and `gmn` where no database tests the pair; weights by `twinql calibrate`";
    /// The same tokens.
    Exact = "exact", Binary, Asked, 0.5,
        "exact string match: the same tokens, the case of what is not quoted aside",
        "Finegan-Dollak et al. 2018; Yu et al. 2018";
    /// Partial matching of two syntax trees by rules.
    AstPm = "astpm", Continuous, Asked, 1.0,
        "RelPM on syntax trees: share of matching nodes, nothing resolved or planned",
        "Zhan et al. 2024, FuncEvalGMN, Appendix A and Table 1";
    /// Common n-grams of the two texts.
    Bleu = "bleu", Continuous, Asked, 1.0,
        "BLEU of tokens, 1- to 4-grams, smoothed",
        "Papineni et al. 2002; Chen & Cherry 2014, smoothing method 1";
    /// Common n-grams without those that most queries share.
    CrystalBleu = "crystalbleu", Continuous, Asked, 1.0,
        "BLEU without the 500 n-grams that most queries share",
        "Eghbali & Pradel 2022";
    /// Common n-grams, subtrees of the syntax trees and data flow.
    CodeBleu = "codebleu", Continuous, Asked, 1.0,
        "CodeBLEU: mean of BLEU, keyword-weighted BLEU, common subtrees of the syntax trees, common data flow",
        "Ren et al. 2020";
    /// Common n-grams, subtrees of the relational operator trees and data flow.
    CodeBleuRot = "codebleu-rot", Continuous, Asked, 1.0,
        "CodeBLEU with subtrees of the relational operator trees",
        "Ren et al. 2020; Zhan et al. 2024, FuncEvalGMN, section 5.2";
    /// Execution on the users' own databases.
    Execution = "execution", Binary, Asked, 0.5,
        "execution accuracy: both give the same answer on every file of the database (--db)",
        "Yu et al. 2018; Zhong et al. 2020";
    /// BIRD's execution accuracy.
    BirdEx = "bird-ex", Binary, Preset("bird"), 0.5,
        "BIRD's execution accuracy: the same set of rows, columns as given (--db)",
        "Li et al. 2023, BIRD";
    /// BIRD's valid efficiency score.
    Ves = "ves", Continuous, Preset("bird"), 1e-5,
        "BIRD's valid efficiency score, cut at 1: the root of the gold's cost by the prediction's, where that is right (--db)",
        "Li et al. 2023, BIRD";
    /// The reward-based one.
    RVes = "r-ves", Continuous, Preset("bird"), 0.5,
        "BIRD's reward-based valid efficiency score, cut at 1: VES in five classes (--db)",
        "BIRD Mini-Dev 2024";
    /// BIRD's soft F1, as published.
    SoftF1 = "soft-f1", Continuous, Preset("bird"), 1.0,
        "BIRD's soft F1, as published: cells of the gold's answer that the prediction's answer holds (--db)",
        "BIRD Mini-Dev 2024";
    /// BIRD's soft F1 without its faults.
    SoftF1Repaired = "soft-f1:repaired", Continuous, Preset("bird"), 1.0,
        "soft F1 that a repeated column does not raise, and in which rows may stand in any order (--db)",
        "BIRD Mini-Dev 2024; the repairs are twinql's own";
    /// Spider's exact set match, as its script computes it.
    EsmOfficial = "esm:official", Binary, Asked, 0.5,
        "Spider's exact set match as its script computes it, without values, oddities included",
        "Yu et al. 2018; the evaluation script of Zhong et al. 2020";
    /// Exact set match of all clauses, without values.
    Esm = "esm", Binary, Asked, 0.5,
        "exact set match of all clauses, conditions of joins, DISTINCT and LIMIT included; values not compared",
        "Yu et al. 2018, with the gaps closed that Ascoli et al. 2024, Section 3, list";
    /// The same with values.
    EsmValues = "esm:values", Binary, Asked, 0.5,
        "the same with values",
        "Yu et al. 2018; Ascoli et al. 2024, Section 3";
    /// Mean F1 over components.
    Components = "components", Continuous, Asked, 1.0,
        "partial component matching: the mean F1 over the components that either query has",
        "Yu et al. 2018, component matching; Hazoom et al. 2021, its average";
    /// Exact set match up to ESM+'s equivalences.
    EsmPlus = "esm+", Binary, Asked, 0.5,
        "ESM+: exact set match with values, up to twenty equivalences under assumptions that the schema confirms",
        "Ascoli et al. 2024, Table 1 and Appendix A.1, with unsound cases left out";
    /// ESM+ as its script computes it.
    EsmPlusPublished = "esm+:published", Binary, Asked, 0.5,
        "ESM+ as its script computes it, false matches included",
        "Ascoli et al. 2024, the released script";
    /// Equivalence of conjunctive queries by homomorphisms.
    Conjunctive = "conjunctive", Continuous, Asked, 1.0,
        "conjunctive-query equivalence by homomorphism: 1 rows mapped both ways, 0 no mapping, 0.5 not conjunctive",
        "Chandra & Merlin 1977; Chaudhuri & Vardi 1993 for bags; on canonical forms";
}

/// The metric with this name.
pub fn metric(name: &str) -> Option<&'static MetricInfo> {
    METRICS.iter().find(|m| m.name == name)
}

impl MetricId {
    /// Its entry.
    pub fn info(self) -> &'static MetricInfo {
        // Variants and entries are declared together.
        #[allow(clippy::indexing_slicing)]
        &METRICS[self as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_found() {
        for (i, m) in METRICS.iter().enumerate() {
            assert_eq!(metric(m.name), Some(m));
            assert_eq!(m.id.info(), m);
            assert!(METRICS[..i].iter().all(|other| other.name != m.name));
            assert!(!m.summary.is_empty() && !m.source.is_empty());
        }
        assert_eq!(metric("bleu-99"), None);
    }
}
