//! Attack results on several maps, configurations and seeds: one table per adversary, one column per
//! setting.

use crate::distinct::{distinct, sorted_distinct};
use crate::report::number::{count, decimal, interval, percent, range};
use crate::report::page::{HtmlTable, ReportSection};
use crate::report::paper::map_title;
use crate::results::{OWN_MODEL, PrivacyRow};
use attacks::Attack;

/// Map, user count and configuration; seeds of a setting are summarised.
type Setting<'a> = (&'a str, u32, &'a str);

/// What a table shows: title, attack, and a cell from the rows of all seeds.
type View = (&'static str, &'static str, Cell);

/// A cell from the rows of all seeds.
type Cell = fn(&[&PrivacyRow]) -> String;

const VIEWS: [View; 12] = [
    ("Served", "as shown", served),
    ("Region in metres of street", "as shown", region),
    ("Below k: adversary knows the batch (D, L3)", "inversion", below_k),
    ("Below k: adversary knows the last position (A, L2)", "known-point", below_k),
    ("Below k: region inversion by the service (E, L1)", "region-inversion", below_k),
    (
        "Ticks in which the tracker names the street, with and without regions (K)",
        "tracker",
        followed,
    ),
    ("Below k: all that the service has (L1)", "together", below_k),
    ("Error of the service in metres (L1)", "together", error),
    ("Own model: attack, and below k or error", OWN_MODEL, own_model),
    ("Own model: served", OWN_MODEL, served),
    ("Own model: region in metres of street", OWN_MODEL, region),
    ("Own model: candidates left / k", OWN_MODEL, anonymity),
];

/// Adds the tables if there is more than one setting.
pub(super) fn add(section: &mut ReportSection, rows: &[PrivacyRow]) {
    let settings = distinct(rows.iter().map(setting));
    if settings.len() < 2 {
        return;
    }
    let schemes = distinct(rows.iter().map(|row| row.scheme.as_str()));
    section.heading("On every map and profile");
    section.paragraph(&caption(rows, settings.len()));
    let others = attacks::ATTACKS.iter().filter(|attack| {
        !VIEWS.iter().any(|(title, name, _)| *name == attack.name && title.starts_with("Below k"))
    });
    let title = |what: &str, attack: &Attack| {
        format!("{what}: {} ({}, {})", attack.name, attack.letter, attack.level.name())
    };
    let below = others.map(|attack| (title("Below k", attack), attack.name, below_k as Cell));
    let errors = attacks::ATTACKS.iter().filter(|attack| attack.name != "together");
    let errors =
        errors.map(|attack| (title("Error in metres", attack), attack.name, error as Cell));
    let views = VIEWS.iter().map(|&(title, attack, cell)| (title.to_owned(), attack, cell));
    for (title, attack, cell) in views.chain(below).chain(errors) {
        let mut table = HtmlTable::new(["scheme"]);
        table.head.extend(settings.iter().map(heading));
        for scheme in &schemes {
            let is_here = |row: &&PrivacyRow| row.scheme == *scheme && row.attack == attack;
            let here: Vec<&PrivacyRow> = rows.iter().filter(is_here).collect();
            let of = |one: &Setting<'_>| {
                let seeds = here.iter().copied().filter(|row| setting(row) == *one);
                cell(&seeds.collect::<Vec<_>>())
            };
            let mut cells = vec![(*scheme).to_owned()];
            cells.extend(settings.iter().map(of));
            table.row(cells);
        }
        table.rows.retain(|row| row.iter().skip(1).any(|cell| cell != "–"));
        if !table.rows.is_empty() {
            table.drop_empty_columns();
            section.collapsed_table(&title, &table);
        }
    }
}

/// Describes the cells. A spread of seeds is promised only if a setting ran with several.
fn caption(rows: &[PrivacyRow], settings: usize) -> String {
    let has_seeds =
        sorted_distinct(rows.iter().map(|row| (setting(row), row.seed))).len() > settings;
    let (all, other) = match has_seeds {
        true => (
            "Shares are those of all publications of the seeds, errors their mean, both",
            " Other cells are the lowest and highest seed.",
        ),
        false => {
            ("One seed for each. Shares are those of all publications, errors their mean, both", "")
        }
    };
    format!(
        "{settings} settings. {all} with a 95 % interval (bootstrap over the targets; rows without \
         one: Wilson over publications, a lower bound of the uncertainty).{other}"
    )
}

fn setting(row: &PrivacyRow) -> Setting<'_> {
    (&row.map, row.users, &row.configuration)
}

fn heading((map, users, configuration): &Setting<'_>) -> String {
    format!("{}, {}, {configuration}", map_title(map), count(u64::from(*users)))
}

/// Share of the publications of all seeds after which fewer than k candidates remain.
fn below_k(seeds: &[&PrivacyRow]) -> String {
    let values = seeds.iter().filter_map(|row| {
        let bounds = row.below_k_low.zip(row.below_k_high);
        Some(Bounded { value: row.below_k?, bounds, weight: row.publications as f64 })
    });
    let all: u64 =
        seeds.iter().filter(|row| row.below_k.is_some()).map(|row| row.publications).sum();
    let Some(Bounded { value, bounds, .. }) = Bounded::pooled(values) else {
        return "–".to_owned();
    };
    let bounds = bounds.map(|(low, high)| {
        let number = |share: f64| decimal(share.clamp(0.0, 1.0) * 100.0, 1);
        format!("{}–{} %", number(low), number(high))
    });
    format!("{} ({})", share(value), bounds.unwrap_or_else(|| interval(Some(value), all)))
}

/// A value with its interval and its weight.
struct Bounded {
    value: f64,
    bounds: Option<(f64, f64)>,
    weight: f64,
}

impl Bounded {
    /// Weighted mean of independent values; their distances to the bounds add up as squares. `None`
    /// without values.
    fn pooled(values: impl Iterator<Item = Bounded>) -> Option<Bounded> {
        let all: Vec<Bounded> = values.filter(|one| one.weight > 0.0).collect();
        let weight: f64 = all.iter().map(|one| one.weight).sum();
        let value = all.iter().map(|one| one.value * one.weight).sum::<f64>() / weight;
        let side = |distance: fn(&Bounded, (f64, f64)) -> f64| {
            let part = |one: &Bounded| Some(distance(one, one.bounds?) * one.weight / weight);
            let parts = all.iter().map(part).collect::<Option<Vec<f64>>>()?;
            Some(parts.iter().map(|part| part * part).sum::<f64>().sqrt())
        };
        let low = side(|one, (low, _)| one.value - low).map(|distance| value - distance);
        let high = side(|one, (_, high)| high - one.value).map(|distance| value + distance);
        (!all.is_empty()).then_some(Bounded { value, bounds: low.zip(high), weight })
    }
}

/// Lowest and highest value of the seeds.
fn spread(
    seeds: &[&PrivacyRow],
    column: impl Fn(&PrivacyRow) -> Option<f64>,
    write: impl Fn(f64) -> String,
) -> String {
    let values: Vec<f64> = seeds.iter().filter_map(|row| column(row)).collect();
    range(&values, write).unwrap_or("–".to_owned())
}

fn whole(value: f64) -> String {
    count(value.round() as u64)
}

fn share(value: f64) -> String {
    percent(Some(value))
}

fn error(seeds: &[&PrivacyRow]) -> String {
    let values = seeds.iter().filter_map(|row| {
        let bounds = row.error_low_m.zip(row.error_high_m);
        Some(Bounded { value: row.error_m?, bounds, weight: row.publications as f64 })
    });
    match Bounded::pooled(values) {
        Some(Bounded { value, bounds: Some((low, high)), .. }) => {
            format!("{} ({}–{})", whole(value), whole(low), whole(high))
        }
        _ => spread(seeds, |row| row.error_m, whole),
    }
}

fn served(seeds: &[&PrivacyRow]) -> String {
    spread(seeds, |row| row.success_rate, share)
}

fn region(seeds: &[&PrivacyRow]) -> String {
    spread(seeds, |row| row.region_metres, whole)
}

fn anonymity(seeds: &[&PrivacyRow]) -> String {
    spread(seeds, |row| row.anonymity, |value| decimal(value, 2))
}

fn followed(seeds: &[&PrivacyRow]) -> String {
    let figure = |name: &'static str| spread(seeds, |row| row.figure(name), share);
    match (figure("street guessed"), figure("street guessed without regions")) {
        (with, without) if without == "–" => with,
        (with, without) => format!("{with}, {without}"),
    }
}

/// The attack that the authors promise to withstand, and what it achieves.
fn own_model(seeds: &[&PrivacyRow]) -> String {
    let level = seeds.first().map_or("", |row| row.level.as_str());
    match (below_k(seeds).as_str(), error(seeds).as_str()) {
        ("–", "–") => "–".to_owned(),
        ("–", error) => format!("{level}: {error} m"),
        (below, _) => format!("{level}: {below}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(map: &str, seed: u64, below_k: f64, publications: u64) -> PrivacyRow {
        PrivacyRow {
            map: map.into(),
            seed,
            users: 2_000,
            configuration: "P1-3-5".into(),
            scheme: "casper".into(),
            attack: "inversion".into(),
            below_k: Some(below_k),
            publications,
            ..PrivacyRow::default()
        }
    }

    #[test]
    fn a_spread_of_seeds_is_promised_only_where_there_are_several() {
        let mut section = ReportSection::new("s", "S");
        add(&mut section, &[row("city", 1, 0.5, 100), row("porto", 2, 1.0, 10)]);
        let (html, _) = crate::report::page::page("t", vec![section]);
        assert!(html.contains("One seed for each.") && !html.contains("highest seed"), "{html}");
    }

    #[test]
    fn seeds_are_pooled_and_settings_are_columns() {
        let rows = [row("city", 1, 0.5, 100), row("city", 2, 0.0, 300), row("porto", 1, 1.0, 10)];
        let seeds: Vec<&PrivacyRow> = rows[..2].iter().collect();
        assert_eq!(below_k(&seeds), "12.5 % (9.6–16.1 %)");
        assert_eq!(below_k(&[]), "–");
        let bounded = |below_k, low, high| PrivacyRow {
            below_k_low: Some(low),
            below_k_high: Some(high),
            error_m: Some(100.0),
            error_low_m: Some(90.0),
            error_high_m: Some(120.0),
            ..row("city", 1, below_k, 100)
        };
        let (one, two) = (bounded(0.2, 0.14, 0.28), bounded(0.4, 0.32, 0.46));
        // 0.06 and 0.08 with half of the weight each: 0.05; errors: 10 and 20 by the root of two.
        assert_eq!(below_k(&[&one, &two]), "30.0 % (25.0–35.0 %)");
        assert_eq!(error(&[&one, &two]), "100 (93–114)");
        let mut section = ReportSection::new("s", "S");
        add(&mut section, &rows);
        let (html, _) = crate::report::page::page("t", vec![section]);
        assert!(html.contains("Porto, 2,000, P1-3-5"), "{html}");
        assert!(html.contains("lowest and highest seed"), "{html}");
        assert!(html.contains("<td>casper</td>") && html.contains("12.5 % (9.6–16.1 %)"));
        assert!(!html.contains("Error of the service"), "no such rows");
        let own = |scheme: &str, level: &str, below_k, error_m| PrivacyRow {
            attack: OWN_MODEL.into(),
            scheme: scheme.into(),
            level: level.into(),
            region_metres: Some(1234.4),
            below_k,
            error_m,
            ..row("porto", 1, 0.0, 10)
        };
        let tracked = PrivacyRow {
            attack: "tracker".into(),
            more: "street guessed=0.25;street guessed without regions=0.125".into(),
            ..row("porto", 1, 0.0, 10)
        };
        let noise = own("planar-laplace", "prior", None, Some(384.2));
        let mut section = ReportSection::new("s", "S");
        let more = [own("casper", "in region", Some(0.0), None), noise, tracked];
        add(&mut section, &[&rows[..], &more].concat());
        let (html, _) = crate::report::page::page("t", vec![section]);
        for text in [
            "Own model: attack",
            "in region: 0.0 % (0.0–27.8 %)",
            "prior: 384 m",
            "1,234",
            "25.0 %, 12.5 %",
        ] {
            assert!(html.contains(text), "{text}: {html}");
        }
        let unserved = own("xstar", "replay", None, None);
        assert_eq!((own_model(&[&unserved]), own_model(&[])), ("–".into(), "–".into()));
        let mut single = ReportSection::new("s", "S");
        add(&mut single, &rows[..2]);
        assert!(!crate::report::page::page("t", vec![single]).0.contains("casper"));
    }
}
