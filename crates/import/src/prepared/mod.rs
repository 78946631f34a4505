//! The prepared map: a map's flat arrays behind a checked header, so that opening it costs a
//! small part of importing it.
//!
//! ```text
//! 0   magic      8 bytes   "MeshMap" and 0x1a
//! 8   version    u32       this program reads VERSION alone
//! 12  checksum   u32       CRC-32 of everything from byte 24 on
//! 16  size       u64       of the whole file
//! 24  sections             each a u64 size in bytes, then that many bytes
//! ```
//! All numbers are little-endian. The first section says what the map was made from, as JSON.

mod history;
mod sections;

use crate::draft::Imported;
use crate::error::Problem;
use history::History;
use meshcloak::map::{Extent, Frame, Grid, Poi, Position, Street, StreetId, StreetMap};
use meshcloak::map::{Tables, TerminalId, Texts};
use meshcloak::units::{Length, LonLat, Point};
use sections::{Reader, Writer};

/// What every prepared map begins with.
pub(crate) const MAGIC: &[u8; 8] = b"MeshMap\x1a";

/// Raised whenever the layout changes.
const VERSION: u32 = 1;
const HEADER: usize = 24;

/// A prepared map as it was stored.
#[derive(Debug)]
pub struct Prepared {
    /// The map and where it came from.
    pub imported: Imported,
    /// How much of its source was kept when it was prepared.
    pub extent: Extent,
}

/// The bytes of a prepared map.
pub fn encode(imported: &Imported, extent: Extent) -> Vec<u8> {
    let mut out = Writer::new(HEADER);
    out.bytes(&History::of(imported, extent).to_json());
    write_tables(imported.map.tables(), &mut out);
    let mut bytes = out.finish();
    seal(&mut bytes);
    bytes
}

/// These bytes with a header that vouches for them, whatever they are: for tests and fuzzing of
/// what comes after the checksum.
#[cfg(any(test, feature = "fuzzing"))]
pub fn sealed(bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    bytes.resize(bytes.len().max(HEADER), 0);
    seal(&mut bytes);
    bytes
}

/// Writes the header of the bytes that follow it.
fn seal(bytes: &mut [u8]) {
    let checksum = crc32fast::hash(&bytes[HEADER..]);
    let size = bytes.len() as u64;
    bytes[..8].copy_from_slice(MAGIC);
    bytes[8..12].copy_from_slice(&VERSION.to_le_bytes());
    bytes[12..16].copy_from_slice(&checksum.to_le_bytes());
    bytes[16..24].copy_from_slice(&size.to_le_bytes());
}

/// The map in the bytes of a prepared map.
pub fn decode(bytes: &[u8]) -> Result<Prepared, Problem> {
    let mut sections = Reader::new(checked_body(bytes)?);
    let history = History::from_json(sections.bytes()?)?;
    let tables = read_tables(&mut sections)?;
    sections.finish()?;
    let map = StreetMap::from_tables(tables)?;
    Ok(history.with(map))
}

/// What follows the header, if the header is ours and tells the truth.
fn checked_body(bytes: &[u8]) -> Result<&[u8], Problem> {
    if !bytes.starts_with(MAGIC) {
        return Err(Problem::UnknownFormat);
    }
    if bytes.len() < HEADER {
        return Err(Problem::Truncated("in its header".into()));
    }
    let number = |at: usize| u32::from_le_bytes([0, 1, 2, 3].map(|byte| bytes[at + byte]));
    let version = number(8);
    if version != VERSION {
        return Err(Problem::WrongVersion { found: version, expected: VERSION });
    }
    let size = u64::from(number(16)) | u64::from(number(20)) << 32;
    let here = bytes.len() as u64;
    if here < size {
        return Err(Problem::Truncated(format!("after {here} of {size} bytes")));
    }
    if here > size {
        return Err(Problem::Damaged(format!("{} bytes follow its end", here - size)));
    }
    let body = &bytes[HEADER..];
    if crc32fast::hash(body) != number(12) {
        return Err(Problem::Damaged("its checksum does not match".into()));
    }
    Ok(body)
}

fn write_tables(tables: &Tables, out: &mut Writer) {
    out.points(&tables.terminals);
    write_texts(&tables.terminal_labels, out);
    out.records(tables.streets.iter().map(street_record));
    write_texts(&tables.street_labels, out);
    out.records(tables.street_metres.iter().map(|metres| metres.to_le_bytes()));
    out.numbers(&tables.shape_starts);
    out.points(&tables.shape_points);
    for texts in [&tables.names, &tables.classes, &tables.categories] {
        write_texts(texts, out);
    }
    out.records(tables.pois.iter().map(poi_record));
    write_texts(&tables.poi_labels, out);
    out.records(frame_numbers(tables.frame.as_ref()).iter().map(|value| value.to_le_bytes()));
    let Grid { corner, side, columns, rows, starts, segments } = &tables.grid;
    out.records([corner.x, corner.y, *side].iter().map(|value| value.to_le_bytes()));
    out.numbers(&[*columns, *rows]);
    out.numbers(starts);
    out.numbers(segments);
}

fn read_tables(sections: &mut Reader) -> Result<Tables, Problem> {
    Ok(Tables {
        terminals: sections.points()?,
        terminal_labels: read_texts(sections)?,
        streets: sections.records(street_of)?,
        street_labels: read_texts(sections)?,
        street_metres: sections.records(f64::from_le_bytes)?,
        shape_starts: sections.numbers()?,
        shape_points: sections.points()?,
        names: read_texts(sections)?,
        classes: read_texts(sections)?,
        categories: read_texts(sections)?,
        pois: sections.records(poi_of)?,
        poi_labels: read_texts(sections)?,
        frame: frame_of(&sections.records(f64::from_le_bytes)?)?,
        grid: read_grid(sections)?,
    })
}

fn read_grid(sections: &mut Reader) -> Result<Grid, Problem> {
    let place = sections.records(f64::from_le_bytes)?;
    let counts = sections.numbers()?;
    let (&[x, y, side], &[columns, rows]) = (&place[..], &counts[..]) else {
        return Err(Problem::Damaged("its grid has no size".into()));
    };
    let (starts, segments) = (sections.numbers()?, sections.numbers()?);
    Ok(Grid { corner: Point::new(x, y), side, columns, rows, starts, segments })
}

fn write_texts(texts: &Texts, out: &mut Writer) {
    out.numbers(texts.ends());
    out.bytes(texts.bytes().as_bytes());
}

fn read_texts(sections: &mut Reader) -> Result<Texts, Problem> {
    let ends = sections.numbers()?;
    let bytes = std::str::from_utf8(sections.bytes()?);
    let bytes = bytes.map_err(|_| Problem::Damaged("a text is not UTF-8".into()))?;
    let texts = Texts::from_parts(ends, bytes.to_owned());
    texts.ok_or_else(|| Problem::Damaged("its texts do not fit their lengths".into()))
}

fn street_record(street: &Street) -> [u8; 20] {
    let numbers = [street.from.0, street.to.0, street.length.units(), street.name];
    let last = u32::from(street.class) | u32::from(street.one_way) << 16;
    sections::join([numbers[0], numbers[1], numbers[2], numbers[3], last])
}

fn street_of(record: [u8; 20]) -> Street {
    let [from, to, length, name, last] = sections::split(record);
    Street {
        from: TerminalId(from),
        to: TerminalId(to),
        length: Length::from_units(length),
        name,
        class: last as u16,
        one_way: last >> 16 != 0,
    }
}

fn poi_record(poi: &Poi) -> [u8; 32] {
    let [x, y] = [poi.point.x, poi.point.y].map(f64::to_bits);
    let low_high = |bits: u64| [bits as u32, (bits >> 32) as u32];
    let ([x0, x1], [y0, y1]) = (low_high(x), low_high(y));
    let Position { street, offset } = poi.position;
    sections::join([x0, x1, y0, y1, street.0, offset.units(), poi.name, u32::from(poi.category)])
}

fn poi_of(record: [u8; 32]) -> Poi {
    let [x0, x1, y0, y1, street, offset, name, category] = sections::split(record);
    let number = |low: u32, high: u32| f64::from_bits(u64::from(low) | u64::from(high) << 32);
    let position = Position { street: StreetId(street), offset: Length::from_units(offset) };
    let point = Point::new(number(x0, x1), number(y0, y1));
    Poi { point, position, name, category: category as u16 }
}

fn frame_numbers(frame: Option<&Frame>) -> Vec<f64> {
    let numbers = |frame: &Frame| {
        let LonLat { lon, lat } = frame.origin();
        [lon, lat].into_iter().chain(frame.affine()).collect()
    };
    frame.map_or_else(Vec::new, numbers)
}

fn frame_of(numbers: &[f64]) -> Result<Option<Frame>, Problem> {
    match *numbers {
        [] => Ok(None),
        [lon, lat, a, b, c, d, e, f] => Frame::from_parts(LonLat { lon, lat }, [a, b, c, d, e, f])
            .map(Some)
            .ok_or_else(|| Problem::Damaged("its place on Earth is none".into())),
        _ => Err(Problem::Damaged("its place on Earth is incomplete".into())),
    }
}

#[cfg(test)]
mod tests;
