//! JSON of an answer, written into a reused buffer. The JSON of an object is the same for every
//! user except for the distance, so it is made once per object where the objects are kept.

#[cfg(test)]
mod tests;

use crate::api::{FoundBody, Receipt};
use crate::config::AnswersConfig;
use crate::lon_lat_cache::LonLatCache;
use crate::refined_answer::RefinedAnswer;
use crate::service::{Object, Objects};
use bytes::Bytes;
use meshcloak::map::Frame;
use serde::Serialize;

/// Contents of an answer.
pub(crate) struct AnswerParts<'a> {
    /// Ticket of the query.
    pub ticket: &'a str,
    /// Distance in metres and index of each object found, nearest first.
    pub found: &'a [(f64, u32)],
    /// Objects that the indices refer to.
    pub objects: &'a Objects,
    /// Receipt of the query.
    pub receipt: Receipt,
    /// Limits of the answer: the nearest objects within them are written.
    pub limits: AnswersConfig,
}

/// Projection from the plane of the map to lon/lat, with a cache.
#[derive(Clone, Copy)]
pub(crate) struct CachedFrame<'a> {
    /// Frame of the map; without one lon/lat are written as 0.
    pub frame: Option<&'a Frame>,
    /// Cached results.
    pub cache: &'a LonLatCache,
}

/// Writer with a reused buffer.
#[derive(Default)]
pub(crate) struct AnswerWriter {
    buffer: Vec<u8>,
}

impl AnswerWriter {
    /// Writes one JSON object, byte for byte as [`crate::api::ResultBody`] serialises.
    pub(crate) fn write(&mut self, projection: CachedFrame<'_>, parts: &AnswerParts<'_>) -> Bytes {
        self.begin(parts.ticket);
        let AnswerParts { found, objects, limits, .. } = *parts;
        let left_out = write_objects(&mut self.buffer, projection, objects, found, limits);
        self.end(parts.receipt.clone(), left_out)
    }

    /// As [`AnswerWriter::write`], for objects that another process has written.
    pub(crate) fn wrap(&mut self, ticket: &str, answer: &RefinedAnswer, receipt: Receipt) -> Bytes {
        self.begin(ticket);
        self.buffer.extend_from_slice(&answer.objects);
        self.end(receipt, answer.left_out)
    }

    /// Writes the objects alone, for another process.
    pub(crate) fn write_refined(
        &mut self,
        projection: CachedFrame<'_>,
        objects: &Objects,
        found: &[(f64, u32)],
        limits: AnswersConfig,
    ) -> RefinedAnswer {
        self.buffer.clear();
        let left_out = write_objects(&mut self.buffer, projection, objects, found, limits);
        let is_complete = objects.is_complete();
        RefinedAnswer { objects: Bytes::copy_from_slice(&self.buffer), left_out, is_complete }
    }

    fn begin(&mut self, ticket: &str) {
        self.buffer.clear();
        self.buffer.extend_from_slice(b"{\"ticket\":");
        write(&mut self.buffer, ticket);
        self.buffer.extend_from_slice(b",\"outcome\":\"answered\",\"answer\":[");
    }

    fn end(&mut self, mut receipt: Receipt, left_out: usize) -> Bytes {
        self.buffer.extend_from_slice(b"],\"receipt\":");
        if left_out > 0 {
            (receipt.exact, receipt.left_out) = (false, Some(left_out));
        }
        write(&mut self.buffer, &receipt);
        self.buffer.push(b'}');
        Bytes::copy_from_slice(&self.buffer)
    }
}

/// Writes the nearest objects within the limits, separated by commas. Returns how many were left out.
fn write_objects(
    buffer: &mut Vec<u8>,
    projection: CachedFrame<'_>,
    objects: &Objects,
    found: &[(f64, u32)],
    limits: AnswersConfig,
) -> usize {
    let limit = buffer.len().saturating_add(limits.max_bytes);
    let mut written = 0_usize;
    for &(metres, index) in found.iter().take(limits.max_objects) {
        let before = buffer.len();
        if written > 0 {
            buffer.push(b',');
        }
        write_found(buffer, projection, objects, metres, index as usize);
        if buffer.len() > limit {
            buffer.truncate(before);
            break;
        }
        written = written.saturating_add(1);
    }
    found.len().saturating_sub(written)
}

/// Writes an object that was found, from the cache where there is one.
fn write_found(
    buffer: &mut Vec<u8>,
    projection: CachedFrame<'_>,
    objects: &Objects,
    metres: f64,
    index: usize,
) {
    let Some(object) = objects.objects().get(index) else { return };
    match objects.shared_index().and_then(|shared| shared.json.get(index)) {
        Some(cached) => buffer.extend_from_slice(cached.get_or_init(|| {
            let mut json = Vec::new();
            write_object(&mut json, projection, object);
            json.into()
        })),
        None => write_object(buffer, projection, object),
    }
    write_metres(buffer, metres);
    buffer.push(b'}');
}

/// Writes a distance rounded to centimetres, byte for byte as `serde_json` writes the number: without
/// trailing zeros, except for one after the point. Up to 15 digits the shortest decimal that identifies
/// a rounded number is the number itself.
fn write_metres(buffer: &mut Vec<u8>, metres: f64) {
    let centimetres = (metres * 100.0).round();
    if !(0.0..1e12).contains(&centimetres) || centimetres.is_sign_negative() {
        return write(buffer, &(centimetres / 100.0));
    }
    let number = centimetres as u64;
    let mut digits = [b'0'; 16];
    let (mut rest, mut start) = (number, digits.len());
    // At least one digit before the two of the centimetres.
    while rest > 0 || start > digits.len().saturating_sub(3) {
        start = start.saturating_sub(1);
        if let Some(digit) = digits.get_mut(start) {
            *digit = b'0'.saturating_add((rest % 10) as u8);
        }
        rest /= 10;
    }
    let (whole, part) = digits.split_at(digits.len().saturating_sub(2));
    buffer.extend_from_slice(whole.get(start..).unwrap_or_default());
    buffer.push(b'.');
    let is_tenth = part.last() == Some(&b'0');
    buffer.extend_from_slice(part.get(..if is_tenth { 1 } else { 2 }).unwrap_or_default());
}

/// End of a [`FoundBody`] with distance 0.
const ZERO_DISTANCE: &[u8] = b"0.0}";

/// Writes an object up to its distance, which is the last field.
fn write_object(buffer: &mut Vec<u8>, projection: CachedFrame<'_>, object: &Object) {
    let lon_lat = projection.frame.map(|frame| projection.cache.lon_lat(frame, object.point));
    let body = FoundBody {
        id: &object.id,
        name: &object.name,
        category: &object.category,
        lon: lon_lat.map_or(0.0, |lon_lat| lon_lat.lon),
        lat: lon_lat.map_or(0.0, |lon_lat| lon_lat.lat),
        metres: 0.0,
    };
    write(buffer, &body);
    debug_assert!(buffer.ends_with(ZERO_DISTANCE), "the distance is the last field");
    buffer.truncate(buffer.len().saturating_sub(ZERO_DISTANCE.len()));
}

fn write(buffer: &mut Vec<u8>, value: &(impl Serialize + ?Sized)) {
    serde_json::to_writer(buffer, value).expect("strings and finite numbers are always valid JSON");
}
