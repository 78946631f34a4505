//! The table of nodes: `id,x,y` in metres, `id,lon,lat`, or both.

use super::axes::Axes;
use super::table::{Column, Table};
use crate::draft::Draft;
use crate::error::{ImportError, Problem};
use meshcloak::map::{Frame, FrameError, MapBuilder, Texts};
use meshcloak::units::{LonLat, Point};

/// Unit of the coordinates of shapes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    Metres,
    Degrees,
}

/// Adds all nodes to the draft as terminals, and the frame if lon/lat are given.
pub(super) fn read(table: &mut Table, draft: &mut Draft) -> Result<Unit, ImportError> {
    let id = table.required("id")?;
    let unit = match Axes::of(table)? {
        Axes::Metres(metres) => read_metres(table, id, metres, &mut draft.builder)?,
        Axes::Degrees(degrees) => read_degrees(table, id, degrees, &mut draft.builder)?,
        Axes::Both { metres, degrees } => read_both(table, id, metres, degrees, draft)?,
    };
    draft.nodes = draft.builder.terminal_count() as u64;
    if draft.nodes == 0 {
        return Err(table.file_error(Problem::NoContent(NODES)));
    }
    Ok(unit)
}

const NODES: &str = "nodes below the header";
const ID: &str = "an id";

fn read_metres(
    table: &mut Table,
    id: Column,
    metres: [Column; 2],
    builder: &mut MapBuilder,
) -> Result<Unit, ImportError> {
    while table.next()? {
        add_metres(table, id, metres, builder)?;
    }
    Ok(Unit::Metres)
}

fn read_both(
    table: &mut Table,
    id: Column,
    metres: [Column; 2],
    degrees: [Column; 2],
    draft: &mut Draft,
) -> Result<Unit, ImportError> {
    let (mut pairs, mut lines) = (Vec::new(), Vec::new());
    while table.next()? {
        let point = add_metres(table, id, metres, &mut draft.builder)?;
        pairs.push((point, table.degrees(degrees)?));
        lines.push(table.line());
    }
    match Frame::fit(&pairs) {
        Ok(frame) => draft.builder.set_frame(frame),
        Err(FrameError::Collinear) => draft.notes.push(
            "all nodes are collinear, so lon,lat cannot be fitted to x,y; lon,lat are ignored"
                .to_owned(),
        ),
        Err(error @ FrameError::Disagree { index, .. }) => {
            return Err(table.error_at(lines[index], error));
        }
    }
    Ok(Unit::Metres)
}

fn add_metres(
    table: &Table,
    id: Column,
    [x, y]: [Column; 2],
    builder: &mut MapBuilder,
) -> Result<Point, ImportError> {
    let point = Point::new(table.metres(x)?, table.metres(y)?);
    let added = builder.terminal(table.some_text(id, ID)?, point);
    added.map(|_| point).map_err(|error| table.error(error))
}

/// Buffers all rows, because the frame is known only after the last one.
fn read_degrees(
    table: &mut Table,
    id: Column,
    degrees: [Column; 2],
    builder: &mut MapBuilder,
) -> Result<Unit, ImportError> {
    let (mut labels, mut lon_lats, mut lines) =
        (Texts::default(), Vec::<LonLat>::new(), Vec::new());
    while table.next()? {
        labels.push(table.some_text(id, ID)?);
        lon_lats.push(table.degrees(degrees)?);
        lines.push(table.line());
    }
    let frame = Frame::around(lon_lats.iter().copied());
    let frame = frame.ok_or_else(|| table.file_error(Problem::NoContent(NODES)))?;
    for ((label, &lon_lat), &line) in labels.iter().zip(&lon_lats).zip(&lines) {
        let added = builder.terminal(label, frame.point(lon_lat));
        added.map_err(|error| table.error_at(line, error))?;
    }
    builder.set_frame(frame);
    Ok(Unit::Degrees)
}
