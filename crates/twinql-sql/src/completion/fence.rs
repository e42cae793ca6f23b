//! Fenced blocks of a text, found in one pass.

use serde::Serialize;

use super::statements::begins;

/// How SQL was set off from text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Fence {
    /// A fenced block tagged `sql`, `sqlite` or with the name of another system.
    Sql,
    /// A fenced block without a tag.
    Untagged,
    /// Not at all.
    None,
}

/// The fenced block of a text that holds its SQL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fenced<'t> {
    /// With what is in it.
    Closed(Fence, &'t str),
    /// With all that follows its fence.
    Open(Fence, &'t str),
    /// There is none.
    None,
}

const MARK: &str = "```";

/// Tags of blocks that hold SQL.
const SQL_TAGS: [&str; 10] =
    ["sql", "sqlite", "sqlite3", "postgresql", "postgres", "psql", "mysql", "duckdb", "tsql", "plsql"];

/// What a block says of what is in it.
enum Info {
    Sql,
    Untagged,
    Other,
}

/// Reads what follows an opening mark: what the block is, and where its content begins.
fn info(rest: &str) -> (Info, usize) {
    let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && !"_+-.#".contains(c)).unwrap_or(rest.len());
    let (word, behind) = rest.split_at(end);
    if SQL_TAGS.iter().any(|tag| word.eq_ignore_ascii_case(tag)) {
        return (Info::Sql, end);
    }
    let next = behind.trim_start_matches([' ', '\t', '\r']);
    let ends_line = next.is_empty() || next.starts_with('\n');
    match (word.is_empty(), ends_line) {
        (false, true) => (Info::Other, end),
        // A block on one line: the first word is its content.
        _ => (Info::Untagged, 0),
    }
}

/// Finds the last block that is tagged as SQL; without one, the last untagged block that begins as a statement does.
/// Where the text ends within such a block, that one.
pub fn fenced(text: &str) -> Fenced<'_> {
    let (mut tagged, mut untagged) = (None, None);
    let mut at = 0;
    while let Some(mark) = text.get(at..).and_then(|rest| rest.find(MARK)).map(|n| at + n) {
        let from = mark + MARK.len();
        let from = from + text.get(from..).map_or(0, |rest| rest.bytes().take_while(|b| *b == b'`').count());
        let Some(rest) = text.get(from..) else { break };
        let (info, skip) = info(rest);
        let Some(inside) = rest.get(skip..) else { break };
        let end = inside.find(MARK);
        let content = end.and_then(|end| inside.get(..end)).unwrap_or(inside);
        let fence = match info {
            Info::Sql => Some(Fence::Sql),
            Info::Untagged if begins(content) => Some(Fence::Untagged),
            Info::Untagged | Info::Other => None,
        };
        let Some(end) = end else {
            if let Some(fence) = fence {
                return Fenced::Open(fence, inside);
            }
            break;
        };
        match fence {
            Some(Fence::Sql) => tagged = Some(content),
            Some(_) => untagged = Some(content),
            None => {}
        }
        at = from + skip + end + MARK.len();
        at += text.get(at..).map_or(0, |rest| rest.bytes().take_while(|b| *b == b'`').count());
    }
    match (tagged, untagged) {
        (Some(sql), _) => Fenced::Closed(Fence::Sql, sql),
        (None, Some(sql)) => Fenced::Closed(Fence::Untagged, sql),
        (None, None) => Fenced::None,
    }
}
