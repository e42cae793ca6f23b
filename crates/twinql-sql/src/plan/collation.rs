//! Collations, written out.
//!
//! A column declared `COLLATE NOCASE` is compared without regard to case, and in MySQL every text is. A tree compares
//! bytes, so what folds case is said: `name = 'Ann'` is `lower(name) = 'ann'`. The function makes the same bytes of texts
//! exactly where the collation takes them for the same, so rules, printer, sandbox and probe need to know nothing else.
//!
//! | written, over a NOCASE column `e` | planned |
//! |---|---|
//! | `e = 'A'`, `e IN (…)`, `ORDER BY e`, `COUNT(DISTINCT e)` | the same of `lower(e)` |
//! | `SELECT e … GROUP BY e`, `SELECT DISTINCT e`, UNION | by `lower(e)`, with `pg_representative(e)` of each group |
//! | `MIN(e)` | `MIN(e COLLATE NOCASE)` |
//!
//! Which of equal texts the last two give is open: [`Plan::is_open`](super::Plan::is_open).

use super::operators::without_binary;
use super::types::info_of;
use super::{Planner, Result};
use crate::expr::{AggFunc, AggregateCall, BinaryOp, Expr, UnaryOp};
use crate::rel::{ColumnId, ColumnInfo, Query, Rel, SetOpKind};
use crate::schema::{Affinity, Collation, TypeClass};
use crate::value::Value;

/// The aggregate that gives one of a group's texts that a collation takes for the same.
pub const REPRESENTATIVE: &str = "pg_representative";

/// WHEN and THEN of a CASE.
type Branches = Vec<(Expr, Expr)>;

/// What an operand says of how it is compared.
#[derive(Clone, Copy, PartialEq)]
enum Said {
    /// Nothing: a constant, a function.
    Nothing,
    /// What its column's collation is.
    Column(Collation),
    /// COLLATE stands there.
    Explicit(Collation),
    /// COLLATE stands there with a name that is not known.
    Unknown,
}

impl Planner<'_> {
    /// Whether texts that differ in case alone are the same, unless something says otherwise: in MySQL and SQL Server.
    fn ignores_case(&self) -> bool {
        self.dialect.meaning().ignores_case
    }

    fn said(&self, expr: &Expr) -> Said {
        match expr {
            Expr::Collate { expr: _, collation } => match collation.as_str() {
                "NOCASE" => Said::Explicit(Collation::Nocase),
                "RTRIM" => Said::Explicit(Collation::Rtrim),
                "BINARY" => Said::Explicit(Collation::Binary),
                _ => Said::Unknown,
            },
            Expr::Column(id) => match self.is_call(*id) {
                true if !self.ignores_case() => Said::Nothing,
                _ => Said::Column(self.collation_of(*id)),
            },
            Expr::Cast { expr, affinity: _ } if !self.ignores_case() => self.said(expr),
            Expr::Unary { op: UnaryOp::Plus, expr } if !self.ignores_case() => self.said(expr),
            // A constant leaves it to the other side.
            Expr::Literal(_) => Said::Nothing,
            _ if self.ignores_case() => self.said_of_operands(expr),
            _ => Said::Nothing,
        }
    }

    /// MySQL: an expression is compared by its bytes if a column in it is.
    fn said_of_operands(&self, expr: &Expr) -> Said {
        if info_of(expr, &self.columns).class != TypeClass::Text {
            return Said::Nothing;
        }
        let binary = |e: &Expr| match e {
            Expr::Column(id) => {
                let text = id.info(&self.columns).is_some_and(|i| i.class == TypeClass::Text);
                text && self.collation_of(*id) == Collation::Binary
            }
            Expr::Collate { expr: _, collation } => collation == Collation::Binary.name(),
            _ => false,
        };
        Said::Column(if expr.any(binary) { Collation::Binary } else { Collation::Nocase })
    }

    /// Whether a column is an aggregate or a window function of a SELECT around here.
    fn is_call(&self, id: ColumnId) -> bool {
        let of = |s: &super::sight::Scope<'_>| {
            s.aggregates.iter().any(|(c, _)| *c == id) || s.windows.iter().any(|(c, _)| *c == id)
        };
        self.scopes.iter().any(of)
    }

    /// How a column's texts are compared. Where the schema does not say it, the system that has the data does.
    fn collation_of(&self, id: ColumnId) -> Collation {
        if let Some(collation) = self.collations.get(&id) {
            return *collation;
        }
        let Some(info) = id.info(&self.columns) else {
            return Collation::Binary;
        };
        // MIN and MAX give a column's values, but are functions.
        let kept = info.affinity.is_some() || self.ignores_case();
        let column = info.origin.filter(|_| kept).and_then(|at| self.schema.column(at));
        let usual = match self.data.meaning().ignores_case && info.class == TypeClass::Text {
            true => Collation::Nocase,
            false => Collation::Binary,
        };
        column.and_then(|c| c.collation).unwrap_or(usual)
    }

    /// Notes how a column that holds an expression's value is compared, where nothing else says it.
    pub(super) fn note_collation(&mut self, id: ColumnId, expr: &Expr) {
        match self.said(expr) {
            Said::Column(collation) | Said::Explicit(collation) if collation != self.collation_of(id) => {
                self.collations.insert(id, collation);
            }
            _ => {}
        }
    }

    /// The collation of a comparison (<https://sqlite.org/datatype3.html#assigning_collating_sequences_from_sql>): what the
    /// left side says with COLLATE, then the right, then the left column's, then the right's. MySQL compares bytes where
    /// either side asks for it. `None` where a COLLATE is not known.
    fn deciding(&self, left: &Expr, right: &Expr) -> Option<Collation> {
        let (l, r) = (self.said(left), self.said(right));
        match (l, r) {
            (Said::Unknown, _) | (_, Said::Unknown) => None,
            (Said::Explicit(c), _) | (_, Said::Explicit(c)) => Some(c),
            (Said::Column(Collation::Binary), _) | (_, Said::Column(Collation::Binary))
                if self.ignores_case() =>
            {
                Some(Collation::Binary)
            }
            (Said::Column(c), _) | (_, Said::Column(c)) => Some(c),
            (Said::Nothing, Said::Nothing) => match self.ignores_case() && self.is_text(left) {
                true => Some(Collation::Nocase),
                false => Some(Collation::Binary),
            },
        }
    }

    /// Whether every value is a text: then to fold it gives what the collation compares.
    pub(super) fn is_text(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Literal(value) => matches!(value, Value::Text(_)),
            Expr::Collate { expr, collation: _ } => self.is_text(expr),
            other => {
                let info = info_of(other, &self.columns);
                let stored = matches!(info.affinity, None | Some(Affinity::Text));
                stored
                    && (info.class == TypeClass::Text || info.affinity.is_some())
                    && info.class != TypeClass::Time
            }
        }
    }

    /// Whether a value is compared as a text beside one that is.
    fn goes_with_text(&self, expr: &Expr) -> bool {
        let affinity = info_of(expr, &self.columns).affinity;
        matches!(affinity, None | Some(Affinity::Text)) && !matches!(expr, Expr::Literal(Value::Blob(_)))
    }

    /// Both sides of a comparison, so that their bytes decide it.
    pub(super) fn folded(&self, left: Expr, right: Expr) -> (Expr, Expr) {
        match (left, right) {
            (Expr::Row(left), Expr::Row(right)) if left.len() == right.len() => {
                let pairs = left.into_iter().zip(right).map(|(l, r)| self.folded(l, r));
                let (left, right) = pairs.unzip();
                (Expr::Row(left), Expr::Row(right))
            }
            (left, right) => {
                let right = self.unpadded(right, &left);
                let left = self.unpadded(left, &right);
                match self.deciding(&left, &right).filter(|c| *c != Collation::Binary) {
                    None => (left, right),
                    Some(c) if self.are_texts(&left, &right) => (self.fold(c, left), self.fold(c, right)),
                    Some(c) => (said_aloud(c, left), right),
                }
            }
        }
    }

    /// A value folded by its collation.
    fn fold(&self, collation: Collation, expr: Expr) -> Expr {
        match self.dialect.meaning().ignores_blanks {
            true => fold(collation, without_blanks(expr)),
            false => fold(collation, expr),
        }
    }

    fn are_texts(&self, left: &Expr, right: &Expr) -> bool {
        (self.is_text(left) || self.is_text(right)) && self.goes_with_text(left) && self.goes_with_text(right)
    }

    /// Whether it is a column of texts of SQL Server's without a national character set.
    fn is_varchar(&self, expr: &Expr) -> bool {
        self.data.meaning().ignores_blanks
            && self.declared(expr).is_some_and(|t| !t.trim().starts_with(['n', 'N']))
    }

    /// A constant beside a column of CHAR(n), or a cast to it, where the blanks at its end do not count.
    fn unpadded(&self, constant: Expr, beside: &Expr) -> Expr {
        let kept = constant.as_text().map(|text| text.trim_end_matches(' ')).filter(|kept| !kept.is_empty());
        let pads = |declared: &str| {
            let name = declared.split('(').next().unwrap_or(declared).trim().to_ascii_lowercase();
            matches!(&*name, "char" | "character" | "nchar" | "bpchar")
        };
        let cast = beside.as_function().filter(|(name, _)| *name == "cast_as");
        let to = cast.and_then(|(_, args)| args.get(1)?.as_text()).or_else(|| self.declared(beside));
        match kept {
            Some(kept) if self.data.meaning().pads_characters && to.is_some_and(pads) => Expr::text(kept),
            _ => constant,
        }
    }

    /// MySQL: LIKE tells cases apart where one of the two is BINARY, or a column that is compared by its bytes. Over another
    /// system's data it does as MySQL's LIKE mostly does.
    pub(super) fn like_of_bytes(&self, expr: Expr, pattern: Expr, cases: bool) -> (Expr, Expr, bool) {
        if !self.ignores_case() {
            return (expr, pattern, cases);
        }
        // Blanks at the end of a VARCHAR do not count, those of an NVARCHAR and of the pattern do
        // (<https://learn.microsoft.com/sql/t-sql/language-elements/like-transact-sql#pattern-match-by-using-like>).
        let expr = match pattern.as_text() {
            Some(text) if !text.ends_with(['%', ' ']) && self.is_varchar(&expr) => without_blanks(expr),
            _ => expr,
        };
        let of_bytes = |e: &Expr| self.said(e) == Said::Column(Collation::Binary) && self.is_text(e);
        let by_column = self.data.meaning().ignores_case && (of_bytes(&expr) || of_bytes(&pattern));
        let ((expr, first), (pattern, second)) = (without_binary(expr), without_binary(pattern));
        (expr, pattern, cases || first || second || by_column)
    }

    /// The value of IN and its list. In SQLite the value alone says how they are compared.
    pub(super) fn folded_list(&self, tested: Expr, list: Vec<Expr>) -> (Expr, Vec<Expr>) {
        list.iter().for_each(|member| self.check_comparison(&tested, member));
        if let Expr::Row(parts) = &tested {
            let mut first = parts.clone();
            let rows = list.into_iter().map(|member| match self.folded(tested.clone(), member) {
                (Expr::Row(parts), member) => {
                    first = parts;
                    member
                }
                (_, member) => member,
            });
            let rows: Vec<Expr> = rows.collect();
            return (Expr::Row(first), rows);
        }
        let list: Vec<Expr> = list.into_iter().map(|member| self.unpadded(member, &tested)).collect();
        let none = Expr::NULL;
        let mysql = self.ignores_case();
        let decided: Vec<Option<Collation>> =
            list.iter().map(|m| self.deciding(&tested, if mysql { m } else { &none })).collect();
        let collation = match decided.first() {
            Some(Some(c)) if *c != Collation::Binary && decided.iter().all(|d| d == &Some(*c)) => *c,
            _ => return (tested, list),
        };
        if !list.iter().all(|m| self.are_texts(&tested, m)) {
            return (said_aloud(collation, tested), list);
        }
        (self.fold(collation, tested), list.into_iter().map(|m| self.fold(collation, m)).collect())
    }

    /// The values of IN and the subquery that gives what they are compared with.
    pub(super) fn folded_query(&mut self, exprs: Vec<Expr>, query: Query) -> Result<(Vec<Expr>, Query)> {
        let mut tested = Vec::with_capacity(exprs.len());
        let mut given: Vec<(ColumnId, Expr)> = Vec::with_capacity(exprs.len());
        let mut changed = false;
        for (expr, column) in exprs.into_iter().zip(&query.output) {
            self.check_comparison(&expr, &Expr::Column(*column));
            let (left, right) = self.folded(expr, Expr::Column(*column));
            tested.push(left);
            let id = match &right {
                Expr::Column(id) => *id,
                folded => {
                    changed = true;
                    self.new_column_of("folded", folded)?
                }
            };
            given.push((id, right));
        }
        if !changed {
            return Ok((tested, query));
        }
        let output = given.iter().map(|(id, _)| *id).collect();
        given.sort_by_key(|(id, _)| *id);
        given.dedup_by_key(|(id, _)| *id);
        Ok((tested, Query { rel: Rel::project(query.rel, given), output }))
    }

    /// The collation that a value is ordered or grouped by, if bytes do not decide.
    fn own(&self, expr: &Expr) -> Option<Collation> {
        self.deciding(expr, &Expr::NULL).filter(|c| *c != Collation::Binary)
    }

    /// What a value is ordered by, so that its bytes decide.
    pub(super) fn key(&self, expr: Expr) -> Expr {
        match self.own(&expr) {
            None => expr,
            Some(c) if self.is_text(&expr) => self.fold(c, expr),
            Some(c) => said_aloud(c, expr),
        }
    }

    /// The key of a grouping by a value, if it is another than the value itself. A query's own COLLATE stays as it stands.
    pub(super) fn group_key(&self, expr: &Expr) -> Option<Expr> {
        let implied = !matches!(expr, Expr::Collate { .. }) && !expr.has_subquery() && !expr.is_literal();
        implied.then(|| self.key(expr.clone())).filter(|key| key != expr)
    }

    /// The arguments of an aggregate or a window function that compares them.
    pub(super) fn folded_arguments(&self, name: &str, distinct: bool, args: &mut [Expr]) {
        let Some(first) = args.first_mut() else {
            return;
        };
        let taken = std::mem::replace(first, Expr::NULL);
        *first = match name {
            "min" | "max" => self.aloud(taken),
            "count" if distinct => self.key(taken),
            "group_concat" | "string_agg" if distinct => self.aloud(taken),
            _ => taken,
        };
    }

    /// A value whose collation is said where it is one that folds.
    fn aloud(&self, expr: Expr) -> Expr {
        match self.own(&expr) {
            Some(c) => said_aloud(c, expr),
            None => expr,
        }
    }

    /// `nullif`, `min` and `max` of several values, and what MySQL compares beside them.
    pub(super) fn folded_call(
        &self,
        name: &str,
        mut args: Vec<Expr>,
    ) -> std::result::Result<Expr, Vec<Expr>> {
        match (name, args.as_mut_slice()) {
            ("nullif", [left, right]) if !left.has_subquery() => {
                let (l, r) = self.folded(left.clone(), right.clone());
                if (&l, &r) == (&*left, &*right) {
                    return Err(args);
                }
                let same = Expr::binary(BinaryOp::Eq, l, r);
                let value = args.into_iter().next().unwrap_or(Expr::NULL);
                return Ok(Expr::case(vec![(same, Expr::NULL)], Some(value)));
            }
            // The first argument that has a collation decides.
            ("min" | "max" | "greatest" | "least", list @ [_, _, ..]) => {
                if let Some(c) = list.iter().find_map(|e| self.own(e))
                    && let Some(first) = list.first_mut()
                {
                    *first = said_aloud(c, std::mem::replace(first, Expr::NULL));
                }
            }
            ("instr" | "locate" | "find_in_set", [left, right]) if self.ignores_case() => {
                let (l, r) = self.folded(left.clone(), right.clone());
                (*left, *right) = (l, r);
            }
            _ => {}
        }
        Err(args)
    }

    /// The operand of CASE and what it is compared with, as conditions, where a comparison folds. A condition is computed
    /// for each branch, so nothing is copied that holds a subquery.
    pub(super) fn folded_case(
        &mut self,
        operand: Option<Expr>,
        branches: Branches,
    ) -> Result<(Option<Expr>, Branches)> {
        let Some(operand) = operand else {
            return Ok((None, branches));
        };
        let plain = |when: &Expr| {
            self.compare(BinaryOp::Eq, operand.clone(), when.clone()) == operand.clone().eq(when.clone())
        };
        if operand.has_subquery() || branches.iter().all(|(when, _)| plain(when)) {
            return Ok((Some(operand), branches));
        }
        self.charge(branches.len())?;
        let conditions = branches
            .into_iter()
            .map(|(when, then)| (self.compare(BinaryOp::Eq, operand.clone(), when), then));
        Ok((None, conditions.collect()))
    }

    /// Rows made distinct over these columns, where a collation takes texts for the same: a group of each, with one of its
    /// texts. The columns that stand for the given ones, and the relation; `None` where bytes decide.
    pub(super) fn distinct_folded(
        &mut self,
        rel: &mut Rel,
        columns: &[ColumnId],
        mut calls: Vec<(ColumnId, AggregateCall)>,
    ) -> Result<Option<Vec<ColumnId>>> {
        let mut keys = Vec::with_capacity(columns.len());
        let mut stand_ins = Vec::with_capacity(columns.len());
        let mut folds = false;
        for &id in columns {
            let Some(key) = self.group_key(&Expr::Column(id)) else {
                keys.push((id, Expr::Column(id)));
                stand_ins.push(id);
                continue;
            };
            folds = true;
            keys.push((self.new_column_of("folded", &key)?, key));
            let (stand_in, call) = self.representative(&Expr::Column(id))?;
            calls.push((stand_in, call));
            stand_ins.push(stand_in);
        }
        if !folds {
            return Ok(None);
        }
        let input = std::mem::replace(rel, Rel::unit());
        *rel = Rel::aggregate(input, keys, calls);
        Ok(Some(stand_ins))
    }

    /// One of the texts of a group, as a column with what is known of the value.
    pub(super) fn representative(&mut self, expr: &Expr) -> Result<(ColumnId, AggregateCall)> {
        let info = info_of(expr, &self.columns);
        let id = self.new_column(info)?;
        self.note_collation(id, expr);
        Ok((id, AggregateCall::new(AggFunc::Other(REPRESENTATIVE.into()), vec![expr.clone()])))
    }

    /// A set operation over columns of which some are compared by a collation: by groups and EXISTS. `None` where bytes
    /// decide.
    pub(super) fn set_operation_folded(
        &mut self,
        kind: SetOpKind,
        left: &Query,
        right: &Query,
        columns: &[(ColumnId, ColumnInfo)],
    ) -> Result<Option<Rel>> {
        let pairs: Vec<(Expr, Expr)> = left
            .output
            .iter()
            .zip(&right.output)
            .map(|(l, r)| self.folded(Expr::Column(*l), Expr::Column(*r)))
            .collect();
        let plain = |e: &Expr| matches!(e, Expr::Column(_));
        if pairs.iter().all(|(l, r)| plain(l) && plain(r)) {
            return Ok(None);
        }
        let mut inner = Vec::with_capacity(columns.len());
        for (_, info) in columns {
            inner.push(self.new_column(info.clone())?);
        }
        let mut rel;
        if kind == SetOpKind::Union {
            rel = Rel::SetOp {
                kind,
                all: true,
                left: Box::new(left.clone()),
                right: Box::new(right.clone()),
                columns: inner.clone(),
            };
        } else {
            let mut beside = right.rel.clone();
            for (l, r) in pairs.iter().cloned() {
                beside.add_conjunct(Expr::binary(BinaryOp::Is, l, r));
            }
            let exists = Expr::exists(beside);
            let wanted = if kind == SetOpKind::Except { exists.not() } else { exists };
            let kept = Rel::filter(left.rel.clone(), vec![wanted]);
            let of_left = left.output.iter().map(|c| Expr::Column(*c));
            rel = Rel::project(kept, inner.iter().copied().zip(of_left).collect());
        }
        let folds: Vec<Option<Collation>> = left
            .output
            .iter()
            .zip(&right.output)
            .map(|(l, r)| {
                self.deciding(&Expr::Column(*l), &Expr::Column(*r)).filter(|c| *c != Collation::Binary)
            })
            .collect();
        for (id, collation) in inner.iter().zip(folds) {
            if let Some(collation) = collation {
                self.collations.insert(*id, collation);
            }
        }
        let shown = match self.distinct_folded(&mut rel, &inner, Vec::new())? {
            Some(shown) => shown,
            None => {
                rel = Rel::Distinct { input: Box::new(rel) };
                inner
            }
        };
        let named = columns.iter().zip(shown).map(|((id, _), from)| (*id, Expr::Column(from)));
        Ok(Some(Rel::project(rel, named.collect())))
    }
}

/// A text without the blanks at its end. The functions that change case keep their place, which rules know.
fn without_blanks(expr: Expr) -> Expr {
    match expr {
        Expr::Literal(Value::Text(text)) => Expr::text(text.trim_end_matches(' ')),
        Expr::Function { name, args } if args.len() == 1 && matches!(name.as_str(), "lower" | "upper") => {
            Expr::Function { name, args: args.into_iter().map(without_blanks).collect() }
        }
        Expr::Collate { expr, collation: _ } => without_blanks(*expr),
        expr if ends_in_none(&expr) => expr,
        expr => Expr::function("rtrim", vec![expr]),
    }
}

/// Whether a text has no blank at its end.
fn ends_in_none(expr: &Expr) -> bool {
    match expr {
        Expr::Literal(value) => !matches!(value, Value::Text(text) if text.ends_with(' ')),
        Expr::Function { name, args } => {
            matches!(name.as_str(), "trim" | "rtrim") && args.len() == 1 || name == "strftime"
        }
        Expr::Case { operand: _, branches, otherwise } => {
            branches.iter().map(|(_, then)| then).chain(otherwise.as_deref()).all(ends_in_none)
        }
        _ => false,
    }
}

/// A value folded by its collation.
fn fold(collation: Collation, expr: Expr) -> Expr {
    match (expr, collation.function()) {
        (Expr::Collate { expr, collation: _ }, _) => fold(collation, *expr),
        (Expr::Literal(Value::Text(text)), _) => Expr::text(collation.folded(&text)),
        (Expr::Literal(Value::Null), _) => Expr::NULL,
        (Expr::Function { name, args }, Some(function)) if name == function && args.len() == 1 => {
            Expr::Function { name, args }
        }
        (expr, Some(function)) => Expr::function(function, vec![expr]),
        (expr, None) => expr,
    }
}

/// A value with its collation said.
fn said_aloud(collation: Collation, expr: Expr) -> Expr {
    match expr {
        Expr::Collate { .. } => expr,
        expr => Expr::Collate { expr: Box::new(expr), collation: collation.name().to_owned() },
    }
}
