//! The table of streets: `id,from,to[,length][,oneway][,shape][,name][,class]`.

use super::nodes::Unit;
use super::table::{Column, Table};
use super::wkt::read_line_string;
use crate::draft::Draft;
use crate::error::{ImportError, Problem};
use meshcloak::map::{Frame, MapBuilder, RawStreet, TerminalId};
use meshcloak::units::{LonLat, Point};

/// Adds all streets to the draft, which has the nodes. `unit` is the unit of the shapes.
pub(super) fn read(table: &mut Table, unit: Unit, draft: &mut Draft) -> Result<(), ImportError> {
    let columns = Columns::of(table)?;
    let mut bends = Vec::new();
    while table.next()? {
        add(table, &columns, unit, &mut draft.builder, &mut bends)?;
    }
    draft.edges = draft.builder.street_count() as u64;
    if draft.edges == 0 {
        return Err(table.file_error(Problem::NoContent("streets below the header")));
    }
    Ok(())
}

struct Columns {
    id: Column,
    from: Column,
    to: Column,
    length: Option<Column>,
    oneway: Option<Column>,
    shape: Option<Column>,
    name: Option<Column>,
    class: Option<Column>,
}

impl Columns {
    fn of(table: &Table) -> Result<Columns, ImportError> {
        Ok(Columns {
            id: table.required("id")?,
            from: table.required("from")?,
            to: table.required("to")?,
            length: table.column("length")?,
            oneway: table.column("oneway")?,
            shape: table.column("shape")?,
            name: table.column("name")?,
            class: table.column("class")?,
        })
    }
}

fn add(
    table: &Table,
    columns: &Columns,
    unit: Unit,
    builder: &mut MapBuilder,
    points: &mut Vec<Point>,
) -> Result<(), ImportError> {
    let label = table.some_text(columns.id, "an id")?;
    let ends =
        [find(table, columns.from, "from", builder)?, find(table, columns.to, "to", builder)?];
    points.clear();
    if let Some(shape) = columns.shape {
        read_shape(table, shape, points)?;
        let frame = builder.frame().filter(|_| unit == Unit::Degrees);
        project_shape(table, shape, frame, points, &ends)?;
    }
    let raw = RawStreet {
        label,
        from: ends[0].id,
        to: ends[1].id,
        written_metres: columns.length.map_or(Ok(None), |column| table.length(column))?,
        one_way: columns.oneway.map_or(Ok(false), |column| table.boolean(column))?,
        bends: points.get(1..points.len().saturating_sub(1)).unwrap_or_default(),
        name: table.optional_text(columns.name)?,
        class: table.optional_text(columns.class)?,
    };
    builder.street(raw).map(|_| ()).map_err(|error| table.error(error))
}

/// An end of a street.
struct StreetEnd<'a> {
    id: TerminalId,
    label: &'a str,
    point: Point,
}

fn find<'a>(
    table: &'a Table,
    column: Column,
    field: &'static str,
    builder: &MapBuilder,
) -> Result<StreetEnd<'a>, ImportError> {
    let label = table.text(column)?;
    let found = builder.find_terminal(label);
    let found =
        found.and_then(|id| Some(StreetEnd { id, label, point: builder.terminal_point(id)? }));
    found.ok_or_else(|| table.error(Problem::UnknownNode { field, value: label.to_owned() }))
}

/// Reads the points of a shape; none if the field is empty.
fn read_shape(table: &Table, shape: Column, points: &mut Vec<Point>) -> Result<(), ImportError> {
    let text = table.text(shape)?;
    if text.trim().is_empty() {
        return Ok(());
    }
    read_line_string(text, points).map_err(|expected| table.bad(shape, expected))
}

/// Largest distance between an end of a shape and the street's terminal, in metres.
const MAX_END_GAP_METRES: f64 = 1.0;

/// Converts a shape to metres (`frame` is set if it is in degrees) and checks its ends.
fn project_shape(
    table: &Table,
    shape: Column,
    frame: Option<&Frame>,
    points: &mut [Point],
    ends: &[StreetEnd; 2],
) -> Result<(), ImportError> {
    let (Some(&first), Some(&last)) = (points.first(), points.last()) else { return Ok(()) };
    if let Some(frame) = frame {
        for point in &mut *points {
            let lon_lat = LonLat::new(point.x, point.y).ok_or_else(|| {
                table.bad(shape, "lon from -180 to 180 and lat from -90 to 90 in each point")
            })?;
            *point = frame.point(lon_lat);
        }
    }
    let [begin, end] = ends;
    let (Some(&start), Some(&stop)) = (points.first(), points.last()) else { return Ok(()) };
    let checks = [("begins", first, start, begin), ("ends", last, stop, end)];
    for (verb, written, point, end) in checks {
        let gap = point.distance(end.point);
        if gap.is_nan() || gap > MAX_END_GAP_METRES {
            return Err(table.error(end_mismatch(verb, written, end, frame)));
        }
    }
    Ok(())
}

fn end_mismatch(
    verb: &'static str,
    written: Point,
    end: &StreetEnd,
    frame: Option<&Frame>,
) -> Problem {
    let Point { x, y } = end.point;
    let position = match frame.map(|frame| frame.lon_lat(end.point)) {
        Some(LonLat { lon, lat }) => format!("{lon:.7} {lat:.7}"),
        None => format!("{x} {y}"),
    };
    let shape = format!("{} {}", written.x, written.y);
    let node = format!("`{}` at {position}", end.label);
    Problem::ShapeEndMismatch { verb, shape, node }
}
