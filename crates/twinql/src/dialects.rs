//! Whose SQL the parts of a pair are.

use std::fmt;

use twinql_sql::Dialect;
use twinql_sql::prove::Side;

/// Whose SQL a pair is: its DDL, its gold and its prediction each have a dialect.
///
/// The schema is read once, in the dialect of its DDL. Each query is read over it in its own.
///
/// ```
/// use twinql::Dialects;
/// use twinql::sql::Dialect;
///
/// let moved = Dialects { pred: Dialect::Postgres, ..Dialects::from(Dialect::Sqlite) };
/// assert_eq!(moved.to_string(), "sqlite>postgres");
/// // What a pair says of itself wins.
/// let own = moved.of_pair(None, Some("mysql"))?;
/// assert_eq!((own.gold, own.pred), (Dialect::Sqlite, Dialect::Mysql));
/// # Ok::<(), String>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Dialects {
    /// That of the DDL.
    pub schema: Dialect,
    /// That of the reference.
    pub gold: Dialect,
    /// That of what is compared with it.
    pub pred: Dialect,
}

impl From<Dialect> for Dialects {
    /// All three are one.
    fn from(dialect: Dialect) -> Dialects {
        Dialects { schema: dialect, gold: dialect, pred: dialect }
    }
}

impl Dialects {
    /// The DDL's; golds and predictions have it too where nothing is said of them.
    pub fn new(schema: Dialect, gold: Option<Dialect>, pred: Option<Dialect>) -> Dialects {
        Dialects { schema, gold: gold.unwrap_or(schema), pred: pred.unwrap_or(schema) }
    }

    /// Those of a pair that may name its own.
    ///
    /// # Errors
    /// A name that no dialect has, with the field and the names that there are.
    pub fn of_pair(self, gold: Option<&str>, pred: Option<&str>) -> Result<Dialects, String> {
        let own = |field: &str, name: Option<&str>, usual: Dialect| match name {
            None => Ok(usual),
            Some(name) => name.parse().map_err(|e| format!("{field}: {e}")),
        };
        Ok(Dialects {
            schema: self.schema,
            gold: own("gold_dialect", gold, self.gold)?,
            pred: own("pred_dialect", pred, self.pred)?,
        })
    }

    /// That of one side.
    pub fn of(self, side: Side) -> Dialect {
        match side {
            Side::Gold => self.gold,
            Side::Pred => self.pred,
        }
    }

    /// The system that has the data: the one of both queries, or the DDL's. It says whether texts that differ in case alone
    /// are the same in a column of which the schema does not say it.
    pub fn data(self) -> Dialect {
        if self.are_one() { self.gold } else { self.schema }
    }

    /// Gold and prediction are of one system.
    pub fn are_one(self) -> bool {
        self.gold == self.pred
    }
}

impl fmt::Display for Dialects {
    /// As signatures have it: `sqlite`, `sqlite>postgres`, and the DDL's where it is not the gold's:
    /// `postgres>sqlite|ddl:sqlite`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.gold)?;
        if !self.are_one() {
            write!(f, ">{}", self.pred)?;
        }
        if self.schema != self.gold {
            write!(f, "|ddl:{}", self.schema)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signatures_name_what_differs() {
        let [sqlite, postgres, mysql] = [Dialect::Sqlite, Dialect::Postgres, Dialect::Mysql];
        for (schema, gold, pred, shown) in [
            (postgres, None, None, "postgres"),
            (sqlite, None, Some(postgres), "sqlite>postgres"),
            (sqlite, Some(postgres), None, "postgres>sqlite|ddl:sqlite"),
            (sqlite, Some(mysql), Some(mysql), "mysql|ddl:sqlite"),
        ] {
            assert_eq!(Dialects::new(schema, gold, pred).to_string(), shown);
        }
    }

    #[test]
    fn a_name_that_no_dialect_has_is_said_with_its_field() {
        let error = Dialects::default().of_pair(None, Some("sqlit")).unwrap_err();
        assert!(error.starts_with("pred_dialect: unknown dialect \"sqlit\""), "{error}");
        assert!(Dialect::ALL.iter().all(|known| error.contains(known.name())), "{error}");
    }
}
