//! Files of Spider, SParC and CoSQL: gold `SQL<TAB>db_id` a line, predictions one SQL a
//! line. In SParC and CoSQL a blank line ends an interaction.

use std::path::Path;

use crate::CorpusError;
use crate::io::{lines, read_bytes};

/// One gold query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gold {
    /// The query.
    pub sql: String,
    /// Its database.
    pub db_id: String,
    /// The line in its file, from 1.
    pub line: usize,
    /// The interaction that it belongs to, from 0; always 0 in Spider.
    pub interaction: usize,
    /// Why this line holds no gold query, if it holds none; `sql` and `db_id` are then empty.
    pub unusable: Option<String>,
}

/// One line of a prediction file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prediction {
    /// The query; empty where there is none.
    pub sql: String,
    /// The line in its file, from 1 (in a JSON file the entry's number).
    pub line: usize,
    /// Why this prediction cannot be used, if it cannot.
    pub unusable: Option<String>,
}

impl Prediction {
    fn blank(&self) -> bool {
        self.sql.is_empty() && self.unusable.is_none()
    }
}

/// Reads a gold file. Windows line ends are fine; blank lines end interactions.
///
/// A line that is not UTF-8 or has no tab becomes an unusable gold, so that the lines of
/// the predictions still belong to the right ones.
///
/// # Errors
/// The file cannot be read, is empty, or has no line that is a gold query.
pub fn read_gold(path: impl AsRef<Path>) -> Result<Vec<Gold>, CorpusError> {
    let path = path.as_ref();
    let bytes = read_bytes(path)?;
    let fail = |line: usize, message: String| CorpusError::Line {
        file: path.display().to_string(),
        line,
        message,
    };
    let mut out: Vec<Gold> = Vec::new();
    let mut interaction = 0;
    let mut ended = false;
    for (i, line) in lines(&bytes).enumerate() {
        if line.iter().all(u8::is_ascii_whitespace) {
            ended = !out.is_empty();
            continue;
        }
        let read = gold_line(line);
        interaction += usize::from(std::mem::take(&mut ended));
        let (sql, db_id) = read.clone().unwrap_or_default();
        out.push(Gold {
            sql,
            db_id,
            line: i + 1,
            interaction,
            unusable: read.err(),
        });
    }
    if let Some((line, message)) = out.first().and_then(|g| Some((g.line, g.unusable.clone()?)))
        && out.iter().all(|g| g.unusable.is_some())
    {
        return Err(fail(line, message));
    }
    if out.is_empty() {
        return Err(CorpusError::File {
            file: path.display().to_string(),
            message: "the file holds no gold queries; give one `SQL<TAB>db_id` a line".into(),
        });
    }
    Ok(out)
}

/// Query and database of a line, or what is wrong with it.
fn gold_line(line: &[u8]) -> Result<(String, String), String> {
    let text = std::str::from_utf8(line).map_err(|e| {
        format!(
            "not UTF-8 at byte {} of the line; convert the file (iconv -t UTF-8)",
            e.valid_up_to()
        )
    })?;
    // A tab may stand inside the query; the database comes after the last one.
    let (sql, db_id) = text
        .trim_end()
        .rsplit_once('\t')
        .ok_or("no tab; a gold line is the query, a tab, and the database's id")?;
    Ok((sql.trim().to_owned(), db_id.trim().to_owned()))
}

/// Reads every line of a prediction file, blank ones too; [`align`] knows what they mean.
/// Text after a tab is ignored. A line that is not UTF-8 becomes an unusable prediction.
///
/// # Errors
/// The file cannot be read.
pub fn read_predictions(path: impl AsRef<Path>) -> Result<Vec<Prediction>, CorpusError> {
    let bytes = read_bytes(path.as_ref())?;
    let read = |(i, line): (usize, &[u8])| {
        let (sql, unusable) = match std::str::from_utf8(line) {
            Ok(text) => {
                let sql = text.split('\t').next().unwrap_or_default().trim();
                (sql.to_owned(), None)
            }
            Err(e) => {
                let why = format!("line {}: not UTF-8 at byte {}", i + 1, e.valid_up_to());
                (String::new(), Some(why))
            }
        };
        Prediction {
            sql,
            line: i + 1,
            unusable,
        }
    };
    Ok(lines(&bytes).enumerate().map(read).collect())
}

/// How many of the gold queries a prediction file answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cover {
    /// Every one.
    All,
    /// The first ones: as many as the file has predictions.
    First,
}

/// Pairs gold queries with the predictions of the same lines.
///
/// A blank line is an empty prediction if that makes the counts agree, and the end of an
/// interaction otherwise.
///
/// # Errors
/// Counts that disagree either way; the message names both.
pub fn align<'g>(
    gold: &'g [Gold],
    predictions: Vec<Prediction>,
    cover: Cover,
    gold_file: &str,
    pred_file: &str,
) -> Result<Vec<(&'g Gold, Prediction)>, CorpusError> {
    let fits = |n: usize| match cover {
        Cover::All => n == gold.len(),
        Cover::First => n <= gold.len() && n > 0,
    };
    let interactive = gold.last().is_some_and(|g| g.interaction > 0);
    let filled = predictions.iter().filter(|p| !p.blank()).count();
    let keep_blank = if interactive || !fits(predictions.len()) {
        false
    } else {
        // In a file that answers only the first lines both readings may fit: a blank line
        // is then a prediction, as it is in Spider.
        true
    };
    if !keep_blank && !fits(filled) {
        return Err(CorpusError::Counts {
            gold_file: gold_file.into(),
            gold: gold.len(),
            pred_file: pred_file.into(),
            pred: if interactive { filled } else { predictions.len() },
        });
    }
    let kept = predictions
        .into_iter()
        .filter(|p| keep_blank || !p.blank())
        .map(|mut p| {
            if p.blank() {
                p.unusable = Some(format!("line {}: empty prediction", p.line));
            }
            p
        });
    Ok(gold.iter().zip(kept).collect())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;

    fn file(bytes: &[u8]) -> tempfile::NamedTempFile {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), bytes).unwrap();
        file
    }

    #[test]
    fn gold() {
        let f = file(b"\xef\xbb\xbfSELECT 1\td1\r\nSELECT\t2 \td2\n\n\nSELECT 3\td1\n\n");
        let gold = read_gold(f.path()).unwrap();
        let got: Vec<(&str, &str, usize, usize)> = gold
            .iter()
            .map(|g| (g.sql.as_str(), g.db_id.as_str(), g.line, g.interaction))
            .collect();
        let expect = [
            ("SELECT 1", "d1", 1, 0),
            ("SELECT\t2", "d2", 2, 0),
            ("SELECT 3", "d1", 5, 1),
        ];
        assert_eq!(got, expect);
        for (bytes, message) in [
            (&b""[..], "holds no gold queries"),
            (b"SELECT 1", "line 1: no tab"),
            (b"SELECT \xff\td\nSELECT 1", "line 1: not UTF-8 at byte 7"),
        ] {
            let e = read_gold(file(bytes).path()).unwrap_err().to_string();
            assert!(e.contains(message), "{e}");
        }
        let gold = read_gold(file(b"SELECT 1\td\nSELECT \xff\td\nSELECT 2\nSELECT 3\td").path()).unwrap();
        let bad: Vec<Option<&str>> = gold.iter().map(|g| g.unusable.as_deref()).collect();
        assert!(matches!(bad[..], [None, Some(_), Some(_), None]), "{bad:?}");
        assert!(bad[1].unwrap().starts_with("not UTF-8 at byte 7") && bad[2].unwrap().starts_with("no tab"));
    }

    #[test]
    fn alignment() {
        let spider = read_gold(file(b"a\td\nb\td\nc\td\n").path()).unwrap();
        let cosql = read_gold(file(b"a\td\nb\td\n\nc\td\n\n").path()).unwrap();
        for (gold, text, cover, expect) in [
            (&spider, &b"a\tx\nb\nc\n"[..], Cover::All, Ok(vec!["a", "b", "c"])),
            (&spider, b"a\r\n\r\nc\r\n", Cover::All, Ok(vec!["a", "", "c"])),
            (&spider, b"a\n\xff\nc", Cover::All, Ok(vec!["a", "", "c"])),
            (&spider, b"a\nb\n\nc\n\n", Cover::All, Ok(vec!["a", "b", "c"])),
            (&spider, b"a\nb\n", Cover::First, Ok(vec!["a", "b"])),
            (&spider, b"a\nb\n", Cover::All, Err("has 3 queries and p has 2")),
            (
                &spider,
                b"a\nb\nc\nd",
                Cover::First,
                Err("has 3 queries and p has 4"),
            ),
            (&cosql, b"a\nb\n\nc\n", Cover::All, Ok(vec!["a", "b", "c"])),
            (&cosql, b"a\nb\nc\n", Cover::All, Ok(vec!["a", "b", "c"])),
            (&cosql, b"a\n\nc\n", Cover::All, Err("has 3 queries and p has 2")),
        ] {
            let predictions = read_predictions(file(text).path()).unwrap();
            let got = align(gold, predictions, cover, "g", "p");
            match expect {
                Ok(expect) => {
                    let got = got.unwrap();
                    let sql: Vec<&str> = got.iter().map(|(_, p)| p.sql.as_str()).collect();
                    assert_eq!(sql, expect);
                    assert!(got.iter().all(|(_, p)| p.sql.is_empty() == p.unusable.is_some()));
                }
                Err(message) => {
                    let e = got.unwrap_err().to_string();
                    assert!(e.contains(message), "{e}");
                }
            }
        }
    }

    #[test]
    fn real_files() {
        let Ok(data) = std::env::var("TWINQL_DATA") else {
            println!("skipped: TWINQL_DATA is not set");
            return;
        };
        let data = Path::new(&data);
        let gold = read_gold(data.join("spider/test_gold.sql")).unwrap();
        assert_eq!(gold.len(), 2147);
        let predictions = read_predictions(data.join("predictions/spider_test/ESMp_C3.txt")).unwrap();
        assert_eq!(
            align(&gold, predictions, Cover::All, "g", "p").unwrap().len(),
            2147
        );
        let cosql: Vec<_> = std::fs::read_dir(data.join("cosql"))
            .unwrap()
            .map(|e| e.unwrap().path())
            .filter(|p| p.extension().is_some_and(|e| e == "sql"))
            .collect();
        for path in cosql {
            assert!(
                read_gold(&path).unwrap().last().unwrap().interaction > 0,
                "{path:?}"
            );
        }
    }
}
