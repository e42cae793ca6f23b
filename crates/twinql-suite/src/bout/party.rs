//! One query of a bout: what is run, and what is known of the answers that it permits.

use std::rc::Rc;

use twinql_sql::{Plan, Schema, Semantics, plan, print};

use super::Side;
use super::samples::Opened;
use crate::clock::NOW;
use crate::compare::Mode;
use crate::compare::denotation::Denotation;
use crate::execute::{Answer, ExecError, Prepared, Sandbox};
use crate::lexical::without_distinct;
use crate::order::{Ordering, Runs};
use crate::permitted::Permitted;
use crate::soundness::open::{Nested, opened};
use crate::text::{Ready, ready};

/// Where the answers that a query permits are read from.
pub(super) enum AnswersFrom<'s> {
    Answer(&'s Answer),
    Runs(Rc<Runs>),
}

impl AnswersFrom<'_> {
    pub(super) fn permitted(&self) -> Permitted<'_> {
        match self {
            AnswersFrom::Answer(answer) => Permitted::whole(answer),
            AnswersFrom::Runs(runs) => runs.permitted(),
        }
    }
}

/// A query's plan with what it leaves open decided by chance.
struct Open<'a> {
    /// Each of its answers is possible.
    possible: Option<Prepared<'a>>,
    /// Each possible answer is one of its answers; `None` where those above are all.
    all: Option<Prepared<'a>>,
    /// More is left open than draws can show.
    unspecified: bool,
}

impl<'a> Open<'a> {
    /// Nothing is shown where there is no plan, or where SQLite refuses the text of the opened one.
    fn of(sandbox: &'a Sandbox, schema: &Schema, plan: Option<&Plan>) -> Open<'a> {
        let found = |nested| plan.and_then(|plan| opened(plan, nested));
        let prepared = |plan: &Plan| {
            let sql = print::to_sql(schema, plan).ok()?;
            sandbox.prepare(&sql).ok()
        };
        let (values, freely) = (found(Nested::ByValues), found(Nested::Freely));
        Open {
            possible: values.and_then(|o| prepared(&o.plan)),
            all: freely.as_ref().filter(|o| o.within).and_then(|o| prepared(&o.plan)),
            unspecified: freely.is_some_and(|o| o.unspecified),
        }
    }
}

/// One query of a bout. What it takes to see its other possible answers is compiled when it is first needed:
/// most queries have one answer.
pub(crate) struct Party<'a> {
    pub(crate) prepared: Prepared<'a>,
    pub(crate) ordering: Ordering,
    /// What is run.
    sql: String,
    /// The ordering has been read from the text.
    read: bool,
    /// The query without LIMIT, and where its sort keys stand.
    keyed: Option<(Prepared<'a>, Vec<usize>)>,
    /// The query with its ties broken at random.
    shaken: Option<Prepared<'a>>,
    open: Option<Open<'a>>,
    /// The runs of equal sort keys on the loaded database, once they were asked for.
    runs: Option<Option<Rc<Runs>>>,
    /// The hashes of its answer on the loaded database, once they were asked for.
    denotation: Option<Option<Denotation>>,
    /// It read the clock; it threw dice.
    fixed: (bool, bool),
    /// Steps that its own runs took on all databases, samples left out.
    spent: u64,
}

impl<'a> Party<'a> {
    pub(crate) fn new(sandbox: &'a Sandbox, ready: Ready<'a>, semantics: &Semantics) -> Party<'a> {
        let Ready { mut prepared, mut ast, mut sql, .. } = ready;
        if semantics.ignore_distinct {
            let without = without_distinct(&sql);
            if without != sql
                && let Ok(p) = sandbox.prepare(&without)
            {
                prepared = p;
                let parsed = twinql_sql::parse(&without).ok();
                ast = parsed.filter(|p| p.frames.is_empty()).map(|p| *p.query);
                sql = without;
            }
        }
        let ordering = ast.map(|q| Ordering::of(&q, prepared.width()));
        Party { ordering: ordering.unwrap_or_default(), read: true, ..Party::unread(prepared, sql) }
    }

    /// A query of which the plan is known, compiled with what it leaves open.
    ///
    /// # Errors
    /// What SQLite says of a text that it does not compile.
    pub(crate) fn planned(
        sandbox: &'a Sandbox,
        schema: &Schema,
        semantics: &Semantics,
        (sql, plan): (&str, &Plan),
    ) -> Result<Party<'a>, ExecError> {
        Ok(Party {
            open: Some(Open::of(sandbox, schema, Some(plan))),
            ..Party::new(sandbox, ready(sandbox, sql)?, semantics)
        })
    }

    /// A query of which nothing but its answer is of interest, as long as answers agree.
    pub(crate) fn unread(prepared: Prepared<'a>, sql: String) -> Party<'a> {
        Party {
            prepared,
            ordering: Ordering::default(),
            sql,
            read: false,
            keyed: None,
            shaken: None,
            open: None,
            runs: None,
            denotation: None,
            fixed: (false, false),
            spent: 0,
        }
    }

    /// Reads what the text says of the order of rows, unless that was done.
    pub(crate) fn read_ordering(&mut self) {
        if !std::mem::replace(&mut self.read, true)
            && let Ok(parsed) = twinql_sql::parse(&self.sql)
            && parsed.frames.is_empty()
        {
            self.ordering = Ordering::of(&parsed.query, self.prepared.width());
        }
    }

    /// The answer on the loaded database, which may be a new one.
    pub(crate) fn answer(&mut self, sandbox: &Sandbox) -> Result<Answer, ExecError> {
        self.runs = None;
        self.denotation = None;
        sandbox.fixed();
        let before = sandbox.spent();
        let answer = self.prepared.run(0);
        self.spent += sandbox.spent() - before;
        // What it asked for that the sandbox fixes.
        let (clock, chance) = sandbox.fixed();
        self.fixed = (self.fixed.0 | clock, self.fixed.1 | chance);
        answer
    }

    /// Steps that its own runs took on all databases, samples left out.
    pub(crate) fn spent(&self) -> u64 {
        self.spent
    }

    /// What is run.
    pub(crate) fn sql(&self) -> &str {
        &self.sql
    }

    /// What the sandbox fixed that it asked for.
    pub(crate) fn notes(&self, side: Side) -> impl Iterator<Item = String> {
        let clock = self.fixed.0.then(|| format!("{side}: the current time is taken as {NOW} UTC"));
        let chance = self.fixed.1.then(|| format!("{side}: random() and randomblob() are seeded"));
        clock.into_iter().chain(chance)
    }

    /// Its answer while every table is empty, as the caller has made them.
    pub(super) fn over_nothing(&mut self) -> Result<Answer, ExecError> {
        self.runs = None;
        self.denotation = None;
        self.prepared.run(0)
    }

    /// The hashes of its answer on the loaded database, which it gave last; `mode` is always the same.
    pub(super) fn denotation(&mut self, answer: &Answer, mode: Mode) -> Option<&Denotation> {
        self.denotation.get_or_insert_with(|| Denotation::of(answer, mode)).as_ref()
    }

    /// The runs of equal sort keys on the loaded database, if they can be told.
    pub(super) fn runs(&mut self, sandbox: &'a Sandbox, tolerance: f64) -> Option<Rc<Runs>> {
        if self.runs.is_none() {
            self.runs = Some(self.find_runs(sandbox, tolerance).map(Rc::new));
        }
        self.runs.clone().flatten()
    }

    fn find_runs(&mut self, sandbox: &'a Sandbox, tolerance: f64) -> Option<Runs> {
        if self.keyed.is_none()
            && let Some((sql, places)) = self.ordering.keyed.take()
            && let Ok(p) = sandbox.prepare(&sql)
        {
            self.keyed = Some((p, places));
        }
        let (keyed, places) = self.keyed.as_mut()?;
        let answer = keyed.run(0).ok()?;
        Some(Runs::new(answer, places, &self.ordering, self.prepared.width(), tolerance))
    }

    /// The answer with ties broken at random.
    fn shake(&mut self, sandbox: &'a Sandbox, seed: u64) -> Option<Answer> {
        if self.shaken.is_none()
            && let Some(sql) = self.ordering.shaken.take()
        {
            self.shaken = sandbox.prepare(&sql).ok();
        }
        self.shaken.as_mut()?.run(seed).ok()
    }

    /// True if all rows of this query's answer tie, so that their order says nothing.
    pub(super) fn order_is_moot(&mut self, sandbox: &'a Sandbox, tolerance: f64, answer: &Answer) -> bool {
        if let Some(first) = answer.rows.first()
            && answer.rows.iter().all(|r| r == first)
        {
            return true;
        }
        self.runs(sandbox, tolerance).is_some_and(|r| !r.several())
    }

    /// Compiles the query with what it leaves open decided by chance, if that was not done yet.
    pub(super) fn open(&mut self, sandbox: &'a Sandbox, schema: &Schema) {
        if self.open.is_none() {
            let parsed = twinql_sql::parse(&self.sql).ok();
            let plan = parsed.and_then(|parsed| plan(schema, &parsed).ok());
            self.open = Some(Open::of(sandbox, schema, plan.as_ref()));
        }
    }

    /// True if it was compiled so, and leaves something open.
    pub(crate) fn leaves_open(&self) -> bool {
        self.open.as_ref().is_some_and(|open| open.possible.is_some())
    }

    /// True if it was compiled so, and leaves more open than draws can show.
    pub(super) fn unspecified(&self) -> bool {
        self.open.as_ref().is_some_and(|open| open.unspecified)
    }

    /// The answers that a rearranged database shows: as it is, and with what is left open
    /// decided by chance.
    pub(super) fn other_answers(&mut self, sandbox: &'a Sandbox, round: u64) -> Vec<Answer> {
        let mut answers: Vec<Answer> = self.prepared.run(round).ok().into_iter().collect();
        answers.extend(self.shake(sandbox, round));
        if let Some(open) = &mut self.open {
            let queries = [&mut open.possible, &mut open.all];
            let runs = queries.into_iter().flatten().map(|q| q.run(round).ok());
            answers.extend(runs.flatten());
        }
        answers
    }

    /// What samples of its answers are taken from.
    pub(super) fn samples(&mut self) -> Opened<'_, 'a> {
        let (possible, mut all) = match &mut self.open {
            Some(open) => (open.possible.as_mut(), open.all.as_mut()),
            None => (None, None),
        };
        if possible.is_none() && all.is_none() {
            all = self.shaken.as_mut();
        }
        Opened { plain: &mut self.prepared, possible, all }
    }

    /// All that it may answer, where its sort keys and LIMIT alone leave that open.
    pub(super) fn source<'s>(
        &mut self,
        sandbox: &'a Sandbox,
        mode: Mode,
        answer: &'s Answer,
    ) -> Option<AnswersFrom<'s>> {
        if !(self.ordering.limited || (mode.as_list && self.ordering.ordered)) {
            return Some(AnswersFrom::Answer(answer));
        }
        self.runs(sandbox, mode.tolerance).map(AnswersFrom::Runs)
    }
}
