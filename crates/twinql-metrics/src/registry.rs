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
    /// That of the labels it was trained on, stored in its checkpoint.
    Checkpoint,
    /// Any that is asked for.
    Asked,
    /// Always the preset of this name, whatever is asked for.
    Preset(&'static str),
}

/// Which metric it is: what code asks for, where people say the name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MetricId {
    /// The network alone.
    Gmn,
    /// Execution on generated databases.
    Suite,
    /// Partial matching of two graphs by rules.
    RelPm,
    /// Proofs of equality and of difference.
    Proof,
    /// Proofs, then the network.
    TwoTier,
    /// Proofs, then execution, then the network.
    ThreeTier,
    /// Execution on databases as people have them.
    ExpectedEx,
    /// All that is known of what execution on a real database would say.
    Ex,
    /// The same tokens.
    Exact,
    /// Partial matching of two syntax trees by rules.
    AstPm,
    /// Common n-grams of the two texts.
    Bleu,
    /// Common n-grams without those that most queries share.
    CrystalBleu,
    /// Common n-grams, subtrees of the syntax trees and data flow.
    CodeBleu,
    /// Common n-grams, subtrees of the relational operator trees and data flow.
    CodeBleuRot,
    /// Execution on the users' own databases.
    Execution,
    /// BIRD's execution accuracy.
    BirdEx,
    /// BIRD's valid efficiency score.
    Ves,
    /// The reward-based one.
    RVes,
    /// BIRD's soft F1, as published.
    SoftF1,
    /// BIRD's soft F1 without its faults.
    SoftF1Repaired,
    /// Spider's exact set match, as its script computes it.
    EsmOfficial,
    /// Exact set match of all clauses, without values.
    Esm,
    /// The same with values.
    EsmValues,
    /// Mean F1 over components.
    Components,
    /// Exact set match up to ESM+'s equivalences.
    EsmPlus,
    /// ESM+ as its script computes it.
    EsmPlusPublished,
    /// Equivalence of conjunctive queries by homomorphisms.
    Conjunctive,
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

/// All metrics, in the order in which they are listed.
pub const METRICS: &[MetricInfo] = &[
    MetricInfo {
        id: MetricId::Gmn,
        name: "gmn",
        summary: "graph matching network over relational operator trees, and a few rows in memory beside it: a calibrated probability",
        source: "Zhan et al. 2024, FuncEvalGMN; Li et al. 2019, graph matching networks",
        kind: ScoreKind::Continuous,
        semantics: SemanticsOf::Checkpoint,
        threshold: 0.5,
    },
    MetricInfo {
        id: MetricId::Suite,
        name: "suite",
        summary: "built-in test suite: 0 where a generated database separates the queries, else 1",
        source: "Zhong et al. 2020, test suites for semantic evaluation of text-to-SQL",
        kind: ScoreKind::Binary,
        semantics: SemanticsOf::Asked,
        threshold: 0.5,
    },
    MetricInfo {
        id: MetricId::RelPm,
        name: "relpm",
        summary: "RelPM: share of matching nodes of the two relational operator trees",
        source: "Zhan et al. 2024, FuncEvalGMN, Appendix A",
        kind: ScoreKind::Continuous,
        semantics: SemanticsOf::Asked,
        threshold: 1.0,
    },
    MetricInfo {
        id: MetricId::Proof,
        name: "proof",
        summary: "1 proved equal on every database, 0 proved different, 0.5 neither",
        source: "canonical forms; Chandra & Merlin 1977, homomorphisms of conjunctive queries",
        kind: ScoreKind::Continuous,
        semantics: SemanticsOf::Asked,
        threshold: 1.0,
    },
    MetricInfo {
        id: MetricId::TwoTier,
        name: "two-tier",
        summary: "proof, and the network where nothing is proved: a calibrated probability",
        source: "`proof`, then `gmn`",
        kind: ScoreKind::Continuous,
        semantics: SemanticsOf::Checkpoint,
        threshold: 0.5,
    },
    MetricInfo {
        id: MetricId::ThreeTier,
        name: "three-tier",
        summary: "proof, then test suite, and the network where no database separates them: a calibrated probability",
        source: "`proof`, then `suite`, then `gmn`",
        kind: ScoreKind::Continuous,
        semantics: SemanticsOf::Checkpoint,
        threshold: 0.5,
    },
    MetricInfo {
        id: MetricId::ExpectedEx,
        name: "expected-ex",
        summary: "expected execution accuracy: the share of plausible databases on which both give the same answer",
        source: "Zhong et al. 2020 for suites; the regularities of plausible databases are twinql's own",
        kind: ScoreKind::Continuous,
        semantics: SemanticsOf::Asked,
        threshold: 0.7,
    },
    MetricInfo {
        id: MetricId::Ex,
        name: "ex",
        summary: "the probability that execution on a real database calls the prediction right, by proof, suite and expected-ex together",
        source: "`proof`, `suite`, `expected-ex`, and `gmn` where no database tests the pair; weights by `twinql calibrate`",
        kind: ScoreKind::Continuous,
        semantics: SemanticsOf::Checkpoint,
        threshold: 0.5,
    },
    MetricInfo {
        id: MetricId::Exact,
        name: "exact",
        summary: "exact string match: the same tokens, the case of what is not quoted aside",
        source: "Finegan-Dollak et al. 2018; Yu et al. 2018",
        kind: ScoreKind::Binary,
        semantics: SemanticsOf::Asked,
        threshold: 0.5,
    },
    MetricInfo {
        id: MetricId::AstPm,
        name: "astpm",
        summary: "RelPM on syntax trees: share of matching nodes, nothing resolved or planned",
        source: "Zhan et al. 2024, FuncEvalGMN, Appendix A and Table 1",
        kind: ScoreKind::Continuous,
        semantics: SemanticsOf::Asked,
        threshold: 1.0,
    },
    MetricInfo {
        id: MetricId::Bleu,
        name: "bleu",
        summary: "BLEU of tokens, 1- to 4-grams, smoothed",
        source: "Papineni et al. 2002; Chen & Cherry 2014, smoothing method 1",
        kind: ScoreKind::Continuous,
        semantics: SemanticsOf::Asked,
        threshold: 1.0,
    },
    MetricInfo {
        id: MetricId::CrystalBleu,
        name: "crystalbleu",
        summary: "BLEU without the 500 n-grams that most queries share",
        source: "Eghbali & Pradel 2022",
        kind: ScoreKind::Continuous,
        semantics: SemanticsOf::Asked,
        threshold: 1.0,
    },
    MetricInfo {
        id: MetricId::CodeBleu,
        name: "codebleu",
        summary: "CodeBLEU: mean of BLEU, keyword-weighted BLEU, common subtrees of the syntax trees, common data flow",
        source: "Ren et al. 2020",
        kind: ScoreKind::Continuous,
        semantics: SemanticsOf::Asked,
        threshold: 1.0,
    },
    MetricInfo {
        id: MetricId::CodeBleuRot,
        name: "codebleu-rot",
        summary: "CodeBLEU with subtrees of the relational operator trees",
        source: "Ren et al. 2020; Zhan et al. 2024, FuncEvalGMN, section 5.2",
        kind: ScoreKind::Continuous,
        semantics: SemanticsOf::Asked,
        threshold: 1.0,
    },
    MetricInfo {
        id: MetricId::Execution,
        name: "execution",
        summary: "execution accuracy: both give the same answer on every file of the database (--db)",
        source: "Yu et al. 2018; Zhong et al. 2020",
        kind: ScoreKind::Binary,
        semantics: SemanticsOf::Asked,
        threshold: 0.5,
    },
    MetricInfo {
        id: MetricId::BirdEx,
        name: "bird-ex",
        summary: "BIRD's execution accuracy: the same set of rows, columns as given (--db)",
        source: "Li et al. 2023, BIRD",
        kind: ScoreKind::Binary,
        semantics: SemanticsOf::Preset("bird"),
        threshold: 0.5,
    },
    MetricInfo {
        id: MetricId::Ves,
        name: "ves",
        summary: "BIRD's valid efficiency score, cut at 1: the root of the gold's cost by the prediction's, where that is right (--db)",
        source: "Li et al. 2023, BIRD",
        kind: ScoreKind::Continuous,
        semantics: SemanticsOf::Preset("bird"),
        threshold: 1e-5,
    },
    MetricInfo {
        id: MetricId::RVes,
        name: "r-ves",
        summary: "BIRD's reward-based valid efficiency score, cut at 1: VES in five classes (--db)",
        source: "BIRD Mini-Dev 2024",
        kind: ScoreKind::Continuous,
        semantics: SemanticsOf::Preset("bird"),
        threshold: 0.5,
    },
    MetricInfo {
        id: MetricId::SoftF1,
        name: "soft-f1",
        summary: "BIRD's soft F1, as published: cells of the gold's answer that the prediction's answer holds (--db)",
        source: "BIRD Mini-Dev 2024",
        kind: ScoreKind::Continuous,
        semantics: SemanticsOf::Preset("bird"),
        threshold: 1.0,
    },
    MetricInfo {
        id: MetricId::SoftF1Repaired,
        name: "soft-f1:repaired",
        summary: "soft F1 that a repeated column does not raise, and in which rows may stand in any order (--db)",
        source: "BIRD Mini-Dev 2024; the repairs are twinql's own",
        kind: ScoreKind::Continuous,
        semantics: SemanticsOf::Preset("bird"),
        threshold: 1.0,
    },
    MetricInfo {
        id: MetricId::EsmOfficial,
        name: "esm:official",
        summary: "Spider's exact set match as its script computes it, without values, oddities included",
        source: "Yu et al. 2018; the evaluation script of Zhong et al. 2020",
        kind: ScoreKind::Binary,
        semantics: SemanticsOf::Asked,
        threshold: 0.5,
    },
    MetricInfo {
        id: MetricId::Esm,
        name: "esm",
        summary: "exact set match of all clauses, conditions of joins, DISTINCT and LIMIT included; values not compared",
        source: "Yu et al. 2018, with the gaps closed that Ascoli et al. 2024, Section 3, list",
        kind: ScoreKind::Binary,
        semantics: SemanticsOf::Asked,
        threshold: 0.5,
    },
    MetricInfo {
        id: MetricId::EsmValues,
        name: "esm:values",
        summary: "the same with values",
        source: "Yu et al. 2018; Ascoli et al. 2024, Section 3",
        kind: ScoreKind::Binary,
        semantics: SemanticsOf::Asked,
        threshold: 0.5,
    },
    MetricInfo {
        id: MetricId::Components,
        name: "components",
        summary: "partial component matching: the mean F1 over the components that either query has",
        source: "Yu et al. 2018, component matching; Hazoom et al. 2021, its average",
        kind: ScoreKind::Continuous,
        semantics: SemanticsOf::Asked,
        threshold: 1.0,
    },
    MetricInfo {
        id: MetricId::EsmPlus,
        name: "esm+",
        summary: "ESM+: exact set match with values, up to twenty equivalences under assumptions that the schema confirms",
        source: "Ascoli et al. 2024, Table 1 and Appendix A.1, with unsound cases left out",
        kind: ScoreKind::Binary,
        semantics: SemanticsOf::Asked,
        threshold: 0.5,
    },
    MetricInfo {
        id: MetricId::EsmPlusPublished,
        name: "esm+:published",
        summary: "ESM+ as its script computes it, false matches included",
        source: "Ascoli et al. 2024, the released script",
        kind: ScoreKind::Binary,
        semantics: SemanticsOf::Asked,
        threshold: 0.5,
    },
    MetricInfo {
        id: MetricId::Conjunctive,
        name: "conjunctive",
        summary: "conjunctive-query equivalence by homomorphism: 1 rows mapped both ways, 0 no mapping, 0.5 not conjunctive",
        source: "Chandra & Merlin 1977; Chaudhuri & Vardi 1993 for bags; on canonical forms",
        kind: ScoreKind::Continuous,
        semantics: SemanticsOf::Asked,
        threshold: 1.0,
    },
];

/// The metric with this name.
pub fn metric(name: &str) -> Option<&'static MetricInfo> {
    METRICS.iter().find(|m| m.name == name)
}

impl MetricId {
    /// Its entry.
    pub fn info(self) -> &'static MetricInfo {
        // Whoever adds a metric lists it as well: a test holds the two together.
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
