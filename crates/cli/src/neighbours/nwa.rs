//! `meshcloak neighbours nwa`: (k, δ)-anonymity of published trajectories.

use super::journey_args::JourneyArgs;
use super::output_args::{DrawArgs, OutputArgs, drawing_rows};
use crate::parse::{interval_millis, metres, positive_metres, share};
use crate::progress::Console;
use crate::table::grouped;
use crate::threads::Threads;
use anyhow::{Result, bail};
use clap::Args;
use evaluation::neighbours::{DrawingRow, Measures, Unit};
use import::Progress as _;
use meshcloak::map::StreetMap;
use neighbours::nwa::{
    NwaSettings, Published, RangeQuery, Trajectory, anonymise, best_period, link_by_distance,
    range_errors, sample, sample_count, trajectory_drawings, uniqueness,
};

const SYSTEM: &str = "nwa";

/// Largest number of samples of all trajectories.
const MAX_SAMPLES: u64 = 50_000_000;

/// Arguments of `neighbours nwa`.
#[derive(Debug, Args)]
#[command(
    after_help = "Trajectories are trimmed to whole periods, clustered in sets of at least k, \
and moved together within a cylinder of diameter --delta.

Rows of the table `publication`: too short = covers no whole period; too rare = fewer than k \
trajectories have the same time span; trash = dropped by clustering. `linked` is the probability \
that the published trajectory nearest to the target's true positions is the target's.

Examples:
  meshcloak neighbours nwa --users 10000 --k 5 --delta 200
  meshcloak neighbours nwa porto.osm.pbf --traces train_1500.csv.gz --overlay --draw before.png
  meshcloak neighbours nwa --period 600 --max-trash 0.05 --json"
)]
pub struct Nwa {
    #[command(flatten)]
    journeys: JourneyArgs,
    /// Smallest number of trajectories in a set, from 2.
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(2..))]
    k: u32,
    /// Diameter of the cylinder that holds a set, in metres; 0: members are published as equal.
    #[arg(long, value_name = "METRES", default_value_t = 200.0, value_parser = metres)]
    delta: f64,
    /// Time between two samples, in seconds from 0.1.
    #[arg(long, value_name = "SECONDS", default_value = "15", value_parser = interval_millis)]
    step: u32,
    /// Time between possible beginnings of trajectories, in seconds; a multiple of --step [default:
    /// the one that publishes most positions].
    #[arg(long, value_name = "SECONDS", value_parser = interval_millis)]
    period: Option<u32>,
    /// Largest share of trajectories that clustering may drop, 0 to 1.
    #[arg(long, value_name = "SHARE", default_value_t = 0.1, value_parser = share)]
    max_trash: f64,
    /// First largest radius of a set, in metres; it grows until --max-trash holds.
    #[arg(long, value_name = "METRES", default_value_t = 100.0, value_parser = positive_metres)]
    radius: f64,
    /// Number of random range queries.
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    range_queries: u32,
    #[command(flatten)]
    draw: DrawArgs,
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    threads: Threads,
}

/// Sampled and published trajectories.
struct Publication {
    sampled: Vec<Trajectory>,
    published: Published,
}

impl Nwa {
    /// Samples, anonymises, attacks and prints the measures.
    pub fn run(&self, console: &Console) -> Result<()> {
        self.draw.check()?;
        let mut settings = self.settings()?;
        self.threads.apply()?;
        let population = self.journeys.read(console)?;
        let samples = sample_count(&population.journeys, settings.step);
        if samples > MAX_SAMPLES {
            bail!(
                "{} samples; expected at most {}: use a larger --step or fewer users",
                grouped(samples),
                grouped(MAX_SAMPLES)
            );
        }
        let map = &population.imported.map;
        console.begin("sampling", 0);
        let sampled = sample(map, &population.journeys, settings.step);
        console.begin("clustering", 0);
        if self.period.is_none() {
            settings.period = best_period(&sampled, &settings);
        }
        let published = anonymise(&sampled, &settings);
        if published.trajectories.is_empty() {
            let k = self.k;
            console
                .note(&format!("no {k} trajectories have the same time span; none is published"));
        }
        let publication = Publication { sampled, published };
        console.begin("attacking", 0);
        let measures = self.measures(&population.source, &publication, &settings);
        console.clear();
        let is_drawn = self.draw.is_requested() || self.output.is_stored();
        let drawing = if is_drawn { drawings(map, &publication.published) } else { Vec::new() };
        self.output.write(&measures.rows, &drawing)?;
        self.draw.write(&drawing, SYSTEM)
    }

    fn settings(&self) -> Result<NwaSettings> {
        let period = self.period.unwrap_or(self.step);
        if !period.is_multiple_of(self.step) {
            let [period, step] = [period, self.step].map(|millis| f64::from(millis) / 1000.0);
            bail!("--period {period}: expected a multiple of --step {step}");
        }
        Ok(NwaSettings {
            k: self.k,
            delta: self.delta,
            step: self.step.into(),
            period: period.into(),
            max_trash: self.max_trash,
            radius: self.radius.max(1.0),
        })
    }

    fn measures(
        &self,
        source: &str,
        publication: &Publication,
        settings: &NwaSettings,
    ) -> Measures {
        let NwaSettings { k, delta, max_trash, .. } = *settings;
        let [step, period] = [settings.step, settings.period].map(|millis| millis as f64 / 1000.0);
        let setting = format!(
            "k {k}, delta {delta} m, step {step} s, period {period} s, trash up to {} %",
            max_trash * 100.0
        );
        let mut measures = Measures::new(SYSTEM, source, &setting);
        put_publication(measures.table("publication"), publication);
        put_distortion(measures.table("distortion"), publication, k);
        self.put_ranges(measures.table("range query error"), publication, settings);
        put_uniqueness(measures.table("top locations"), publication, k as usize);
        self.put_links(measures.table("linked"), publication);
        measures
    }

    fn put_ranges(&self, table: &mut Measures, of: &Publication, settings: &NwaSettings) {
        let samples = settings.samples_per_period();
        let (count, seed) = (self.range_queries as usize, self.journeys.seed);
        let queries = RangeQuery::draw(&of.sampled, samples, count, seed);
        let cases =
            [("trimmed only", &of.published.trimmed), ("published", &of.published.trajectories)];
        for (case, trajectories) in cases {
            let errors = range_errors(&queries, &of.sampled, trajectories, settings.delta);
            table.put(case, "possibly sometime inside", Unit::Share, errors.possibly.value());
            table.put(case, "definitely always inside", Unit::Share, errors.definitely.value());
        }
    }

    fn put_links(&self, table: &mut Measures, publication: &Publication) {
        let seed = self.journeys.seed;
        let cases = [("all", None), ("3", Some(3)), ("1", Some(1))];
        for (case, known) in cases {
            let linked = link_by_distance(&publication.published, known, seed);
            let case = format!("{case} known positions");
            table.put(&case, "probability", Unit::Share, linked.value());
        }
        table.put("promise", "probability", Unit::Share, 1.0 / f64::from(self.k));
    }
}

fn put_publication(table: &mut Measures, Publication { sampled, published }: &Publication) {
    let counts = [
        ("trajectories", sampled.len()),
        ("too short", published.too_short),
        ("too rare", published.too_rare),
        ("trash", published.trash),
        ("published", published.trajectories.len()),
    ];
    for (case, count) in counts {
        table.put(case, "number", Unit::Count, count as f64);
        let share = (!sampled.is_empty()).then(|| count as f64 / sampled.len() as f64);
        table.put(case, "share", Unit::Share, share);
    }
    let sets = published.clusters.len();
    table.put("sets", "number", Unit::Count, sets as f64);
}

fn put_distortion(table: &mut Measures, Publication { sampled, published }: &Publication, k: u32) {
    let loss = published.distortion(sampled, k);
    let case = "published";
    table.put(case, "mean move", Unit::Metres, loss.mean_metres);
    table.put(case, "largest move", Unit::Metres, loss.max_metres);
    table.put(case, "final radius", Unit::Metres, published.radius);
    table.put(case, "suppressed positions", Unit::Share, loss.suppressed);
    table.put(case, "information distortion", Unit::Metres, loss.total_metres);
    table.put(case, "discernibility", Unit::Count, loss.discernibility);
    table.put(case, "if all sets had k", Unit::Count, loss.ideal_discernibility);
}

/// Uniqueness of the top 1 to 3 cells, before and after.
fn put_uniqueness(table: &mut Measures, publication: &Publication, k: usize) {
    for cell in [250.0, 500.0, 1000.0, 4000.0] {
        for n in 1..=3 {
            let case = format!("top {n}, cells of {cell} m");
            let before = uniqueness(&publication.sampled, n, cell, k);
            let after = uniqueness(&publication.published.trajectories, n, cell, k);
            for (when, found) in [("before", before), ("after", after)] {
                table.put(&case, &format!("unique {when}"), Unit::Share, found.unique.value());
                let below = format!("below k {when}");
                table.put(&case, &below, Unit::Share, found.below_k.value());
                let median = found.median.map(|size| size as f64);
                table.put(&case, &format!("median {when}"), Unit::Count, median);
            }
        }
    }
}

fn drawings(map: &StreetMap, published: &Published) -> Vec<DrawingRow> {
    let Some([before, after]) = trajectory_drawings(map, published) else { return Vec::new() };
    let panels = [("before", before), ("after", after)];
    panels.iter().flat_map(|(panel, drawing)| drawing_rows(SYSTEM, panel, drawing)).collect()
}
