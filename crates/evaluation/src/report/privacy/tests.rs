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
fn for_each_adversary_the_setting_that_serves_most_is_named() {
    let mut data = data();
    let mut reciprocal: Vec<PrivacyRow> = ["as shown", "inversion", "known-point", "together"]
        .map(|attack| row("meshcloak/reciprocal", attack, 0.0, 90.0))
        .to_vec();
    for row in &mut reciprocal {
        row.success_rate = Some(0.85);
        row.below_k = Some(if row.attack == "known-point" { 0.5 } else { 0.0 });
    }
    data.privacy.extend(reciprocal);
    for (scheme, below) in [("meshcloak/history", 0.05), ("meshcloak/history/cells-600", 0.125)] {
        let is_it = |row: &&mut PrivacyRow| row.scheme == scheme && row.attack == "together";
        data.privacy.iter_mut().find(is_it).expect("a row").below_k = Some(below);
    }
    let comparison = AttackComparison::of(&data.privacy).expect("rows");
    let sentences = advice::sentences(&comparison);
    let knows = |index: usize| sentences[index].split(": ").nth(1).unwrap_or_default().to_owned();
    // `casper` is no setting of a gateway.
    assert_eq!(
        knows(0),
        "3 of 4 settings of MeshCloak keep every k. Of these meshcloak/reciprocal serves most"
    );
    assert!(sentences[0].contains(" 85.0 % of the queries; mean region 4,000 m"), "{sentences:?}");
    // Without rows of `matching-tick` its adversary is left out.
    assert!(sentences[1].contains("times of asking"), "{sentences:?}");
    assert!(knows(1).contains("2 of 4 settings"), "{sentences:?}");
    assert!(knows(1).contains("meshcloak/history/cells-600 serves most"), "{sentences:?}");
    assert!(sentences[2].contains("1,000 m of street against 4,000 m"), "{sentences:?}");
    let verdict = "12.5 % against 5.0 %: shorter, larger error, more often below k.";
    assert!(sentences[2].ends_with(verdict), "{sentences:?}");
    assert!(
        sentences[1].ends_with("error of 130 m and leaves fewer than k in 12.5 %."),
        "{sentences:?}"
    );
    assert!(sentences.last().is_some_and(|last| last.contains("section Choosing")));
    assert!(!sentences.iter().any(|sentence| sentence.contains("should run")), "{sentences:?}");
}

#[test]
fn one_set_below_k_in_one_seed_is_not_kept() {
    let mut data = data();
    let again = data.privacy.clone().into_iter();
    data.privacy.extend(again.map(|row| PrivacyRow {
        seed: row.seed + 1,
        below_k: Some(if row.attack == "known-point" { 0.1 } else { 0.0 }),
        ..row
    }));
    let sentences = advice::sentences(&AttackComparison::of(&data.privacy).expect("rows"));
    assert!(sentences[0].contains("2 of 3 settings"), "paper fails in seed 1: {sentences:?}");
    assert!(sentences[1].contains("none of 3 settings"), "{sentences:?}");
    data.privacy.retain(|row| row.attack != "inversion");
    let without = AttackComparison::of(&data.privacy).expect("rows");
    assert!(advice::sentences(&without).is_empty());
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
    // Of the table of all settings and of that of MeshCloak's.
    for heading in ["All settings", "Choosing"] {
        let heading = format!("<h3>{heading}: city, 100 users, P1-3-5, means of 2 seeds</h3>");
        assert!(html.contains(&heading), "{heading}: {html}");
    }
    // The mean and the largest distance of a seed from it, in both tables.
    assert_eq!(html.matches(">85.0 ± 5.0 %</td>").count(), 2, "{html}");
    assert!(html.contains("4,000 ± 0"), "{html}");
    // The collapsed table lists each seed by its number.
    assert!(html.contains("<th class=\"n\">seed</th>"), "{html}");
}
