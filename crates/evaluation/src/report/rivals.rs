//! Scheme against scheme: the same people, the same map, the same second, in both views.

use super::configuration::configurations;
use super::data::Data;
use super::number::{count, decimal, percent, shown, three};
use super::page::{Section, Table};
use super::paper::map_title;
use super::plot::Plot;
use super::spread::{Column, Spread};
use crate::results::RunRow;
use crate::run::Presence;
use picture::{DotPanel, Dots, PictureError, Steps};

/// The runs of all schemes on one map with one crowd.
struct Field<'a> {
    runs: Vec<&'a RunRow>,
    /// From the configuration that was asked for.
    configuration: String,
    map_km2: Option<f64>,
}

impl Field<'_> {
    fn mean(&self, scheme: &str, view: &str, column: Column) -> Option<f64> {
        let runs = self.runs.iter().filter(|run| {
            (run.scheme.as_str(), run.view.as_str()) == (scheme, view)
                && run.configuration == self.configuration
        });
        Spread::of(runs.filter_map(|run| column(run))).map(|found| found.mean)
    }

    /// Those that ran, in the order of the tables, then as they come.
    fn schemes(&self) -> Vec<&str> {
        let here = |name: &str| {
            let hers = |run: &&&RunRow| run.scheme == name;
            self.runs.iter().filter(hers).any(|run| run.configuration == self.configuration)
        };
        let mut all: Vec<&str> = Vec::new();
        let known = crate::schemes::names().into_iter();
        for name in known.chain(self.runs.iter().map(|run| run.scheme.as_str())) {
            if !all.contains(&name) && here(name) {
                all.push(name);
            }
        }
        all
    }
}

/// The section.
pub(super) fn section(data: &Data) -> Result<Section, PictureError> {
    let mut section = Section::new("rivals", "Scheme against scheme");
    let fields = fields(data);
    if fields.is_empty() {
        section.missing(
            "no map and number of people on which two schemes ran (experiments/schemes.toml).",
        );
        return Ok(section);
    }
    section.say(
        "All schemes get the same queries. With unlimited time the clock stands still while a \
         scheme works; in real time its processing counts against dt, and a scheme that falls \
         behind loses queries. Planar Laplace hides nobody among others: it always succeeds, and \
         its sets are of one. Areas are those of rectangles and discs; a mesh has none. People ask \
         on whole seconds and are due on whole seconds, so in real time the last batch comes too \
         late for them, however fast it is; this costs some success, and as the longest waits are \
         gone, the mean delay is shorter.",
    );
    section.paper(
        "prints that CliqueCloak and ICliqueCloak need from several to tens of milliseconds a \
         query, and that ICliqueCloak’s areas grow up to 80 % of the map; it measures neither.",
    );
    for (map, users) in fields {
        let own = |run: &&RunRow| run.map == map && run.users == users && is_simulated(run);
        let runs: Vec<&RunRow> = data.runs.iter().filter(own).collect();
        let map_km2 = data.map(map).map(|row| row.area_km2);
        let title = format!("{}, {} people", map_title(map), count(users.into()));
        section.heading(&title);
        let mut drawn = false;
        for one in configurations(&runs) {
            let field = Field { runs: runs.clone(), configuration: one.name.clone(), map_km2 };
            if field.schemes().len() < 2 {
                continue;
            }
            if !drawn {
                let name = format!("schemes-{map}-{users}");
                let caption = format!("{title}, {}", one.name);
                section.figure(Plot::dots(&name, &dots(&field, &caption))?, &caption);
                drawn = true;
            }
            section.folded(&format!("{} in numbers", one.name), &table(&field));
        }
    }
    Ok(section)
}

/// Whether the people of a run are simulated, and all of them ask.
fn is_simulated(run: &RunRow) -> bool {
    let (_, presence) = crate::schemes::presence(&run.scheme);
    !run.profile.starts_with(crate::experiment::TAXI) && presence == Presence::AllAsk
}

/// Maps and numbers of people with two schemes on the same configuration, beyond the batch as
/// printed.
fn fields(data: &Data) -> Vec<(&str, u32)> {
    let mut all: Vec<(&str, u32)> = Vec::new();
    let ours = [crate::schemes::PAPER, "meshcloak-printed", "sequential", "sequential-edges"];
    for run in data.runs.iter().filter(|run| is_simulated(run)) {
        let key = (run.map.as_str(), run.users);
        if !ours.contains(&run.scheme.as_str()) && !all.contains(&key) {
            all.push(key);
        }
    }
    all
}

const VIEWS: [&str; 2] = ["unlimited", "realtime"];

fn dots(field: &Field<'_>, title: &str) -> Dots {
    let schemes = field.schemes();
    let panel = |label: &str, steps, factor: f64, column: Column| DotPanel {
        label: label.to_owned(),
        steps,
        values: VIEWS
            .map(|view| {
                let value = |name: &&str| Some(field.mean(name, view, column)? * factor);
                schemes.iter().map(value).collect()
            })
            .to_vec(),
    };
    Dots {
        title: title.to_owned(),
        panels: vec![
            panel("success (%)", Steps::Even, 100.0, |run| run.success_rate),
            panel("time (ms/query)", Steps::Powers, 0.001, |run| run.us_per_query),
            panel("region (m street)", Steps::Powers, 1.0, |run| run.region_metres),
            panel("region (km²)", Steps::Powers, 1e-6, |run| run.region_area_m2),
            panel("size of set / k", Steps::Powers, 1.0, |run| run.relative_k),
            panel("delay (s)", Steps::Even, 1.0, |run| run.mean_delay_s),
        ],
        rows: schemes.into_iter().map(str::to_owned).collect(),
        kinds: vec!["unlimited time".to_owned(), "real time".to_owned()],
    }
}

fn table(field: &Field<'_>) -> Table {
    let mut table = Table::new([
        "scheme",
        "success, unlimited",
        "success, real time",
        "time (ms/query)",
        "region (m street)",
        "per member (m)",
        "region (km²)",
        "of the map",
        "relative k",
        "delay, unlimited (s)",
        "delay, real time (s)",
        "within 2 s",
    ]);
    for name in field.schemes() {
        // Where a scheme ran in real time alone, its regions are known from there.
        let either = |column| {
            field.mean(name, VIEWS[0], column).or_else(|| field.mean(name, VIEWS[1], column))
        };
        let area = either(|run| run.region_area_m2).map(|area| area / 1e6);
        let share = area.zip(field.map_km2).map(|(area, map)| area / map);
        let micros = either(|run| run.us_per_query);
        table.row([
            name.to_owned(),
            percent(field.mean(name, VIEWS[0], |run| run.success_rate)),
            percent(field.mean(name, VIEWS[1], |run| run.success_rate)),
            micros.map_or("–".to_owned(), |micros| three(micros / 1000.0)),
            shown(either(|run| run.region_metres), 0),
            shown(either(|run| run.region_metres_per_member), 0),
            area.map_or("–".to_owned(), |area| decimal(area, 3)),
            percent(share),
            shown(either(|run| run.relative_k), 2),
            shown(field.mean(name, VIEWS[0], |run| run.mean_delay_s), 2),
            shown(field.mean(name, VIEWS[1], |run| run.mean_delay_s), 2),
            percent(either(|run| run.served_within_2s)),
        ]);
    }
    table
}
