//! Queries as record batches.
//!
//! Numbers have the decimals of the CSV files, so that all formats hold the same rows.

use super::{Coordinates, QueryRecord};
use crate::columns::{BatchSink, MAX_ROWS, ParquetSink};
use crate::error::ImportError;
use arrow_array::builder::{BooleanBuilder, Float64Builder, Int64Builder, StringBuilder};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use meshcloak::units::{LonLat, Point};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Collects queries into batches.
pub(super) struct QueryColumns {
    target: Target,
    rows: usize,
    query: StringBuilder,
    user: StringBuilder,
    /// `t`, two coordinates, `dt`, `dc`, `speed`, `interval`.
    numbers: [Float64Builder; 7],
    k: Int64Builder,
    asks: BooleanBuilder,
    has_asks: bool,
    /// Names of the coordinates, from the first query.
    axes: Option<[&'static str; 2]>,
}

/// The sink is created with the schema, which depends on the first query.
enum Target {
    File(PathBuf),
    Sink(Box<dyn BatchSink>),
}

impl std::fmt::Debug for QueryColumns {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("QueryColumns").field("rows", &self.rows).finish_non_exhaustive()
    }
}

impl QueryColumns {
    /// Writes to a Parquet file.
    pub(super) fn to_file(path: &Path) -> QueryColumns {
        QueryColumns::new(Target::File(path.to_owned()))
    }

    /// Writes to a sink.
    pub(super) fn to_sink(sink: Box<dyn BatchSink>) -> QueryColumns {
        QueryColumns::new(Target::Sink(sink))
    }

    fn new(target: Target) -> QueryColumns {
        QueryColumns {
            target,
            rows: 0,
            query: StringBuilder::new(),
            user: StringBuilder::new(),
            numbers: Default::default(),
            k: Int64Builder::new(),
            asks: BooleanBuilder::new(),
            has_asks: false,
            axes: None,
        }
    }

    pub(super) fn set_asks(&mut self, has_asks: bool) {
        self.has_asks = has_asks;
    }

    pub(super) fn write(&mut self, query: &QueryRecord) -> Result<(), ImportError> {
        let (axes, [first, second]) = match query.coordinates {
            Coordinates::Metres(Point { x, y }) => (["x", "y"], [x, y].map(|v| rounded(v, 1e6))),
            Coordinates::Degrees(LonLat { lon, lat }) => {
                (["lon", "lat"], [lon, lat].map(|v| rounded(v, 1e9)))
            }
        };
        if *self.axes.get_or_insert(axes) != axes {
            self.flush()?;
            self.axes = Some(axes);
        }
        let thousandths = |value: u64| value as f64 / 1e3;
        let values = [
            Some(thousandths(query.asked_at)),
            Some(first),
            Some(second),
            Some(thousandths(query.temporal_tolerance)),
            Some(query.distance_constraint.as_metres()),
            query.speed.map(|speed| thousandths(speed.into())),
            query.query_interval.map(|interval| thousandths(interval.into())),
        ];
        for (column, value) in self.numbers.iter_mut().zip(values) {
            column.append_option(value);
        }
        self.query.append_value(&query.query);
        self.user.append_value(&query.user);
        self.k.append_value(query.k.into());
        self.asks.append_value(query.asks);
        self.rows = self.rows.saturating_add(1);
        if self.rows >= MAX_ROWS { self.flush() } else { Ok(()) }
    }

    pub(super) fn finish(mut self) -> Result<(), ImportError> {
        self.flush()?;
        match self.target {
            Target::Sink(sink) => sink.finish(),
            Target::File(_) => Ok(()),
        }
    }

    /// Writes the batch, also an empty one: a table without rows has a schema.
    fn flush(&mut self) -> Result<(), ImportError> {
        let schema = self.schema();
        let [t, first, second, dt, dc, speed, interval] =
            self.numbers.each_mut().map(|column| Arc::new(column.finish()) as ArrayRef);
        let asks = Arc::new(self.asks.finish()) as ArrayRef;
        let mut columns: Vec<ArrayRef> = vec![
            Arc::new(self.query.finish()),
            Arc::new(self.user.finish()),
            t,
            first,
            second,
            Arc::new(self.k.finish()),
            dt,
            dc,
            speed,
            interval,
        ];
        columns.extend(self.has_asks.then_some(asks));
        self.rows = 0;
        let batch = RecordBatch::try_new(Arc::clone(&schema), columns)
            .expect("the columns follow the schema");
        if let Target::File(path) = &self.target {
            self.target = Target::Sink(Box::new(ParquetSink::create(path, schema)?));
        }
        match &mut self.target {
            Target::Sink(sink) => sink.write(batch),
            Target::File(_) => Ok(()),
        }
    }

    fn schema(&self) -> SchemaRef {
        let [first, second] = self.axes.unwrap_or(["x", "y"]);
        let field = |name: &str, data_type: DataType| Field::new(name, data_type, false);
        let optional = |name: &str| Field::new(name, DataType::Float64, true);
        let mut fields = vec![
            field("query", DataType::Utf8),
            field("user", DataType::Utf8),
            field("t", DataType::Float64),
            field(first, DataType::Float64),
            field(second, DataType::Float64),
            field("k", DataType::Int64),
            field("dt", DataType::Float64),
            field("dc", DataType::Float64),
            optional("speed"),
            optional("interval"),
        ];
        fields.extend(self.has_asks.then(|| field("asks", DataType::Boolean)));
        Arc::new(Schema::new(fields))
    }
}

/// Rounds to the decimals of the CSV files. The quotient of two whole numbers is the double nearest
/// to the decimal number, which is what a reader of the text obtains.
fn rounded(value: f64, scale: f64) -> f64 {
    (value * scale).round() / scale
}
