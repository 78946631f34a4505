//! The JSON of an answer, written into room that is used again: the same few thousand objects are
//! told again and again, so the words for each are made once where they can be kept.

use crate::api::{FoundBody, Receipt};
use crate::degrees::Degrees;
use crate::service::{Object, Objects};
use bytes::Bytes;
use meshcloak::map::Frame;
use serde::Serialize;

/// What somebody is told who was answered.
pub(crate) struct Answered<'a> {
    /// Of her query.
    pub ticket: &'a str,
    /// How far each object is, and which it is; nearest first.
    pub found: &'a [(f64, u32)],
    /// The objects.
    pub objects: &'a Objects,
    /// What was done for her.
    pub receipt: Receipt,
}

/// Where objects are on Earth.
#[derive(Clone, Copy)]
pub(crate) struct Earth<'a> {
    /// The frame of the map, if it has one.
    pub frame: Option<&'a Frame>,
    /// What is remembered of it.
    pub degrees: &'a Degrees,
}

/// Room for one sentence after the other.
#[derive(Default)]
pub(crate) struct Sentence {
    buffer: Vec<u8>,
}

impl Sentence {
    /// One JSON object, as [`crate::api::ResultBody`] is written.
    pub(crate) fn say(&mut self, earth: Earth<'_>, told: &Answered<'_>) -> Bytes {
        let buffer = &mut self.buffer;
        buffer.clear();
        buffer.extend_from_slice(b"{\"ticket\":");
        write(buffer, told.ticket);
        buffer.extend_from_slice(b",\"outcome\":\"answered\",\"answer\":[");
        for (place, &(metres, number)) in told.found.iter().enumerate() {
            if place > 0 {
                buffer.push(b',');
            }
            let object = &told.objects.objects()[number as usize];
            let kept = told.objects.shared_index().map(|many| &many.json[number as usize]);
            match kept {
                Some(kept) => buffer.extend_from_slice(kept.get_or_init(|| {
                    let mut words = Vec::new();
                    begin(&mut words, earth, object);
                    words.into()
                })),
                None => begin(buffer, earth, object),
            }
            write(buffer, &((metres * 100.0).round() / 100.0));
            buffer.push(b'}');
        }
        buffer.extend_from_slice(b"],\"receipt\":");
        write(buffer, &told.receipt);
        buffer.push(b'}');
        Bytes::copy_from_slice(buffer)
    }
}

/// How a distance of nothing is written, and the end of what was found.
const NO_DISTANCE: &[u8] = b"0.0}";

/// All that is said of an object but how far it is, which comes last.
fn begin(buffer: &mut Vec<u8>, earth: Earth<'_>, object: &Object) {
    let place = earth.frame.map(|frame| earth.degrees.place(frame, object.point));
    let body = FoundBody {
        id: &object.id,
        name: &object.name,
        category: &object.category,
        lon: place.map_or(0.0, |place| place.lon),
        lat: place.map_or(0.0, |place| place.lat),
        metres: 0.0,
    };
    write(buffer, &body);
    debug_assert!(buffer.ends_with(NO_DISTANCE), "the distance comes last");
    buffer.truncate(buffer.len() - NO_DISTANCE.len());
}

fn write(buffer: &mut Vec<u8>, value: &(impl Serialize + ?Sized)) {
    serde_json::to_writer(buffer, value).expect("strings and finite numbers are always JSON");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::ResultBody;
    use crate::outcome::Outcome;
    use crate::service::Completeness;
    use meshcloak::units::{LonLat, Point};
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
    fn an_answer_is_written_as_the_api_has_it_the_first_time_and_later() {
        let frame = Frame::at(LonLat { lon: 9.0, lat: 48.0 });
        let degrees = Degrees::default();
        let plain = objects();
        let receipt = Receipt {
            guarantee: "history",
            k: 3,
            k_reached: 5,
            streets: 12,
            delay: 0.25,
            exact: true,
            history: Some("new"),
        };
        let mut sentence = Sentence::default();
        for (objects, frame) in [
            (plain.clone(), None),
            (plain.clone(), Some(&frame)),
            (plain.with_shared_index(), Some(&frame)),
        ] {
            for found in [&[][..], &[(0.0, 3)], &[(1.0, 0), (12.345, 2), (1e3, 1), (2e3, 3)]] {
                let bodies = found.iter().map(|&(metres, number): &(f64, u32)| {
                    let object = &objects.objects()[number as usize];
                    let place = frame.map(|frame| degrees.place(frame, object.point));
                    FoundBody {
                        id: &object.id,
                        name: &object.name,
                        category: &object.category,
                        lon: place.map_or(0.0, |place| place.lon),
                        lat: place.map_or(0.0, |place| place.lat),
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
                let told = Answered {
                    ticket: "7\"-a",
                    found,
                    objects: &objects,
                    receipt: receipt.clone(),
                };
                let said = sentence.say(Earth { frame, degrees: &degrees }, &told);
                assert_eq!(std::str::from_utf8(&said).unwrap(), expected.unwrap());
            }
        }
    }
}
