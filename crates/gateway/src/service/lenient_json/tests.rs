//! Tests of the lenient reader.

use super::*;

#[test]
fn long_texts_are_truncated_at_a_character_and_lists_are_bounded() {
    assert_eq!(truncate_text(&"ä".repeat(200)).len(), 256);
    assert_eq!(truncate_text(&format!("x{}", "ä".repeat(200))).len(), 255);
    assert_eq!(truncate_text("x"), "x");
    let names = TextsOf { name: "names", max: 2 };
    let long = "x".repeat(257);
    assert!(read_json(br#"{"z":[[["#, names, "bad").is_err());
    let text = format!(r#"{{"z":[{{}}],"names":["a",null,"{long}",7,"c","d"]}}"#);
    let names = read_json(text.as_bytes(), TextsOf { name: "names", max: 2 }, "bad");
    assert_eq!(names.unwrap().unwrap(), ["a", "7"]);
}

#[test]
fn skipping_is_not_limited_by_depth() {
    let deep = format!("{}{}", "[".repeat(1_000_000), "]".repeat(1_000_000));
    let text = format!(r#"{{"z":{deep},"names":["a"]}}"#);
    let names = read_json(text.as_bytes(), TextsOf { name: "names", max: 9 }, "bad");
    assert_eq!(names.unwrap().unwrap(), ["a"]);
}
