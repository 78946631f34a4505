//! Queries in CSV.

use super::fields::QueryFields;
use super::reader::{BadQuery, millis};
use crate::csv_map::table::{Column, Table};
use crate::error::{FileLocation, ImportError, Problem};
use crate::input::Input;

/// A table of queries and its columns.
pub(super) struct CsvQueries<'a> {
    table: Table<'a>,
    query: Column,
    user: Column,
    /// `t,x,y,lon,lat,k,dt,dc,speed,interval`.
    numbers: [Option<Column>; 10],
    asks: Option<Column>,
}

/// A row before validation.
pub(super) struct RawRow {
    /// First line of the row, or its number in a table.
    pub location: FileLocation,
    pub fields: Result<QueryFields, BadQuery>,
}

impl<'a> CsvQueries<'a> {
    pub(super) fn open(input: Input<'a>) -> Result<CsvQueries<'a>, ImportError> {
        let table = Table::open(input)?;
        let (query, user) = (table.required("query")?, table.required("user")?);
        let [t, k, dt] = [table.required("t")?, table.required("k")?, table.required("dt")?];
        let (metres, degrees) = (table.pair("x", "y")?, table.pair("lon", "lat")?);
        if metres.or(degrees).is_none() {
            return Err(table.missing("`x`,`y` or `lon`,`lat`"));
        }
        let dc = table.column("dc")?;
        let (speed, interval) = (table.column("speed")?, table.column("interval")?);
        if dc.or(speed.and(interval)).is_none() {
            return Err(table.missing("`dc`, or `speed` and `interval`"));
        }
        let [x, y] = metres.map_or([None; 2], |pair| pair.map(Some));
        let [lon, lat] = degrees.map_or([None; 2], |pair| pair.map(Some));
        let numbers = [Some(t), x, y, lon, lat, Some(k), Some(dt), dc, speed, interval];
        let asks = table.column("asks")?;
        Ok(CsvQueries { table, query, user, numbers, asks })
    }

    pub(super) fn next_row(&mut self) -> Result<Option<RawRow>, ImportError> {
        match self.table.next() {
            Ok(false) => Ok(None),
            Ok(true) => Ok(Some(RawRow { location: self.location(), fields: self.fields() })),
            Err(error) if matches!(error.problem, Problem::FieldCount { .. }) => {
                let bad = BadQuery { id: None, asked_at: None, problem: error.problem };
                Ok(Some(RawRow { location: self.location(), fields: Err(bad) }))
            }
            Err(error) => Err(error),
        }
    }

    fn location(&self) -> FileLocation {
        FileLocation::Line(self.table.line())
    }

    fn fields(&self) -> Result<QueryFields, BadQuery> {
        let text = |column| match self.table.text(column) {
            Ok("") => Ok(None),
            Ok(text) => Ok(Some(text.to_owned())),
            Err(error) => Err(BadQuery { id: None, asked_at: None, problem: error.problem }),
        };
        let query = text(self.query)?;
        let mut values = [None; 10];
        let mut first = None;
        for (index, (value, &column)) in values.iter_mut().zip(&self.numbers).enumerate() {
            let Some(column) = column else { continue };
            *value = self.table.optional_number(column).map_err(|error| {
                let asked_at = first.and_then(millis);
                BadQuery { id: query.clone(), asked_at, problem: error.problem }
            })?;
            if index == 0 {
                first = *value;
            }
        }
        let user = text(self.user)?;
        let asks = self.asks.map(|column| self.table.optional_boolean(column)).transpose();
        let asks = asks.map_err(|error| BadQuery {
            id: query.clone(),
            asked_at: first.and_then(millis),
            problem: error.problem,
        })?;
        let asks = asks.flatten();
        let [t, x, y, lon, lat, k, dt, dc, speed, interval] = values;
        Ok(QueryFields { query, user, t, x, y, lon, lat, k, dt, dc, speed, interval, asks })
    }
}
