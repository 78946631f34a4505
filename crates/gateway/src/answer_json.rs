//! JSON of an answer, written into a reused buffer. The JSON of an object is the same for every
//! user except for the distance, so it is made once per object where the objects are kept.

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
    write(buffer, &((metres * 100.0).round() / 100.0));
    buffer.push(b'}');
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::ResultBody;
    use crate::config::Config;
    use crate::outcome::Outcome;
    use crate::service::Completeness;
    use meshcloak::units::{LonLat, Point, Time};
    use std::sync::Arc;

    fn objects() -> Objects {
        let object = |(id, name): (&str, &str), east: f64| {
            let point = Point::new(east, 17.0);
            let (id, name, category) = (id.to_owned(), name.to_owned(), "café \\".to_owned());
            Arc::new(Object { id, name, category, point, position: None })
        };
        let names = [("a", "Jo's \"bar\""), ("b", ""), ("c\n", "ø\u{7}"), ("d", "0.0}")];
        let all = names.into_iter().zip([0.0, 12.5, 1e6, -3.0]);
        Objects::new(all.map(|(names, east)| object(names, east)).collect(), Completeness::Complete)
    }

    #[test]
    fn cached_and_uncached_answers_equal_the_serialised_result_body() {
        let frame = Frame::at(LonLat { lon: 9.0, lat: 48.0 });
        let cache = LonLatCache::default();
        let plain = objects();
        let receipt = Receipt {
            guarantee: "history",
            secret: Some("who asked what"),
            k: 3,
            k_reached: 5,
            k_asking: 3,
            streets: 12,
            delay: 0.25,
            exact: true,
            left_out: None,
            history: Some("new"),
        };
        let mut writer = AnswerWriter::default();
        for (objects, frame) in [
            (plain.clone(), None),
            (plain.clone(), Some(&frame)),
            (plain.with_shared_index(), Some(&frame)),
        ] {
            for found in [&[][..], &[(0.0, 3)], &[(1.0, 0), (12.345, 2), (1e3, 1), (2e3, 3)]] {
                let bodies = found.iter().map(|&(metres, number): &(f64, u32)| {
                    let object = &objects.objects()[number as usize];
                    let lon_lat = frame.map(|frame| cache.lon_lat(frame, object.point));
                    FoundBody {
                        id: &object.id,
                        name: &object.name,
                        category: &object.category,
                        lon: lon_lat.map_or(0.0, |lon_lat| lon_lat.lon),
                        lat: lon_lat.map_or(0.0, |lon_lat| lon_lat.lat),
                        metres: (metres * 100.0).round() / 100.0,
                    }
                });
                let bodies: Vec<FoundBody<'_>> = bodies.collect();
                let expected = serde_json::to_string(&ResultBody {
                    ticket: "7\"-a",
                    outcome: Outcome::Answered,
                    answer: Some(&bodies),
                    receipt: Some(receipt.clone()),
                    message: None,
                });
                let parts = AnswerParts {
                    ticket: "7\"-a",
                    found,
                    objects: &objects,
                    receipt: receipt.clone(),
                    limits: Config::default().answers,
                };
                let projection = CachedFrame { frame, cache: &cache };
                let written = writer.write(projection, &parts);
                assert_eq!(std::str::from_utf8(&written).unwrap(), expected.unwrap());
                for max_objects in [1, 1_000] {
                    let limits = AnswersConfig { max_objects, ..parts.limits };
                    let refined = writer.write_refined(projection, &objects, found, limits);
                    let limited = AnswerParts { limits, receipt: receipt.clone(), ..parts };
                    let written = writer.write(projection, &limited);
                    assert_eq!(writer.wrap(parts.ticket, &refined, receipt.clone()), written);
                }
            }
        }
    }

    #[test]
    fn an_answer_keeps_the_nearest_objects_and_tells_how_many_it_left_out() {
        let served = crate::receipt::ServedQuery {
            guarantee: meshcloak::guarantee::Guarantee::Reciprocal,
            k: 2,
            set_size: 2,
            asking: 2,
            streets: 3,
            asked_at: Time::from_millis(0),
            served_at: Time::from_millis(0),
            has_past: false,
        };
        let cache = LonLatCache::default();
        let objects = objects();
        let found = [(1.0, 3), (2.0, 0), (3.0, 1), (4.0, 2)];
        let mut writer = AnswerWriter::default();
        let mut write = |max_objects, max_bytes| -> (Vec<f64>, serde_json::Value) {
            let limits = AnswersConfig { max_objects, max_bytes, max_unread: 0 };
            let receipt = served.receipt(true);
            let parts =
                AnswerParts { ticket: "t", found: &found, objects: &objects, receipt, limits };
            let written = writer.write(CachedFrame { frame: None, cache: &cache }, &parts);
            let body: serde_json::Value = serde_json::from_slice(&written).unwrap();
            let answer = body["answer"].as_array().unwrap().iter();
            (
                answer.map(|object| object["metres"].as_f64().unwrap()).collect(),
                body["receipt"].clone(),
            )
        };
        let (metres, receipt) = write(4, 1 << 20);
        assert_eq!((metres.len(), &receipt["exact"]), (4, &true.into()));
        assert!(receipt.get("left_out").is_none());
        let (metres, receipt) = write(3, 1 << 20);
        assert_eq!((metres, &receipt["left_out"]), (vec![1.0, 2.0, 3.0], &1.into()));
        assert_eq!(receipt["exact"], false);
        let (metres, receipt) = write(4, 150);
        assert_eq!((metres, &receipt["left_out"]), (vec![1.0], &3.into()));
        let (metres, receipt) = write(4, 10);
        assert_eq!((metres.len(), &receipt["left_out"]), (0, &4.into()));
    }
}
