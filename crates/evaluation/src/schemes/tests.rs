use super::*;

#[test]
fn canonical_names_state_guarantee_then_region() {
    for (name, written) in [
        ("meshcloak", "meshcloak/reciprocal"),
        ("meshcloak/paper/reach", PAPER),
        ("meshcloak/cells/reciprocal", "meshcloak/reciprocal/cells-1200"),
        ("meshcloak/cells-600/reciprocal", "meshcloak/reciprocal/cells-600"),
        ("meshcloak/cell", "meshcloak/reciprocal/cell-3000"),
        ("meshcloak/cell-600/history", "meshcloak/history/cell-600"),
        ("meshcloak/history/asked", "meshcloak/history"),
        ("meshcloak/cell-600/history/published", "meshcloak/history/published/cell-600"),
        (
            "meshcloak/horizon-distance-3000/history/cell-600/horizon-4",
            "meshcloak/history/horizon-4/horizon-distance-3000/cell-600",
        ),
        ("meshcloak/history/horizon-600", "meshcloak/history"),
        ("meshcloak/paper/printed", "meshcloak/paper/printed"),
        ("meshcloak-printed", "meshcloak-printed"),
        ("meshcloak/reciprocal/reach/present-50", "meshcloak/reciprocal/present-50"),
        ("meshcloak/age-3/present-90", "meshcloak/reciprocal/age-3/present-90"),
        ("meshcloak/age-0.5/askers/history", "meshcloak/history/askers/age-0.5"),
        ("meshcloak/absent-5", "meshcloak/reciprocal/absent-5"),
        ("casper", "casper"),
        ("casper:levels=8:min-area=0", "casper:levels=8"),
    ] {
        assert_eq!(canonical(name).unwrap(), written);
        assert_eq!(canonical(written).unwrap(), written);
    }
    for name in [
        "",
        "meshcloak/",
        "meshcloak/cells-",
        "meshcloak/cells-0",
        "meshcloak/cells-600-3",
        "meshcloak/cell-600-1",
        "meshcloak/cell-0",
        "meshcloak/magic",
        "meshcloak/age-0",
        "meshcloak/age-",
        "meshcloak/published",
        "meshcloak/horizon-4",
        "meshcloak/history/horizon-",
        "meshcloak/history/horizon-distance-0",
        "meshcloak/present-100",
        "meshcloak/present-5/reciprocal",
        "casper/present-5",
        "casper/history",
    ] {
        assert!(matches!(canonical(name), Err(NameError::Unknown(_))), "{name}");
    }
}

#[test]
fn canonical_names_of_all_schemes_are_their_own_canonical_names() {
    let all = canonical_names();
    assert!(all.iter().all(|name| canonical(name).unwrap() == *name) && all[0] == PAPER);
    assert!(all.contains(&"patching:of=casper".to_owned()));
    assert_eq!(all.len(), names().len());
}

#[test]
fn an_invalid_parameter_is_named_with_what_was_expected() {
    let message = canonical("casper:levels=99").unwrap_err().to_string();
    let expected = "scheme `casper`: levels=99; expected a whole number from 1 to 16";
    assert_eq!(message, expected);
}

#[test]
fn meshcloak_has_the_default_guarantee_of_the_library() {
    assert_eq!(settings(MESHCLOAK), Some(Settings::default()));
    assert_eq!(settings(PAPER), Some(Settings::paper()));
    assert_eq!(Settings::default().guarantee, Guarantee::Reciprocal);
    assert_eq!(named(Settings::paper()), PAPER);
}

#[test]
fn names_of_earlier_result_files_gain_the_guarantee_paper() {
    for (old, name) in [
        ("meshcloak", PAPER),
        ("meshcloak/cells-600", "meshcloak/paper/cells-600"),
        ("meshcloak/absent-5", "meshcloak/paper/absent-5"),
        (PAPER, PAPER),
        ("meshcloak/history/cells-600", "meshcloak/history/cells-600"),
        ("meshcloak-printed", "meshcloak-printed"),
        ("casper", "casper"),
    ] {
        assert_eq!(with_guarantee(old.to_owned()), name);
    }
}
