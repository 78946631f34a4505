//! Rows of record batches as JSON objects, for records that are read from NDJSON as well: both
//! formats share validation and messages.

use super::batch_source::BatchSource;
use super::lists::ListColumn;
use super::{TextColumn, numbers};
use crate::error::{FileLocation, ImportError, Problem};
use arrow_array::{Array as _, ArrayRef, RecordBatch};
use serde_json::{Map, Value};

/// A column to read; columns of other names are ignored.
#[derive(Clone, Copy, Debug)]
pub struct JsonColumn {
    /// Name of the column and of the member.
    pub name: &'static str,
    /// Type of its values.
    pub kind: JsonKind,
}

/// Type of the values of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JsonKind {
    /// Text; a null is JSON null.
    Id,
    /// Text; a null is omitted.
    Text,
    /// A number; a null is omitted.
    Number,
    /// A list of texts; a null is omitted.
    Texts,
    /// A list of numbers; a null is omitted.
    Numbers,
}

/// A row.
#[derive(Debug)]
pub struct JsonRow {
    /// Number of the row, from 1.
    pub number: u64,
    /// Its values by column.
    pub fields: Map<String, Value>,
}

/// Reads rows one at a time.
pub struct JsonRows<'a> {
    source: BatchSource<'a>,
    wanted: &'static [JsonColumn],
    columns: Vec<(JsonColumn, Values)>,
    /// Rows of the current batch, and the next of them.
    rows: usize,
    next: usize,
    number: u64,
}

enum Values {
    Texts(TextColumn),
    Numbers(Vec<Option<f64>>),
    Lists(ListColumn),
}

impl<'a> JsonRows<'a> {
    /// Reads the wanted columns of a source, as far as it has them.
    pub fn new(source: BatchSource<'a>, wanted: &'static [JsonColumn]) -> JsonRows<'a> {
        JsonRows { source, wanted, columns: Vec::new(), rows: 0, next: 0, number: 0 }
    }

    /// Returns the next row; `None` after the last.
    ///
    /// # Errors
    /// If the source cannot be read further or a column has an unexpected type.
    pub fn next_row(&mut self) -> Result<Option<JsonRow>, ImportError> {
        while self.next >= self.rows {
            let Some(batch) = self.source.next_batch()? else { return Ok(None) };
            self.columns = self.columns_of(&batch)?;
            (self.rows, self.next) = (batch.num_rows(), 0);
        }
        let row = self.next;
        self.next = self.next.saturating_add(1);
        self.number = self.number.saturating_add(1);
        let number = self.number;
        let mut fields = Map::new();
        for (column, values) in &self.columns {
            let value = value(*column, values, row).map_err(|expected| {
                let problem = Problem::bad_field(column.name, "a list of other values", expected);
                FileLocation::Row(number).of(self.source.name(), problem)
            })?;
            if let Some(value) = value {
                fields.insert(column.name.to_owned(), value);
            }
        }
        Ok(Some(JsonRow { number, fields }))
    }

    fn columns_of(&self, batch: &RecordBatch) -> Result<Vec<(JsonColumn, Values)>, ImportError> {
        let mut columns = Vec::new();
        for &column in self.wanted {
            let Some(array) = batch.column_by_name(column.name) else { continue };
            let (values, expected) = values(column.kind, array);
            match values {
                Some(values) => columns.push((column, values)),
                None => return Err(self.source.bad_type(column.name, array.data_type(), expected)),
            }
        }
        Ok(columns)
    }
}

/// Returns the values of an array if it has the right type, and the expected types.
fn values(kind: JsonKind, array: &ArrayRef) -> (Option<Values>, &'static str) {
    match kind {
        JsonKind::Id | JsonKind::Text => (TextColumn::of(array).map(Values::Texts), "text"),
        JsonKind::Number => (numbers(array).map(Values::Numbers), "a number"),
        JsonKind::Texts => (ListColumn::of(array).map(Values::Lists), "a list of texts"),
        JsonKind::Numbers => (ListColumn::of(array).map(Values::Lists), "a list of numbers"),
    }
}

fn value(column: JsonColumn, values: &Values, row: usize) -> Result<Option<Value>, &'static str> {
    Ok(match values {
        Values::Texts(texts) => match (texts.get(row), column.kind) {
            (Some(text), _) => Some(Value::String(text)),
            (None, JsonKind::Id) => Some(Value::Null),
            (None, _) => None,
        },
        Values::Numbers(numbers) => numbers.get(row).copied().flatten().map(number),
        Values::Lists(lists) => match lists.get(row) {
            None => None,
            Some(items) if column.kind == JsonKind::Texts => Some(texts_of(&items)?),
            Some(items) => {
                let items = numbers(&items).ok_or("a list of numbers")?;
                let items = items.into_iter().map(|item| item.map_or(Value::Null, number));
                Some(items.collect())
            }
        },
    })
}

fn texts_of(items: &ArrayRef) -> Result<Value, &'static str> {
    let texts = TextColumn::of(items).ok_or("a list of texts")?;
    let text = |row| texts.get(row).map_or(Value::Null, Value::String);
    Ok((0..items.len()).map(text).collect())
}

/// Whole numbers become JSON integers, as in NDJSON.
fn number(value: f64) -> Value {
    if value.fract() == 0.0 && (0.0..=9e15).contains(&value) {
        return Value::from(value as u64);
    }
    Value::from(value)
}
