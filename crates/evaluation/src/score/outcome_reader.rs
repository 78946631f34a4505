//! Streaming reader of outcomes: NDJSON, plain or gzipped, or Parquet.

use super::batch_rows::BatchRows;
use super::error::{ScoreError, ScoreProblem};
use super::line::OutcomeLine;
use crate::checkpoint::Checkpoint;
use flate2::bufread::MultiGzDecoder;
#[cfg(feature = "parquet")]
use import::columns::{BatchSource, JsonColumn, JsonKind, JsonRow, JsonRows};
use import::{FileLocation, ImportError, Problem};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read as _};
use std::path::{Path, PathBuf};

/// Reads outcomes one at a time.
pub struct OutcomeReader<'a> {
    name: PathBuf,
    rows: Rows<'a>,
    checkpoint: Checkpoint,
}

enum Rows<'a> {
    Lines {
        input: Box<dyn BufRead + Send + 'a>,
        number: u64,
        line: Vec<u8>,
        batch: BatchRows,
    },
    #[cfg(feature = "parquet")]
    Columns(Box<JsonRows<'a>>),
}

/// An outcome with its place in the file.
pub(super) type LocatedLine = (FileLocation, Result<OutcomeLine, ScoreProblem>);

/// Longest accepted line, in bytes; that of a row of CSV. A region of a million streets fits.
const MAX_LINE_BYTES: u64 = 1 << 24;

#[cfg(feature = "parquet")]
const COLUMNS: [JsonColumn; 11] = {
    const fn column(name: &'static str, kind: JsonKind) -> JsonColumn {
        JsonColumn { name, kind }
    }
    [
        column("query", JsonKind::Id),
        column("outcome", JsonKind::Text),
        column("at", JsonKind::Number),
        column("delay", JsonKind::Number),
        column("k", JsonKind::Number),
        column("set", JsonKind::Texts),
        column("mesh", JsonKind::Texts),
        column("rectangle", JsonKind::Numbers),
        column("disc", JsonKind::Numbers),
        column("length", JsonKind::Number),
        column("reason", JsonKind::Text),
    ]
};

impl<'a> OutcomeReader<'a> {
    /// Opens a file: Parquet if it begins with `PAR1`, otherwise NDJSON.
    ///
    /// # Errors
    /// If the file cannot be opened.
    pub fn open(path: &Path) -> Result<OutcomeReader<'a>, ScoreError> {
        let failed = |error: io::Error| ScoreError::of_file(path, error.into());
        let mut raw = BufReader::with_capacity(1 << 18, File::open(path).map_err(failed)?);
        let start = raw.fill_buf().map_err(failed)?;
        if start.starts_with(b"PAR1") {
            return OutcomeReader::of_parquet(path);
        }
        let input: Box<dyn BufRead + Send> = match start.starts_with(&[0x1f, 0x8b]) {
            true => Box::new(BufReader::with_capacity(1 << 18, MultiGzDecoder::new(raw))),
            false => Box::new(raw),
        };
        Ok(OutcomeReader {
            name: path.to_owned(),
            rows: Rows::Lines { input, number: 0, line: Vec::new(), batch: BatchRows::default() },
            checkpoint: Checkpoint::default(),
        })
    }

    #[cfg(feature = "parquet")]
    fn of_parquet(path: &Path) -> Result<OutcomeReader<'a>, ScoreError> {
        let names = COLUMNS.map(|column| column.name);
        let source = BatchSource::open(path, &names, &());
        let source = source.map_err(|error| ScoreError::of_import(path, error))?;
        OutcomeReader::of_batches(source)
    }

    #[cfg(not(feature = "parquet"))]
    fn of_parquet(path: &Path) -> Result<OutcomeReader<'a>, ScoreError> {
        let (file, location) = (path.to_owned(), FileLocation::File);
        let error = ImportError { file, location, problem: Problem::NoParquet };
        Err(ScoreError::of_import(path, error))
    }

    /// Reads outcomes from record batches.
    ///
    /// # Errors
    /// If a column is missing that every outcome has.
    #[cfg(feature = "parquet")]
    pub fn of_batches(source: BatchSource<'a>) -> Result<OutcomeReader<'a>, ScoreError> {
        let name = source.name().to_owned();
        let schema = source.schema();
        for column in ["query", "outcome", "at"] {
            if schema.column_with_name(column).is_none() {
                let found = schema.fields().iter().map(|field| field.name().as_str());
                let found = found.collect::<Vec<_>>().join(",");
                let problem = Problem::MissingColumn { missing: format!("`{column}`"), found };
                let error =
                    ImportError { file: name.clone(), location: FileLocation::File, problem };
                return Err(ScoreError::of_import(&name, error));
            }
        }
        let rows = Rows::Columns(Box::new(JsonRows::new(source, &COLUMNS)));
        Ok(OutcomeReader { name, rows, checkpoint: Checkpoint::default() })
    }

    /// Calls `checkpoint` before each row.
    #[must_use]
    pub fn with_checkpoint(self, checkpoint: Checkpoint) -> OutcomeReader<'a> {
        OutcomeReader { checkpoint, ..self }
    }

    /// Returns the name for errors.
    pub(crate) fn name(&self) -> &Path {
        &self.name
    }

    /// Calls `add` for every outcome.
    pub(crate) fn for_each(
        mut self,
        mut add: impl FnMut(OutcomeLine) -> Result<(), ScoreProblem>,
    ) -> Result<(), ScoreError> {
        while let Some((location, line)) = self.next_line()? {
            let added = line.and_then(&mut add);
            added.map_err(|problem| self.error(location, problem))?;
        }
        Ok(())
    }

    /// Returns the next outcome; `None` after the last.
    ///
    /// # Errors
    /// If the source cannot be read further, or a row is no outcome.
    pub fn next_outcome(&mut self) -> Result<Option<OutcomeLine>, ScoreError> {
        let Some((location, line)) = self.next_line()? else { return Ok(None) };
        line.map(Some).map_err(|problem| self.error(location, problem))
    }

    /// Returns location and content of the next outcome; `None` after the last.
    pub(super) fn next_line(&mut self) -> Result<Option<LocatedLine>, ScoreError> {
        self.checkpoint.pass();
        match &mut self.rows {
            Rows::Lines { input, number, line, batch } => loop {
                *number += 1;
                let location = FileLocation::Line(*number);
                let text = read_line(input.as_mut(), line).map_err(|problem| {
                    let file = self.name.clone();
                    ScoreError { file, location, problem }
                })?;
                match text {
                    None => return Ok(None),
                    Some(text) if text.trim().is_empty() => {}
                    Some(text) => return Ok(Some((location, batch.read(text)))),
                }
            },
            #[cfg(feature = "parquet")]
            Rows::Columns(rows) => {
                let row = rows.next_row().map_err(|error| ScoreError::of_import(&self.name, error));
                let of_row = |JsonRow { number, fields }| {
                    (FileLocation::Row(number), OutcomeLine::of_fields(&fields))
                };
                Ok(row?.map(of_row))
            }
        }
    }

    pub(super) fn error(&self, location: FileLocation, problem: ScoreProblem) -> ScoreError {
        ScoreError { file: self.name.clone(), location, problem }
    }
}

/// Reads the next line; `None` at the end.
fn read_line<'a>(
    input: &mut dyn BufRead,
    line: &'a mut Vec<u8>,
) -> Result<Option<&'a str>, ScoreProblem> {
    line.clear();
    let read = input.take(MAX_LINE_BYTES).read_until(b'\n', line)?;
    if read as u64 == MAX_LINE_BYTES && !line.ends_with(b"\n") {
        let reason = format!("the line is longer than {MAX_LINE_BYTES} bytes");
        return Err(ScoreProblem::Content(reason));
    }
    let text = std::str::from_utf8(line);
    let text = text.map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?;
    Ok((read > 0).then_some(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_above_the_limit_is_refused_with_the_limit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("o.ndjson");
        let short = "{\"query\":\"a\",\"outcome\":\"expired\",\"at\":1}";
        // The limit falls within a character of two bytes.
        std::fs::write(&path, format!("{short}\n{{\"query\":\"{}\"", "é".repeat(1 << 23))).unwrap();
        let mut reader = OutcomeReader::open(&path).unwrap();
        assert!(reader.next_outcome().unwrap().is_some());
        let error = reader.next_outcome().unwrap_err().to_string();
        assert!(error.ends_with("line 2: the line is longer than 16777216 bytes"), "{error}");
    }
}
