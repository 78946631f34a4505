//! Attack results on several maps, configurations and seeds: one table per adversary, one column per
//! setting.

use crate::distinct::distinct;
use crate::report::number::{count, interval, percent, range};
use crate::report::page::{HtmlTable, ReportSection};
use crate::report::paper::map_title;
use crate::results::PrivacyRow;

/// Map, user count and configuration; seeds of a setting are summarised.
type Setting<'a> = (&'a str, u32, &'a str);

/// What a table shows: title, attack, and a cell from the rows of all seeds.
type View = (&'static str, &'static str, fn(&[&PrivacyRow]) -> String);

const VIEWS: [View; 5] = [
    ("Below k: adversary knows the batch (L3)", "inversion", below_k),
    ("Below k: adversary knows the last position (L2)", "known-point", below_k),
    ("Below k: all that the service has (L1)", "together", below_k),
    ("Error of the service in metres (L1)", "together", error),
    ("Served", "as shown", served),
];

/// Adds the tables if there is more than one setting.
pub(super) fn add(section: &mut ReportSection, rows: &[PrivacyRow]) {
    let settings = distinct(rows.iter().map(setting));
    if settings.len() < 2 {
        return;
    }
    let schemes = distinct(rows.iter().map(|row| row.scheme.as_str()));
    section.heading("On every map and profile");
    section.paragraph(&format!(
        "{} settings. Shares are those of all publications of the seeds, with their 95 % interval \
         (Wilson; publications of one target are not independent, so it is a lower bound of the \
         uncertainty). Other cells are the lowest and highest seed.",
        settings.len()
    ));
    for (title, attack, cell) in VIEWS {
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
            section.collapsed_table(title, &table);
        }
    }
}

fn setting(row: &PrivacyRow) -> Setting<'_> {
    (&row.map, row.users, &row.configuration)
}

fn heading((map, users, configuration): &Setting<'_>) -> String {
    format!("{}, {}, {configuration}", map_title(map), count(u64::from(*users)))
}

/// Share of the publications of all seeds after which fewer than k candidates remain.
fn below_k(seeds: &[&PrivacyRow]) -> String {
    let of = |row: &&PrivacyRow| Some((row.below_k? * row.publications as f64, row.publications));
    let (below, all) = seeds
        .iter()
        .filter_map(of)
        .fold((0.0, 0), |(below, all), (more, count)| (below + more, all + count));
    if all == 0 {
        return "–".to_owned();
    }
    let share = Some(below / all as f64);
    format!("{} ({})", percent(share), interval(share, all))
}

fn error(seeds: &[&PrivacyRow]) -> String {
    let errors: Vec<f64> = seeds.iter().filter_map(|row| row.error_m).collect();
    range(&errors, |metres| count(metres.round() as u64)).unwrap_or("–".to_owned())
}

fn served(seeds: &[&PrivacyRow]) -> String {
    let shares: Vec<f64> = seeds.iter().filter_map(|row| row.success_rate).collect();
    range(&shares, |share| percent(Some(share))).unwrap_or("–".to_owned())
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
    fn seeds_are_pooled_and_settings_are_columns() {
        let rows = [row("city", 1, 0.5, 100), row("city", 2, 0.0, 300), row("porto", 1, 1.0, 10)];
        let seeds: Vec<&PrivacyRow> = rows[..2].iter().collect();
        assert_eq!(below_k(&seeds), "12.5 % (9.6–16.1 %)");
        assert_eq!(below_k(&[]), "–");
        let mut section = ReportSection::new("s", "S");
        add(&mut section, &rows);
        let (html, _) = crate::report::page::page("t", vec![section]);
        assert!(html.contains("Porto, 2,000, P1-3-5"), "{html}");
        assert!(html.contains("<td>casper</td>") && html.contains("12.5 % (9.6–16.1 %)"));
        assert!(!html.contains("Error of the service"), "no such rows");
        let mut single = ReportSection::new("s", "S");
        add(&mut single, &rows[..2]);
        assert!(!crate::report::page::page("t", vec![single]).0.contains("casper"));
    }
}
