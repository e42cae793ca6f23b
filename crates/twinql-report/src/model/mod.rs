//! What a report holds, apart from how it looks.
//!
//! A report is plain data: it can be stored as JSON, read back, and rendered later. Texts may hold anything,
//! since they come from predictions; each renderer makes them harmless.

/// Variants that hold a type of their name are made of it.
macro_rules! holds {
    ($whole:ident: $($part:ident),*) => {$(
        impl From<$part> for $whole {
            fn from(part: $part) -> $whole {
                $whole::$part(part)
            }
        }
    )*};
}

mod chart;
mod finite;
mod pair;
mod table;

use serde::{Deserialize, Serialize};

pub use chart::{
    Axis, BandPoint, BarGroup, BarSeries, Bars, BinSeries, Chart, Curve, Curves, Dot, Estimate, Grid,
    Histogram, Level, Mark, Plot, Point, Reference, Scatter, Win,
};
pub use pair::{Badge, PairCard, Pairs, Tone, Witness, WitnessTable};
pub(crate) use table::BestCells;
pub use table::{Align, Better, Cell, Column, Row, Table};

/// The version of the JSON form. It is raised when a reader of an older form would misread a newer one.
pub const REPORT_FORMAT: u32 = 1;

/// Figures and findings with where they come from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Report {
    /// [`REPORT_FORMAT`] of the writer.
    pub format: u32,
    /// Stands above everything.
    pub title: String,
    /// A line below the title; may be empty.
    pub subtitle: String,
    /// What the figures depend on: signatures, versions, counts, seeds.
    pub provenance: Vec<Fact>,
    /// The parts, in the order in which they are read.
    pub sections: Vec<Section>,
}

/// A named value of a report's provenance.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Fact {
    /// What it is.
    pub name: String,
    /// As it was.
    pub value: String,
}

/// A part of a report with a title of its own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Section {
    /// Links lead to it; made unique and harmless where it is rendered.
    pub id: String,
    /// Stands above it and in the table of contents.
    pub title: String,
    /// What it holds, in order.
    pub blocks: Vec<Block>,
}

/// A piece of a section.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Block {
    /// Sentences.
    Prose(Prose),
    /// A few figures that matter most, in large type.
    Tiles(Tiles),
    /// Rows and columns.
    Table(Table),
    /// A picture of figures.
    Chart(Chart),
    /// Pairs of queries that show something.
    Pairs(Pairs),
}

/// Paragraphs, with an empty line between two; what stands between backticks is code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Prose {
    /// The paragraphs.
    pub text: String,
}

/// A row of figures in large type.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Tiles {
    /// From the most important one on.
    pub tiles: Vec<Tile>,
}

/// One figure in large type.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Tile {
    /// What is measured.
    pub name: String,
    /// The figure, formatted.
    pub value: String,
    /// An interval, a count or a condition; may be empty.
    pub note: String,
}

impl Report {
    /// A report without sections.
    pub fn new(title: impl Into<String>, subtitle: impl Into<String>) -> Report {
        Report {
            format: REPORT_FORMAT,
            title: title.into(),
            subtitle: subtitle.into(),
            provenance: Vec::new(),
            sections: Vec::new(),
        }
    }

    /// The report with a further fact of where it comes from.
    #[must_use]
    pub fn with_fact(mut self, name: impl Into<String>, value: impl Into<String>) -> Report {
        self.provenance.push(Fact { name: name.into(), value: value.into() });
        self
    }

    /// The report with a further section.
    #[must_use]
    pub fn with_section(mut self, section: Section) -> Report {
        self.sections.push(section);
        self
    }

    /// The charts, in the order in which they are read.
    pub fn charts(&self) -> impl Iterator<Item = &Chart> {
        let blocks = self.sections.iter().flat_map(|section| &section.blocks);
        blocks.filter_map(|block| match block {
            Block::Chart(chart) => Some(chart),
            Block::Prose(_) | Block::Tiles(_) | Block::Table(_) | Block::Pairs(_) => None,
        })
    }
}

impl Section {
    /// A section without blocks.
    pub fn new(id: impl Into<String>, title: impl Into<String>) -> Section {
        Section { id: id.into(), title: title.into(), blocks: Vec::new() }
    }

    /// The section with a further block.
    #[must_use]
    pub fn with(mut self, block: impl Into<Block>) -> Section {
        self.blocks.push(block.into());
        self
    }
}

impl Tile {
    /// A tile; the note may be empty.
    pub fn new(name: impl Into<String>, value: impl Into<String>, note: impl Into<String>) -> Tile {
        Tile { name: name.into(), value: value.into(), note: note.into() }
    }
}

impl From<&str> for Block {
    fn from(text: &str) -> Block {
        Block::Prose(Prose { text: text.into() })
    }
}

impl From<String> for Block {
    fn from(text: String) -> Block {
        Block::Prose(Prose { text })
    }
}

impl From<Vec<Tile>> for Block {
    fn from(tiles: Vec<Tile>) -> Block {
        Block::Tiles(Tiles { tiles })
    }
}

holds!(Block: Table, Chart, Pairs);
