//! Tokens of Overpass QL.

use std::borrow::Cow;
use std::fmt;
use std::str::Chars;

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

/// Prints a token as in the query, but no number: it may be a coordinate.
impl fmt::Display for Token<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Token::Word(word) if is_number(word) => f.write_str("a number"),
            Token::Word(word) => write!(f, "`{word}`"),
            Token::Text(text) => write!(f, "`\"{text}\"`"),
            Token::Mark(mark) => write!(f, "`{mark}`"),
            Token::End => f.write_str("the end of the query"),
        }
    }
}

/// Whether a word begins like a number.
fn is_number(word: &str) -> bool {
    word.trim_start_matches(['+', '-', '.']).starts_with(|c: char| c.is_ascii_digit())
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

    /// Reads up to the closing quote; an invalid escape sequence is the mark of its backslash.
    fn quoted(&mut self, quote: char) -> Token<'a> {
        let (mut text, mut characters) = (String::new(), self.rest.chars());
        while let Some(c) = characters.next() {
            match c {
                '\\' => match escaped(&mut characters) {
                    Some(c) => text.push(c),
                    None => return Token::Mark('\\'),
                },
                c if c == quote => break,
                c => text.push(c),
            }
        }
        self.rest = characters.as_str();
        Token::Text(text.into())
    }
}

/// Reads what follows a backslash: `n`, `t`, `u` with four hexadecimal digits (twice for a surrogate
/// pair), or any other character, which stands for itself.
fn escaped(characters: &mut Chars<'_>) -> Option<char> {
    match characters.next()? {
        'n' => Some('\n'),
        't' => Some('\t'),
        'u' => {
            let first = hexadecimal(characters)?;
            if !(0xd800..0xe000).contains(&first) {
                return char::from_u32(u32::from(first));
            }
            let is_pair = characters.next() == Some('\\') && characters.next() == Some('u');
            let second = is_pair.then(|| hexadecimal(characters))??;
            char::decode_utf16([first, second]).next()?.ok()
        }
        other => Some(other),
    }
}

/// Reads four hexadecimal digits.
fn hexadecimal(characters: &mut Chars<'_>) -> Option<u16> {
    let digits = characters.as_str().get(..4)?;
    let is_valid = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    let number = is_valid.then(|| u16::from_str_radix(digits, 16).ok())??;
    *characters = characters.as_str().get(4..)?.chars();
    Some(number)
}
