//! Tests of answers against serialisation by `serde_json`.

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
fn distances_are_written_as_serde_json_writes_them() {
    let mut values = vec![0.0, -0.0, 0.004, 0.005, 1.0, 9.995, 99.999, 1e10, 9_999_999_999.99];
    values.extend([1e12, 1e15, 1e300, -3.25, f64::MIN_POSITIVE]);
    let mut state = 1_u64;
    for number in 0..200_000_u64 {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        values.push(number as f64 / 100.0);
        values.push((state >> 20) as f64 / (1_u64 << (state % 40)) as f64);
    }
    for value in values {
        let (mut written, mut expected) = (Vec::new(), Vec::new());
        write_metres(&mut written, value);
        write(&mut expected, &((value * 100.0).round() / 100.0));
        assert_eq!(written, expected, "{value}");
    }
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
        let parts = AnswerParts { ticket: "t", found: &found, objects: &objects, receipt, limits };
        let written = writer.write(CachedFrame { frame: None, cache: &cache }, &parts);
        let body: serde_json::Value = serde_json::from_slice(&written).unwrap();
        let answer = body["answer"].as_array().unwrap().iter();
        (answer.map(|object| object["metres"].as_f64().unwrap()).collect(), body["receipt"].clone())
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
