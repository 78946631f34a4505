//! Errors of profiles name key, value and what was expected.

use traffic::{Profile, ProfileError};

const CITY: &str = include_str!("../profiles/city.toml");

/// Error of the city profile with one line changed.
fn error(line: &str, changed: &str) -> String {
    assert!(CITY.contains(line), "{line}");
    match Profile::from_toml(&CITY.replacen(line, changed, 1)) {
        Ok(_) => panic!("`{changed}` was accepted"),
        Err(found) => found.to_string(),
    }
}

#[test]
fn an_unknown_key_is_named_with_its_line() {
    let message = error("duration = 3600", "durration = 3600");
    assert!(
        message.contains("unknown field `durration`") && message.contains("line 2"),
        "{message}"
    );
}

#[test]
fn values_out_of_range_name_key_value_and_what_was_expected() {
    let cases = [
        (
            "speeds = [4, 6]",
            "speeds = [-4, 6]",
            "`class.speeds` is -4; expected a number from 0.001",
        ),
        (
            "share = 0.15 ",
            "share = 1.15 ",
            "`standing.share` is 1.15; expected a share from 0 to 1",
        ),
        ("to = 2400", "to = -1", "`appear.to` is -1; expected a whole number"),
        ("from = 0", "from = 2500", "`appear.to` is 2400; expected a second not before"),
        ("dc = 60.0", "dc = nan", "`standing.dc` is NaN; expected a number from 0"),
        ("seconds = [10, 20, 30]", "seconds = [10, 0, 30]", "`interval.seconds` is 0; expected"),
        ("[600, 1500]", "[600, 600]", "`class.distances` is 600; expected ascending distances"),
        ("service = 20", "service = 0", "`limits` is 0; expected a number from 1 to 1000"),
        ("every = 120", "every = 0", "`reroute.every` is 0; expected a whole number"),
        (
            "avoid = [\"motorway\"]",
            "avoid = [\"autobahn\"]",
            "`class.avoid` is autobahn; expected motorway,",
        ),
        ("lanes = [3,", "lanes = [0,", "`capacity.lanes` is 0; expected a whole number"),
    ];
    for (line, changed, expected) in cases {
        let message = error(line, changed);
        assert!(message.contains(expected), "{message}\nexpected: {expected}");
    }
}

#[test]
fn proportions_must_sum_to_one_and_be_as_many_as_values() {
    let sum = error("shares = [0.3, 0.4, 0.3]", "shares = [0.3, 0.4, 0.4]");
    assert_eq!(sum, "`interval.shares` sum to 1.1; expected 1");
    let sum = error("share = 0.6", "share = 0.5");
    assert_eq!(sum, "`class.share` sum to 0.9; expected 1");
    let count = error("shares = [0.3, 0.4, 0.3]", "shares = [0.5, 0.5]");
    assert_eq!(count, "`interval.shares` has 2 shares for 3 values");
}

#[test]
fn missing_required_keys_are_named() {
    let end = error("duration = 3600", "");
    assert_eq!(end, "`a profile` needs `queries` or `duration`; without them it never ends");
    let limits = CITY.replace("[limits]", "[other]").replace("[other]", "");
    assert!(matches!(Profile::from_toml(&limits), Err(ProfileError::Syntax(_))));
    let uniform = error("choose = \"popular\"", "choose = \"uniform\"");
    assert!(uniform.contains("needs `choose = \"popular\"`"), "{uniform}");
    let alone = error("distance_shares = [0.7, 0.3]", "");
    assert_eq!(alone, "`class.distances` needs `distance_shares`");
}

#[test]
fn no_text_causes_a_panic() {
    for length in 0..CITY.len() {
        if CITY.is_char_boundary(length) {
            let _ = Profile::from_toml(&CITY[..length]);
        }
    }
    for text in ["", "= 3", "queries = 99999999999999999999", "class = 3", "\u{0}"] {
        assert!(Profile::from_toml(text).is_err());
    }
}
