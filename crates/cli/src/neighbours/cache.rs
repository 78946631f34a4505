//! `meshcloak neighbours cache`: regions fetched in advance.

use super::journey_args::JourneyArgs;
use super::output_args::OutputArgs;
use crate::parse::{days, interval_millis, positive_metres, positive_number};
use crate::progress::Console;
use crate::threads::Threads;
use anyhow::{Result, bail};
use clap::Args;
use evaluation::neighbours::{Measures, Unit};
use import::Progress as _;
use neighbours::cache::{
    AnswerSize, CacheOutcome, CacheSettings, ContentGrid, evaluate, stale_probability,
};

const SYSTEM: &str = "cache";

/// Arguments of `neighbours cache`.
#[derive(Debug, Args)]
#[command(after_help = "Each user fetches all cells within a radius of the first and the last \
position of the journey, again at every update, and asks the device. A question is answered if all \
cells within its range are there; the answer is then exact, but as old as the update. The row \
`city` fetches everything: no question reveals anything.

Examples:
  meshcloak neighbours cache --users 10000
  meshcloak neighbours cache porto.osm.pbf --pois PORTO_POIs.csv --radius 1000,3000 --update 1,30
  meshcloak neighbours cache --object-bytes 2000 --changes-per-year 12 --json")]
pub struct Cache {
    #[command(flatten)]
    journeys: JourneyArgs,
    /// Side of a cell, in metres.
    #[arg(long, value_name = "METRES", default_value_t = 500.0, value_parser = positive_metres)]
    cell: f64,
    /// Radii around a user's places, in metres.
    #[arg(long, value_name = "METRES,…", value_delimiter = ',', default_values_t = [1000.0, 2000.0, 5000.0], value_parser = positive_metres)]
    radius: Vec<f64>,
    /// Times between two updates, in days.
    #[arg(long, value_name = "DAYS,…", value_delimiter = ',', default_values_t = [1.0, 7.0, 30.0], value_parser = days)]
    update: Vec<f64>,
    /// Range of a question, in metres.
    #[arg(long, value_name = "METRES", default_value_t = 500.0, value_parser = positive_metres)]
    range: f64,
    /// Time between two questions on a journey, in seconds from 0.1.
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = interval_millis)]
    interval: u32,
    /// Questions of a user per day.
    #[arg(long, value_name = "N", default_value_t = 10.0, value_parser = positive_number)]
    questions_per_day: f64,
    /// Changes of an object per year.
    #[arg(long, value_name = "N", default_value_t = 0.2, value_parser = positive_number)]
    changes_per_year: f64,
    /// Bytes of an object [default: those of its JSON text].
    #[arg(long, value_name = "BYTES", value_parser = clap::value_parser!(u64).range(1..=10_000_000))]
    object_bytes: Option<u64>,
    /// Bytes of an answer without objects.
    #[arg(long, value_name = "BYTES", default_value_t = 200, value_parser = clap::value_parser!(u64).range(0..=10_000_000))]
    empty_bytes: u64,
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    threads: Threads,
}

impl Cache {
    /// Measures each radius and each update interval, prints the measures.
    pub fn run(&self, console: &Console) -> Result<()> {
        self.threads.apply()?;
        let population = self.journeys.read(console)?;
        let (map, journeys) = (&population.imported.map, &population.journeys);
        if map.pois().len() == 0 {
            bail!("{}: the map has no points of interest; add `--pois FILE`", population.source);
        }
        let size = AnswerSize { empty: self.empty_bytes, object: self.object_bytes };
        let grid = ContentGrid::new(map, self.cell, size)?;
        let radii: Vec<f64> = self.radius.iter().copied().chain([f64::INFINITY]).collect();
        console.begin("asking", radii.len() as u64);
        let outcomes = radii.iter().map(|&radius| {
            let settings =
                CacheSettings { radius, range: self.range, interval: self.interval.into() };
            let outcome = evaluate(map, &grid, journeys, size, &settings);
            console.advance(1);
            (name(radius), outcome)
        });
        let outcomes: Vec<(String, CacheOutcome)> = outcomes.collect();
        console.clear();
        let objects = map.pois().len();
        let source = format!("{}, {objects} points of interest", population.source);
        self.output.write(&self.measures(&source, &outcomes).rows, &[])
    }

    fn measures(&self, source: &str, outcomes: &[(String, CacheOutcome)]) -> Measures {
        let Cache { cell, range, questions_per_day, changes_per_year, .. } = self;
        let setting = format!(
            "cells of {cell} m, questions within {range} m, {questions_per_day} questions per day, \
             {changes_per_year} changes of an object per year"
        );
        let mut measures = Measures::new(SYSTEM, source, &setting);
        for (name, outcome) in outcomes {
            put_region(measures.table("regions"), name, outcome);
        }
        for (name, outcome) in outcomes {
            for &days in &self.update {
                self.put_update(measures.table("updates"), name, days, outcome);
            }
        }
        if let Some((_, city)) = outcomes.last() {
            let table = measures.table("updates");
            let case = "asked one by one, no privacy";
            table.put(case, "bytes per answer", Unit::Bytes, city.answer_bytes.value());
        }
        measures
    }

    fn put_update(&self, table: &mut Measures, name: &str, days: f64, outcome: &CacheOutcome) {
        let case = format!("{name}, every {days} d");
        let rate = self.changes_per_year / 365.25;
        let per_day = outcome.bytes.value().map(|bytes| bytes / days);
        let answered = outcome.answered.value().unwrap_or(0.0) * self.questions_per_day;
        let per_answer = per_day.filter(|_| answered > 0.0).map(|bytes| bytes / answered);
        table.put(&case, "bytes per day", Unit::Bytes, per_day);
        table.put(&case, "bytes per answer", Unit::Bytes, per_answer);
        table.put(&case, "stale objects", Unit::Share, stale_probability(1.0, rate, days));
        table.put(&case, "stale answers", Unit::Share, outcome.stale_answers(rate, days));
    }
}

fn name(radius: f64) -> String {
    if radius.is_finite() { format!("radius {radius} m") } else { "city".to_owned() }
}

fn put_region(table: &mut Measures, name: &str, outcome: &CacheOutcome) {
    table.put(name, "answered", Unit::Share, outcome.answered.value());
    let area = outcome.area.value().map(|area| area / 1e6);
    table.put(name, "area (km²)", Unit::Number, area);
    table.put(name, "of the city", Unit::Share, outcome.city_share.value());
    table.put(name, "unique regions", Unit::Share, outcome.unique.value());
    table.put(name, "first fetch", Unit::Bytes, outcome.bytes.value());
}
