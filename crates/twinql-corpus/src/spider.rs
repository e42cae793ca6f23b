//! Files of Spider, SParC and CoSQL: gold `SQL<TAB>db_id` a line, predictions one SQL a
//! line. In SParC and CoSQL a blank line ends an interaction.

use std::path::Path;

use twinql_files::{FileError, Line, Lines};

use crate::CorpusError;

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

/// The gold queries of a file, one at a time. Windows line ends are fine; blank lines end
/// interactions.
///
/// A line that is not UTF-8 or has no tab becomes an unusable gold, so that the lines of
/// the predictions still belong to the right ones.
#[derive(Debug)]
pub struct Golds {
    lines: Lines,
    interaction: usize,
    begun: bool,
    ended: bool,
    tabless: bool,
}

impl Golds {
    /// The gold queries that lines hold.
    pub fn new(lines: Lines) -> Golds {
        Golds { lines, interaction: 0, begun: false, ended: false, tabless: false }
    }

    /// The same, where a line without a tab is a query that names no database, if `may`.
    pub fn tabless(self, may: bool) -> Golds {
        Golds { tabless: may, ..self }
    }
}

impl Iterator for Golds {
    type Item = Result<Gold, FileError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let line = match self.lines.next()? {
                Ok(line) if line.is_blank() => {
                    self.ended = self.begun;
                    continue;
                }
                Ok(line) => line,
                Err(error) => return Some(Err(error)),
            };
            self.begun = true;
            self.interaction += usize::from(std::mem::take(&mut self.ended));
            let read = gold_line(&line, self.tabless);
            let (sql, db_id) = read.clone().unwrap_or_default();
            return Some(Ok(Gold {
                sql,
                db_id,
                line: line.number,
                interaction: self.interaction,
                unusable: read.err(),
            }));
        }
    }
}

/// What a gold file holds, without its queries.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GoldCount {
    /// Gold queries, unusable ones too.
    pub golds: usize,
    /// It has interactions.
    pub interactive: bool,
    usable: bool,
    first_unusable: Option<(usize, String)>,
}

impl GoldCount {
    /// Counts one more.
    pub fn add(&mut self, gold: &Gold) {
        self.golds += 1;
        self.interactive |= gold.interaction > 0;
        self.usable |= gold.unusable.is_none();
        if let (None, Some(why)) = (&self.first_unusable, &gold.unusable) {
            self.first_unusable = Some((gold.line, why.clone()));
        }
    }

    /// Refuses a file without a single gold query.
    ///
    /// # Errors
    /// It is empty, or no line of it is a gold query.
    pub fn check(&self, path: &Path) -> Result<(), CorpusError> {
        let file = path.display().to_string();
        match &self.first_unusable {
            _ if self.golds == 0 => Err(CorpusError::File {
                file,
                message: "the file holds no gold queries; give one `SQL<TAB>db_id` a line".into(),
            }),
            Some((line, message)) if !self.usable => {
                Err(CorpusError::Line { file, line: *line, message: message.clone() })
            }
            _ => Ok(()),
        }
    }
}

/// Reads all of a gold file, as [`Golds`] does.
///
/// # Errors
/// The file cannot be read, is empty, or has no line that is a gold query.
pub fn read_gold(path: impl AsRef<Path>) -> Result<Vec<Gold>, CorpusError> {
    let path = path.as_ref();
    let golds: Vec<Gold> = Golds::new(Lines::open(path)?).collect::<Result<_, _>>()?;
    let mut count = GoldCount::default();
    golds.iter().for_each(|gold| count.add(gold));
    count.check(path)?;
    Ok(golds)
}

/// Query and database of a line, or what is wrong with it.
fn gold_line(line: &Line, tabless: bool) -> Result<(String, String), String> {
    let text = line.text().map_err(|why| format!("{why} of the line; convert the file (iconv -t UTF-8)"))?;
    // A tab may stand inside the query; the database comes after the last one.
    let (sql, db_id) = match text.trim_end().rsplit_once('\t') {
        None if tabless => (text, ""),
        None => return Err("no tab; a gold line is the query, a tab, and the database's id".into()),
        Some(both) => both,
    };
    Ok((sql.trim().to_owned(), db_id.trim().to_owned()))
}

/// What a line of a prediction file holds. Text after a tab is ignored; a line that is not UTF-8 is
/// an unusable prediction.
pub fn prediction(line: &Line) -> Prediction {
    let (sql, unusable) = match line.text() {
        Ok(text) => {
            let sql = text.split('\t').next().unwrap_or_default().trim();
            (sql.to_owned(), None)
        }
        Err(why) => (String::new(), Some(format!("line {}: {why}", line.number))),
    };
    Prediction { sql, line: line.number, unusable }
}

/// Reads every line of a prediction file, blank ones too; [`align`] knows what they mean.
///
/// # Errors
/// The file cannot be read.
pub fn read_predictions(path: impl AsRef<Path>) -> Result<Vec<Prediction>, CorpusError> {
    let lines = Lines::open(path.as_ref())?;
    let read: Result<_, FileError> = lines.map(|line| Ok(prediction(&line?))).collect();
    Ok(read?)
}

/// What a prediction file holds, without its queries.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PredictionCount {
    lines: usize,
    filled: usize,
}

impl PredictionCount {
    /// Counts one more.
    pub fn add(&mut self, prediction: &Prediction) {
        self.lines += 1;
        self.filled += usize::from(!prediction.blank());
    }
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
    let mut golds = GoldCount::default();
    gold.iter().for_each(|gold| golds.add(gold));
    let mut count = PredictionCount::default();
    predictions.iter().for_each(|prediction| count.add(prediction));
    let blank = blank_lines(&golds, count, cover, gold_file, pred_file)?;
    Ok(gold.iter().zip(predictions.into_iter().filter_map(|p| blank.kept(p))).collect())
}

/// What a blank line of a prediction file means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Blank {
    /// An empty prediction.
    Prediction,
    /// The end of an interaction.
    End,
}

impl Blank {
    /// A prediction with what a blank one means; none for the end of an interaction.
    pub fn kept(self, mut prediction: Prediction) -> Option<Prediction> {
        if prediction.blank() {
            if self == Blank::End {
                return None;
            }
            prediction.unusable = Some(format!("line {}: empty prediction", prediction.line));
        }
        Some(prediction)
    }
}

/// What blank lines mean, by the counts of both files, as [`align`] has it.
///
/// # Errors
/// Counts that disagree either way; the message names both.
pub fn blank_lines(
    gold: &GoldCount,
    predictions: PredictionCount,
    cover: Cover,
    gold_file: &str,
    pred_file: &str,
) -> Result<Blank, CorpusError> {
    let fits = |n: usize| match cover {
        Cover::All => n == gold.golds,
        Cover::First => n <= gold.golds && n > 0,
    };
    // In a file that answers only the first lines both readings may fit: a blank line
    // is then a prediction, as it is in Spider.
    if !gold.interactive && fits(predictions.lines) {
        return Ok(Blank::Prediction);
    }
    if !fits(predictions.filled) {
        return Err(CorpusError::Counts {
            gold_file: gold_file.into(),
            gold: gold.golds,
            pred_file: pred_file.into(),
            pred: if gold.interactive { predictions.filled } else { predictions.lines },
        });
    }
    Ok(Blank::End)
}

#[cfg(test)]
mod tests {
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
        let got: Vec<(&str, &str, usize, usize)> =
            gold.iter().map(|g| (g.sql.as_str(), g.db_id.as_str(), g.line, g.interaction)).collect();
        let expect = [("SELECT 1", "d1", 1, 0), ("SELECT\t2", "d2", 2, 0), ("SELECT 3", "d1", 5, 1)];
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
            (&spider, b"a\nb\nc\nd", Cover::First, Err("has 3 queries and p has 4")),
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
        assert_eq!(align(&gold, predictions, Cover::All, "g", "p").unwrap().len(), 2147);
        let cosql: Vec<_> = std::fs::read_dir(data.join("cosql"))
            .unwrap()
            .map(|e| e.unwrap().path())
            .filter(|p| p.extension().is_some_and(|e| e == "sql"))
            .collect();
        for path in cosql {
            assert!(read_gold(&path).unwrap().last().unwrap().interaction > 0, "{path:?}");
        }
    }
}
