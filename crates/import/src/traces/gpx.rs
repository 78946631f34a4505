//! GPX 1.0 and 1.1: every `<trkseg>` is a trip of its `<trkpt lat lon>` elements with a `<time>`.
//!
//! The id of a trip is the file name; `read_traces` appends a number if there are several.

use super::{Coordinates, SkipCounts, Trip, TripPoint, push_trip, timestamp};
use crate::error::{FileLocation, ImportError, Problem, excerpt};
use crate::input::Input;
use meshcloak::units::LonLat;
use quick_xml::XmlVersion;
use quick_xml::events::{BytesStart, Event};
use quick_xml::reader::Reader;
use std::io::{self, BufRead, Read};
use std::path::Path;

/// Longest accepted element, text or comment, in bytes.
const MAX_EVENT_BYTES: u64 = 1 << 20;

/// Reads one file.
pub(super) fn read(
    input: Input,
    trips: &mut Vec<Trip>,
    skips: &mut SkipCounts,
) -> Result<(), ImportError> {
    let path = input.path.clone();
    let mut reader = Reader::from_reader(LineCounter { input, line: 1, left: MAX_EVENT_BYTES });
    let mut segments = Segments::default();
    segments.read(&mut reader).map_err(|problem| {
        let line = reader.get_ref().line;
        FileLocation::Line(line).of(&path, problem)
    })?;
    skips.untimed = skips.untimed.saturating_add(segments.untimed);
    for points in segments.done {
        push_trip(name_of(&path), points, trips, skips);
    }
    Ok(())
}

/// Returns the file name without `.gpx` and `.gz`.
fn name_of(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let plain = name.strip_suffix(".gz").unwrap_or(&name);
    plain.strip_suffix(".gpx").unwrap_or(plain).to_owned()
}

/// Segments read so far and the current segment and point.
#[derive(Default)]
struct Segments {
    done: Vec<Vec<TripPoint>>,
    untimed: usize,
    points: Vec<TripPoint>,
    position: Option<LonLat>,
    time: Option<i64>,
    /// Text of the current `<time>` of a point.
    text: Option<String>,
}

impl Segments {
    fn read(&mut self, reader: &mut Reader<LineCounter>) -> Result<(), Problem> {
        let mut buffer = Vec::new();
        let (mut depth, mut roots) = (0_u64, 0_u64);
        loop {
            buffer.clear();
            reader.get_mut().left = MAX_EVENT_BYTES;
            match reader.read_event_into(&mut buffer)? {
                Event::Start(element) => {
                    roots = roots.saturating_add(u64::from(depth == 0));
                    depth = depth.saturating_add(1);
                    check_root(&element, depth)?;
                    self.start(&element)?;
                }
                Event::Empty(element) => {
                    roots = roots.saturating_add(u64::from(depth == 0));
                    check_root(&element, depth.saturating_add(1))?;
                    self.start(&element)?;
                    self.end(element.local_name().as_ref())?;
                }
                Event::End(element) => {
                    depth = depth.saturating_sub(1);
                    self.end(element.local_name().as_ref())?;
                }
                Event::Text(text) => {
                    if let Some(known) = &mut self.text {
                        known.push_str(&text);
                    }
                }
                Event::Eof if depth > 0 || roots == 0 => {
                    return Err(Problem::Truncated("before `</gpx>`".into()));
                }
                Event::Eof => return Ok(()),
                _ => {}
            }
        }
    }

    fn start(&mut self, element: &BytesStart) -> Result<(), Problem> {
        match element.local_name().as_ref() {
            "trkpt" => {
                self.position = Some(position_of(element)?);
                self.time = None;
            }
            "time" if self.position.is_some() => self.text = Some(String::new()),
            _ => {}
        }
        Ok(())
    }

    fn end(&mut self, name: &str) -> Result<(), Problem> {
        match name {
            "time" => {
                if let Some(text) = self.text.take() {
                    let time = timestamp::milliseconds(&text);
                    let expected = "date and time, as in 2013-07-01T00:00:58Z";
                    self.time =
                        Some(time.ok_or_else(|| Problem::bad_field("time", &text, expected))?);
                }
            }
            "trkpt" => match (self.position.take(), self.time.take()) {
                (Some(lon_lat), Some(at)) => {
                    let coordinates = Coordinates::Degrees(lon_lat);
                    self.points.push(TripPoint { at, coordinates, speed: None, k: None });
                }
                _ => self.untimed = self.untimed.saturating_add(1),
            },
            "trkseg" => self.done.push(std::mem::take(&mut self.points)),
            _ => {}
        }
        Ok(())
    }
}

/// Checks that the root element is `<gpx>`.
fn check_root(element: &BytesStart, depth: u64) -> Result<(), Problem> {
    let name = element.local_name();
    if depth > 1 || name.as_ref() == "gpx" {
        return Ok(());
    }
    Err(Problem::Damaged(format!("expected `<gpx>`, found `<{}>`", excerpt(name.as_ref()))))
}

fn position_of(element: &BytesStart) -> Result<LonLat, Problem> {
    let lon = degrees(element, "lon", 180.0, "degrees from -180 to 180")?;
    let lat = degrees(element, "lat", 90.0, "degrees from -90 to 90")?;
    Ok(LonLat { lon, lat })
}

fn degrees(
    element: &BytesStart,
    name: &'static str,
    limit: f64,
    expected: &'static str,
) -> Result<f64, Problem> {
    let damaged = |error: &dyn ToString| Problem::Damaged(error.to_string());
    let attribute = element.try_get_attribute(name).map_err(|error| damaged(&error))?;
    let text = match attribute {
        Some(attribute) => {
            let value = attribute.normalized_value(XmlVersion::Explicit1_0);
            value.map_err(|error| damaged(&error))?.into_owned()
        }
        None => String::new(),
    };
    let value = text.trim().parse::<f64>().ok().filter(|value| value.abs() <= limit);
    value.ok_or_else(|| Problem::bad_field(name, &text, expected))
}

/// An input that counts lines and bounds the bytes of an event.
struct LineCounter<'a> {
    input: Input<'a>,
    line: u64,
    /// Bytes that the current event may still have.
    left: u64,
}

impl Read for LineCounter<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.input.read(buffer)?;
        let passed = lines(buffer.get(..read).unwrap_or_default());
        self.line = self.line.saturating_add(passed as u64);
        Ok(read)
    }
}

impl BufRead for LineCounter<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.left == 0 {
            let reason = format!("an element or text is longer than {MAX_EVENT_BYTES} bytes");
            return Err(io::Error::new(io::ErrorKind::InvalidData, reason));
        }
        let bytes = self.input.fill_buf()?;
        let left = usize::try_from(self.left).unwrap_or(usize::MAX);
        Ok(bytes.get(..left).unwrap_or(bytes))
    }

    fn consume(&mut self, amount: usize) {
        // The buffer is already filled, so this neither fails nor blocks.
        let passed =
            self.input.fill_buf().map_or(0, |bytes| lines(bytes.get(..amount).unwrap_or(bytes)));
        self.line = self.line.saturating_add(passed as u64);
        self.left = self.left.saturating_sub(amount as u64);
        self.input.consume(amount);
    }
}

fn lines(bytes: &[u8]) -> usize {
    bytes.iter().filter(|&&byte| byte == b'\n').count()
}
