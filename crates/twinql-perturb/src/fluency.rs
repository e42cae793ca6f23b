//! How fluent a question is: 1 / (1 + H), where H is the mean negative log-probability of its words (MT-TEQL, 4.1,
//! after Ge et al. 2018).
//!
//! The bundled model counts trigrams in the questions of Spider's training set, and smooths as Kneser and Ney do
//! (interpolated, one discount). Scores of any other language model come from a file.

use std::collections::{BTreeMap, HashMap};
use std::io::Read as _;
use std::path::Path;

use flate2::read::GzDecoder;
use serde_json::Value as Json;
use twinql_corpus::io::{lines, read_bytes};

use crate::PerturbError;

/// What `cargo measure fluency-model` makes.
const BUNDLED: &[u8] = include_bytes!("../data/fluency/trigrams.gz");
/// The first line of a model.
const HEADER: &str = "twinql trigrams 1";
/// What is taken off each count.
const DISCOUNT: f64 = 0.75;
/// Words that occur less often are unknown to the model.
const LEAST: usize = 2;

/// Word numbers that are no words.
const START: u32 = 0;
const END: u32 = 1;
const UNKNOWN: u32 = 2;
const SPECIAL: [&str; 3] = ["<s>", "</s>", "<unk>"];

/// A trigram model.
#[derive(Debug, Clone)]
pub struct Trigrams {
    words: HashMap<String, u32>,
    counts: BTreeMap<[u32; 3], u32>,
    /// Of two words: how often they are followed by anything, and by how many things.
    after_two: HashMap<[u32; 2], (f64, f64)>,
    /// Of two words: before how many things they stand.
    before_two: HashMap<[u32; 2], f64>,
    /// Of one word in the middle: in how many contexts it stands, and by how many things it is followed.
    after_one: HashMap<u32, (f64, f64)>,
    /// Of one word: after how many things it stands.
    before_one: HashMap<u32, f64>,
    /// Distinct pairs.
    pairs: f64,
}

/// Words and marks of a text, in lower case.
pub fn tokens(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut open = false;
    for c in text.chars() {
        let word = c.is_alphanumeric() || matches!(c, '\'' | '_' | '-');
        match found.last_mut() {
            Some(last) if word && open => last.extend(c.to_lowercase()),
            _ if c.is_whitespace() => {}
            _ => found.push(c.to_lowercase().collect()),
        }
        open = word;
    }
    found
}

impl Trigrams {
    /// The bundled one.
    ///
    /// # Errors
    /// It is damaged.
    pub fn bundled() -> Result<Trigrams, PerturbError> {
        let mut text = String::new();
        let read = GzDecoder::new(BUNDLED).read_to_string(&mut text).ok();
        read.and_then(|_| Trigrams::parse(&text))
            .ok_or_else(|| PerturbError::Bundled { what: "the model of fluency".into() })
    }

    /// Counts the trigrams of texts.
    pub fn count<'t>(texts: impl IntoIterator<Item = &'t str>) -> Trigrams {
        let texts: Vec<Vec<String>> = texts.into_iter().map(tokens).collect();
        let mut often: BTreeMap<&str, usize> = BTreeMap::new();
        for word in texts.iter().flatten() {
            *often.entry(word).or_default() += 1;
        }
        let known = often.iter().filter(|(_, n)| **n >= LEAST).map(|(word, _)| (*word).to_owned());
        let words: HashMap<String, u32> =
            SPECIAL.iter().map(|w| (*w).to_owned()).chain(known).zip(0..).collect();
        let mut counts: BTreeMap<[u32; 3], u32> = BTreeMap::new();
        for text in &texts {
            for gram in grams(&words, text) {
                *counts.entry(gram).or_default() += 1;
            }
        }
        Trigrams::of(words, counts)
    }

    /// All that is derived from the counts of trigrams.
    fn of(words: HashMap<String, u32>, counts: BTreeMap<[u32; 3], u32>) -> Trigrams {
        let mut after_two: HashMap<[u32; 2], (f64, f64)> = HashMap::new();
        let mut before_two: HashMap<[u32; 2], f64> = HashMap::new();
        for (&[a, b, c], &n) in &counts {
            let followed = after_two.entry([a, b]).or_default();
            followed.0 += f64::from(n);
            followed.1 += 1.0;
            *before_two.entry([b, c]).or_default() += 1.0;
        }
        let mut after_one: HashMap<u32, (f64, f64)> = HashMap::new();
        let mut before_one: HashMap<u32, f64> = HashMap::new();
        for (&[b, c], &n) in &before_two {
            let followed = after_one.entry(b).or_default();
            followed.0 += n;
            followed.1 += 1.0;
            *before_one.entry(c).or_default() += 1.0;
        }
        let pairs = before_two.len() as f64;
        Trigrams { words, counts, after_two, before_two, after_one, before_one, pairs }
    }

    /// The probability of a word after two others.
    fn probability(&self, [a, b, c]: [u32; 3]) -> f64 {
        // Below all counts, every word is as likely.
        let uniform = 1.0 / (self.words.len().max(2) - 1) as f64;
        let known = self.before_one.len() as f64;
        let one = match self.pairs > 0.0 {
            true => {
                let n = self.before_one.get(&c).copied().unwrap_or(0.0);
                ((n - DISCOUNT).max(0.0) + DISCOUNT * known * uniform) / self.pairs
            }
            false => uniform,
        };
        let two = match self.after_one.get(&b) {
            Some(&(all, kinds)) => {
                let n = self.before_two.get(&[b, c]).copied().unwrap_or(0.0);
                ((n - DISCOUNT).max(0.0) + DISCOUNT * kinds * one) / all
            }
            None => one,
        };
        match self.after_two.get(&[a, b]) {
            Some(&(all, kinds)) => {
                let n = self.counts.get(&[a, b, c]).copied().map_or(0.0, f64::from);
                ((n - DISCOUNT).max(0.0) + DISCOUNT * kinds * two) / all
            }
            None => two,
        }
    }

    /// 1 / (1 + H); none for a text without words.
    pub fn fluency(&self, text: &str) -> Option<f64> {
        let tokens = tokens(text);
        if tokens.is_empty() {
            return None;
        }
        let grams = grams(&self.words, &tokens);
        let n = grams.len() as f64;
        let entropy = -grams.into_iter().map(|gram| self.probability(gram).ln()).sum::<f64>() / n;
        Some(1.0 / (1.0 + entropy))
    }

    /// The model as text: a header, the words a line, an empty line, and three words and a count a line, words as
    /// numbers, each the difference to the line before where it is the first.
    pub fn write(&self) -> String {
        let mut words: Vec<(&String, &u32)> = self.words.iter().collect();
        words.sort_by_key(|(_, number)| **number);
        let mut out = format!("{HEADER}\n");
        for (word, _) in words {
            out.push_str(word);
            out.push('\n');
        }
        out.push('\n');
        let mut before = 0;
        for ([a, b, c], n) in &self.counts {
            out.push_str(&format!("{} {b} {c} {n}\n", a - before));
            before = *a;
        }
        out
    }

    fn parse(text: &str) -> Option<Trigrams> {
        let (head, counts) = text.split_once("\n\n")?;
        let mut head = head.lines();
        (head.next()? == HEADER).then_some(())?;
        let words = head.map(str::to_owned).zip(0..).collect();
        let mut grams = BTreeMap::new();
        let mut first = 0;
        for line in counts.lines() {
            let mut numbers = line.split(' ').map(str::parse::<u32>);
            let mut next = || numbers.next()?.ok();
            first += next()?;
            grams.insert([first, next()?, next()?], next()?);
        }
        Some(Trigrams::of(words, grams))
    }
}

/// The trigrams of a text, its start and end marked.
fn grams(words: &HashMap<String, u32>, text: &[String]) -> Vec<[u32; 3]> {
    let numbers = text.iter().map(|word| words.get(word).copied().unwrap_or(UNKNOWN));
    let mut found = Vec::with_capacity(text.len() + 1);
    let (mut a, mut b) = (START, START);
    for c in numbers.chain([END]) {
        found.push([a, b, c]);
        (a, b) = (b, c);
    }
    found
}

/// Where fluency comes from.
#[derive(Debug, Clone)]
pub enum Fluency {
    /// The bundled model.
    Model(Box<Trigrams>),
    /// Scores by id: those of transformed inputs, and the numbers of the originals.
    Scores(HashMap<String, f64>),
}

impl Fluency {
    /// Reads JSON lines with `id` and `score` (or `fluency`).
    ///
    /// # Errors
    /// The file cannot be read, or a line is no score.
    pub fn read(path: &Path) -> Result<Fluency, PerturbError> {
        let wrong = |line: usize, why: String| {
            PerturbError::Setting(format!(
                "{}, line {line}: {why}; give JSON lines with id and score, an original's id being its number from 0",
                path.display()
            ))
        };
        let mut scores = HashMap::new();
        for (at, line) in lines(&read_bytes(path)?).enumerate() {
            if line.trim_ascii().is_empty() {
                continue;
            }
            let json: Json =
                serde_json::from_slice(line).map_err(|e| wrong(at + 1, format!("no JSON: {e}")))?;
            let id = match json.get("id") {
                Some(Json::String(id)) => id.clone(),
                Some(Json::Number(id)) => id.to_string(),
                _ => return Err(wrong(at + 1, "no id".into())),
            };
            let score = json.get("score").or(json.get("fluency")).and_then(Json::as_f64);
            scores.insert(id, score.ok_or_else(|| wrong(at + 1, "no score".into()))?);
        }
        Ok(Fluency::Scores(scores))
    }

    /// The fluency of a question; none where nothing is known of it.
    pub fn of(&self, id: &str, question: &str) -> Option<f64> {
        match self {
            Fluency::Model(model) => model.fluency(question),
            Fluency::Scores(scores) => scores.get(id).copied(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_marks() {
        assert_eq!(tokens("What's Ünder: 3.5?"), ["what's", "ünder", ":", "3", ".", "5", "?"]);
        assert!(tokens(" \n").is_empty());
    }

    #[test]
    fn probabilities_sum_to_one() {
        let model = Trigrams::count(["a b a b .", "a b c .", "c a b ."]);
        let all: Vec<u32> = (1..model.words.len() as u32).collect();
        for context in [[START, START], [START, 3], [4, 3], [UNKNOWN, UNKNOWN], [3, 4]] {
            let sum: f64 = all.iter().map(|&c| model.probability([context[0], context[1], c])).sum();
            assert!((sum - 1.0).abs() < 1e-9, "{context:?}: {sum}");
        }
        assert!(model.fluency("a b .").unwrap() > model.fluency("b . a").unwrap());
    }

    #[test]
    fn scores_of_others() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("scores.jsonl");
        let read = |text: &str| {
            std::fs::write(&path, text).unwrap();
            Fluency::read(&path).map_err(|e| e.to_string())
        };
        let scores = read("{\"id\":7,\"score\":0.5}\n\n{\"id\":\"7.PI.0\",\"fluency\":0.25}\n").unwrap();
        assert_eq!(
            [scores.of("7", "any"), scores.of("7.PI.0", ""), scores.of("8", "any")],
            [Some(0.5), Some(0.25), None]
        );
        for (text, says) in [("x", "line 1: no JSON"), ("{\"score\":1}", "no id"), ("{\"id\":1}", "no score")]
        {
            assert!(read(text).unwrap_err().contains(says), "{text}");
        }
    }

    #[test]
    fn written_and_read() {
        let model = Trigrams::count(["a b a b .", "a b ."]);
        let read = Trigrams::parse(&model.write()).unwrap();
        assert_eq!(read.counts, model.counts);
        assert_eq!(read.fluency("a b b"), model.fluency("a b b"));
        assert!(Trigrams::parse("twinql trigrams 2\n\n").is_none());
    }

    #[test]
    fn the_bundled_model_knows_questions() {
        let model = Trigrams::bundled().unwrap();
        let of = |text: &str| model.fluency(text).unwrap();
        assert!(of("What are the names of all singers?") > of("Singers names the all of are what?"));
        assert!(of("何ですか").is_finite());
        assert!(model.fluency("").is_none());
    }
}
