//! Fast parser of queries in their usual form. `serde_json` decides about everything else.
//!
//! ```text
//! {"ticket":"7-a","person":"jo","lon":8.21,…,"question":{"find":"nearest","count":3}}
//! ```
//!
//! Usual are strings without escapes, numbers, known keys once each, and spaces. Fields go straight into
//! [`QueryRequest`]; numbers are parsed by the standard library, which rounds correctly, as `serde_json`
//! does with its feature `float_roundtrip`. The reference is [`QueryRequest`]'s `Deserialize`; gain:
//! docs/BENCHMARKS.md, "Gateway".

use crate::api::{QueryRequest, QuestionBody};
use crate::question::{Along, Find};
use meshcloak::private::Private;
use std::borrow::Cow;

/// Parses a query; `None` if it is invalid or has another form.
pub(crate) fn parse_usual(json: &[u8]) -> Option<QueryRequest<'_>> {
    let mut reader = Reader { rest: std::str::from_utf8(json).ok()? };
    let mut query = QueryFields::default();
    reader.object(|reader, key| query.read(reader, key))?;
    reader.rest.is_empty().then_some(())?;
    query.finish()
}

/// Fields of a query that have been read.
#[derive(Default)]
struct QueryFields<'a> {
    ticket: Option<&'a str>,
    person: Option<&'a str>,
    lon: Option<f64>,
    lat: Option<f64>,
    k: Option<u64>,
    dt: Option<f64>,
    dc: Option<f64>,
    speed: Option<f64>,
    interval: Option<f64>,
    question: Option<QuestionBody>,
}

impl<'a> QueryFields<'a> {
    fn read(&mut self, reader: &mut Reader<'a>, key: &str) -> Option<()> {
        match key {
            "ticket" => set(&mut self.ticket, reader.text()?),
            "person" => set(&mut self.person, reader.text()?),
            "lon" => set(&mut self.lon, reader.number()?),
            "lat" => set(&mut self.lat, reader.number()?),
            "k" => set(&mut self.k, reader.whole()?),
            "dt" => set(&mut self.dt, reader.number()?),
            "dc" => set(&mut self.dc, reader.number()?),
            "speed" => set(&mut self.speed, reader.number()?),
            "interval" => set(&mut self.interval, reader.number()?),
            "question" => {
                let mut question = QuestionFields::default();
                reader.object(|reader, key| question.read(reader, key))?;
                set(&mut self.question, question.finish()?)
            }
            _ => None,
        }
    }

    fn finish(self) -> Option<QueryRequest<'a>> {
        let text = |text: &'a str| Private::new(Cow::Borrowed(text));
        Some(QueryRequest {
            ticket: text(self.ticket?),
            person: text(self.person?),
            lon: self.lon?.into(),
            lat: self.lat?.into(),
            k: self.k?,
            dt: self.dt?,
            dc: self.dc,
            speed: self.speed,
            interval: self.interval,
            question: self.question,
        })
    }
}

/// Fields of a question that have been read.
#[derive(Default)]
struct QuestionFields<'a> {
    find: Option<Find>,
    radius: Option<f64>,
    count: Option<u32>,
    along: Option<Along>,
    category: Option<&'a str>,
}

impl<'a> QuestionFields<'a> {
    fn read(&mut self, reader: &mut Reader<'a>, key: &str) -> Option<()> {
        match key {
            "find" => match reader.text()? {
                "within" => set(&mut self.find, Find::Within),
                "nearest" => set(&mut self.find, Find::Nearest),
                _ => None,
            },
            "radius" => set(&mut self.radius, reader.number()?),
            "count" => set(&mut self.count, u32::try_from(reader.whole()?).ok()?),
            "along" => match reader.text()? {
                "streets" => set(&mut self.along, Along::Streets),
                "plane" => set(&mut self.along, Along::Plane),
                _ => None,
            },
            "category" => set(&mut self.category, reader.text()?),
            _ => None,
        }
    }

    fn finish(self) -> Option<QuestionBody> {
        let QuestionFields { find, radius, count, along, category } = self;
        let (along, category) = (along.unwrap_or_default(), category.map(str::to_owned));
        Some(QuestionBody { find: find?, radius, count, along, category })
    }
}

/// Sets a field; `None` if it was set before.
fn set<T>(field: &mut Option<T>, value: T) -> Option<()> {
    field.replace(value).is_none().then_some(())
}

/// Unread rest of the text.
struct Reader<'a> {
    rest: &'a str,
}

impl<'a> Reader<'a> {
    /// Reads an object. `read` reads the value of a key.
    fn object(&mut self, mut read: impl FnMut(&mut Reader<'a>, &str) -> Option<()>) -> Option<()> {
        self.token(b'{')?;
        loop {
            let key = self.text()?;
            self.token(b':')?;
            read(self, key)?;
            match self.next()? {
                b',' => {}
                b'}' => return Some(()),
                _ => return None,
            }
        }
    }

    /// Skips spaces and reads a byte, which must be ASCII.
    fn next(&mut self) -> Option<u8> {
        let mut rest = self.rest.as_bytes();
        while let [b' ', after @ ..] = rest {
            rest = after;
        }
        let skipped = self.rest.len().saturating_sub(rest.len());
        let byte = *rest.first()?;
        self.rest = self.rest.get(skipped.saturating_add(1)..)?;
        Some(byte)
    }

    fn token(&mut self, token: u8) -> Option<()> {
        (self.next()? == token).then_some(())
    }

    /// Reads a string without escapes and control characters.
    fn text(&mut self) -> Option<&'a str> {
        self.token(b'"')?;
        let is_special = |&byte: &u8| byte == b'"' || byte == b'\\' || byte < b' ';
        let end = self.rest.as_bytes().iter().position(is_special)?;
        let (text, rest) = self.rest.split_at_checked(end)?;
        self.rest = rest.strip_prefix('"')?;
        Some(text)
    }

    /// Reads the text of a number by the grammar of JSON.
    fn digits(&mut self) -> Option<&'a str> {
        let trimmed = self.rest.trim_start_matches(' ');
        let is_part = |byte: &u8| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E');
        let bytes = trimmed.as_bytes();
        let end = bytes.iter().position(|byte| !is_part(byte)).unwrap_or(bytes.len());
        let (number, rest) = trimmed.split_at_checked(end)?;
        self.rest = rest;
        is_number(number.as_bytes()).then_some(number)
    }

    fn number(&mut self) -> Option<f64> {
        self.digits()?.parse().ok().filter(|number: &f64| number.is_finite())
    }

    fn whole(&mut self) -> Option<u64> {
        let digits = self.digits()?;
        digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok())?
    }
}

/// Whether a text is a number in JSON: no plus sign, no leading zero, digits around the point.
fn is_number(text: &[u8]) -> bool {
    let skip_digits = |text: &mut &[u8]| -> usize {
        let count = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
        *text = text.get(count..).unwrap_or_default();
        count
    };
    let mut rest = text.strip_prefix(b"-").unwrap_or(text);
    let has_zero = rest.first() == Some(&b'0');
    let whole = skip_digits(&mut rest);
    if whole == 0 || (has_zero && whole > 1) {
        return false;
    }
    if let Some(after) = rest.strip_prefix(b".") {
        rest = after;
        if skip_digits(&mut rest) == 0 {
            return false;
        }
    }
    if let [b'e' | b'E', after @ ..] = rest {
        rest = match after {
            [b'+' | b'-', digits @ ..] => digits,
            digits => digits,
        };
        if skip_digits(&mut rest) == 0 {
            return false;
        }
    }
    rest.is_empty()
}

#[cfg(test)]
mod tests;
