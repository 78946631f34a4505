//! Queries in record batches: Parquet files and Arrow streams.

use super::csv::RawRow;
use super::fields::QueryFields;
use super::reader::{BadQuery, millis};
use crate::columns::{BatchSource, TextColumn, booleans, numbers};
use crate::error::{FileLocation, ImportError, Problem};
use arrow_array::RecordBatch;

/// A table of queries.
pub(super) struct ColumnQueries<'a> {
    source: BatchSource<'a>,
    batch: QueryBatch,
    /// Next row of the batch.
    next: usize,
    /// Rows read so far.
    number: u64,
}

/// Columns of a batch.
#[derive(Default)]
struct QueryBatch {
    rows: usize,
    query: Option<TextColumn>,
    user: Option<TextColumn>,
    /// In the order of [`NUMBERS`].
    numbers: [Option<Vec<Option<f64>>>; NUMBERS.len()],
    asks: Option<Vec<Option<Result<bool, String>>>>,
}

const NUMBERS: [&str; 10] = ["t", "x", "y", "lon", "lat", "k", "dt", "dc", "speed", "interval"];

impl<'a> ColumnQueries<'a> {
    /// Names of all columns that are read.
    pub(super) const NAMES: &'static [&'static str] = &[
        "query", "user", "t", "x", "y", "lon", "lat", "k", "dt", "dc", "speed", "interval", "asks",
    ];

    pub(super) fn open(source: BatchSource<'a>) -> Result<ColumnQueries<'a>, ImportError> {
        let schema = source.schema();
        let has = |names: &[&str]| names.iter().all(|name| schema.column_with_name(name).is_some());
        let missing = |missing: &str| {
            let found = schema.fields().iter().map(|field| field.name().as_str());
            let found = found.collect::<Vec<_>>().join(",");
            let problem = Problem::MissingColumn { missing: missing.to_owned(), found };
            FileLocation::File.of(source.name(), problem)
        };
        for (names, text) in [
            (["query"], "`query`"),
            (["user"], "`user`"),
            (["t"], "`t`"),
            (["k"], "`k`"),
            (["dt"], "`dt`"),
        ] {
            if !has(&names) {
                return Err(missing(text));
            }
        }
        if !has(&["x", "y"]) && !has(&["lon", "lat"]) {
            return Err(missing("`x`,`y` or `lon`,`lat`"));
        }
        if !has(&["dc"]) && !has(&["speed", "interval"]) {
            return Err(missing("`dc`, or `speed` and `interval`"));
        }
        Ok(ColumnQueries { source, batch: QueryBatch::default(), next: 0, number: 0 })
    }

    pub(super) fn next_row(&mut self) -> Result<Option<RawRow>, ImportError> {
        while self.next >= self.batch.rows {
            let Some(batch) = self.source.next_batch()? else { return Ok(None) };
            self.batch = QueryBatch::of(&self.source, &batch)?;
            self.next = 0;
        }
        let fields = self.batch.fields(self.next);
        self.next = self.next.saturating_add(1);
        self.number = self.number.saturating_add(1);
        Ok(Some(RawRow { location: FileLocation::Row(self.number), fields }))
    }
}

impl QueryBatch {
    fn of(source: &BatchSource<'_>, batch: &RecordBatch) -> Result<QueryBatch, ImportError> {
        fn read<T>(
            source: &BatchSource<'_>,
            batch: &RecordBatch,
            name: &str,
            expected: &'static str,
            convert: impl FnOnce(&arrow_array::ArrayRef) -> Option<T>,
        ) -> Result<Option<T>, ImportError> {
            let Some(array) = batch.column_by_name(name) else { return Ok(None) };
            let bad = || source.bad_type(name, array_type(array), expected);
            convert(array).map(Some).ok_or_else(bad)
        }
        let mut columns = QueryBatch {
            rows: batch.num_rows(),
            query: read(source, batch, "query", "text", TextColumn::of)?,
            user: read(source, batch, "user", "text", TextColumn::of)?,
            asks: read(source, batch, "asks", "a boolean", booleans)?,
            ..QueryBatch::default()
        };
        for (column, name) in columns.numbers.iter_mut().zip(NUMBERS) {
            *column = read(source, batch, name, "a number", numbers)?;
        }
        Ok(columns)
    }

    fn fields(&self, row: usize) -> Result<QueryFields, BadQuery> {
        let text = |column: &Option<TextColumn>| column.as_ref().and_then(|texts| texts.get(row));
        let query = text(&self.query);
        let mut values = [None; NUMBERS.len()];
        for (value, column) in values.iter_mut().zip(&self.numbers) {
            *value = column.as_ref().and_then(|column| column.get(row).copied().flatten());
        }
        let [t, x, y, lon, lat, k, dt, dc, speed, interval] = values;
        let asks = self.asks.as_ref().and_then(|column| column.get(row).cloned().flatten());
        let asks = asks.transpose().map_err(|text| BadQuery {
            id: query.clone(),
            asked_at: t.and_then(millis),
            problem: Problem::bad_field("asks", &text, "1/0, true/false or yes/no"),
        })?;
        let user = text(&self.user);
        Ok(QueryFields { query, user, t, x, y, lon, lat, k, dt, dc, speed, interval, asks })
    }
}

fn array_type(array: &arrow_array::ArrayRef) -> &arrow_schema::DataType {
    use arrow_array::Array as _;
    array.data_type()
}
