//! Columns of the table and panels of the picture.

use super::super::comparison::with_distance;
use super::case::{Case, Setting};
use crate::report::number::{decimal, percent};
use crate::report::page::HtmlTable;
use crate::report::spread::Spread;
use crate::results::PrivacyRow;
use picture::{DotPanel, DotScale, Dots};

/// A column: heading, and the value of a setting.
struct Column {
    label: &'static str,
    is_share: bool,
    attack: &'static str,
    value: fn(&PrivacyRow) -> Option<f64>,
    /// Panel of the picture and series in it; empty: the table only.
    panel: (&'static str, &'static str),
}

const fn share(
    label: &'static str,
    attack: &'static str,
    value: fn(&PrivacyRow) -> Option<f64>,
) -> Column {
    Column { label, is_share: true, attack, value, panel: ("", "") }
}

const fn number(
    label: &'static str,
    attack: &'static str,
    value: fn(&PrivacyRow) -> Option<f64>,
) -> Column {
    Column { label, is_share: false, attack, value, panel: ("", "") }
}

impl Column {
    const fn on(self, panel: &'static str, series: &'static str) -> Column {
        Column { panel: (panel, series), ..self }
    }

    fn over_seeds(&self, case: &Case<'_>, scheme: &str) -> Option<Spread> {
        case.value(scheme, self.attack, self.value)
    }

    /// Mean and, with several seeds, the largest distance from it.
    fn text(&self, case: &Case<'_>, scheme: &str) -> String {
        let value = self.over_seeds(case, scheme);
        let decimals = if value.is_some_and(|value| value.mean > 100.0) { 0 } else { 2 };
        with_distance(value, |value| match self.is_share {
            true => percent(Some(value)),
            false => decimal(value, decimals),
        })
    }

    /// Means of all settings, in percent if the column is a share.
    fn means(&self, case: &Case<'_>) -> Vec<Option<f64>> {
        let scale = if self.is_share { 100.0 } else { 1.0 };
        let mean = |scheme: &str| Some(self.over_seeds(case, scheme)?.mean * scale);
        case.schemes().into_iter().map(mean).collect()
    }

    fn is_engine_time(&self) -> bool {
        self.label.starts_with("engine ")
    }
}

/// Series of all costs.
const COST: &str = "cost";
/// Panel of the attacks that count candidates.
const BELOW_K: &str = "below k (%)";
/// Series of the attack that combines all that the service has.
const SERVICE: &str = "the service (L1)";

static COLUMNS: [Column; 21] = [
    share("served", "as shown", |row| row.success_rate).on("served (%)", COST),
    number("delay (s)", "as shown", |row| row.mean_delay_s).on("delay (s)", COST),
    number("region (m)", "as shown", |row| row.region_metres).on("region (m)", COST),
    share("below k: all positions (D)", "inversion", |row| row.below_k)
        .on(BELOW_K, "all positions (D)"),
    share("below k: pasts, times of asking", "matching", |row| row.below_k)
        .on(BELOW_K, "pasts, times of asking"),
    share("below k: pasts, publication times", "matching-tick", |row| row.below_k)
        .on(BELOW_K, "pasts, publication times"),
    share("below k: last position, next region", "hindsight", |row| row.below_k)
        .on(BELOW_K, "last position, next region"),
    share("below k: the service (L1)", "together", |row| row.below_k).on(BELOW_K, SERVICE),
    number("error of the service (m)", "together", |row| row.error_m).on("error (m)", SERVICE),
    share("tracker: right street (K)", "tracker", |row| row.figure("street guessed"))
        .on("street named (%)", "tracker (K)"),
    share("the same without regions", "tracker", |row| {
        row.figure("street guessed without regions")
    })
    .on("street named (%)", "tracker without regions"),
    number("tracker: seconds until confused", "tracker", |row| {
        row.figure("seconds until confused")
    }),
    number("seconds without regions", "tracker", |row| {
        row.figure("seconds until confused without regions")
    }),
    share("ages: asker known for sure (P)", "ages", |row| row.figure("known for sure"))
        .on("asker known (%)", "ages (P)"),
    share("ages: probability of the asker", "ages", |row| row.figure("posterior of the asker")),
    share("sensitive question (M)", "questions", |row| {
        row.figure("probability of a sensitive question")
    })
    .on("question (%)", "questions (M)"),
    share("the same, askers unknown", "questions", |row| {
        row.figure("sensitive question, askers unknown")
    })
    .on("question (%)", "questions, askers unknown"),
    number("requests per answer", "questions", |row| row.figure("requests per answer"))
        .on("requests per answer", COST),
    number("kB per answer", "questions", |row| row.figure("kB per answer"))
        .on("kB per answer", COST),
    number("engine (µs per query)", "as shown", |row| row.us_per_query),
    number("engine (ms per batch)", "as shown", |row| row.ms_per_batch).on("engine (ms)", COST),
];

/// Columns that are shown: those of a measured attack, and engine times if they count.
fn shown(case: &Case<'_>, has_times: bool) -> impl Iterator<Item = &'static Column> {
    let is_measured = |column: &Column| column.means(case).iter().any(Option::is_some);
    let is_shown =
        move |column: &&Column| (has_times || !column.is_engine_time()) && is_measured(column);
    COLUMNS.iter().filter(is_shown)
}

/// Builds the table: one row for each setting.
pub(super) fn table(case: &Case<'_>, has_times: bool) -> HtmlTable {
    let columns: Vec<&Column> = shown(case, has_times).collect();
    let head = ["guarantee", "clock", "presence", "region"];
    let head = head.into_iter().chain(columns.iter().map(|column| column.label));
    let mut table = HtmlTable { head: head.map(str::to_owned).collect(), rows: Vec::new() };
    for scheme in case.schemes() {
        let Some(setting) = Setting::of(scheme) else { continue };
        let presence = setting.askers();
        let clock = setting.clock.unwrap_or("–").to_owned();
        let cells = columns.iter().map(|column| column.text(case, scheme));
        table.row([setting.guarantee, clock, presence, setting.region].into_iter().chain(cells));
    }
    table
}

/// Builds the picture: costs in the first band, adversaries in the second. Also returns the number
/// of panels of each band.
pub(super) fn dots(case: &Case<'_>, has_times: bool) -> (Dots, Vec<usize>) {
    let columns: Vec<&Column> =
        shown(case, has_times).filter(|column| !column.panel.0.is_empty()).collect();
    let (costs, attacks): (Vec<&Column>, Vec<&Column>) =
        columns.into_iter().partition(|column| column.panel.1 == COST);
    let mut series: Vec<&str> = Vec::new();
    let mut panels: Vec<DotPanel> = Vec::new();
    let mut bands = Vec::new();
    for columns in [costs, attacks] {
        let before = panels.len();
        for column in columns {
            let (label, name) = column.panel;
            let index = series.iter().position(|known| *known == name).unwrap_or(series.len());
            if index == series.len() {
                series.push(name);
            }
            if panels.last().is_none_or(|panel| panel.label != label) {
                let scale = DotScale::Linear;
                panels.push(DotPanel { label: label.to_owned(), scale, values: Vec::new() });
            }
            if let Some(panel) = panels.last_mut() {
                panel.values.resize(panel.values.len().max(index + 1), Vec::new());
                panel.values[index] = column.means(case);
            }
        }
        bands.push(panels.len() - before);
    }
    bands.retain(|count| *count > 0);
    let labels = case.schemes().into_iter().filter_map(Setting::of);
    let dots = Dots {
        title: case.title(),
        rows: labels.map(|setting| setting.label()).collect(),
        series: series.into_iter().map(str::to_owned).collect(),
        panels,
    };
    (dots, bands)
}
