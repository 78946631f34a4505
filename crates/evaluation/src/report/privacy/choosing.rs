//! Choosing a setting: what each guarantee, clock, presence and region costs, and what it leaves to
//! each adversary.

use super::super::number::{decimal_or_dash, percent};
use super::super::page::{HtmlTable, ReportSection};
use super::super::paper::map_title;
use super::super::plot::Plot;
use super::comparison::AttackComparison;
use crate::results::PrivacyRow;
use crate::run::Presence;
use crate::schemes;
use picture::{DotPanel, DotScale, Dots, PictureError};

/// Words of a setting of MeshCloak.
struct Words {
    guarantee: String,
    clock: &'static str,
    presence: String,
    region: String,
}

/// The same map, users and configuration with one or several seeds.
struct Case<'a> {
    seeds: Vec<AttackComparison<'a>>,
}

/// Values of a column, one for each seed.
struct Values(Vec<f64>);

impl<'a> Case<'a> {
    /// Returns all cases with several settings of MeshCloak.
    fn all(rows: &'a [PrivacyRow]) -> Vec<Case<'a>> {
        let mut cases: Vec<Case<'a>> = Vec::new();
        for group in AttackComparison::all(rows) {
            let key = |group: &AttackComparison<'a>| (group.map, group.users, group.configuration);
            match cases.iter_mut().find(|case| key(&case.seeds[0]) == key(&group)) {
                Some(case) => case.seeds.push(group),
                None => cases.push(Case { seeds: vec![group] }),
            }
        }
        cases.retain(|case| case.settings().len() > 1);
        cases
    }

    fn title(&self) -> String {
        let AttackComparison { map, users, configuration, .. } = self.seeds[0];
        let seeds = match self.seeds.len() {
            1 => String::new(),
            count => format!(", means of {count} seeds"),
        };
        format!("{}, {users} users, {configuration}{seeds}", map_title(map))
    }

    fn settings(&self) -> Vec<&'a str> {
        let is_setting = |scheme: &&str| words(scheme).is_some();
        self.seeds[0].schemes().into_iter().filter(is_setting).collect()
    }
}

impl Values {
    fn mean(&self) -> Option<f64> {
        (!self.0.is_empty()).then(|| self.0.iter().sum::<f64>() / self.0.len() as f64)
    }

    /// Formats the mean; with several values also the largest distance from it.
    fn text(&self, is_share: bool) -> String {
        let mean = self.mean();
        let distance = |value: &f64| (value - mean.unwrap_or(*value)).abs();
        let spread = self.0.iter().map(distance).fold(0.0, f64::max);
        let decimals = if mean > Some(100.0) { 0 } else { 2 };
        let format = |value| match is_share {
            true => percent(value),
            false => decimal_or_dash(value, decimals),
        };
        match self.0.len() {
            0 | 1 => format(mean),
            _ => format!("{} ± {}", format(mean).trim_end_matches(" %"), format(Some(spread))),
        }
    }
}

/// Adds a table and a picture for each map with several settings of MeshCloak.
/// Times of the engine are left out of the paper's results, which have a timing pass.
pub(super) fn add(
    section: &mut ReportSection,
    rows: &[PrivacyRow],
    is_paper: bool,
) -> Result<(), PictureError> {
    for (number, case) in Case::all(rows).iter().enumerate() {
        let title = case.title();
        section.heading(&format!("Choosing: {title}"));
        section.figure(Plot::dots(&format!("choosing-{number}"), &dots(case, &title))?, &title);
        if case.seeds.len() > 1 {
            section.paragraph("After ±: the largest distance of a seed from the mean.");
        }
        let mut table = table(case);
        if is_paper {
            table.drop_columns(|name| name.starts_with("engine "));
        }
        section.table(&table);
    }
    Ok(())
}

fn words(scheme: &str) -> Option<Words> {
    let (name, presence) = schemes::presence(scheme);
    schemes::settings(name)?;
    let mut parts = name.split('/').skip(1);
    let guarantee = parts.next()?.to_owned();
    let rest: Vec<&str> = parts.collect();
    let clock = match (rest.contains(&"published"), guarantee.as_str()) {
        (true, _) => "published",
        (false, "history") => "asked",
        _ => "–",
    };
    let region = rest.iter().find(|part| **part != "published" && **part != "asked");
    Some(Words {
        guarantee,
        clock,
        presence: match presence {
            Presence::AllAsk => "all ask".to_owned(),
            Presence::Present(silent) => format!("{} % ask", 100 - silent),
            other => other.to_string().trim_start_matches('/').to_owned(),
        },
        region: region.map_or("reach", |region| region).to_owned(),
    })
}

/// Prefix of the columns of attacks that count candidates.
const BELOW_K: &str = "below k: ";

/// A column: heading, and the value of a setting.
struct Column {
    label: &'static str,
    is_share: bool,
    attack: &'static str,
    value: fn(&PrivacyRow) -> Option<f64>,
}

const fn share(
    label: &'static str,
    attack: &'static str,
    value: fn(&PrivacyRow) -> Option<f64>,
) -> Column {
    Column { label, is_share: true, attack, value }
}

const fn number(
    label: &'static str,
    attack: &'static str,
    value: fn(&PrivacyRow) -> Option<f64>,
) -> Column {
    Column { label, is_share: false, attack, value }
}

const COLUMNS: [Column; 15] = [
    share("served", "as shown", |row| row.success_rate),
    number("delay (s)", "as shown", |row| row.mean_delay_s),
    number("region (m)", "as shown", |row| row.region_metres),
    share("below k: all positions", "inversion", |row| row.below_k),
    share("below k: pasts, times of asking", "matching", |row| row.below_k),
    share("below k: pasts, publication times", "matching-tick", |row| row.below_k),
    share("below k: last position, next region", "hindsight", |row| row.below_k),
    number("error of the service (m)", "together", |row| row.error_m),
    share("tracker: right street", "tracker", |row| row.figure("street guessed")),
    share("sensitive question", "questions", |row| {
        row.figure("probability of a sensitive question")
    }),
    share("the same, askers unknown", "questions", |row| {
        row.figure("sensitive question, askers unknown")
    }),
    number("requests per answer", "questions", |row| row.figure("requests per answer")),
    number("kB per answer", "questions", |row| row.figure("kB per answer")),
    number("engine (µs per query)", "as shown", |row| row.us_per_query),
    number("engine (ms per batch)", "as shown", |row| row.ms_per_batch),
];

impl Column {
    fn of(&self, case: &Case<'_>, scheme: &str) -> Values {
        let rows = case.seeds.iter().filter_map(|seed| seed.row(scheme, self.attack));
        Values(rows.filter_map(self.value).collect())
    }
}

fn table(case: &Case<'_>) -> HtmlTable {
    let head = ["guarantee", "clock", "presence", "region"];
    let head = head.into_iter().chain(COLUMNS.iter().map(|column| column.label));
    let mut table = HtmlTable { head: head.map(str::to_owned).collect(), rows: Vec::new() };
    for scheme in case.settings() {
        let Some(Words { guarantee, clock, presence, region }) = words(scheme) else { continue };
        let cells = COLUMNS.iter().map(|column| column.of(case, scheme).text(column.is_share));
        table.row([guarantee, clock.to_owned(), presence, region].into_iter().chain(cells));
    }
    table
}

/// Columns of costs in the picture, by label.
const PICTURED: [&str; 5] =
    ["served", "delay (s)", "region (m)", "requests per answer", "kB per answer"];

fn dots(case: &Case<'_>, title: &str) -> Dots {
    let settings = case.settings();
    let values = |column: &Column| -> Vec<Option<f64>> {
        let scale = if column.is_share { 100.0 } else { 1.0 };
        settings.iter().map(|scheme| Some(column.of(case, scheme).mean()? * scale)).collect()
    };
    let panel =
        |label: &str, values| DotPanel { label: label.to_owned(), scale: DotScale::Linear, values };
    let costs = COLUMNS.iter().filter(|column| PICTURED.contains(&column.label));
    let attacks: Vec<&Column> =
        COLUMNS.iter().filter(|column| column.label.starts_with(BELOW_K)).collect();
    let panels = costs.map(|column| panel(column.label, vec![values(column)]));
    let below_k = panel("below k (%)", attacks.iter().map(|column| values(column)).collect());
    let short = |scheme: &&str| scheme.trim_start_matches("meshcloak/").to_owned();
    let series = attacks.iter().map(|column| column.label.trim_start_matches(BELOW_K).to_owned());
    Dots {
        title: title.to_owned(),
        rows: settings.iter().map(short).collect(),
        series: series.collect(),
        panels: panels.chain([below_k]).collect(),
    }
}
