//! Words for other names and for attributes, from WordNet and a list of our own. Nothing is looked up elsewhere.

use std::collections::HashMap;

use crate::PerturbError;

/// The table that `scripts/lexicon.py` makes of WordNet 3.1; its licence and provenance stand beside it.
const NOUNS: &str = include_str!("../data/lexicon/nouns.tsv");
/// Attributes by WordNet's classes of nouns, made for this project.
const ATTRIBUTES: &str = include_str!("../data/lexicon/attributes.tsv");

/// Synonyms that are too few to go without broader words.
const FEW: usize = 2;

/// A noun.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Noun<'l> {
    class: &'l str,
    synonyms: &'l str,
    broader: &'l str,
    parts: &'l str,
}

/// An attribute that things of a class have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Attribute<'l> {
    /// Its name, words joined by `_`.
    pub name: &'l str,
    /// `text` or `number`.
    pub kind: &'l str,
}

/// Nouns with other words for them, and what things have.
#[derive(Debug, Clone)]
pub struct Lexicon {
    nouns: HashMap<&'static str, Noun<'static>>,
    attributes: HashMap<&'static str, Vec<Attribute<'static>>>,
}

impl Lexicon {
    /// The bundled one.
    ///
    /// # Errors
    /// Its tables are damaged.
    pub fn bundled() -> Result<Lexicon, PerturbError> {
        let damaged = |table: &str, number: usize| PerturbError::Bundled {
            what: format!("line {} of the lexicon's {table}", number + 1),
        };
        let mut nouns = HashMap::new();
        for (number, line) in NOUNS.lines().enumerate() {
            let mut fields = line.split('\t');
            let mut next = || fields.next().ok_or_else(|| damaged("nouns", number));
            let word = next()?;
            nouns.insert(word, Noun { class: next()?, synonyms: next()?, broader: next()?, parts: next()? });
        }
        let mut attributes: HashMap<&str, Vec<Attribute<'_>>> = HashMap::new();
        for (number, line) in ATTRIBUTES.lines().enumerate() {
            let mut fields = line.split('\t');
            let mut next = || fields.next().ok_or_else(|| damaged("attributes", number));
            let class = next()?;
            attributes.entry(class).or_default().push(Attribute { name: next()?, kind: next()? });
        }
        Ok(Lexicon { nouns, attributes })
    }

    /// The noun that a word is, or is the plural of.
    fn noun(&self, word: &str) -> Option<(&Noun<'static>, Plural)> {
        if let Some(noun) = self.nouns.get(word) {
            return Some((noun, Plural::No));
        }
        let stems = [
            word.strip_suffix("ies").map(|stem| format!("{stem}y")),
            word.strip_suffix("es").filter(|s| s.ends_with(['s', 'x', 'h', 'z'])).map(str::to_owned),
            word.strip_suffix('s').map(str::to_owned),
        ];
        stems.iter().flatten().find_map(|stem| self.nouns.get(stem.as_str())).map(|noun| (noun, Plural::Yes))
    }

    /// Other words for a word: its synonyms, and broader words where there are fewer than two; in the plural if it is.
    pub fn others(&self, word: &str) -> Vec<String> {
        let Some((noun, plural)) = self.noun(word) else { return Vec::new() };
        let mut words: Vec<&str> = list(noun.synonyms).collect();
        if words.len() < FEW {
            words.extend(list(noun.broader));
        }
        words
            .into_iter()
            .map(|w| if plural == Plural::Yes { in_the_plural(w) } else { w.to_owned() })
            .collect()
    }

    /// What a thing of this name may have: its parts, then what things of its class have; of a name of several
    /// words that of the last one that is known. What anything may have, where none is.
    pub fn attributes(&self, words: &[String]) -> Vec<Attribute<'_>> {
        let known = words.iter().rev().find_map(|word| self.noun(word));
        let mut found = Vec::new();
        let mut class = "any";
        if let Some((noun, _)) = known {
            found.extend(list(noun.parts).map(|name| Attribute { name, kind: "text" }));
            class = noun.class;
        }
        for class in [class, "any"] {
            found.extend(self.attributes.get(class).into_iter().flatten().copied());
        }
        found
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Plural {
    Yes,
    No,
}

fn list(words: &'static str) -> impl Iterator<Item = &'static str> {
    words.split(',').filter(|w| !w.is_empty())
}

fn in_the_plural(word: &str) -> String {
    match word {
        w if w.ends_with(['s', 'x', 'z']) || w.ends_with("ch") || w.ends_with("sh") => format!("{w}es"),
        w if w.ends_with('y')
            && !w.ends_with(['a', 'e', 'o'])
            && !w[..w.len() - 1].ends_with(['a', 'e', 'o', 'u']) =>
        {
            format!("{}ies", &w[..w.len() - 1])
        }
        w => format!("{w}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_for_words() {
        let lexicon = Lexicon::bundled().unwrap();
        assert_eq!(lexicon.others("country")[..2], ["state", "nation"]);
        assert!(lexicon.others("countries").contains(&"nations".to_owned()));
        assert!(lexicon.others("singers").contains(&"vocalists".to_owned()));
        assert!(
            lexicon.others("qwertz").is_empty()
                && lexicon.others("").is_empty()
                && lexicon.others("é").is_empty()
        );
    }

    #[test]
    fn attributes_of_things() {
        let lexicon = Lexicon::bundled().unwrap();
        let of = |name: &str| -> Vec<String> {
            let words: Vec<String> = name.split('_').map(str::to_owned).collect();
            lexicon.attributes(&words).iter().map(|a| a.name.to_owned()).collect()
        };
        assert!(of("car").contains(&"bumper".to_owned()) && of("car").contains(&"manufacturer".to_owned()));
        assert!(of("singers").contains(&"nationality".to_owned()));
        assert_eq!(of("qwertz"), of("zzz"));
        assert!(of("qwertz").len() >= 3);
    }

    #[test]
    fn every_attribute_is_a_name() {
        let lexicon = Lexicon::bundled().unwrap();
        for attribute in lexicon.attributes.values().flatten() {
            assert!(attribute.name.chars().all(|c| c.is_ascii_lowercase() || c == '_'), "{}", attribute.name);
            assert!(["text", "number"].contains(&attribute.kind), "{}", attribute.kind);
        }
        // Every class of nouns has some.
        for noun in lexicon.nouns.values() {
            assert!(lexicon.attributes.contains_key(noun.class), "{}", noun.class);
        }
    }
}
