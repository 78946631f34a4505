use super::*;

fn message(text: &str) -> String {
    SchemeChoice::parse(text).expect_err("an invalid choice").to_string()
}

#[test]
fn canonical_names_hold_what_differs_from_the_defaults() {
    for (text, canonical) in [
        ("casper", "casper"),
        ("casper:levels=9", "casper"),
        ("casper:min-area=2500.0:levels=8", "casper:levels=8:min-area=2500"),
        ("xstar:seed=7", "xstar:seed=7"),
    ] {
        let choice = SchemeChoice::parse(text).unwrap();
        assert_eq!(choice.to_string(), canonical);
        assert_eq!(SchemeChoice::parse(canonical).unwrap().to_string(), canonical);
    }
}

#[test]
fn every_default_is_a_canonical_value() {
    for entry in SCHEMES {
        for parameter in entry.parameters {
            let read = parameter.read(parameter.default);
            assert_eq!(
                read.as_deref(),
                Some(parameter.default),
                "{} {}",
                entry.name,
                parameter.name
            );
        }
        assert_eq!(SchemeChoice::parse(entry.name).unwrap().entry().name, entry.name);
    }
}

#[test]
fn invalid_choices_say_what_was_expected() {
    let unknown = message("magic");
    assert!(
        unknown.starts_with("unknown scheme `magic`; expected one of meshcloak, "),
        "{unknown}"
    );
    assert_eq!(message("casper:9"), "`9` is not a parameter; expected NAME:PARAMETER=VALUE:…");
    assert_eq!(
        message("casper:depth=9"),
        "scheme `casper` has no parameter `depth`; it has levels, min-area"
    );
    assert_eq!(
        message("sequential:a=1"),
        "scheme `sequential` has no parameter `a`; it has no parameters"
    );
    let range = "scheme `casper`: levels=17; expected a whole number from 1 to 16";
    assert_eq!(message("casper:levels=17"), range);
    assert_eq!(
        message("casper:levels=8:levels=9"),
        "parameter `levels` of scheme `casper` is given twice"
    );
    for text in ["planar-laplace:epsilon=NaN", "planar-laplace:epsilon=0", "xstar:seed=-1"] {
        assert!(message(text).contains("expected a "), "{text}");
    }
}

#[test]
fn every_parameter_refuses_what_is_outside_its_range() {
    let mut refused = 0;
    for entry in SCHEMES {
        for parameter in entry.parameters {
            let outside = match parameter.range {
                ValueRange::Number(min, max) => {
                    vec![(min - 1.0).to_string(), (max * 2.0).to_string()]
                }
                ValueRange::Whole(min, max) => {
                    vec![(i128::from(min) - 1).to_string(), (i128::from(max) + 1).to_string()]
                }
                ValueRange::Word(_) => vec![String::new()],
                ValueRange::Label | ValueRange::File => continue,
            };
            for value in outside.iter().map(String::as_str).chain(["?", "NaN", "1e999"]) {
                let text = format!("{}:{}={value}", entry.name, parameter.name);
                assert!(message(&text).contains("expected "), "{text}");
                refused += 1;
            }
        }
    }
    assert!(refused > 100, "{refused}");
}

#[test]
fn another_seed_reaches_randomised_schemes_only() {
    let seeded = |text: &str| SchemeChoice::parse(text).unwrap().with_seed(7).to_string();
    assert_eq!(seeded("xstar"), "xstar:seed=7");
    assert_eq!(seeded("casper"), "casper");
}

#[test]
fn a_wrapper_has_the_crowd_and_the_k_rule_of_the_wrapped_scheme() {
    let model = |text: &str| SchemeChoice::parse(text).unwrap().threat_model();
    for (wrapped, crowd, k) in [
        ("casper", Crowd::Registered, KRule::Personal),
        ("hilbert-cloak", Crowd::Registered, KRule::Common),
        ("meshcloak", Crowd::Asking, KRule::Personal),
    ] {
        for wrapper in ["patching", "delaying"] {
            let found = model(&format!("{wrapper}:of={wrapped}"));
            assert_eq!((found.crowd, found.k), (crowd, k), "{wrapper} of {wrapped}");
            assert_eq!(found.attack, OwnAttack::Movement);
        }
        assert_eq!((model(wrapped).crowd, model(wrapped).k), (crowd, k));
    }
}

#[test]
fn the_refusal_of_a_scheme_that_cannot_be_wrapped_says_why() {
    let reason = "keeps a past of its own and cannot be wrapped; expected casper, interval-cloak,";
    let excluded = ["sequential", "sequential-edges", "clique-cloak", "clique-cloak-nbr"];
    let more = ["i-clique-cloak", "k-sharing", "footprints", "patching", "delaying"];
    for name in excluded.into_iter().chain(more) {
        let message = message(&format!("patching:of={name}"));
        assert!(message.contains(&format!("of={name} {reason}")), "{message}");
    }
    let unknown = message("patching:of=nothing");
    assert!(unknown.contains("of=nothing; expected casper,"), "{unknown}");
    let wrappable = SCHEMES
        .iter()
        .filter(|entry| SchemeChoice::parse(&format!("delaying:of={}", entry.name)).is_ok());
    assert_eq!(wrappable.count(), SCHEMES.len() - 9);
}
