//! EXCLUDE at the end of a window frame, which the parser's AST has no place for: it is
//! taken out of the tokens and kept beside the AST, by the place of its window's owner.

use std::fmt;

use sqlparser::tokenizer::{Location, Token, TokenWithSpan};

/// Which rows around the current one a frame leaves out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exclusion {
    /// None: what is meant where nothing is said.
    NoOthers,
    /// The row itself.
    CurrentRow,
    /// The row and its peers.
    Group,
    /// Its peers.
    Ties,
}

impl fmt::Display for Exclusion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Exclusion::NoOthers => "EXCLUDE NO OTHERS",
            Exclusion::CurrentRow => "EXCLUDE CURRENT ROW",
            Exclusion::Group => "EXCLUDE GROUP",
            Exclusion::Ties => "EXCLUDE TIES",
        })
    }
}

/// The EXCLUDE of one window frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FrameExclusion {
    /// Where the name stands that the window belongs to: the function's, or the window's
    /// own in the WINDOW clause.
    pub owner: Location,
    /// What it leaves out.
    pub exclusion: Exclusion,
}

/// Takes the exclusions out of the tokens. One whose owner is not found stays, for the
/// parser to refuse.
pub(super) fn take_exclusions(tokens: &mut Vec<TokenWithSpan>) -> Vec<FrameExclusion> {
    let significant: Vec<usize> = (0..tokens.len())
        .filter(|&i| !matches!(tokens.get(i).map(|t| &t.token), Some(Token::Whitespace(_))))
        .collect();
    let text = Text { tokens, significant };
    let mut found = Vec::new();
    let mut taken = Vec::new();
    for at in 0..text.significant.len() {
        if let Some((words, exclusion)) = text.exclusion(at)
            && let Some(owner) = text.owner(at)
        {
            found.push(FrameExclusion { owner, exclusion });
            taken.extend(text.significant.get(at..at + words).into_iter().flatten().copied());
        }
    }
    let mut at = 0;
    tokens.retain(|_| {
        at += 1;
        !taken.contains(&(at - 1))
    });
    found
}

struct Text<'t> {
    tokens: &'t [TokenWithSpan],
    /// Places of the tokens that are no white space.
    significant: Vec<usize>,
}

impl Text<'_> {
    fn get(&self, at: usize) -> Option<&TokenWithSpan> {
        self.tokens.get(*self.significant.get(at)?)
    }

    fn is(&self, at: usize, word: &str) -> bool {
        matches!(
            self.get(at).map(|t| &t.token),
            Some(Token::Word(w)) if w.quote_style.is_none() && w.value.eq_ignore_ascii_case(word)
        )
    }

    fn token(&self, at: usize) -> Option<&Token> {
        Some(&self.get(at)?.token)
    }

    /// An exclusion that begins here, with the number of its words; a parenthesis follows.
    fn exclusion(&self, at: usize) -> Option<(usize, Exclusion)> {
        if !self.is(at, "EXCLUDE") {
            return None;
        }
        let found = if self.is(at + 1, "TIES") {
            (2, Exclusion::Ties)
        } else if self.is(at + 1, "GROUP") {
            (2, Exclusion::Group)
        } else if self.is(at + 1, "NO") && self.is(at + 2, "OTHERS") {
            (3, Exclusion::NoOthers)
        } else if self.is(at + 1, "CURRENT") && self.is(at + 2, "ROW") {
            (3, Exclusion::CurrentRow)
        } else {
            return None;
        };
        (self.token(at + found.0) == Some(&Token::RParen)).then_some(found)
    }

    /// The parenthesis that opens what stands before `at`.
    fn opening(&self, at: usize) -> Option<usize> {
        let mut depth = 0usize;
        for i in (0..at).rev() {
            match self.token(i)? {
                Token::RParen => depth += 1,
                Token::LParen if depth == 0 => return Some(i),
                Token::LParen => depth -= 1,
                _ => {}
            }
        }
        None
    }

    /// Where the name stands that a window with a frame belongs to, for a place in it.
    fn owner(&self, at: usize) -> Option<Location> {
        let open = self.opening(at)?;
        let frame = ["ROWS", "RANGE", "GROUPS"];
        if !(open..at).any(|i| frame.iter().any(|word| self.is(i, word))) {
            return None;
        }
        let mut before = open.checked_sub(1)?;
        if self.is(before, "AS") {
            return self.name(before.checked_sub(1)?);
        }
        if !self.is(before, "OVER") {
            return None;
        }
        before = before.checked_sub(1)?;
        // f(…), f(…) FILTER (…), f(…) RESPECT NULLS.
        loop {
            if self.is(before, "NULLS") {
                before = before.checked_sub(2)?;
                continue;
            }
            if self.token(before)? != &Token::RParen {
                return None;
            }
            before = self.opening(before)?.checked_sub(1)?;
            if !self.is(before, "FILTER") {
                return self.name(before);
            }
            before = before.checked_sub(1)?;
        }
    }

    fn name(&self, at: usize) -> Option<Location> {
        let token = self.get(at)?;
        matches!(token.token, Token::Word(_)).then_some(token.span.start)
    }
}
