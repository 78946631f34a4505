//! `meshcloak neighbours mobimix`: mix-zones at junctions.

use super::journey_args::{JourneyArgs, Population};
use super::output_args::{DrawArgs, OutputArgs, drawing_rows};
use crate::parse::{fraction, interval_millis, positive_metres};
use crate::progress::Console;
use crate::threads::Threads;
use anyhow::{Result, bail};
use clap::Args;
use evaluation::neighbours::{DrawingRow, Measures, Unit};
use import::Progress as _;
use neighbours::TrafficModel;
use neighbours::mobimix::{
    KindOutcome, MobimixSettings, ZoneKind, ZoneScene, Zones, evaluate, history,
};

const SYSTEM: &str = "mobimix";

/// Arguments of `neighbours mobimix`.
#[derive(Debug, Args)]
#[command(after_help = "Zones are placed at the busiest junctions. Half of the users are the \
history that the adversary learns speeds and turns from; the other half are attacked.

Columns: effective = users whose pairwise entropy with the target is at least --alpha, with the \
target; at least k = share of visits after which that many are left; best guess = probability that \
the adversary names the target.

Examples:
  meshcloak neighbours mobimix --users 10000
  meshcloak neighbours mobimix oldenburgGen.node --profile p1 --zones 200 --window 2 --json
  meshcloak neighbours mobimix porto.osm.pbf --traces train_1500.csv.gz --overlay --draw zone.png
  meshcloak neighbours mobimix --out results && meshcloak report results")]
pub struct Mobimix {
    #[command(flatten)]
    journeys: JourneyArgs,
    /// Number of zones.
    #[arg(long, value_name = "N", default_value_t = 80,
          value_parser = clap::value_parser!(u32).range(1..=100_000))]
    zones: u32,
    /// Half side of a rectangular zone, in metres above 0.
    #[arg(long, value_name = "METRES", default_value_t = 100.0, value_parser = positive_metres)]
    half_side: f64,
    /// Largest difference of the entry times of mixed users, in seconds from 0.1.
    #[arg(long, value_name = "SECONDS", default_value = "4", value_parser = interval_millis)]
    window: u32,
    /// Smallest pairwise entropy of effectively anonymous users, above 0 and below 1.
    #[arg(long, value_name = "BITS", default_value_t = 0.9, value_parser = fraction)]
    alpha: f64,
    /// Candidates that a user wants to leave a zone with, from 2.
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(2..))]
    k: u32,
    #[command(flatten)]
    draw: DrawArgs,
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    threads: Threads,
}

impl Mobimix {
    /// Places zones of each kind, attacks them, prints the measures.
    pub fn run(&self, console: &Console) -> Result<()> {
        self.draw.check()?;
        self.threads.apply()?;
        let population = self.journeys.read(console)?;
        let Population { imported, journeys, source } = &population;
        let (map, settings) = (&imported.map, self.settings());
        let model = history(map, journeys);
        console.begin("attacking", ZoneKind::ALL.len() as u64);
        let outcomes = ZoneKind::ALL.map(|kind| {
            let outcome = evaluate(map, journeys, &model, &settings, kind);
            console.advance(1);
            outcome
        });
        console.clear();
        if outcomes.iter().all(|outcome| outcome.zones == 0) {
            bail!("{source}: no junction of three streets is crossed; zones need one");
        }
        if journeys.len() < self.k as usize {
            let (users, k) = (journeys.len(), self.k);
            console.note(&format!("{users} users; none can leave a zone among k = {k} candidates"));
        }
        let measures = self.measures(source, &outcomes);
        let is_drawn = self.draw.is_requested() || self.output.is_stored();
        let drawing = if is_drawn { scene(&population, &model, &settings) } else { Vec::new() };
        self.output.write(&measures.rows, &drawing)?;
        self.draw.write(&drawing, SYSTEM)
    }

    fn settings(&self) -> MobimixSettings {
        MobimixSettings {
            zones: self.zones as usize,
            half_side: self.half_side,
            window: self.window.into(),
            alpha: self.alpha,
            k: self.k,
        }
    }

    fn measures(&self, source: &str, outcomes: &[KindOutcome]) -> Measures {
        let seconds = f64::from(self.window) / 1000.0;
        let Mobimix { zones, half_side, alpha, k, .. } = self;
        let setting = format!(
            "up to {zones} zones, half side {half_side} m, window {seconds} s, alpha {alpha}, k {k}"
        );
        let mut measures = Measures::new(SYSTEM, source, &setting);
        for outcome in outcomes {
            put_zones(measures.table("zones"), outcome);
        }
        for outcome in outcomes {
            put_attacks(measures.table("attacks"), outcome);
        }
        for outcome in outcomes {
            put_meetings(measures.table("meetings"), outcome);
        }
        measures
    }
}

fn put_zones(table: &mut Measures, outcome: &KindOutcome) {
    let kind = outcome.kind.name();
    table.put(kind, "zones", Unit::Count, outcome.zones as f64);
    table.put(kind, "hidden street", Unit::Metres, outcome.hidden_metres.value());
    table.put(kind, "window", Unit::Seconds, outcome.window_seconds.value());
    table.put(kind, "visits", Unit::Count, outcome.visits as f64);
    table.put(kind, "truncated sets", Unit::Count, outcome.truncated as f64);
}

fn put_attacks(table: &mut Measures, outcome: &KindOutcome) {
    for attack in &outcome.attacks {
        let case = format!("{}, {}", outcome.kind.name(), attack.attack.name());
        table.put(&case, "effective", Unit::Number, attack.effective.value());
        table.put(&case, "at least k", Unit::Share, attack.at_least_k.value());
        table.put(&case, "entropy", Unit::Bits, attack.bits.value());
        table.put(&case, "best guess", Unit::Share, attack.success.value());
    }
}

fn put_meetings(table: &mut Measures, outcome: &KindOutcome) {
    let (kind, meetings) = (outcome.kind.name(), &outcome.meetings);
    table.put(kind, "zones per user", Unit::Number, meetings.zones_per_user.value());
    table.put(kind, "pass a zone", Unit::Share, meetings.passes_a_zone.value());
    table.put(kind, "visits alone", Unit::Share, meetings.alone.value());
    table.put(kind, "ever among k", Unit::Share, meetings.mixed.value());
    table.put(kind, "after attack", Unit::Share, meetings.effectively_mixed.value());
    table.put(kind, "time to it", Unit::Seconds, meetings.seconds_to_mix.value());
}

/// Draws a rectangular and a non-rectangular zone with the paths of the users who meet there.
fn scene(
    population: &Population,
    model: &TrafficModel,
    settings: &MobimixSettings,
) -> Vec<DrawingRow> {
    let (map, journeys) = (&population.imported.map, &population.journeys);
    let panel = |kind: ZoneKind| {
        let zones = Zones::place(map, model, settings, kind);
        let scene = ZoneScene::choose(map, &zones, model, journeys)?;
        let drawing = scene.draw(map, &zones, model, journeys);
        Some(drawing_rows(SYSTEM, &format!("{} zone", kind.name()), &drawing))
    };
    [ZoneKind::Windowed, ZoneKind::NonRectangular].into_iter().filter_map(panel).flatten().collect()
}
