//! The words of a query as the published scripts see them.
//!
//! They call a tokeniser for English (NLTK's, after the Penn Treebank). What matters of it for SQL: brackets and
//! `; @ # $ % & ? ! *` stand alone, so do runs of full stops or backticks, a comma does unless a digit follows it,
//! and nothing else is split where no space is. So `a = 1` is three words, `a=1` one that no reader understands,
//! and `(1,2)` has one number-like word between its brackets.

use super::Unread;

/// Cuts a text into words: lower case, but for strings, which keep theirs and their quotes (all double).
pub(super) fn words(sql: &str) -> Result<Vec<String>, Unread> {
    let mut strings: Vec<String> = Vec::new();
    let mut text = String::with_capacity(sql.len());
    let mut open: Option<String> = None;
    for c in sql.chars() {
        let quote = matches!(c, '\'' | '"');
        match &mut open {
            Some(string) if quote => {
                string.push('"');
                strings.extend(open.take());
                text.push(STRING);
            }
            Some(string) => string.push(c),
            None if quote => open = Some('"'.to_string()),
            // The mark below is ours: a text that holds it is not SQL.
            None if c == STRING => return Err(Unread::new("a control character")),
            None => text.push(c),
        }
    }
    if open.is_some() {
        return Err(Unread::new("an odd number of quotation marks"));
    }
    let mut out = split(&text);
    let mut next = strings.into_iter();
    for word in &mut out {
        let marks = word.chars().filter(|c| *c == STRING).count();
        // A string that touches another word is lost in it, as its placeholder is there.
        let string = next.by_ref().take(marks).last();
        if let (Some(string), true) = (string, word.chars().eq([STRING])) {
            *word = string;
        }
    }
    Ok(join_operators(out))
}

/// Stands for a string while the rest is cut.
const STRING: char = '\u{1}';

fn split(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    let mut word = String::new();
    let mut rest = text.chars().peekable();
    let flush = |word: &mut String, out: &mut Vec<String>| {
        if !word.is_empty() {
            out.push(std::mem::take(word).to_lowercase());
        }
    };
    while let Some(c) = rest.next() {
        let next = rest.peek().copied();
        let most = match c {
            '(' | ')' | '[' | ']' | '{' | '}' | '<' | '>' => 1,
            ';' | '@' | '#' | '$' | '%' | '&' | '?' | '!' | '*' => 1,
            '«' | '»' | '“' | '”' | '„' | '‘' | '’' | '\u{2012}'..='\u{2015}' => 1,
            ',' | ':' if !next.is_some_and(char::is_numeric) => 1,
            // The last full stop ends a sentence.
            '.' if next != Some('.') && rest.clone().all(|c| c.is_whitespace() || "])}>»”’".contains(c)) => {
                1
            }
            '.' if next == Some('.') => usize::MAX,
            '`' => usize::MAX,
            '-' if next == Some('-') => 2,
            _ => 0,
        };
        if c.is_whitespace() || most > 0 {
            flush(&mut word, &mut out);
        }
        if most > 0 {
            let mut run = String::from(c);
            while run.chars().count() < most && rest.peek() == Some(&c) {
                run.extend(rest.next());
            }
            out.push(run);
        } else if !c.is_whitespace() {
            word.push(c);
        }
    }
    flush(&mut word, &mut out);
    out
}

/// `!` `=` becomes `!=`, and so on.
fn join_operators(words: Vec<String>) -> Vec<String> {
    let mut out: Vec<String> = Vec::with_capacity(words.len());
    for word in words {
        match out.last_mut() {
            Some(last) if word == "=" && matches!(last.as_str(), "!" | "<" | ">") => last.push('='),
            _ => out.push(word),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_an_english_tokeniser_cuts() {
        for (sql, expected) in [
            ("SELECT Name FROM t WHERE a >= 5", vec!["select", "name", "from", "t", "where", "a", ">=", "5"]),
            ("count(*)", vec!["count", "(", "*", ")"]),
            ("T1.a=T2.b", vec!["t1.a=t2.b"]),
            ("a>=5", vec!["a", ">", "=5"]),
            ("a != 'It''s'", vec!["a", "!=", "\u{1}\u{1}"]),
            ("a = 'Ab' ;", vec!["a", "=", "\"Ab\"", ";"]),
            ("a='x', b = \"y\"", vec!["a=\u{1}", ",", "b", "=", "\"y\""]),
            ("in (1,2, 3)", vec!["in", "(", "1,2", ",", "3", ")"]),
            ("a,b", vec!["a", ",", "b"]),
            ("a*b, t.*", vec!["a", "*", "b", ",", "t.", "*"]),
            ("a..b ``c` (d.) ", vec!["a", "..", "b", "``", "c", "`", "(", "d", ".", ")"]),
            ("a–b -- c---d", vec!["a", "–", "b", "--", "c", "--", "-d"]),
            ("1.5 -1", vec!["1.5", "-1"]),
        ] {
            assert_eq!(words(sql).unwrap(), expected, "{sql}");
        }
        assert!(words("a = 'x").is_err());
    }
}
