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
    let part = |layer: &str, points: &str| PortraitRow {
        scheme: "meshcloak/paper".into(),
        layer: layer.into(),
        points: points.into(),
    };
    let victims = vec![
        part("street", "0 0;100 0"),
        part("shown", "0 0;50 0;100 0"),
        part("left", "0 0;10 0;nonsense;20"),
        part("victim", "5 0"),
        part("facts", "k=3;set=4;left=1;metres=100;metres_left=10"),
    ];
    Data { privacy, victims, ..Data::default() }
}

#[test]
fn the_advice_follows_from_the_rows() {
    let data = data();
    let field = Field::of(&data.privacy).expect("rows");
    let said = advice::sentences(&field);
    assert!(
        said[0].starts_with("A gateway should run meshcloak/history/cells-600: 2 of 4"),
        "{said:?}"
    );
    assert!(said[1].contains("meshcloak/paper, casper"), "{said:?}");
    assert!(said[2].contains("1,000 m of street against 4,000 m"), "{said:?}");
    assert!(said[2].ends_with("shorter, and the service knows less."), "{said:?}");
    let broken: Vec<PrivacyRow> =
        data.privacy.iter().map(|row| PrivacyRow { below_k: Some(0.1), ..row.clone() }).collect();
    let said = advice::sentences(&Field::of(&broken).expect("rows"));
    assert!(said[0].starts_with("None of these settings"), "{said:?}");
}

#[test]
fn the_section_has_its_picture_its_table_and_its_victim() {
    let (html, plots) = super::super::page::page("t", vec![section(&data()).unwrap()]);
    let names: Vec<&str> = plots.iter().map(Plot::name).collect();
    assert_eq!(names, ["privacy", "victim", "isolated"]);
    assert!(html.contains("k = 3: 4 in the set, 1 left"), "the facts are on the picture");
    let (html, plots) = super::super::page::page("t", vec![section(&Data::default()).unwrap()]);
    assert!(html.contains("nothing was attacked") && plots.len() == 1);
}
