//! A tree printed as SQL that SQLite executes, with the answer of the tree.
//!
//! One SELECT is printed for as many nodes as fit into one (scans, joins and filters, then
//! grouping and HAVING, windows, DISTINCT, order and limit); where a node comes too early
//! for its place in a SELECT, what is below becomes a derived table whose columns are
//! named `c` and their id.
//!
//! What makes a place too early is that a SELECT's clauses have a fixed order of execution: a filter over
//! windows cannot be WHERE, which comes before them, so the windows go into a derived table. `Stage` is
//! that order. A column is known by the text that stands for it in the SELECT at hand (`Names`), so
//! expressions are put into each other as text; only where that would change the answer or repeat too much
//! is there a derived table instead.
//!
//! The text is for SQLite to execute, not for readers: normalised trees are run beside the originals in the
//! tests, and witnesses are looked for with it. What SQLite cannot say is refused ([`PrintError`]), since a
//! wrong text would give a wrong answer in both places.

mod block;
mod expr;

use std::collections::BTreeMap;

pub(crate) use block::Names;
use block::{Block, Stage, anchored};
pub(crate) use expr::{function, operator};

use crate::column_set::ColumnSet;
use crate::columns::Reads;
use crate::error::PrintError;
use crate::expr::{AggFunc, AggregateCall, Expr};
use crate::function;
use crate::keywords;
use crate::plan::Plan;
use crate::rel::{ColumnId, Columns, JoinKind, Query, Rel, SetOpKind, SortKey};
use crate::schema::{Schema, quote};

/// Texts longer than this are given a name in a derived table rather than repeated.
const MAX_REPEATED: usize = 2_000;

/// Rows that are printed as arms of a UNION ALL.
const MAX_ARMS: usize = 16;

/// Prints a plan as SQL text for SQLite.
///
/// # Errors
/// What SQLite has no words for: nothing is printed rather than something else.
pub fn to_sql(schema: &Schema, plan: &Plan) -> Result<String, PrintError> {
    let mut printer = Printer::new(schema, &plan.columns, false);
    let sql = printer.query(&plan.query, &Names::new());
    match printer.problem {
        None => Ok(sql),
        Some(what) => Err(PrintError { what }),
    }
}

/// An expression as text, a subquery as `(…)`.
pub(crate) fn shallow(e: &Expr, names: &Names) -> String {
    let (schema, columns) = (Schema::default(), Columns::new());
    Printer::new(&schema, &columns, true).expr(e, names)
}

/// An aggregate as text, a subquery as `(…)`.
pub(crate) fn shallow_call(call: &AggregateCall, names: &Names) -> String {
    let (schema, columns) = (Schema::default(), Columns::new());
    Printer::new(&schema, &columns, true).aggregate_call(call, names)
}

/// A name in double quotes where it needs them.
pub(crate) fn identifier(name: &str) -> String {
    let plain = name
        .bytes()
        .enumerate()
        .all(|(i, b)| b == b'_' || b.is_ascii_alphabetic() || i > 0 && b.is_ascii_digit());
    if plain && !name.is_empty() && !keywords::is_keyword(name) { name.to_owned() } else { quote(name) }
}

pub(crate) struct Printer<'a> {
    schema: &'a Schema,
    columns: &'a Columns,
    aliases: usize,
    /// Subqueries are printed as `…`.
    shallow: bool,
    /// The first thing that has no words in SQLite.
    problem: Option<String>,
}

impl<'a> Printer<'a> {
    fn new(schema: &'a Schema, columns: &'a Columns, shallow: bool) -> Printer<'a> {
        Printer { schema, columns, aliases: 0, shallow, problem: None }
    }

    /// Notes that the text is not to be used.
    pub(crate) fn refuse(&mut self, what: impl Into<String>) {
        self.problem.get_or_insert(what.into());
    }

    fn alias(&mut self, letter: char) -> String {
        self.aliases += 1;
        format!("{letter}{}", self.aliases)
    }

    /// A query as text, its columns unnamed.
    ///
    /// `outer` are the columns of the SELECTs around it, for a correlated subquery. A set operation whose
    /// columns are the outputs as they are needs no SELECT around it.
    pub(crate) fn query(&mut self, query: &Query, outer: &Names) -> String {
        if self.shallow {
            return "…".to_owned();
        }
        if let Rel::SetOp { columns, .. } = &query.rel
            && *columns == query.output
        {
            return self.set_operation(&query.rel, outer);
        }
        self.query_as(query, outer, &[])
    }

    /// A query as text, its columns named `names` where there are any.
    fn query_as(&mut self, query: &Query, outer: &Names, names: &[String]) -> String {
        let mut block = self.block(&query.rel, outer);
        let listed: ColumnSet = query.output.iter().copied().collect();
        let all: Vec<ColumnId> = block.items.iter().map(|(c, _)| *c).collect();
        // A list of outputs that DISTINCT does not compare, or without the aggregate that makes the SELECT
        // one, has to stand outside: `SELECT 1 FROM (SELECT count(*) FROM t)` is one row.
        let whole_lost = !block.whole.is_empty() && block.whole.is_disjoint(&listed);
        if block.distinct && query.output != all || whole_lost {
            block = self.wrap(block);
        }
        let mut items: Vec<String> = Vec::with_capacity(query.output.len());
        let known: BTreeMap<ColumnId, &String> = block.items.iter().rev().map(|(c, t)| (*c, t)).collect();
        for (i, c) in query.output.iter().enumerate() {
            let text = match known.get(c).copied().or_else(|| outer.get(c)) {
                Some(text) => text.clone(),
                None => {
                    self.refuse(format!("output column {} that nothing produces", c.0));
                    "NULL".to_owned()
                }
            };
            items.push(match names.get(i) {
                Some(name) => format!("{text} AS {name}"),
                None => text,
            });
        }
        block.select(&items)
    }

    /// Makes a derived table of a SELECT.
    fn wrap(&mut self, block: Block) -> Block {
        let items: Vec<String> = block.items.iter().map(|(c, text)| format!("{text} AS c{}", c.0)).collect();
        let sql = block.select(&items);
        let ids: Vec<ColumnId> = block.items.iter().map(|(c, _)| *c).collect();
        self.derived(&sql, &ids)
    }

    fn derived(&mut self, sql: &str, ids: &[ColumnId]) -> Block {
        let alias = self.alias('d');
        let items = ids.iter().map(|c| (*c, format!("{alias}.c{}", c.0))).collect();
        Block::from(Some(format!("({sql}) AS {alias}")), items)
    }

    /// The block of a relation, at a stage no later than `latest`.
    fn block_until(&mut self, rel: &Rel, outer: &Names, latest: Stage) -> Block {
        let block = self.block(rel, outer);
        if block.stage > latest { self.wrap(block) } else { block }
    }

    /// The block of a relation as one item of FROM.
    fn single(&mut self, rel: &Rel, outer: &Names) -> Block {
        let block = self.block(rel, outer);
        if block.single && block.stage == Stage::From && block.filters.is_empty() {
            block
        } else {
            self.wrap(block)
        }
    }

    /// As [`Self::single`], where an outer join may fill up the rows with NULLs: what the relation computes is
    /// computed below the join.
    ///
    /// | before | after |
    /// |---|---|
    /// | `u LEFT JOIN (SELECT id, 1 AS i FROM t) x ON …` | `u LEFT JOIN (SELECT id, 1 AS c5 FROM t) AS d1 ON …` |
    fn padded(&mut self, rel: &Rel, outer: &Names) -> Block {
        if computes(rel) {
            let block = self.block(rel, outer);
            self.wrap(block)
        } else {
            self.single(rel, outer)
        }
    }

    /// The SELECT of a relation, filled as far as the relation goes. Each case asks for its input's SELECT
    /// and either goes on filling it or wraps it first.
    fn block(&mut self, rel: &Rel, outer: &Names) -> Block {
        match rel {
            Rel::Scan { table, columns } => self.scan(*table, columns),
            Rel::Values { columns, rows } => self.values(columns, rows, outer),
            Rel::TableFunction { name, args, columns } => {
                let args = self.exprs(args, outer).join(", ");
                let alias = self.alias('f');
                let items = columns
                    .iter()
                    .map(|c| {
                        let name = c.info(self.columns).map_or("value", |i| &i.name);
                        (*c, format!("{alias}.{}", identifier(name)))
                    })
                    .collect();
                Block::from(Some(format!("{name}({args}) AS {alias}")), items)
            }
            Rel::Recursive { name, columns, seed, step, all } => {
                let names: Vec<String> = (1..=columns.len()).map(|i| format!("k{i}")).collect();
                let name = identifier(name);
                let sql = format!(
                    "WITH RECURSIVE {name}({}) AS ({} UNION{} {}) SELECT {} FROM {name}",
                    names.join(", "),
                    self.query_as(seed, outer, &[]),
                    if *all { " ALL" } else { "" },
                    self.query_as(step, outer, &[]),
                    columns
                        .iter()
                        .zip(&names)
                        .map(|(c, k)| format!("{k} AS c{}", c.0))
                        .collect::<Vec<_>>()
                        .join(", "),
                );
                self.derived(&sql, columns)
            }
            Rel::RecursiveRef { name, columns } => {
                let alias = self.alias('t');
                let items =
                    columns.iter().enumerate().map(|(i, c)| (*c, format!("{alias}.k{}", i + 1))).collect();
                Block::from(Some(format!("{} AS {alias}", identifier(name))), items)
            }
            Rel::Filter { input, predicate } => self.filter(input, predicate, outer),
            Rel::Project { input, exprs } => self.project(input, exprs, outer),
            Rel::Join { inputs, on } => self.join(rel, inputs, on, outer),
            Rel::OuterJoin { kind, left, right, on } => {
                // The left side may be a list of joins already, unless its rows may be filled up too: then
                // what it computes has to be computed below.
                let l = self.block(left, outer);
                let is_from = l.stage == Stage::From && l.filters.is_empty() && l.from.is_some();
                let l =
                    if is_from && !(*kind == JoinKind::Full && computes(left)) { l } else { self.wrap(l) };
                // Arguments of a table-valued function may read the left side.
                let r = match **right {
                    Rel::TableFunction { .. } => {
                        let mut before = outer.clone();
                        before.extend(l.items.iter().cloned());
                        self.padded(right, &before)
                    }
                    _ => self.padded(right, outer),
                };
                let mut items = l.items;
                items.extend(r.items);
                let mut block = Block::from(None, items);
                let scope = block.scope(outer);
                let on = self.conjunction(on, &scope);
                block.from = Some(format!(
                    "{} {} JOIN {} ON {on}",
                    l.from.unwrap_or_default(),
                    match kind {
                        JoinKind::Left => "LEFT",
                        JoinKind::Full => "FULL",
                    },
                    r.from.unwrap_or_default(),
                ));
                block
            }
            Rel::Aggregate { input, keys, calls } => self.aggregate(input, keys, calls, outer),
            Rel::Distinct { input } => {
                let mut block = self.block_until(input, outer, Stage::Windowed);
                // DISTINCT over a grouping of which nothing is read: the groups are made below.
                if block.groups.is_some() && block.whole.is_empty() && block.items.is_empty() {
                    block = self.wrap(block);
                }
                block.distinct = true;
                block.stage = Stage::Distinct;
                block
            }
            Rel::Sort { input, keys, limit, offset } => {
                self.sort(input, keys, limit.as_ref(), offset.as_ref(), outer)
            }
            Rel::SetOp { columns, .. } => {
                let sql = self.set_operation(rel, outer);
                self.derived(&sql, columns)
            }
            Rel::Window { input, calls } => {
                let mut block = self.block_until(input, outer, Stage::Grouped);
                if !block.whole.is_empty() {
                    block = self.wrap(block);
                }
                let scope = block.scope(outer);
                for (c, call) in calls {
                    let text = self.window_call(call, &scope);
                    block.items.push((*c, text));
                }
                block.stage = Stage::Windowed;
                block
            }
        }
    }

    /// A table under an alias of its own, since it may stand in FROM twice.
    fn scan(&mut self, table: usize, columns: &[(ColumnId, usize)]) -> Block {
        let alias = self.alias('t');
        let Some(t) = self.schema.tables.get(table) else {
            self.refuse(format!("table number {table}, which the schema does not have"));
            return Block::from(Some(format!("\"table {table}\" AS {alias}")), Vec::new());
        };
        let items = columns
            .iter()
            .map(|(c, at)| {
                let name = t.columns.get(*at).map_or("rowid", |c| &c.name);
                (*c, format!("{alias}.{}", identifier(name)))
            })
            .collect();
        Block::from(Some(format!("{} AS {alias}", identifier(&t.name))), items)
    }

    /// Constant rows. One is a SELECT without FROM, none a SELECT that finds nothing. A few are arms of a
    /// UNION ALL, which gives columns a name each; many are VALUES, whose columns SQLite names itself.
    fn values(&mut self, columns: &[ColumnId], rows: &[Vec<Expr>], outer: &Names) -> Block {
        if let [row] = rows {
            let texts = self.exprs(row, outer);
            return Block::from(None, columns.iter().copied().zip(texts).collect());
        }
        // SQLite bounds the arms of a compound SELECT, and not the rows of VALUES.
        if rows.len() > MAX_ARMS && !columns.is_empty() {
            let rows: Vec<String> =
                rows.iter().map(|row| format!("({})", self.exprs(row, outer).join(", "))).collect();
            let items: Vec<String> =
                columns.iter().enumerate().map(|(i, c)| format!("column{} AS c{}", i + 1, c.0)).collect();
            let sql = format!("SELECT {} FROM (VALUES {})", items.join(", "), rows.join(", "));
            return self.derived(&sql, columns);
        }
        let list = |texts: Vec<String>| {
            let named: Vec<String> =
                columns.iter().zip(texts).map(|(c, t)| format!("{t} AS c{}", c.0)).collect();
            if named.is_empty() { "SELECT 1".to_owned() } else { format!("SELECT {}", named.join(", ")) }
        };
        let mut arms: Vec<String> = rows.iter().map(|row| list(self.exprs(row, outer))).collect();
        if arms.is_empty() {
            let nulls = list(vec!["NULL".to_owned(); columns.len()]);
            arms.push(format!("{nulls} WHERE 0"));
        }
        self.derived(&arms.join(" UNION ALL "), columns)
    }

    /// WHERE below a grouping, HAVING above it.
    fn filter(&mut self, input: &Rel, predicate: &[Expr], outer: &Names) -> Block {
        let mut block = self.block_until(input, outer, Stage::Grouped);
        // An aggregate inside a subquery would be taken for one of the subquery.
        let nested = predicate.iter().any(Expr::has_subquery);
        if block.stage == Stage::Grouped && (nested || !block.whole.is_empty()) {
            block = self.wrap(block);
        }
        let scope = block.scope(outer);
        let texts = predicate.iter().map(|e| self.operand(e, &scope)).collect::<Vec<_>>();
        if block.stage == Stage::Grouped {
            block.having.extend(texts);
        } else {
            block.filters.extend(texts);
        }
        block
    }

    /// Other outputs over the same SELECT: `a + 1` over `b AS a` is `b + 1`, put together as text. A derived
    /// table is needed where that is not the same: above DISTINCT, where no output would be left that makes
    /// the SELECT an aggregate, for a subquery over groups, and where a long text would be repeated at each
    /// use.
    fn project(&mut self, input: &Rel, exprs: &[(ColumnId, Expr)], outer: &Names) -> Block {
        let mut block = self.block(input, outer);
        let nested = exprs.iter().any(|(_, e)| e.has_subquery());
        let whole_lost =
            !block.whole.is_empty() && !exprs.iter().any(|(_, e)| !e.reads().is_disjoint(&block.whole));
        let long = block.items.iter().any(|(_, t)| t.len() > MAX_REPEATED);
        if block.distinct || whole_lost || long || nested && block.stage >= Stage::Grouped {
            block = match input {
                // An order without a limit counts outside alone.
                Rel::Sort { keys, limit: None, offset: None, .. } if block.stage == Stage::Sorted => {
                    block.order.clear();
                    block.stage = Stage::Windowed;
                    let mut wrapped = self.wrap(block);
                    let scope = wrapped.scope(outer);
                    wrapped.order = self.sort_keys(keys, &scope);
                    wrapped.stage = Stage::Sorted;
                    wrapped
                }
                _ => self.wrap(block),
            };
        }
        let scope = block.scope(outer);
        block.items = exprs
            .iter()
            .map(|(c, e)| {
                let text = match e {
                    Expr::Column(_) => self.expr(e, &scope),
                    _ => self.operand(e, &scope),
                };
                (*c, text)
            })
            .collect();
        if !block.whole.is_empty() {
            block.whole =
                exprs.iter().filter(|(_, e)| !e.reads().is_disjoint(&block.whole)).map(|(c, _)| *c).collect();
        }
        // What nothing is known of may aggregate.
        let unknown =
            |e: &Expr| e.any(|part| part.as_function().is_some_and(|(name, _)| function::is_unknown(name)));
        let unknown: Vec<ColumnId> = exprs.iter().filter(|(_, e)| unknown(e)).map(|(c, _)| *c).collect();
        if !unknown.is_empty() && block.stage < Stage::Grouped {
            block.stage = Stage::Grouped;
        }
        block.whole.extend(unknown);
        block
    }

    /// FROM with inner joins. Each condition stands in the ON of the first join that has all it reads, one over a
    /// single table in WHERE: among inner joins the place does not change the answer.
    fn join(&mut self, rel: &Rel, inputs: &[Rel], on: &[Expr], outer: &Names) -> Block {
        let all = rel.output_set();
        // The arguments of a table-valued function may read the inputs before it, which may be such functions too.
        let (mut functions, plain): (Vec<&Rel>, Vec<&Rel>) =
            inputs.iter().partition(|r| matches!(r, Rel::TableFunction { args, .. } if !args.is_empty()));
        let lateral = !functions.is_empty();
        let mut ordered = plain;
        while !functions.is_empty() {
            let waiting: ColumnSet = functions.iter().flat_map(|f| f.output_set()).collect();
            let ready = functions.iter().position(|f| f.reads().is_disjoint(&waiting)).unwrap_or(0);
            ordered.push(functions.remove(ready));
        }
        let mut blocks: Vec<Block> = Vec::new();
        let mut before = outer.clone();
        for input in ordered {
            let block = self.single(input, &before);
            if lateral {
                before.extend(block.items.iter().cloned());
            }
            blocks.push(block);
        }
        let items: Vec<(ColumnId, String)> = blocks.iter().flat_map(|b| b.items.clone()).collect();
        let mut block = Block::from(None, items);
        let scope = block.scope(outer);
        let mut pending: Vec<(ColumnSet, String)> = Vec::new();
        for e in on {
            let of = e.reads().intersection(&all).copied().collect();
            pending.push((of, self.operand(e, &scope)));
        }
        let mut from = String::new();
        let mut known: ColumnSet = ColumnSet::new();
        for (i, b) in blocks.iter().enumerate() {
            let own: ColumnSet = b.items.iter().map(|(c, _)| *c).collect();
            if i > 0 {
                from.push_str(" JOIN ");
            }
            from.push_str(b.from.as_deref().unwrap_or("(SELECT 1)"));
            known.extend(&own);
            let (ready, later): (Vec<_>, Vec<_>) =
                pending.into_iter().partition(|(of, _)| of.is_subset(&known));
            pending = later;
            let (local, joining): (Vec<_>, Vec<_>) =
                ready.into_iter().partition(|(of, _)| i == 0 || of.is_subset(&own));
            block.filters.extend(local.into_iter().map(|(_, t)| t));
            if !joining.is_empty() {
                let texts: Vec<String> = joining.into_iter().map(|(_, t)| t).collect();
                from.push_str(" ON ");
                from.push_str(&texts.join(" AND "));
            }
        }
        block.filters.extend(pending.into_iter().map(|(_, t)| t));
        block.from = Some(from);
        block
    }

    fn aggregate(
        &mut self,
        input: &Rel,
        keys: &[(ColumnId, Expr)],
        calls: &[(ColumnId, AggregateCall)],
        outer: &Names,
    ) -> Block {
        let mut block = self.block_until(input, outer, Stage::From);
        let scope = block.scope(outer);
        let mut items = Vec::new();
        let mut groups = Vec::new();
        for (c, e) in keys {
            let text = self.expr(e, &scope);
            groups.push(expr::no_ordinal(e, &text));
            items.push((*c, text));
        }
        for (c, call) in calls {
            let anchored = anchored(call, &block);
            let mut text = self.aggregate_call(anchored.as_ref().unwrap_or(call), &scope);
            // Over no rows a bare column is NULL, and so is the constant that stands for it.
            let constant = call.args.iter().all(Expr::is_literal);
            if keys.is_empty() && call.func == AggFunc::Bare && constant {
                text = format!("CASE WHEN COUNT(*) > 0 THEN {text} END");
            }
            items.push((*c, text));
        }
        if keys.is_empty() {
            if calls.is_empty() {
                // Neither keys nor calls: one row if there are any, none if not, which GROUP BY of a
                // constant gives.
                groups.push("(SELECT NULL)".to_owned());
            } else {
                // A bare column does not make a SELECT an aggregate.
                block.whole =
                    calls.iter().filter(|(_, call)| call.func != AggFunc::Bare).map(|(c, _)| *c).collect();
            }
        }
        block.items = items;
        block.groups = Some(groups);
        block.stage = Stage::Grouped;
        let extreme = calls.iter().any(|(_, call)| call.func.is_extreme());
        if AggregateCall::any_bare(calls) && (extreme || keys.is_empty()) {
            // MIN or MAX must stand in the same SELECT as the bare column.
            block = self.wrap(block);
        }
        block
    }

    fn sort(
        &mut self,
        input: &Rel,
        keys: &[SortKey],
        limit: Option<&Expr>,
        offset: Option<&Expr>,
        outer: &Names,
    ) -> Block {
        let mut block = self.block_until(input, outer, Stage::Windowed);
        let nested = keys.iter().any(|k| k.expr.has_subquery());
        if nested && block.stage == Stage::Grouped || !block.whole.is_empty() {
            block = self.wrap(block);
        }
        let scope = block.scope(outer);
        block.order = self.sort_keys(keys, &scope);
        block.limit = limit.map(|e| self.expr(e, outer));
        block.offset = offset.map(|e| self.expr(e, outer));
        block.stage = Stage::Sorted;
        block
    }

    /// A compound SELECT, its columns named `c` and their id by the first arm.
    fn set_operation(&mut self, rel: &Rel, outer: &Names) -> String {
        let Rel::SetOp { kind, all, left, right, columns } = rel else {
            return self.query_as(&Query { rel: rel.clone(), output: rel.outputs() }, outer, &[]);
        };
        let names: Vec<String> = columns.iter().map(|c| format!("c{}", c.0)).collect();
        if *all && *kind != SetOpKind::Union {
            // SQLite has no ALL here: the copies of a row are numbered, and so are no copies.
            let list = names.join(", ");
            let arms = [left, right].map(|arm| {
                let sql = self.arm(arm, outer, &names);
                format!("SELECT {list}, ROW_NUMBER() OVER (PARTITION BY {list}) FROM ({sql})")
            });
            return format!("SELECT {list} FROM ({})", arms.join(word(*kind, false)));
        }
        // Down the left side: SQLite associates from there, and a chain may be long.
        let mut right_arms = vec![(word(*kind, *all), &**right)];
        let mut first = &**left;
        while let Rel::SetOp { kind, all, left, right, columns } = &first.rel {
            let numbered = *all && *kind != SetOpKind::Union;
            if *columns != first.output || numbered {
                break;
            }
            right_arms.push((word(*kind, *all), right));
            first = left;
        }
        let mut sql = self.arm(first, outer, &names);
        for (word, arm) in right_arms.into_iter().rev() {
            sql.push_str(word);
            sql.push_str(&self.arm(arm, outer, &names));
        }
        sql
    }

    /// An arm of a compound SELECT.
    fn arm(&mut self, arm: &Query, outer: &Names, names: &[String]) -> String {
        let sql = self.query_as(arm, outer, names);
        // SELECTs with an order or a limit of their own cannot stand in a compound.
        if ends_sorted(&arm.rel) { format!("SELECT * FROM ({sql})") } else { sql }
    }
}

fn word(kind: SetOpKind, all: bool) -> &'static str {
    match (kind, all) {
        (SetOpKind::Union, true) => " UNION ALL ",
        (SetOpKind::Union, false) => " UNION ",
        (SetOpKind::Intersect, _) => " INTERSECT ",
        (SetOpKind::Except, _) => " EXCEPT ",
    }
}

/// Whether a relation gives more than columns of its input.
///
/// A constant beside a row that an outer join fills up would otherwise stay a constant.
fn computes(rel: &Rel) -> bool {
    match rel {
        Rel::Project { input, exprs } => {
            exprs.iter().any(|(_, e)| !matches!(e, Expr::Column(_))) || computes(input)
        }
        _ => false,
    }
}

/// Whether the SELECT of a relation ends in ORDER BY or LIMIT.
fn ends_sorted(rel: &Rel) -> bool {
    match rel {
        Rel::Sort { .. } => true,
        Rel::Project { input, .. } => ends_sorted(input),
        _ => false,
    }
}
