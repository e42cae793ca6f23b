//! Tags in a completion, each found in one pass.

use super::Tag;

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
