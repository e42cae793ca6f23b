//! Prefixes of questions: inserted, removed, substituted (MT-TEQL, 3.1.1, Table 2).
//!
//! A *common* prefix says nothing of what is asked for (`what is`, `tell me`); a *special* one does (`when`,
//! `how many`). The lists are the paper's, extended by what the 7,000 questions of Spider's training set start
//! with; the numbers are how many of them start so.

use super::distinct;
use crate::relation::{Relation, Target};

/// Common declarative prefixes with their counts in Spider's training questions. What the paper names comes
/// first; all of these may be inserted, the others of [`DECLARATIVE_TOO`] are only recognised.
pub const DECLARATIVE: &[(&str, usize)] = &[
    ("tell me", 16),
    ("find", 1090),
    ("list", 466),
    ("return", 253),
    ("show", 737),
    ("give me", 47),
    ("show me", 6),
    ("please show", 32),
    ("display", 41),
    ("report", 11),
];

/// Common declarative prefixes that are recognised, and not inserted.
pub const DECLARATIVE_TOO: &[(&str, usize)] = &[
    ("give", 125),
    ("please list", 8),
    ("retrieve", 7),
    ("select", 12),
    ("find out", 4),
    ("provide", 2),
    ("please give me", 2),
    ("please find", 0),
    ("please tell me", 0),
    ("please show me", 0),
    ("give us", 0),
    ("let me know", 0),
];

/// Common interrogative prefixes with their counts.
pub const INTERROGATIVE: &[(&str, usize)] = &[
    ("what is", 960),
    ("what are", 1555),
    ("which is", 1),
    ("which are", 1),
    ("what's", 0),
    ("what was", 2),
];

/// Words that open a question, common or special, with their counts as first words.
pub const QUESTION_WORDS: &[(&str, usize)] = &[
    ("what", 2578),
    ("what's", 0),
    ("how", 726),
    ("which", 409),
    ("who", 57),
    ("when", 21),
    ("where", 8),
    ("whose", 0),
    ("whom", 0),
    ("why", 0),
];

/// Words before a question word that belong to it: `in which year`, `on what date`.
const PREPOSITIONS: &[&str] = &["in", "on", "at", "of", "from", "for", "to", "by", "with", "under", "about"];

/// What `what` and `which` are followed by where no noun belongs to them.
const AUXILIARIES: &[&str] = &[
    "is", "are", "was", "were", "do", "does", "did", "can", "could", "will", "would", "has", "have", "had",
    "of", "if", "the",
];

/// Prefix insertion.
pub const INSERTION: Relation = Relation {
    name: "prefix-insertion",
    short: "PI",
    section: "3.1.1, prefix insertion",
    precondition: "the question starts with a question word, or a preposition and one",
    question: "a common declarative prefix stands before it",
    schema: "stays",
    gold: "stays",
    paper: 6370,
    target: Target::Utterance(insert),
};

/// Prefix removal.
pub const REMOVAL: Relation = Relation {
    name: "prefix-removal",
    short: "PR",
    section: "3.1.1, prefix removal",
    precondition: "the question starts with a common prefix, and more than that",
    question: "the prefix goes",
    schema: "stays",
    gold: "stays",
    paper: 199,
    target: Target::Utterance(remove),
};

/// Prefix substitution.
pub const SUBSTITUTION: Relation = Relation {
    name: "prefix-substitution",
    short: "PS",
    section: "3.1.1, prefix substitution",
    precondition: "the question starts with a common prefix, or with `what` or `which` and a noun",
    question: "another common prefix stands in its place; `is` or `are` as the noun asks for, and the mark at the end follows",
    schema: "stays",
    gold: "stays",
    paper: 8266,
    target: Target::Utterance(substitute),
};

/// The words of a text with where they start, the marks of a sentence stripped off.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.split_whitespace().map(move |word| {
        let start = word.as_ptr() as usize - text.as_ptr() as usize;
        (start, word.trim_end_matches([',', '.', '?', '!', ';', ':']))
    })
}

/// What follows `prefix` in a text, whatever its case; none where it does not start so.
fn after<'t>(text: &'t str, prefix: &str) -> Option<&'t str> {
    let mut found = words(text);
    for word in prefix.split(' ') {
        let (_, next) = found.next()?;
        if !next.eq_ignore_ascii_case(word) {
            return None;
        }
    }
    let (start, _) = found.next()?;
    text.get(start..)
}

/// A common prefix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Common {
    Declarative,
    Interrogative,
}

/// The longest common prefix, and what follows it.
fn common(text: &str) -> Option<(Common, &'static str, &str)> {
    let declarative = DECLARATIVE.iter().chain(DECLARATIVE_TOO).map(|(p, _)| (Common::Declarative, *p));
    let interrogative = INTERROGATIVE.iter().map(|(p, _)| (Common::Interrogative, *p));
    declarative
        .chain(interrogative)
        .filter_map(|(kind, prefix)| Some((kind, prefix, after(text, prefix)?)))
        .max_by_key(|(_, prefix, _)| prefix.len())
}

fn is_question_word(word: &str) -> bool {
    QUESTION_WORDS.iter().any(|(w, _)| word.eq_ignore_ascii_case(w))
}

/// The first letter as a capital.
fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// The first letter as a small one.
fn small(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_lowercase().chain(letters).collect()).unwrap_or_default()
}

/// `What is the age of all singers?` ⇒ `Tell me what is the age of all singers?`
fn insert(question: &str) -> Vec<String> {
    let text = question.trim();
    let mut first = words(text).map(|(_, word)| word);
    let opens = match (first.next(), first.next()) {
        (Some(word), Some(_)) if is_question_word(word) => true,
        (Some(word), Some(next)) => {
            PREPOSITIONS.iter().any(|p| word.eq_ignore_ascii_case(p)) && is_question_word(next)
        }
        _ => false,
    };
    if !opens {
        return Vec::new();
    }
    let made = DECLARATIVE.iter().map(|(prefix, _)| format!("{} {}", capital(prefix), small(text)));
    distinct(question, made.collect())
}

/// `What is the age of all singers?` ⇒ `The age of all singers?`
fn remove(question: &str) -> Vec<String> {
    let Some((_, _, body)) = common(question.trim()) else { return Vec::new() };
    if !body.contains(char::is_alphanumeric) {
        return Vec::new();
    }
    distinct(question, vec![capital(body)])
}

/// `What is the age of all singers?` ⇒ `Find the age of all singers.`;
/// `List the names of pets.` ⇒ `What are the names of pets?`;
/// `Which cities have a stadium?` ⇒ `Tell me what cities have a stadium.`
fn substitute(question: &str) -> Vec<String> {
    let text = question.trim();
    if let Some((_, old, body)) = common(text) {
        let first = words(body).next().map_or("", |(_, word)| word);
        if !body.contains(char::is_alphanumeric) {
            return Vec::new();
        }
        let declarative = |(prefix, _): &(&str, usize)| {
            (*prefix != old).then(|| format!("{} {}", capital(prefix), ended(body, '.')))
        };
        let mut made: Vec<String> = DECLARATIVE.iter().filter_map(declarative).collect();
        // `Find out which …` is followed by a question already.
        if !is_question_word(first) {
            let verb = if is_plural(body) { "are" } else { "is" };
            for word in ["What", "Which"] {
                if !old.starts_with(&small(word)) {
                    // In front, so that they are not lost where only some are taken.
                    made.insert(
                        made.len().min(2),
                        format!("{word} {verb} {}", ended(&small_article(body), '?')),
                    );
                }
            }
        }
        return distinct(question, made);
    }
    let mut first = words(text);
    let (Some((_, word)), Some((start, noun))) = (first.next(), first.next()) else { return Vec::new() };
    let other = match word.to_ascii_lowercase().as_str() {
        "what" => "which",
        "which" => "what",
        _ => return Vec::new(),
    };
    if AUXILIARIES.iter().any(|a| noun.eq_ignore_ascii_case(a)) {
        return Vec::new();
    }
    let body = text.get(start..).unwrap_or_default();
    let mut made = vec![format!("{} {body}", capital(other))];
    made.extend(
        DECLARATIVE.iter().map(|(prefix, _)| format!("{} {other} {}", capital(prefix), ended(body, '.'))),
    );
    distinct(question, made)
}

/// The text with this mark at its end, in the place of `?` or `.`; as it is where none stands there.
fn ended(text: &str, mark: char) -> String {
    match text.trim_end().strip_suffix(['?', '.']) {
        Some(rest) => format!("{}{mark}", rest.trim_end()),
        None => text.to_owned(),
    }
}

/// `The`, `All` in small letters behind another word; names keep their capitals.
fn small_article(text: &str) -> String {
    let first = words(text).next().map_or("", |(_, word)| word);
    let article = ["the", "all", "a", "an", "each", "every", "any", "those", "different", "distinct"];
    if article.iter().any(|a| first.eq_ignore_ascii_case(a)) { small(text) } else { text.to_owned() }
}

/// Whether the noun phrase at the start asks for `are`: it is joined by `and`, lists several things, or its last
/// word has the ending of a plural.
fn is_plural(body: &str) -> bool {
    let ends = [
        "of", "for", "in", "on", "at", "that", "which", "who", "whose", "with", "by", "from", "where",
        "when", "to", "having", "has", "have", "ordered", "sorted", "along", "under", "between", "among",
        "does", "did", "were", "was", "is", "are",
    ];
    let mut last = "";
    for word in body.split_whitespace() {
        let bare = word.trim_end_matches([',', '.', '?', '!', ';']);
        if bare.eq_ignore_ascii_case("and") || word.ends_with(',') {
            return true;
        }
        if ends.iter().any(|e| bare.eq_ignore_ascii_case(e)) {
            break;
        }
        last = bare;
    }
    let last = last.to_lowercase();
    let plural = last.ends_with('s') && !["ss", "us", "is", "'s"].iter().any(|end| last.ends_with(end));
    plural || ["people", "those", "all", "women", "men", "children", "ids"].contains(&last.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first(made: Vec<String>, n: usize) -> Vec<String> {
        made.into_iter().take(n).collect()
    }

    #[test]
    fn inserted() {
        let made = insert("What is the age of all singers?");
        assert_eq!(made.len(), 10);
        assert_eq!(made[0], "Tell me what is the age of all singers?");
        assert_eq!(insert("How many pets?")[1], "Find how many pets?");
        assert_eq!(insert(" in which year did it end?")[0], "Tell me in which year did it end?");
        for left in
            ["Find the age of singers.", "", "what", "¿Qué es?", "Whatever is there?", "In 2014 what?"]
        {
            assert!(insert(left).is_empty(), "{left}");
        }
    }

    #[test]
    fn removed() {
        for (question, expect) in [
            ("What is the age of all singers?", "The age of all singers?"),
            ("what are all names?", "All names?"),
            ("Please show the éclairs.", "The éclairs."),
            ("Find out which pets are old.", "Which pets are old."),
            ("GIVE ME names", "Names"),
        ] {
            assert_eq!(remove(question), [expect], "{question}");
        }
        // Special prefixes say what is asked for.
        for left in
            ["How many pets?", "When did it end?", "What is", "Tell me ?", "Count the pets.", "", "Änderung"]
        {
            assert!(remove(left).is_empty(), "{left}");
        }
    }

    #[test]
    fn substituted() {
        let made = substitute("What is the age of all singers?");
        assert_eq!(made[0], "Tell me the age of all singers.");
        assert!(made.len() >= 10 && !made.iter().any(|m| m.starts_with("What")));
        let made = first(substitute("List the names and ages of pets."), 4);
        assert!(made.contains(&"What are the names and ages of pets?".to_owned()), "{made:?}");
        assert!(made.contains(&"Which are the names and ages of pets?".to_owned()), "{made:?}");
        let made = first(substitute("Find the name of the city"), 4);
        assert!(made.contains(&"What is the name of the city".to_owned()), "{made:?}");
        let made = substitute("Which cities have a stadium?");
        assert_eq!(made[..2], ["What cities have a stadium?", "Tell me what cities have a stadium."]);
        assert!(made.len() >= 10);
        // What follows is a question already: it is not asked for a second time.
        assert!(substitute("Find out which pets are old.").iter().all(|m| !m.starts_with("What")));
        for left in [
            "How many pets?",
            "What does it cost?",
            "For each pet, find its age.",
            "What",
            "",
            "名前は何ですか",
        ] {
            assert!(substitute(left).is_empty(), "{left}");
        }
    }

    #[test]
    fn numbers_of_nouns() {
        for (body, plural) in [
            ("the names of pets", true),
            ("the name of pets", false),
            ("the first name and age", true),
            ("the address", false),
            ("the campus with most rooms", false),
            ("all", true),
            ("", false),
        ] {
            assert_eq!(is_plural(body), plural, "{body}");
        }
    }
}
