//! SQL Server's `(SELECT ',' + name FROM t ORDER BY n FOR XML PATH(''))`, a concatenation of texts: documents of XML without
//! names (<https://learn.microsoft.com/sql/relational-databases/xml/columns-without-a-name>).
//!
//! It becomes `(SELECT STRING_AGG(',' + name, '') WITHIN GROUP (ORDER BY n) FROM t)`: NULLs are left out, and of no rows both are
//! NULL. The signs of XML are written out, unless `TYPE).value('.', 'NVARCHAR(MAX)')` reads the document again.

use sqlparser::ast::{
    AccessExpr, Distinct, DuplicateTreatment, Expr, ForClause, ForXml, FunctionArguments, GroupByExpr,
    OrderBy, OrderByKind, Query, Select, SelectItem, SetExpr, Spanned,
};

use super::build::{call, plain_call, string, text, whole};

/// Rewrites one expression.
pub(super) fn concatenation(expr: &mut Expr) {
    match expr {
        Expr::Subquery(query) => {
            rewrite(query, false);
        }
        Expr::CompoundFieldAccess { root, access_chain } if is_value(access_chain) => {
            let inner = match &mut **root {
                Expr::Nested(inner) => &mut **inner,
                other => other,
            };
            if let Expr::Subquery(query) = inner
                && rewrite(query, true)
            {
                *expr = std::mem::replace(inner, Expr::Tuple(Vec::new()));
            }
        }
        _ => {}
    }
}

/// `.value('.', 'NVARCHAR(MAX)')`
fn is_value(chain: &[AccessExpr]) -> bool {
    let [AccessExpr::Dot(call)] = chain else { return false };
    let Some((name, args)) = plain_call(call) else { return false };
    let [path, as_type] = args.as_slice() else { return false };
    let as_type = text(as_type).map(str::to_ascii_lowercase).unwrap_or_default();
    name == "value" && text(path) == Some(".") && matches!(&*as_type, "nvarchar(max)" | "varchar(max)")
}

/// Whether such a query was rewritten; `typed`: its document is read again.
fn rewrite(query: &mut Query, typed: bool) -> bool {
    let Some(ForClause::Xml {
        for_xml: ForXml::Path(Some(path)),
        elements: false,
        binary_base64: false,
        root: None,
        r#type,
    }) = &query.for_clause
    else {
        return false;
    };
    let keys = match &query.order_by {
        None => Vec::new(),
        Some(OrderBy { kind: OrderByKind::Expressions(keys), interpolate: None }) => keys.clone(),
        Some(_) => return false,
    };
    let by_place = keys.iter().any(|key| whole(&key.expr, false).is_some());
    let limited = query.limit_clause.is_some() || query.fetch.is_some();
    let SetExpr::Select(select) = &mut *query.body else { return false };
    if !path.is_empty() || *r#type != typed || by_place || limited || !is_plain(select) {
        return false;
    }
    let Some(part) = unnamed(select) else { return false };
    let span = part.span();
    let mut written = part;
    for (sign, name) in [("&", "&amp;"), ("<", "&lt;"), (">", "&gt;")].into_iter().filter(|_| !typed) {
        written = call("replace", vec![written, string(sign, span), string(name, span)], span);
    }
    let mut joined = call("string_agg", vec![written, string("", span)], span);
    if let Expr::Function(function) = &mut joined {
        function.within_group = keys;
        if let FunctionArguments::List(list) = &mut function.args
            && select.distinct.take().is_some()
        {
            list.duplicate_treatment = Some(DuplicateTreatment::Distinct);
        }
    }
    select.projection = vec![SelectItem::UnnamedExpr(joined)];
    (query.order_by, query.for_clause) = (None, None);
    true
}

/// A SELECT of all of its rows.
fn is_plain(select: &Select) -> bool {
    let groups =
        !matches!(&select.group_by, GroupByExpr::Expressions(by, with) if by.is_empty() && with.is_empty());
    let distinct = matches!(select.distinct, None | Some(Distinct::Distinct));
    distinct && select.top.is_none() && !groups && select.having.is_none()
}

/// The only output, where it has no name: a column would give an element of its name.
fn unnamed(select: &Select) -> Option<Expr> {
    match select.projection.as_slice() {
        [SelectItem::UnnamedExpr(expr)] => Some(expr.clone()).filter(|_| !is_column(expr)),
        [SelectItem::ExprWithAlias { expr, alias }] if alias.value == "text()" => Some(expr.clone()),
        _ => None,
    }
}

fn is_column(expr: &Expr) -> bool {
    match expr {
        Expr::Nested(inner) => is_column(inner),
        Expr::Identifier(_) | Expr::CompoundIdentifier(_) => true,
        _ => false,
    }
}
