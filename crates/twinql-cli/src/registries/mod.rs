//! Rules, checks and metrics in words: the terminal and the documentation show the same.

pub mod checks;
pub mod metrics;
pub mod rules;

/// A line of a list.
#[derive(Debug, Clone, Copy)]
pub struct Row {
    /// Its name.
    pub name: &'static str,
    /// What it is, in a line.
    pub about: &'static str,
    /// What it stands under, where entries stand in families.
    pub family: Option<&'static str>,
}

/// One entry in full.
#[derive(Debug, Clone)]
pub struct Entry {
    /// Its name.
    pub name: &'static str,
    /// What it is, in a line.
    pub about: String,
    /// What there is to know of it: what each is called, and what it says.
    pub facts: Vec<(&'static str, String)>,
    /// Queries that show it, and the schema that they are over.
    pub examples: Option<(String, &'static str)>,
}

impl Entry {
    /// As the terminal shows it.
    pub fn text(&self) -> String {
        let mut text = format!("{}\n\n{}\n", self.name, self.about);
        self.facts.iter().for_each(|(what, said)| text += &format!("- {what}: {said}\n"));
        if let Some((queries, schema)) = &self.examples {
            text += &format!("\n{queries}\nover\n\n{schema}");
        }
        text
    }

    /// As a section of a page, whose head has the schema.
    pub fn markdown(&self) -> String {
        let mut text = format!("### `{}`\n\n{}\n\n", self.name, escaped(&self.about));
        self.facts.iter().for_each(|(what, said)| text += &format!("- {what}: {}\n", escaped(said)));
        if let Some((queries, _)) = &self.examples {
            text += &format!("\n```sql\n{queries}```\n");
        }
        text
    }
}

/// Prose for Markdown: stars and pointed brackets stand for themselves, but where they are code already.
pub fn escaped(text: &str) -> String {
    let mut out = String::new();
    let mut code = false;
    for c in text.chars() {
        code ^= c == '`';
        if !code && matches!(c, '*' | '<' | '|') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}
