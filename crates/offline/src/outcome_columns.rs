//! Outcomes as record batches: the members of the NDJSON objects are nullable columns.

use crate::error::Result;
use crate::outcomes::ServedQuery;
use crate::registry::Registry;
use arrow_array::builder::{Float64Builder, Int64Builder, ListBuilder, StringBuilder};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use evaluation::reason::Reason;
use import::columns::{BatchSink, MAX_ROWS};
use meshcloak::region::{Disc, Region};
use meshcloak::units::{Rectangle, Time};
use std::sync::Arc;

/// Number of list elements after which a batch is written.
const MAX_ELEMENTS: usize = 1 << 20;

/// Collects outcomes into batches.
pub(crate) struct OutcomeColumns {
    sink: Box<dyn BatchSink>,
    rows: usize,
    elements: usize,
    query: StringBuilder,
    outcome: StringBuilder,
    at: Float64Builder,
    delay: Float64Builder,
    k: Int64Builder,
    set: ListBuilder<StringBuilder>,
    mesh: ListBuilder<StringBuilder>,
    rectangle: ListBuilder<Float64Builder>,
    disc: ListBuilder<Float64Builder>,
    length: Float64Builder,
    reason: StringBuilder,
}

impl std::fmt::Debug for OutcomeColumns {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OutcomeColumns").field("rows", &self.rows).finish_non_exhaustive()
    }
}

impl OutcomeColumns {
    pub(crate) fn new(sink: Box<dyn BatchSink>) -> OutcomeColumns {
        OutcomeColumns {
            sink,
            rows: 0,
            elements: 0,
            query: StringBuilder::new(),
            outcome: StringBuilder::new(),
            at: Float64Builder::new(),
            delay: Float64Builder::new(),
            k: Int64Builder::new(),
            set: ListBuilder::new(StringBuilder::new()),
            mesh: ListBuilder::new(StringBuilder::new()),
            rectangle: ListBuilder::new(Float64Builder::new()),
            disc: ListBuilder::new(Float64Builder::new()),
            length: Float64Builder::new(),
            reason: StringBuilder::new(),
        }
    }

    /// Schema of all tables of outcomes.
    pub(crate) fn schema() -> SchemaRef {
        let optional = |name: &str, data_type: DataType| Field::new(name, data_type, true);
        let list = |item: DataType| DataType::List(Arc::new(Field::new("item", item, true)));
        Arc::new(Schema::new(vec![
            optional("query", DataType::Utf8),
            Field::new("outcome", DataType::Utf8, false),
            Field::new("at", DataType::Float64, false),
            optional("delay", DataType::Float64),
            optional("k", DataType::Int64),
            optional("set", list(DataType::Utf8)),
            optional("mesh", list(DataType::Utf8)),
            optional("rectangle", list(DataType::Float64)),
            optional("disc", list(DataType::Float64)),
            optional("length", DataType::Float64),
            optional("reason", DataType::Utf8),
        ]))
    }

    pub(crate) fn refused(&mut self, id: Option<&str>, at: Time, reason: Reason) -> Result<()> {
        self.begin(id, "refused", at);
        self.without_region(Some(reason.name()))
    }

    pub(crate) fn ended(&mut self, id: &str, outcome: &str, at: Time) -> Result<()> {
        self.begin(Some(id), outcome, at);
        self.without_region(None)
    }

    pub(crate) fn succeeded(
        &mut self,
        registry: &Registry,
        served: &ServedQuery<'_>,
    ) -> Result<()> {
        let ServedQuery { query, at, ref set, metres, map, .. } = *served;
        self.begin(Some(registry.name(query.id)), "succeeded", at);
        self.delay.append_value(seconds(at.as_millis() - query.asked_at.as_millis()));
        self.k.append_value(query.k.into());
        for &member in set.members {
            self.set.values().append_value(registry.name(member));
        }
        self.set.append(true);
        self.elements += set.members.len();
        match &set.region {
            Region::Mesh(streets) => {
                for &street in streets.iter() {
                    self.mesh.values().append_value(map.street_label(street));
                }
                self.elements += streets.len();
            }
            Region::Rectangle(Rectangle { min, max }) => {
                self.rectangle.values().append_slice(&[min.x, min.y, max.x, max.y]);
            }
            Region::Disc(Disc { centre, radius }) => {
                self.disc.values().append_slice(&[centre.x, centre.y, *radius]);
            }
        }
        self.mesh.append(matches!(set.region, Region::Mesh(_)));
        self.rectangle.append(matches!(set.region, Region::Rectangle(_)));
        self.disc.append(matches!(set.region, Region::Disc(_)));
        self.length.append_value((metres * 1000.0).round() / 1000.0);
        self.reason.append_null();
        self.end()
    }

    pub(crate) fn finish(mut self) -> Result<()> {
        self.flush()?;
        Ok(self.sink.finish()?)
    }

    fn begin(&mut self, id: Option<&str>, outcome: &str, at: Time) {
        self.query.append_option(id);
        self.outcome.append_value(outcome);
        self.at.append_value(seconds(at.as_millis()));
    }

    fn without_region(&mut self, reason: Option<&str>) -> Result<()> {
        self.delay.append_null();
        self.k.append_null();
        self.set.append_null();
        self.mesh.append_null();
        self.rectangle.append_null();
        self.disc.append_null();
        self.length.append_null();
        self.reason.append_option(reason);
        self.end()
    }

    fn end(&mut self) -> Result<()> {
        self.rows += 1;
        if self.rows >= MAX_ROWS || self.elements >= MAX_ELEMENTS { self.flush() } else { Ok(()) }
    }

    /// Writes the batch, also an empty one: a table without rows has a schema.
    fn flush(&mut self) -> Result<()> {
        let columns: Vec<ArrayRef> = vec![
            Arc::new(self.query.finish()),
            Arc::new(self.outcome.finish()),
            Arc::new(self.at.finish()),
            Arc::new(self.delay.finish()),
            Arc::new(self.k.finish()),
            Arc::new(self.set.finish()),
            Arc::new(self.mesh.finish()),
            Arc::new(self.rectangle.finish()),
            Arc::new(self.disc.finish()),
            Arc::new(self.length.finish()),
            Arc::new(self.reason.finish()),
        ];
        (self.rows, self.elements) = (0, 0);
        let batch = RecordBatch::try_new(OutcomeColumns::schema(), columns)
            .expect("the columns follow the schema");
        Ok(self.sink.write(batch)?)
    }
}

fn seconds(millis: u64) -> f64 {
    millis as f64 / 1000.0
}
