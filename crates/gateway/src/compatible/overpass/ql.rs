//! Parser of the supported subset of Overpass QL:
//!
//! ```text
//! query     = settings selections ";" "out" { word } ";"
//! settings  = "[out:json]" { "[timeout:" number "]" | "[maxsize:" number "]" } ";"
//! selections= selection | "(" selection ";" { selection ";" } ")"
//! selection = ("node" | "way" | "nwr") around and tags, in any order
//! around    = "(around:" metres "," latitude "," longitude ")"
//! tag       = "[" key "=" value "]"
//! ```
//!
//! One pass over the text, without recursion; a selection has one category and at most one `name`.

use super::lexer::{Lexer, Token};
use crate::compatible::nearby::MAX_WANTS;
use crate::compatible::parameters::{here, radius};
use crate::compatible::user_queries::Here;

/// A parsed query. Has no `Debug`: it holds the position.
pub(super) struct OverpassQuery {
    /// Position of all selections.
    pub here: Here,
    pub selections: Vec<Selection>,
    pub output: Output,
}

/// One selection.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Selection {
    pub elements: Elements,
    /// Radius in metres.
    pub radius: f64,
    pub key: String,
    pub value: String,
    /// Name that objects must have.
    pub name: Option<String>,
}

/// Types of elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Elements {
    Nodes,
    Ways,
    All,
}

/// What is printed of each element.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Output {
    pub detail: Detail,
    /// Whether ways and relations have a centre.
    pub center: bool,
    /// Largest number of elements.
    pub limit: Option<usize>,
}

/// Level of detail of elements.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Detail {
    Ids,
    Skeleton,
    Tags,
    #[default]
    Body,
}

/// Why a query is refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub(super) enum QlError {
    /// The query is not in the subset.
    #[error("{0} is not supported here")]
    Unsupported(String),
    /// The query is malformed.
    #[error("parse error: {expected} expected, {found} found")]
    Expected {
        /// What the grammar allows.
        expected: &'static str,
        /// The token instead.
        found: String,
    },
    /// A value is out of range, or selections contradict each other.
    #[error("{0}")]
    Value(String),
}

/// Parses a query.
pub(super) fn parse(text: &str) -> Result<OverpassQuery, QlError> {
    let mut parser = Parser { lexer: Lexer::new(text), token: Token::End, here: None };
    parser.advance();
    parser.settings()?;
    let selections = parser.selections()?;
    let output = parser.output()?;
    match parser.token {
        Token::End => {}
        _ => return Err(unsupported("a second statement")),
    }
    let lists_members = matches!(output.detail, Detail::Body | Detail::Skeleton);
    if lists_members && selections.iter().any(|selection| selection.elements != Elements::Nodes) {
        return Err(unsupported(
            "`out` of ways with their members (use `out tags center`, `out tags` or `out ids`)",
        ));
    }
    let here = parser.here.ok_or_else(|| unsupported("a query without `around`"))?;
    Ok(OverpassQuery { here, selections, output })
}

fn unsupported(what: impl Into<String>) -> QlError {
    QlError::Unsupported(what.into())
}

struct Parser<'a> {
    lexer: Lexer<'a>,
    token: Token<'a>,
    here: Option<Here>,
}

impl<'a> Parser<'a> {
    fn advance(&mut self) -> Token<'a> {
        std::mem::replace(&mut self.token, self.lexer.next())
    }

    fn skip(&mut self, mark: char) -> bool {
        let is_next = self.token == Token::Mark(mark);
        if is_next {
            self.advance();
        }
        is_next
    }

    fn expect(&mut self, mark: char, expected: &'static str) -> Result<(), QlError> {
        if self.skip(mark) { Ok(()) } else { Err(self.wrong(expected)) }
    }

    fn wrong(&self, expected: &'static str) -> QlError {
        QlError::Expected { expected, found: self.token.to_string() }
    }

    /// Reads a word or a quoted text.
    fn text(&mut self, expected: &'static str) -> Result<String, QlError> {
        match self.advance() {
            Token::Word(word) => Ok(word.to_owned()),
            Token::Text(text) => Ok(text.into_owned()),
            other => Err(QlError::Expected { expected, found: other.to_string() }),
        }
    }

    fn number(&mut self, expected: &'static str) -> Result<f64, QlError> {
        match self.advance() {
            Token::Word(word) => word.parse().ok(),
            _ => None,
        }
        .filter(|number: &f64| number.is_finite())
        .ok_or_else(|| QlError::Expected { expected, found: "another text".to_owned() })
    }

    fn settings(&mut self) -> Result<(), QlError> {
        let mut is_json = false;
        while self.skip('[') {
            let name = self.text("the name of a setting")?;
            self.expect(':', "`:`")?;
            let value = self.text("the value of a setting")?;
            match (&*name, &*value) {
                ("out", "json") => is_json = true,
                ("timeout" | "maxsize", number) if number.parse::<u64>().is_ok() => {}
                ("out", other) => return Err(unsupported(format!("the setting `[out:{other}]`"))),
                _ => return Err(unsupported(format!("the setting `[{name}:…]`"))),
            }
            self.expect(']', "`]`")?;
        }
        if !is_json {
            return Err(unsupported("a query without `[out:json]`"));
        }
        self.expect(';', "`;` after the settings")
    }

    fn selections(&mut self) -> Result<Vec<Selection>, QlError> {
        let mut selections = Vec::new();
        if !self.skip('(') {
            selections.push(self.selection()?);
            self.expect(';', "`;` after a selection")?;
            return Ok(selections);
        }
        while !self.skip(')') {
            if selections.len() >= MAX_WANTS {
                return Err(unsupported(format!("a union of more than {MAX_WANTS} selections")));
            }
            selections.push(self.selection()?);
            self.expect(';', "`;` after a selection")?;
        }
        self.expect(';', "`;` after the union")?;
        if selections.is_empty() { Err(unsupported("an empty union")) } else { Ok(selections) }
    }

    fn selection(&mut self) -> Result<Selection, QlError> {
        let elements = match &self.token {
            Token::Word("node") => Elements::Nodes,
            Token::Word("way") => Elements::Ways,
            Token::Word("nwr") => Elements::All,
            other => return Err(unsupported(format!("a statement that begins with {other}"))),
        };
        self.advance();
        let (mut around, mut tag, mut name) = (None, None, None);
        loop {
            if self.skip('(') {
                let radius = self.around()?;
                if around.replace(radius).is_some() {
                    return Err(unsupported("a second `(…)` filter"));
                }
            } else if self.skip('[') {
                let (key, value) = self.tag()?;
                let slot = if key == "name" { &mut name } else { &mut tag };
                if slot.replace((key, value)).is_some() {
                    return Err(unsupported("a second tag filter"));
                }
            } else {
                break;
            }
        }
        if let Token::Word("-") = self.token {
            return Err(unsupported("`->` (named sets)"));
        }
        let radius = around.ok_or_else(|| unsupported("a selection without `around`"))?;
        let (key, value) = tag.ok_or_else(|| unsupported("a selection without `[key=value]`"))?;
        Ok(Selection { elements, radius, key, value, name: name.map(|(_, name)| name) })
    }

    /// Reads `around:R,LAT,LON)`. All selections must have the same position.
    fn around(&mut self) -> Result<f64, QlError> {
        let filter = self.token.clone();
        if self.text("`around`")? != "around" {
            return Err(unsupported(format!("the filter ({filter}…)")));
        }
        self.expect(':', "`:` (sets are not supported here)")?;
        let metres = self.number("a radius in metres")?;
        self.expect(',', "`,`")?;
        let lat = self.number("a latitude")?;
        self.expect(',', "`,`")?;
        let lon = self.number("a longitude")?;
        if self.token == Token::Mark(',') {
            return Err(unsupported("`around` a line"));
        }
        self.expect(')', "`)`")?;
        let here = here(lon, lat).map_err(QlError::Value)?;
        let known = self.here.get_or_insert(here);
        if (known.lon, known.lat) != (here.lon, here.lat) {
            return Err(unsupported("a query about several positions"));
        }
        radius(metres).map_err(QlError::Value)
    }

    /// Reads `key=value]`.
    fn tag(&mut self) -> Result<(String, String), QlError> {
        let other = "a tag filter other than `[key=value]`";
        if let Token::Mark(_) = self.token {
            return Err(unsupported(other));
        }
        let key = self.text("a key")?;
        if !self.skip('=') {
            return Err(unsupported(other));
        }
        let value = self.text("a value")?;
        if self.token == Token::Mark(',') {
            return Err(unsupported(other));
        }
        self.expect(']', "`]`")?;
        Ok((key, value))
    }

    fn output(&mut self) -> Result<Output, QlError> {
        let (mut output, mut is_by_tile) = (Output::default(), false);
        match self.advance() {
            Token::Word("out") => {}
            other => return Err(unsupported(format!("{other} instead of `out`"))),
        }
        while !self.skip(';') {
            match self.advance() {
                Token::Word("ids") => output.detail = Detail::Ids,
                Token::Word("skel") => output.detail = Detail::Skeleton,
                Token::Word("tags") => output.detail = Detail::Tags,
                Token::Word("body") => output.detail = Detail::Body,
                Token::Word("center") => output.center = true,
                Token::Word("asc") => {}
                Token::Word("qt") => is_by_tile = true,
                Token::Word(word) if output.limit.is_none() && word.parse::<usize>().is_ok() => {
                    output.limit = word.parse().ok();
                }
                other => return Err(unsupported(format!("{other} in `out`"))),
            }
        }
        // The first elements in another order are other elements.
        if is_by_tile && output.limit.is_some() {
            return Err(unsupported("`qt` together with a number in `out`"));
        }
        Ok(output)
    }
}
