//! Row-by-row reader of CSV tables: columns are found by name; errors state file, line, field,
//! value and expected value.

use crate::error::{FileLocation, ImportError, Problem, excerpt};
use crate::input::Input;
use csv::{ByteRecord, Terminator};
use meshcloak::units::{LonLat, Point};
use std::io::{self, Read};
use std::path::PathBuf;

/// An open table with a current row.
pub(crate) struct Table<'a> {
    path: PathBuf,
    reader: csv::Reader<TerminatedInput<'a>>,
    header: Vec<String>,
    row: ByteRecord,
    line: u64,
}

/// A column of a table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Column {
    index: usize,
    name: &'static str,
}

/// Longest accepted row, in bytes.
const MAX_ROW_BYTES: u64 = 1 << 24;

/// Largest absolute coordinate in metres, as in the map builder.
const MAX_METRES: f64 = 4e7;

impl<'a> Table<'a> {
    /// Opens a table and reads its header.
    pub(crate) fn open(input: Input<'a>) -> Result<Table<'a>, ImportError> {
        let path = input.path.clone();
        // Records end at `\n` alone, so that `position` counts lines of CRLF files correctly.
        let reader = csv::ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .terminator(Terminator::Any(b'\n'))
            .buffer_capacity(1 << 16)
            .from_reader(TerminatedInput { input, delivered: 0, row_start: 0, tail: &b"\n\n"[..] });
        let row = ByteRecord::new();
        let mut table = Table { path, reader, header: Vec::new(), row, line: 1 };
        if !table.read_row()? {
            return Err(table.file_error(Problem::NoContent("a header")));
        }
        table.header = table.row.iter().map(column_name).collect();
        Ok(table)
    }

    /// Returns the column of that name, if any; an error if there are two.
    pub(crate) fn column(&self, name: &'static str) -> Result<Option<Column>, ImportError> {
        let known = self.header.iter().enumerate().filter(|(_, header)| *header == name);
        let mut found = known.map(|(index, _)| index);
        let column = found.next().map(|index| Column { index, name });
        match found.next() {
            Some(_) => Err(self.error(Problem::Damaged(format!("duplicate column `{name}`")))),
            None => Ok(column),
        }
    }

    /// Returns the column of that name; an error if it is missing.
    pub(crate) fn required(&self, name: &'static str) -> Result<Column, ImportError> {
        self.column(name)?.ok_or_else(|| self.missing(&format!("`{name}`")))
    }

    /// Returns two columns of which both or none must exist.
    pub(crate) fn pair(
        &self,
        first: &'static str,
        second: &'static str,
    ) -> Result<Option<[Column; 2]>, ImportError> {
        match (self.column(first)?, self.column(second)?) {
            (Some(first), Some(second)) => Ok(Some([first, second])),
            (None, None) => Ok(None),
            (Some(_), None) => Err(self.missing(&format!("`{second}`"))),
            (None, Some(_)) => Err(self.missing(&format!("`{first}`"))),
        }
    }

    /// Returns the error for a header without `what`.
    pub(crate) fn missing(&self, what: &str) -> ImportError {
        let found = excerpt(&self.header.join(","));
        self.error(Problem::MissingColumn { missing: what.to_owned(), found })
    }

    /// Goes to the next row; false after the last.
    pub(crate) fn next(&mut self) -> Result<bool, ImportError> {
        if !self.read_row()? {
            return Ok(false);
        }
        let (found, expected) = (self.row.len(), self.header.len());
        if found != expected {
            return Err(self.error(Problem::FieldCount { found, expected }));
        }
        Ok(true)
    }

    /// Returns the line on which the current row begins, from 1.
    pub(crate) fn line(&self) -> u64 {
        self.line
    }

    /// Returns the error for a problem in the current row.
    pub(crate) fn error(&self, problem: impl Into<Problem>) -> ImportError {
        self.error_at(self.line, problem)
    }

    /// Returns the error for a problem in the row that begins on `line`.
    pub(crate) fn error_at(&self, line: u64, problem: impl Into<Problem>) -> ImportError {
        FileLocation::Line(line).of(&self.path, problem)
    }

    /// Returns the error for a problem of the whole file.
    pub(crate) fn file_error(&self, problem: impl Into<Problem>) -> ImportError {
        FileLocation::File.of(&self.path, problem)
    }

    /// Returns the error for an invalid value of `column` in the current row.
    pub(crate) fn bad(&self, column: Column, expected: &'static str) -> ImportError {
        let value = String::from_utf8_lossy(self.bytes(column));
        self.error(Problem::bad_field(column.name, &value, expected))
    }

    /// Returns the text of a field.
    pub(crate) fn text(&self, column: Column) -> Result<&str, ImportError> {
        std::str::from_utf8(self.bytes(column)).map_err(|_| self.bad(column, "UTF-8 text"))
    }

    /// Returns the text of a field; empty without the column.
    pub(crate) fn optional_text(&self, column: Option<Column>) -> Result<&str, ImportError> {
        column.map_or(Ok(""), |column| self.text(column))
    }

    /// Returns a text that is not empty.
    pub(crate) fn some_text(
        &self,
        column: Column,
        expected: &'static str,
    ) -> Result<&str, ImportError> {
        let text = self.text(column)?;
        if text.is_empty() { Err(self.bad(column, expected)) } else { Ok(text) }
    }

    /// Returns a coordinate in metres.
    fn metres(&self, column: Column) -> Result<f64, ImportError> {
        let metres = self.number(column).filter(|metres| metres.abs() <= MAX_METRES);
        metres.ok_or_else(|| self.bad(column, "metres within ±40,000 km"))
    }

    /// Returns a point in metres; `columns` are those of x and y.
    pub(crate) fn point(&self, [x, y]: [Column; 2]) -> Result<Point, ImportError> {
        Ok(Point::new(self.metres(x)?, self.metres(y)?))
    }

    /// Returns a lon/lat; `columns` are those of lon and lat.
    pub(crate) fn degrees(&self, columns: [Column; 2]) -> Result<LonLat, ImportError> {
        let [lon, lat] = columns;
        let within = |column, limit: f64| self.number(column).filter(|d| d.abs() <= limit);
        Ok(LonLat {
            lon: within(lon, 180.0).ok_or_else(|| self.bad(lon, "degrees from -180 to 180"))?,
            lat: within(lat, 90.0).ok_or_else(|| self.bad(lat, "degrees from -90 to 90"))?,
        })
    }

    /// Returns a length above 0 in metres; `None` if the field is empty.
    pub(crate) fn length(&self, column: Column) -> Result<Option<f64>, ImportError> {
        if self.is_blank(column) {
            return Ok(None);
        }
        let length = self.number(column).filter(|metres| *metres > 0.0 && metres.is_finite());
        length.map(Some).ok_or_else(|| self.bad(column, "metres above 0"))
    }

    /// Returns a boolean; false if the field is empty.
    pub(crate) fn boolean(&self, column: Column) -> Result<bool, ImportError> {
        Ok(self.optional_boolean(column)?.unwrap_or(false))
    }

    /// Returns a boolean; `None` if the field is empty.
    pub(crate) fn optional_boolean(&self, column: Column) -> Result<Option<bool>, ImportError> {
        if self.is_blank(column) {
            return Ok(None);
        }
        let read = parse_boolean(self.bytes(column));
        read.map(Some).ok_or_else(|| self.bad(column, "1/0, true/false or yes/no"))
    }

    /// Returns a number; `None` if the field is empty.
    pub(crate) fn optional_number(&self, column: Column) -> Result<Option<f64>, ImportError> {
        if self.is_blank(column) {
            return Ok(None);
        }
        self.number(column).map(Some).ok_or_else(|| self.bad(column, "a number"))
    }

    fn is_blank(&self, column: Column) -> bool {
        self.bytes(column).trim_ascii().is_empty()
    }

    fn number(&self, column: Column) -> Option<f64> {
        std::str::from_utf8(self.bytes(column)).ok()?.trim().parse().ok()
    }

    fn bytes(&self, column: Column) -> &[u8] {
        let field = self.row.get(column.index).unwrap_or_default();
        if column.index.saturating_add(1) == self.row.len() { without_return(field) } else { field }
    }

    /// Reads the next row that is not blank and determines its first line.
    fn read_row(&mut self) -> Result<bool, ImportError> {
        loop {
            self.reader.get_mut().row_start = self.reader.position().byte();
            match self.reader.read_byte_record(&mut self.row) {
                Ok(true) => {}
                Ok(false) => return Ok(false),
                Err(error) => return Err(self.csv_error(error)),
            }
            let inside = self.row.as_slice().iter().filter(|&&byte| byte == b'\n').count() as u64;
            let (byte, next) = (self.reader.position().byte(), self.reader.position().line());
            if self.reader.get_ref().is_consumed_at(byte) {
                self.line = next.saturating_sub(inside);
                return Err(self.error(Problem::Damaged("a quoted field is not closed".into())));
            }
            self.line = next.saturating_sub(1).saturating_sub(inside);
            if self.row.len() > 1 || !without_return(self.row.as_slice()).is_empty() {
                return Ok(true);
            }
        }
    }

    fn csv_error(&self, error: csv::Error) -> ImportError {
        let line = self.reader.position().line();
        match error.into_kind() {
            csv::ErrorKind::Io(error) => self.error_at(line, error),
            other => self.error_at(line, Problem::Damaged(format!("{other:?}"))),
        }
    }
}

/// A file followed by two line ends. The first ends every record, so a record that consumes both
/// has an unclosed quotation. A row that is too long is an error: it is kept in memory.
struct TerminatedInput<'a> {
    input: Input<'a>,
    delivered: u64,
    /// First byte of the current row.
    row_start: u64,
    tail: &'static [u8],
}

impl TerminatedInput<'_> {
    /// Returns whether a record that ends at `byte` consumed the whole input.
    fn is_consumed_at(&self, byte: u64) -> bool {
        self.tail.is_empty() && byte == self.delivered
    }
}

impl Read for TerminatedInput<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.delivered.saturating_sub(self.row_start) > MAX_ROW_BYTES {
            let reason = format!("the row is longer than {MAX_ROW_BYTES} bytes");
            return Err(io::Error::new(io::ErrorKind::InvalidData, reason));
        }
        let mut read = self.input.read(buffer)?;
        if read == 0 {
            read = self.tail.read(buffer)?;
        }
        self.delivered = self.delivered.saturating_add(read as u64);
        Ok(read)
    }
}

/// Parses `1/0`, `true/false` or `yes/no`; `None` for anything else.
pub(crate) fn parse_boolean(text: &[u8]) -> Option<bool> {
    let text = text.trim_ascii();
    let is_one_of =
        |words: [&str; 3]| words.iter().any(|word| text.eq_ignore_ascii_case(word.as_bytes()));
    if is_one_of(["1", "true", "yes"]) {
        Some(true)
    } else {
        is_one_of(["0", "false", "no"]).then_some(false)
    }
}

fn without_return(field: &[u8]) -> &[u8] {
    field.strip_suffix(b"\r").unwrap_or(field)
}

/// Normalises the name of a column: trimmed and in lower case.
pub(crate) fn column_name(field: &[u8]) -> String {
    String::from_utf8_lossy(field).trim().to_lowercase()
}
