//! The fast parser against `serde_json`: what it accepts is accepted there, with the same fields.

use super::*;
use meshcloak::town::Town;
use rand::RngExt as _;
use rand::seq::IndexedRandom as _;

/// All fields, with exact numbers.
fn fields(query: &QueryRequest<'_>) -> String {
    let QueryRequest { ticket, person, lon, lat, k, dt, dc, speed, interval, question } = query;
    let bits = [Some(*lon.expose()), Some(*lat.expose()), Some(*dt), *dc, *speed, *interval];
    let bits = bits.map(|number| number.map(f64::to_bits));
    let radius = question.as_ref().and_then(|question| question.radius).map(f64::to_bits);
    format!("{} {} {bits:?} {k} {radius:?} {question:?}", ticket.expose(), person.expose())
}

/// Compares both parsers. Returns whether the fast one accepts.
fn agree(json: &[u8]) -> bool {
    let reference = serde_json::from_slice::<QueryRequest<'_>>(json).ok();
    let Some(parsed) = parse_usual(json) else { return false };
    let text = String::from_utf8_lossy(json);
    let reference = reference.unwrap_or_else(|| panic!("only the fast parser accepts {text}"));
    assert_eq!(fields(&parsed), fields(&reference), "{text}");
    true
}

const USUAL: [&str; 5] = [
    r#"{"ticket":"17-ab","person":"4-ab","lon":8.214612345678901,"lat":53.143512345678904,"k":3,"dt":2.5,"dc":150.0,"speed":16.5,"question":{"find":"nearest","count":3,"along":"streets"}}"#,
    r#"{"ticket": "é", "person": "jo", "lon": -8, "lat": 1e1, "k": 2, "dt": 0, "interval": 10, "question": {"find": "within", "radius": 300.25, "category": "cafe"}}"#,
    r#"{"question":{"along":"plane","count":1,"find":"nearest"},"k":1,"dt":3E+0,"lat":-0.0,"lon":-0,"person":"","ticket":""}"#,
    r#"{"ticket":"a","person":"b","lon":0.1,"lat":179.99999999999997,"k":18446744073709551615,"dt":1e-7,"dc":123456789012345678901234567890}"#,
    r#"{"ticket":"a","person":"b","lon":2.2250738585072011e-308,"lat":9007199254740993,"k":2,"dt":0.3,"dc":1}"#,
];

const OTHER: [&str; 18] = [
    r#"{"ticket":"a\n","person":"b","lon":8,"lat":53,"k":2,"dt":3,"dc":1}"#,
    r#"{"ticket":"a","person":"b","lon":08,"lat":53,"k":2,"dt":3}"#,
    r#"{"ticket":"a","person":"b","lon":.8,"lat":53,"k":2,"dt":3}"#,
    r#"{"ticket":"a","person":"b","lon":8.,"lat":53,"k":2,"dt":3}"#,
    r#"{"ticket":"a","person":"b","lon":+8,"lat":53,"k":2,"dt":3}"#,
    r#"{"ticket":"a","person":"b","lon":1e,"lat":53,"k":2,"dt":3}"#,
    r#"{"ticket":"a","person":"b","lon":1e999,"lat":53,"k":2,"dt":3}"#,
    r#"{"ticket":"a","person":"b","lon":8,"lat":53,"k":-2,"dt":3}"#,
    r#"{"ticket":"a","person":"b","lon":8,"lat":53,"k":2.0,"dt":3}"#,
    r#"{"ticket":"a","person":"b","lon":8,"lat":53,"k":18446744073709551616,"dt":3}"#,
    r#"{"ticket":"a","ticket":"a","person":"b","lon":8,"lat":53,"k":2,"dt":3}"#,
    r#"{"ticket":"a","person":"b","lon":8,"lat":53,"k":2,"dt":3,"z":1}"#,
    r#"{"ticket":"a","person":"b","lon":8,"lat":53,"k":2,"dt":3,}"#,
    r#"{"ticket":"a","person":"b","lon":8,"lat":53,"k":2,"dt":3}}"#,
    r#"{"ticket":"a","person":"b","lon":8,"lat":53,"k":2}"#,
    r#"{"ticket":"a","person":"b","lon":8,"lat":53,"k":2,"dt":3,"question":{"find":"far"}}"#,
    r#"{"ticket":"a","person":"b","lon":8,"lat":53,"k":2,"dt":3,"question":{}}"#,
    r#"{}"#,
];

#[test]
fn usual_queries_are_accepted_and_others_left_to_serde_json() {
    for text in USUAL {
        assert!(agree(text.as_bytes()), "{text}");
    }
    for text in OTHER {
        assert!(!agree(text.as_bytes()), "{text}");
    }
    let null = USUAL[0].replace("16.5", "null");
    assert!(!agree(null.as_bytes()) && serde_json::from_str::<QueryRequest<'_>>(&null).is_ok());
}

#[test]
fn mutated_queries_are_never_read_differently() {
    let pieces =
        ["0", "7", "9", "12", " ", ".", "-", "e", "\"", "\\", "{", "}", ",", ":", "\u{e9}", "\t"];
    let mut accepted = 0;
    for seed in 0..20_000 {
        let mut random = Town::generator(seed);
        let text = if random.random_bool(0.8) {
            USUAL.choose(&mut random)
        } else {
            OTHER.choose(&mut random)
        };
        let mut text: Vec<u8> = text.unwrap().bytes().collect();
        for _ in 0..random.random_range(1..4) {
            let at = random.random_range(0..text.len());
            let piece = pieces.choose(&mut random).unwrap().bytes();
            let removed = random.random_range(0..3).min(text.len() - at);
            drop(text.splice(at..at + removed, piece));
        }
        accepted += usize::from(agree(&text));
    }
    assert!(accepted > 400, "{accepted} accepted");
}
