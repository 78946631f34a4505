use super::*;
use crate::privacy::PortraitRow;
use crate::results::PrivacyRow;

fn row(scheme: &str, attack: &str, below: f64, error: f64) -> PrivacyRow {
    PrivacyRow {
        map: "city".into(),
        users: 100,
        configuration: "P1-3-5".into(),
        scheme: scheme.into(),
        attack: attack.into(),
        success_rate: Some(if scheme == "meshcloak/paper" { 0.9 } else { 0.75 }),
        region_metres: Some(if scheme.contains("cells") { 1_000.0 } else { 4_000.0 }),
        below_k: Some(below),
        anonymity: Some(1.0),
        error_m: Some(error),
        ..PrivacyRow::default()
    }
}

fn data() -> Data {
    let mut privacy = Vec::new();
    for (scheme, below, error) in [
        ("meshcloak/paper", 0.25, 100.0),
        ("meshcloak/history", 0.0, 110.0),
        ("meshcloak/history/cells-600", 0.0, 130.0),
        ("casper", 0.4, 300.0),
    ] {
        for attack in ["as shown", "inversion", "known-point", "together"] {
            let below = if attack == "as shown" { 0.0 } else { below };
            privacy.push(row(scheme, attack, below, error));
        }
    }
    privacy.push(PrivacyRow { level: "in region".into(), ..row("casper", "own model", 0.0, 77.0) });
    let part = |layer: &str, points: &str| PortraitRow {
        scheme: "meshcloak/paper".into(),
        layer: layer.into(),
        points: points.into(),
    };
    let targets = vec![
        part("street", "0 0;100 0"),
        part("shown", "0 0;50 0;100 0"),
        part("left", "0 0;10 0;nonsense;20"),
        part("victim", "5 0"),
        part("facts", "k=3;set=4;left=1;metres=100;metres_left=10"),
    ];
    Data { privacy, targets, ..Data::default() }
}

#[test]
fn the_recommendation_follows_from_the_rows() {
    let data = data();
    let comparison = AttackComparison::of(&data.privacy).expect("rows");
    let sentences = advice::sentences(&comparison);
    assert!(
        sentences[0].starts_with("A gateway should run meshcloak/history/cells-600: 2 of 4"),
        "{sentences:?}"
    );
    assert!(sentences[1].contains("meshcloak/paper, casper"), "{sentences:?}");
    assert!(sentences[2].contains("1,000 m of street against 4,000 m"), "{sentences:?}");
    assert!(sentences[2].ends_with("shorter, and the service knows less."), "{sentences:?}");
    let broken: Vec<PrivacyRow> =
        data.privacy.iter().map(|row| PrivacyRow { below_k: Some(0.1), ..row.clone() }).collect();
    let sentences = advice::sentences(&AttackComparison::of(&broken).expect("rows"));
    assert!(sentences[0].starts_with("None of these settings"), "{sentences:?}");
    let fewer: Vec<PrivacyRow> =
        data.privacy.iter().filter(|row| row.attack != "together").cloned().collect();
    assert!(advice::sentences(&AttackComparison::of(&fewer).expect("rows")).is_empty());
}

#[test]
fn the_section_has_the_dot_plot_and_the_drawings() {
    let (html, plots) = super::super::page::page("t", vec![section(&data()).unwrap()]);
    let names: Vec<&str> = plots.iter().map(Plot::name).collect();
    assert_eq!(names, ["privacy", "victim", "choosing-0"]);
    assert!(html.contains("k = 3: set of 4, 1 candidate left"), "the drawing states the facts");
    assert!(html.contains("own model: attack") && html.contains("in region"), "{html}");
    let empty = section(&Data::default()).unwrap();
    assert!(empty.missing().is_some_and(|words| words.contains("no attack results")));
    let (_, plots) = super::super::page::page("t", vec![reachability_section()]);
    assert_eq!(plots.iter().map(Plot::name).collect::<Vec<_>>(), ["isolated"]);
}

#[test]
fn several_seeds_are_shown_with_their_spread() {
    let mut data = data();
    let again = data.privacy.clone().into_iter();
    data.privacy.extend(again.map(|row| PrivacyRow {
        seed: row.seed + 1,
        success_rate: row.success_rate.map(|rate| rate - 0.1),
        ..row
    }));
    let (html, _) = super::super::page::page("t", vec![section(&data).unwrap()]);
    assert!(html.contains("means of 2 seeds"), "{html}");
    assert!(html.contains("85.0 ± 5.0 %") && html.contains("70.0 ± 5.0 %"), "{html}");
}
