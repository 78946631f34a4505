//! Tokens of Overpass QL.

use std::borrow::Cow;
use std::fmt;

/// A token.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token<'a> {
    /// Letters, digits, `_`, `.`, `-` and `+`: a keyword, a bare tag or a number.
    Word(&'a str),
    /// A quoted text without its quotes.
    Text(Cow<'a, str>),
    /// Any other character.
    Mark(char),
    /// End of the query.
    End,
}

/// Prints a token as in the query.
impl fmt::Display for Token<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Token::Word(word) => write!(f, "`{word}`"),
            Token::Text(text) => write!(f, "`\"{text}\"`"),
            Token::Mark(mark) => write!(f, "`{mark}`"),
            Token::End => f.write_str("the end of the query"),
        }
    }
}

/// Splits a query into tokens. Never fails: an unclosed quote ends with the query.
#[derive(Clone)]
pub(super) struct Lexer<'a> {
    rest: &'a str,
}

impl<'a> Lexer<'a> {
    pub fn new(text: &'a str) -> Lexer<'a> {
        Lexer { rest: text }
    }

    /// Returns the next token; [`Token::End`] again and again at the end.
    pub fn next(&mut self) -> Token<'a> {
        self.skip_blanks();
        let is_part = |c: char| c.is_alphanumeric() || "_.-+".contains(c);
        let end = self.rest.find(|c| !is_part(c)).unwrap_or(self.rest.len());
        if end > 0 {
            let (word, rest) = self.rest.split_at(end);
            self.rest = rest;
            return Token::Word(word);
        }
        let mut characters = self.rest.chars();
        let Some(first) = characters.next() else { return Token::End };
        self.rest = characters.as_str();
        if first == '"' || first == '\'' { self.quoted(first) } else { Token::Mark(first) }
    }

    /// Skips white space and comments.
    fn skip_blanks(&mut self) {
        loop {
            self.rest = self.rest.trim_start();
            let end = if self.rest.starts_with("//") {
                self.rest.find('\n')
            } else if self.rest.starts_with("/*") {
                self.rest.find("*/").and_then(|at| at.checked_add(2))
            } else {
                return;
            };
            self.rest = end.and_then(|end| self.rest.get(end..)).unwrap_or("");
        }
    }

    /// Reads up to the closing quote. A backslash takes the next character as it is.
    fn quoted(&mut self, quote: char) -> Token<'a> {
        let (mut text, mut characters) = (String::new(), self.rest.chars());
        while let Some(c) = characters.next() {
            match c {
                '\\' => text.extend(characters.next()),
                c if c == quote => break,
                c => text.push(c),
            }
        }
        self.rest = characters.as_str();
        Token::Text(text.into())
    }
}
