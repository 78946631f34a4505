use super::*;
use crate::report::page::page;

/// What a setting serves, and the shares of publications below k by the attack `matching-tick`.
struct Measured {
    scheme: &'static str,
    served: f64,
    below_k_by_ticks: f64,
}

fn measured(scheme: &'static str, served: f64) -> Measured {
    let below_k_by_ticks = if scheme.contains("history") { 0.0 } else { 0.5 };
    Measured { scheme, served, below_k_by_ticks }
}

fn rows(users: u32, settings: &[Measured]) -> Vec<PrivacyRow> {
    let of = |setting: &Measured| {
        let row = |attack: &str, below_k: f64, more: &str| PrivacyRow {
            map: "oldenburg".into(),
            users,
            configuration: "P1-3-5".into(),
            seed: 1,
            scheme: setting.scheme.into(),
            attack: attack.into(),
            success_rate: Some(setting.served),
            mean_delay_s: Some(0.25),
            region_metres: Some(3_040.0),
            ms_per_batch: Some(7.5),
            below_k: Some(below_k),
            more: more.into(),
            ..PrivacyRow::default()
        };
        [
            row("as shown", 0.0, ""),
            row("inversion", 0.0, ""),
            row("matching-tick", setting.below_k_by_ticks, ""),
            row("matching", 0.8, ""),
            PrivacyRow { error_m: Some(204.0), ..row("together", 0.03, "") },
            row(
                "tracker",
                0.0,
                "street guessed=0.5;street guessed without regions=0.25;seconds until \
                 confused=4.5;seconds until confused without regions=5.5",
            ),
            row("ages", 0.1, "known for sure=0.125;posterior of the asker=0.75"),
            row(
                "questions",
                0.0,
                "probability of a sensitive question=0.375;requests per answer=2",
            ),
        ]
    };
    settings.iter().flat_map(of).collect()
}

fn city(users: u32, reciprocal: [f64; 2], history: [f64; 2]) -> Vec<PrivacyRow> {
    rows(
        users,
        &[
            measured("meshcloak/reciprocal/cell-3000", reciprocal[0]),
            measured("meshcloak/reciprocal/cell-3000/present-90", reciprocal[1]),
            measured("meshcloak/history/published/cell-3000", history[0]),
            measured("meshcloak/history/published/cell-3000/present-90", history[1]),
        ],
    )
}

fn advice(rows: &[PrivacyRow]) -> Vec<String> {
    what_to_run::sentences(&Case::all(rows))
}

#[test]
fn the_advice_is_the_first_guarantee_that_serves_half_and_else_what_serves_most() {
    let sparse = city(5_000, [0.13, 0.40], [0.09, 0.33]);
    let medium = city(20_000, [0.43, 0.73], [0.30, 0.65]);
    let dense = city(100_000, [0.82, 0.95], [0.70, 0.91]);
    let sentences = advice(&[sparse, medium.clone(), dense].concat());
    let starts = [
        "Dense: Oldenburg, 100,000 users, P1-3-5: history (clock published), which serves 70.0 %",
        "Medium: Oldenburg, 20,000 users, P1-3-5: history (clock published) with presence, which \
         serves 65.0 %",
        "Sparse: Oldenburg, 5,000 users, P1-3-5: reciprocal with presence, which serves 40.0 %",
    ];
    assert_eq!(sentences.len(), starts.len());
    for (sentence, start) in sentences.iter().zip(starts) {
        assert!(sentence.starts_with(start), "{sentence}");
    }
    let one = advice(&medium);
    assert!(one[0].starts_with("Oldenburg, 20,000") && one.len() == 1, "{one:?}");
    assert!(
        one[0].ends_with(
            "For comparison: reciprocal 43.0 % if all ask, 73.0 % if 10 % ask and \
                              the others are present."
        ),
        "{one:?}"
    );
}

#[test]
fn a_setting_that_breaks_its_guarantee_is_not_advised() {
    let mut rows = city(20_000, [0.43, 0.73], [0.30, 0.65]);
    let broken = rows.iter_mut().find(|row| {
        row.attack == "matching-tick"
            && row.scheme.ends_with("history/published/cell-3000/present-90")
    });
    broken.unwrap().below_k = Some(0.001);
    assert_eq!(advice(&rows), Vec::<String>::new());
    let mut unmeasured = city(20_000, [0.43, 0.73], [0.30, 0.65]);
    unmeasured.retain(|row| row.attack != "inversion");
    assert_eq!(advice(&unmeasured), Vec::<String>::new());
}

#[test]
fn table_and_picture_have_every_adversary_and_the_costs() {
    let all = city(20_000, [0.43, 0.73], [0.30, 0.65]);
    let mut section = ReportSection::new("s", "S");
    add(&mut section, &all, false).unwrap();
    let (html, plots) = page("t", vec![section]);
    let heads = [
        "served",
        "delay (s)",
        "region (m)",
        "below k: all positions (D)",
        "below k: pasts, publication times",
        "below k: the service (L1)",
        "error of the service (m)",
        "tracker: right street (K)",
        "the same without regions",
        "tracker: seconds until confused",
        "seconds without regions",
        "ages: asker known for sure (P)",
        "sensitive question (M)",
        "requests per answer",
        "engine (ms per batch)",
    ];
    for head in heads {
        assert!(html.contains(&format!(">{head}</th>")), "{head}: {html}");
    }
    // From the service on, the rows are equal.
    let row = [
        "3.0 %", "204", "50.0 %", "25.0 %", "4.50", "5.50", "12.5 %", "75.0 %", "37.5 %", "2.00",
        "7.50",
    ];
    let cells = row.map(|cell| format!("<td class=\"n\">{cell}</td>")).concat();
    assert_eq!(html.matches(&cells).count(), 4, "{html}");
    assert!(!html.contains("hindsight") && !html.contains(">last position, next region<"));
    let svg = plots[0].svg();
    for label in ["tracker (K)", "tracker without regions", "ages (P)", "questions (M)"] {
        assert!(svg.contains(&format!(">{label}</text>")), "{label}");
    }
    assert_eq!(svg.matches(">history, published, cell-3000, 10 % ask</text>").count(), 2);
    assert_eq!(svg.matches(">the service (L1)</text>").count(), 1, "one series in two panels");
    let csv = plots[0].csv().unwrap();
    for (panel, value) in [("below k (%)", "3"), ("error (m)", "204")] {
        let line = format!("{panel},the service (L1),\"reciprocal, cell-3000, all ask\",{value}");
        assert!(csv.contains(&line), "{line}: {csv}");
    }
    assert!(csv.contains(
        "street named (%),tracker without regions,\"reciprocal, cell-3000, all ask\",25"
    ));
    assert!(csv.contains("engine (ms),cost,"), "{csv}");
    let mut paper = ReportSection::new("s", "S");
    add(&mut paper, &all, true).unwrap();
    let (html, plots) = page("t", vec![paper]);
    assert!(!html.contains("engine (ms per batch)") && !plots[0].csv().unwrap().contains("engine"));
}
