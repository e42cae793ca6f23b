//! Dates, times and spans as PostgreSQL and MySQL compute with them.
//!
//! SQLite has no type for them: a date is the text `2024-05-01`, a timestamp
//! `2024-05-01 12:30:00`, with a fraction where there is one. The planner folds constants
//! with these functions, and the sandbox executes what it could not fold with the same ones.

mod calendar;
mod interval;
mod moment;
mod text;

pub use calendar::{Part, civil_from_days, days_from_civil};
pub use interval::{Interval, Unit};
pub use moment::Moment;
pub use text::{format_mysql, format_postgres, parse_mysql, to_mysql_format, to_strftime};
