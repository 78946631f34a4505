//! The table of nodes: `id,x,y` in metres, `id,lon,lat`, or both.

use super::axes::Axes;
use super::table::Table;
use crate::draft::Draft;
use crate::error::{ImportError, Problem};
use meshcloak::map::{Frame, FrameError, Texts};
use meshcloak::units::{LonLat, Point};

/// Unit of the coordinates of shapes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    Metres,
    Degrees,
}

/// Content of the rows with lon/lat, one entry per row.
#[derive(Default)]
struct GeographicRows {
    lon_lats: Vec<LonLat>,
    lines: Vec<u64>,
    /// Points given in metres; empty without `x,y`.
    points: Vec<Point>,
    /// Ids of rows without `x,y`, whose points are known only after the last row.
    labels: Texts,
}

/// Adds all nodes to the draft as terminals, and the frame if lon/lat are given.
pub(super) fn read(table: &mut Table, draft: &mut Draft) -> Result<Unit, ImportError> {
    let id = table.required("id")?;
    let Axes { metres, degrees } = Axes::of(table)?;
    let mut rows = GeographicRows::default();
    while table.next()? {
        let point = metres.map(|columns| table.point(columns)).transpose()?;
        let label = table.some_text(id, "an id")?;
        if let Some(point) = point {
            draft.builder.terminal(label, point).map_err(|error| table.error(error))?;
        }
        if let Some(degrees) = degrees {
            rows.lon_lats.push(table.degrees(degrees)?);
            rows.lines.push(table.line());
            match point {
                Some(point) => rows.points.push(point),
                None => rows.labels.push(label),
            }
        }
    }
    match (metres, degrees) {
        (None, _) => rows.project(table, draft)?,
        (Some(_), Some(_)) => rows.fit(table, draft)?,
        (Some(_), None) => {}
    }
    draft.nodes = draft.builder.terminal_count() as u64;
    if draft.nodes == 0 {
        return Err(table.file_error(Problem::NoContent(NODES)));
    }
    Ok(if metres.is_some() { Unit::Metres } else { Unit::Degrees })
}

const NODES: &str = "nodes below the header";

impl GeographicRows {
    /// Fits a frame to rows with both kinds of coordinates.
    fn fit(self, table: &Table, draft: &mut Draft) -> Result<(), ImportError> {
        let pairs: Vec<(Point, LonLat)> = self.points.into_iter().zip(self.lon_lats).collect();
        match Frame::fit(&pairs) {
            Ok(frame) => draft.builder.set_frame(frame),
            Err(FrameError::Collinear) => draft.notes.push(
                "all nodes are collinear, so lon,lat cannot be fitted to x,y; lon,lat are ignored"
                    .to_owned(),
            ),
            Err(error @ FrameError::Disagree { index, .. }) => {
                return Err(
                    table.error_at(self.lines.get(index).copied().unwrap_or_default(), error)
                );
            }
        }
        Ok(())
    }

    /// Adds the terminals of rows with lon/lat only.
    fn project(self, table: &Table, draft: &mut Draft) -> Result<(), ImportError> {
        let frame = Frame::around(self.lon_lats.iter().copied());
        let frame = frame.ok_or_else(|| table.file_error(Problem::NoContent(NODES)))?;
        for ((label, &lon_lat), &line) in self.labels.iter().zip(&self.lon_lats).zip(&self.lines) {
            let added = draft.builder.terminal(label, frame.point(lon_lat));
            added.map_err(|error| table.error_at(line, error))?;
        }
        draft.builder.set_frame(frame);
        Ok(())
    }
}
