//! Entry points of [`crate::fuzzing`]: reports of each app.

use super::{
    osmand as osmand_format, owntracks as owntracks_format, time, traccar as traccar_format,
};

/// Reads a message of OwnTracks.
pub fn owntracks(bytes: &[u8]) -> bool {
    owntracks_format::parse(bytes).is_ok_and(|report| report.is_some())
}

/// Reads the parameters of OsmAnd.
pub fn osmand(bytes: &[u8]) -> bool {
    osmand_format::parse(bytes).is_ok_and(|parsed| parsed.report.is_some())
}

/// Reads a message of Traccar Client.
pub fn traccar(bytes: &[u8]) -> bool {
    traccar_format::parse(bytes).is_ok_and(|parsed| parsed.report.is_some())
}

/// Reads a time.
pub fn timestamp(bytes: &[u8]) -> bool {
    time::parse(&String::from_utf8_lossy(bytes)).is_some()
}
