//! The audit of one query after another over a schema.

use twinql_sql::{Dialect, Schema, Semantics, SqlError, in_sqlite, parse_in, plan_with_spans};
use twinql_suite::{ExecError, Limits, Sandbox};

use crate::asked::Asked;
use crate::check::{Apply, Check, Finding, Sink};
use crate::checks::{self, CHECKS};
use crate::finding::Severity;
use crate::gold::{Gold, lenient_schema, strict_schema};
use crate::text::Text;
use crate::witness::{Search, Sought};

/// How far a query was understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Status {
    /// All checks looked at it.
    Audited,
    /// SQLite refuses it: the finding says why.
    Refused,
    /// SQLite takes it and the planner does not: nothing beyond that was looked at.
    NotUnderstood(String),
}

impl Status {
    /// Its name in records.
    pub fn name(&self) -> &'static str {
        match self {
            Status::Audited => "audited",
            Status::Refused => "refused",
            Status::NotUnderstood(_) => "not_understood",
        }
    }
}

/// What is said of one query.
#[derive(Debug, Clone)]
pub struct Audit {
    /// How far it was understood.
    pub status: Status,
    /// The text that places refer to: the query, after what was repaired in it.
    pub text: String,
    /// What was found, in the order of the text.
    pub findings: Vec<Finding>,
}

/// What is looked for, and how.
#[derive(Debug, Clone)]
pub struct Config {
    /// What is assumed of databases.
    pub semantics: Semantics,
    /// Whose SQL the queries are.
    pub dialect: Dialect,
    /// The checks that are made; all of them where none is named.
    pub checks: Vec<&'static Check>,
    /// The least severity that is told.
    pub severity: Severity,
    /// Whether queries are run on generated databases, to show what was found.
    pub witness: bool,
    /// The seed of these databases.
    pub seed: u64,
}

impl Default for Config {
    /// All checks from warnings on, with witnesses.
    fn default() -> Config {
        Config {
            semantics: Semantics::default(),
            dialect: Dialect::Sqlite,
            checks: Vec::new(),
            severity: Severity::Warning,
            witness: true,
            seed: 8,
        }
    }
}

/// Audits queries over one schema; keep one for each thread and schema.
#[derive(Debug)]
pub struct Auditor {
    schema: Schema,
    /// For checks that ask whether something is unique.
    strict: Schema,
    /// For checks that ask whether something is not.
    lenient: Schema,
    config: Config,
    /// Where queries are compiled and run; its tables are made once for all queries.
    sandbox: Sandbox,
}

impl Auditor {
    /// An auditor for one schema.
    ///
    /// # Errors
    /// SQLite cannot create the schema's tables.
    pub fn new(schema: &Schema, config: &Config) -> Result<Auditor, ExecError> {
        let sandbox = Sandbox::new(schema, Limits::default())?;
        Ok(Auditor {
            strict: strict_schema(schema),
            lenient: lenient_schema(schema),
            schema: schema.clone(),
            config: config.clone(),
            sandbox,
        })
    }

    /// Whether a check is made, and may tell something.
    fn wanted(&self, check: &Check) -> bool {
        check.severity >= self.config.severity
            && (self.config.checks.is_empty() || self.config.checks.contains(&check))
    }

    /// What is wrong with a query.
    pub fn audit(&self, sql: &str, asked: Asked<'_>) -> Audit {
        let mut audit = self.checked(sql, asked);
        audit.findings.retain(|f| f.severity >= self.config.severity && self.wanted(f.check));
        audit.findings.sort_by_key(|f| {
            (f.place.bytes.start, f.place.bytes.end, std::cmp::Reverse(f.severity), f.check.id)
        });
        audit.findings.dedup_by(|a, b| a.check == b.check && a.place == b.place);
        audit
    }

    /// The findings of all checks that are made, before any is left out. SQLite is asked first: a text that it refuses
    /// has no answer, whatever the planner makes of it, while one that it takes may be beyond the planner.
    fn checked(&self, sql: &str, asked: Asked<'_>) -> Audit {
        let ended = |text: &str, status, findings| Audit { status, text: text.to_owned(), findings };
        let ran = self.compiled(sql);
        let parsed = match parse_in(sql, self.config.dialect) {
            Ok(parsed) => parsed,
            Err(error) => return self.not_planned(sql, &ran, &error),
        };
        let (plan, spans) = match plan_with_spans(&self.schema, &parsed) {
            Ok(planned) => planned,
            Err(error) => return self.not_planned(&parsed.sql, &ran, &error),
        };
        let text = Text::new(&parsed.sql);
        let mut findings = Vec::new();
        // The text that SQLite runs, and what it says of the one that stands there.
        let mut runs = ran.as_ref().ok().cloned();
        if let Err(refused) = &ran {
            let repaired = self.compiled(&parsed.sql);
            runs = repaired.as_ref().ok().cloned();
            // The parser mends slips such as `> =`. If SQLite takes the mended text the slip is the only error, and the
            // checks go on with that text; else the query is refused as it stands.
            if let (Some(repair), Ok(_)) = (parsed.repairs.first(), &repaired) {
                let mut sink = Sink::new(&checks::SYNTAX, &text, &mut findings);
                sink.add(None, format!("SQLite refuses the text as it stands: {refused}"))
                    .remedy(format!("what was mended to read it: {repair}"));
            } else {
                let mut sink = Sink::new(&checks::REFUSED, &text, &mut findings);
                sink.add(None, format!("SQLite refuses it: {refused}"));
                return ended(&parsed.sql, Status::Refused, findings);
            }
        }
        // What the query itself says of NULLs is taken in, as it is when predictions are compared with it.
        let semantics = self.config.semantics.for_gold(&self.schema, &plan);
        let gold =
            Gold::new((&self.strict, &self.lenient), &semantics, &parsed, (&plan, &spans), &text, asked);
        for check in CHECKS.iter().filter(|c| self.wanted(c)) {
            match check.apply {
                Apply::Question(_) if asked.question.is_empty() => {}
                Apply::Plan(apply) | Apply::Question(apply) => {
                    apply(&gold, &mut Sink::new(check, &text, &mut findings));
                }
                Apply::Refusal | Apply::Execution => {}
            }
        }
        if let (Some(sql), true) = (runs, self.config.witness) {
            self.show(&gold, &sql, &mut findings);
        }
        ended(&parsed.sql, Status::Audited, findings)
    }

    /// The text that SQLite runs, or what it says against it.
    fn compiled(&self, sql: &str) -> Result<String, String> {
        let sqlite = in_sqlite(&self.schema, sql, self.config.dialect).map_err(|e| e.to_string())?;
        match self.sandbox.prepare(&sqlite) {
            Ok(_) => Ok(sqlite),
            Err(error) => Err(error.to_string()),
        }
    }

    /// A query that has no plan: refused, if SQLite refuses it too.
    fn not_planned(&self, sql: &str, ran: &Result<String, String>, error: &SqlError) -> Audit {
        let ended = |status, findings| Audit { status, text: sql.to_owned(), findings };
        let sqlite = self.config.dialect == Dialect::Sqlite;
        // The planner's own limits say nothing against the query. SQLite's refusal does, but of a query of another
        // dialect it may be one of the translation.
        let unsure = matches!(error, SqlError::Unsupported { .. } | SqlError::TooLarge { .. });
        let refused = match ran {
            Err(refused) if !unsure || sqlite => refused,
            _ => return ended(Status::NotUnderstood(error.to_string()), Vec::new()),
        };
        if matches!(error, SqlError::TooLarge { .. }) {
            return ended(Status::NotUnderstood(error.to_string()), Vec::new());
        }
        let text = Text::new(sql);
        let (check, mut reason) = checks::refusal(error);
        if unsure {
            reason = format!("SQLite refuses it: {refused}");
        }
        let at = error.place().map(|at| checks::word_from(sql, text.offset(at.line, at.column)));
        let mut findings = Vec::new();
        let mut sink = Sink::new(check, &text, &mut findings);
        let said = sink.add(at.filter(|range| !range.is_empty()), reason);
        if let Some(remedy) = checks::remedy(&self.schema, error) {
            said.remedy(remedy);
        }
        ended(Status::Refused, findings)
    }

    /// Runs the query where that shows something.
    fn show(&self, gold: &Gold<'_>, sql: &str, findings: &mut Vec<Finding>) {
        let told = |f: &Finding| f.severity >= self.config.severity && self.wanted(f.check);
        // A query with an error has been said to be empty already.
        let unanswered =
            self.wanted(&checks::NEVER_ANSWERED) && findings.iter().all(|f| f.severity < Severity::Error);
        let unordered = |f: &Finding| f.check == &checks::ORDER_TIES;
        let two_orders = findings.iter().any(|f| unordered(f) && told(f));
        let undetermined = findings.iter().any(|f| f.check.undetermined && !unordered(f) && told(f));
        let search = Search::new(&self.schema, &self.sandbox, gold, sql, self.config.seed);
        if undetermined || two_orders || unanswered {
            let found = search.run(Sought { two_answers: undetermined, two_orders, answer: unanswered });
            // All of them would get the same witness: the first shows it.
            let open = findings.iter_mut().filter(|f| f.check.undetermined && !unordered(f) && told(f));
            for finding in open.take(1) {
                finding.witness.clone_from(&found.two_answers);
            }
            for finding in findings.iter_mut().filter(|f| unordered(f) && told(f)) {
                finding.witness.clone_from(&found.two_orders);
            }
            if unanswered && found.never_answered {
                let mut sink = Sink::new(&checks::NEVER_ANSWERED, gold.text, findings);
                sink.add(None, format!("it has no rows on any of {} generated databases", found.databases));
            }
        }
        if let Some((other, dialect)) = gold.asked.other
            && self.wanted(&checks::GOLDS_DIFFER)
            && let Ok(other) = in_sqlite(&self.schema, other, dialect)
            && let Some((witness, likely)) = search.apart(&other)
        {
            let mut sink = Sink::new(&checks::GOLDS_DIFFER, gold.text, findings);
            let said =
                sink.add(None, "another gold of the same question has another answer").witness(witness);
            if !likely {
                said.only(Severity::Note);
            }
        }
        for finding in findings.iter_mut().filter(|f| told(f)) {
            // The mended text is SQL of the query's dialect, and only SQLite runs it as it stands.
            if let (Some(mended), Dialect::Sqlite) = (&finding.mended, self.config.dialect) {
                finding.witness = search.against(mended);
            }
        }
    }
}
