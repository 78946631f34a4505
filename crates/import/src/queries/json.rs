//! Queries in NDJSON: one object per line.

use super::csv::RawRow;
use super::fields::QueryFields;
use super::reader::BadQuery;
use crate::error::{FileLocation, ImportError, Problem};
use crate::input::Input;

/// Longest accepted line, in bytes.
const MAX_LINE_BYTES: u64 = 1 << 20;

/// A file of JSON objects.
pub(super) struct JsonQueries<'a> {
    input: Input<'a>,
    line: u64,
    text: Vec<u8>,
}

impl<'a> JsonQueries<'a> {
    pub(super) fn new(input: Input<'a>) -> JsonQueries<'a> {
        JsonQueries { input, line: 0, text: Vec::new() }
    }

    pub(super) fn next_row(&mut self) -> Result<Option<RawRow>, ImportError> {
        loop {
            self.line = self.line.saturating_add(1);
            if !self.input.read_line(self.line, MAX_LINE_BYTES, &mut self.text)? {
                return Ok(None);
            }
            let text = self.text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&self.text).trim_ascii();
            if !text.is_empty() {
                let location = FileLocation::Line(self.line);
                return Ok(Some(RawRow { location, fields: fields(text) }));
            }
        }
    }
}

fn fields(text: &[u8]) -> Result<QueryFields, BadQuery> {
    serde_json::from_slice(text).map_err(|error| {
        let problem =
            Problem::Damaged(format!("not a JSON object with the fields of a query: {error}"));
        BadQuery { id: None, asked_at: None, problem }
    })
}
