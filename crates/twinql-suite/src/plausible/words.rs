//! Words that values are made of, and words by which columns are known.

use crate::dice::Dice;

pub(super) const FIRST: [&str; 28] = [
    "Anna", "Ben", "Carla", "David", "Elena", "Felix", "Grace", "Hugo", "Irene", "Jonas", "Kara", "Liam",
    "Maria", "Nils", "Olga", "Peter", "Quinn", "Rosa", "Simon", "Tara", "Umar", "Vera", "Walter", "Xenia",
    "Yusuf", "Zoe", "Mark", "Lucy",
];
pub(super) const LAST: [&str; 24] = [
    "Adams", "Brown", "Costa", "Dietrich", "Evans", "Fischer", "Garcia", "Hansen", "Ivanov", "Jones", "Kim",
    "Lopez", "Miller", "Novak", "Olsen", "Patel", "Quist", "Rossi", "Smith", "Tanaka", "Ueda", "Vogel",
    "Weber", "Young",
];
pub(super) const PLACES: [&str; 24] = [
    "Aberdeen", "Bergen", "Chicago", "Dresden", "Edmonton", "Florence", "Geneva", "Houston", "Istanbul",
    "Jakarta", "Kyoto", "Lisbon", "Madrid", "Nairobi", "Oslo", "Prague", "Quito", "Riga", "Seattle",
    "Toronto", "Utrecht", "Vienna", "Warsaw", "Zurich",
];
pub(super) const COUNTRIES: [&str; 14] = [
    "Austria", "Brazil", "Canada", "Denmark", "Egypt", "France", "Germany", "Hungary", "India", "Japan",
    "Kenya", "Norway", "Poland", "Spain",
];
pub(super) const NOUNS: [&str; 40] = [
    "Anchor", "Basket", "Candle", "Diamond", "Engine", "Forest", "Garden", "Harbor", "Island", "Journey",
    "Kettle", "Lantern", "Meadow", "Needle", "Orchard", "Palace", "Quarry", "River", "Summit", "Temple",
    "Valley", "Window", "Bridge", "Castle", "Dragon", "Falcon", "Glacier", "Horizon", "Jungle", "Ladder",
    "Mirror", "Ocean", "Pepper", "Rocket", "Shadow", "Thunder", "Velvet", "Winter", "Copper", "Silver",
];
pub(super) const CATEGORIES: [&str; 24] = [
    "Standard",
    "Premium",
    "Basic",
    "Open",
    "Closed",
    "North",
    "South",
    "East",
    "West",
    "Primary",
    "Secondary",
    "Public",
    "Private",
    "Active",
    "Inactive",
    "Large",
    "Small",
    "Medium",
    "Regular",
    "Special",
    "New",
    "Old",
    "Local",
    "Global",
];

/// The words of a column's name, in lower case: `ReleaseDate2` and `release_date` give `release` and `date`.
pub(crate) fn words(name: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut lower = false;
    for c in name.chars() {
        let ends = !c.is_alphabetic() || c.is_uppercase() && lower;
        if ends && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        if c.is_alphabetic() {
            word.extend(c.to_lowercase());
        }
        lower = c.is_lowercase();
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

pub(super) fn pick(list: &[&str], dice: &mut Dice) -> String {
    dice.pick(list).map_or_else(String::new, |w| (*w).to_owned())
}

/// A value with the pattern of a constant, other letters and digits in place of its own: `M-01-2` gives `Q-84-5`.
pub(super) fn reshaped(text: &str, dice: &mut Dice) -> String {
    text.chars()
        .map(|c| match c {
            '0'..='9' => char::from(b'0' + dice.below(10) as u8),
            'a'..='z' => char::from(b'a' + dice.below(26) as u8),
            'A'..='Z' => char::from(b'A' + dice.below(26) as u8),
            c => c,
        })
        .collect()
}
