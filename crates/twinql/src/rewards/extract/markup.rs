//! Tags and fences in a completion, each found in one pass.

use super::statements::begins;
use super::{Fence, Tag};

/// Tokens that end a turn, which some trainers leave in the text: `<|im_end|>`, `</s>` and their like.
pub(super) fn without_end_tokens(text: &str) -> &str {
    let mut text = text.trim_end();
    loop {
        let shorter = ["</s>", "<eos>", "<end_of_turn>"].iter().find_map(|token| text.strip_suffix(token));
        let special = || {
            let inner = text.strip_suffix("|>")?;
            let start = inner.rfind("<|")?;
            let name = inner.get(start + 2..)?;
            let is_name = name.len() <= 40 && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
            is_name.then(|| text.get(..start))?
        };
        match shorter.or_else(special) {
            Some(rest) => text = rest.trim_end(),
            None => return text,
        }
    }
}

/// A tag in a text.
#[derive(Clone, Copy)]
struct Found {
    name: &'static str,
    closes: bool,
    from: usize,
    to: usize,
}

/// The tags of these names, in order.
fn tags<'t>(text: &'t str, names: &'static [&'static str]) -> impl Iterator<Item = Found> + 't {
    text.match_indices('<').filter_map(move |(from, _)| {
        let rest = text.as_bytes().get(from + 1..)?;
        let (closes, rest) = match rest.split_first() {
            Some((b'/', rest)) => (true, rest),
            _ => (false, rest),
        };
        names.iter().find_map(|name| {
            let (found, end) = rest.split_at_checked(name.len())?;
            let is = end.first() == Some(&b'>') && found.eq_ignore_ascii_case(name.as_bytes());
            is.then(|| Found { name, closes, from, to: from + 2 + usize::from(closes) + name.len() })
        })
    })
}

/// The text outside `<think>…</think>`, and whether thinking is still open at its end. A `</think>` that nothing
/// opens ends thinking that the prompt has opened.
pub(super) fn without_thinking(text: &str) -> (String, bool) {
    let mut outside = String::new();
    let (mut start, mut thinking) = (0, false);
    for tag in tags(text, &["think", "thinking"]) {
        match (tag.closes, thinking) {
            (false, false) => {
                outside.push_str(text.get(start..tag.from).unwrap_or_default());
                outside.push('\n');
                thinking = true;
            }
            (true, false) => {
                outside.clear();
                start = tag.to;
            }
            (true, true) => {
                thinking = false;
                start = tag.to;
            }
            (false, true) => {}
        }
    }
    if !thinking {
        outside.push_str(text.get(start..).unwrap_or_default());
    }
    (outside, thinking)
}

/// The last `<answer>` or `<solution>` of a text.
pub(super) enum Tagged<'t> {
    /// With what is in it.
    Closed(Tag, &'t str),
    /// With all that follows it.
    Open(Tag, &'t str),
    None,
}

/// Finds the last tag. One that is closed and that nothing opens was opened by the prompt.
pub(super) fn tagged(text: &str) -> Tagged<'_> {
    let mut open: Option<Found> = None;
    let mut last = Tagged::None;
    let mut before = 0;
    for found in tags(text, &["answer", "solution"]) {
        let tag = if found.name == "answer" { Tag::Answer } else { Tag::Solution };
        match (found.closes, open) {
            (false, _) => open = Some(found),
            (true, Some(opened)) if opened.name == found.name => {
                last = Tagged::Closed(tag, text.get(opened.to..found.from).unwrap_or_default());
                open = None;
            }
            // Within another tag it is text.
            (true, Some(_)) => continue,
            (true, None) => last = Tagged::Closed(tag, text.get(before..found.from).unwrap_or_default()),
        }
        before = found.to;
    }
    match open {
        Some(opened) => {
            let tag = if opened.name == "answer" { Tag::Answer } else { Tag::Solution };
            Tagged::Open(tag, text.get(opened.to..).unwrap_or_default())
        }
        None => last,
    }
}

/// The fenced block of a text that holds its SQL.
pub(super) enum Fenced<'t> {
    /// With what is in it.
    Closed(Fence, &'t str),
    /// With all that follows its fence.
    Open(Fence, &'t str),
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
pub(super) fn fenced(text: &str) -> Fenced<'_> {
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
