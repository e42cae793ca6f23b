//! What a network is asked of a pair.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::error::GraphError;
use crate::graph::{Builder, QueryGraph};
use crate::vocabulary::{Fnv, Tag, Word};

/// On which databases two queries are to return the same answer. A mark below the root of a graph tells the network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Question {
    /// On every database that the semantics allows: one on which they differ settles it, however odd.
    #[default]
    Every,
    /// On a database as people have them: what execution on it would say.
    Plausible,
}

/// All questions, by what users type.
pub const QUESTIONS: [Question; 2] = Question::ALL;

twinql_sql::named!(Question: Every "every", Plausible "plausible");

impl Question {
    /// True of the question that graphs have no mark for.
    pub fn is_usual(&self) -> bool {
        *self == Question::Every
    }
}

/// A name that no question has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown question {0:?}; the questions are every and plausible")]
pub struct UnknownQuestion(pub String);

impl FromStr for Question {
    type Err = UnknownQuestion;

    fn from_str(text: &str) -> Result<Question, UnknownQuestion> {
        let known = QUESTIONS.into_iter().find(|question| question.name() == text);
        known.ok_or_else(|| UnknownQuestion(text.to_owned()))
    }
}

impl QueryGraph {
    /// The same graph, of which this is asked, with the names of the regularities that were taken for granted: two
    /// queries that met different ones are not identical, even if nothing else sets them apart.
    ///
    /// # Errors
    /// The marks would make it larger than a graph may be.
    pub fn asking(
        self,
        question: Question,
        regularities: impl IntoIterator<Item = &'static str>,
    ) -> Result<QueryGraph, GraphError> {
        if question.is_usual() {
            return Ok(self);
        }
        let (mut fingerprint, width) = (self.fingerprint(), self.width());
        let mut builder = Builder { graph: self.into_graph() };
        let root = builder.graph.node_indices().next();
        builder.add(root, Word::ASSUME, Tag::PLAUSIBLE, None)?;
        for name in regularities {
            builder.add(root, Word::ASSUME, Tag::REGULARITY, Some(name.into()))?;
            let mut hash = Fnv::default();
            hash.write(&fingerprint.to_le_bytes());
            hash.write(name.as_bytes());
            fingerprint = hash.0;
        }
        Ok(QueryGraph::new(builder.graph, fingerprint).of_width(width))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_is_a_mark_below_the_root() {
        let mut builder = Builder::default();
        let root = builder.add(None, Word::RELS, Tag::NONE, None).unwrap();
        builder.add(Some(root), Word::TABLE, Tag::NONE, Some("t".into())).unwrap();
        let graph = QueryGraph::new(builder.graph, 7).of_width(Some(2));
        let usual = graph.clone().asking(Question::Every, []).unwrap();
        assert_eq!((usual.node_count(), usual.fingerprint()), (2, 7));
        let asked = graph.asking(Question::Plausible, []).unwrap();
        assert_eq!((asked.node_count(), asked.fingerprint(), asked.width()), (3, 7, Some(2)));
        assert_eq!(asked.children()[0], [1, 2]);
        let mark = asked.node(2).unwrap();
        assert_eq!((mark.word, mark.tag.name()), (Word::ASSUME, "plausible"));
    }

    #[test]
    fn questions_have_names() {
        for question in QUESTIONS {
            assert_eq!(question.to_string().parse(), Ok(question));
        }
        let unknown = "all".parse::<Question>().unwrap_err();
        assert!(unknown.to_string().contains("every and plausible"));
    }
}
