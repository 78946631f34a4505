//! `meshcloak traces`: trips that others recorded become queries on a map.

mod options;
mod outcome;

use crate::answer;
use crate::map_args::{MAP_HELP, MapArgs};
use crate::progress::Console;
use crate::simulate::options::{k_range, milliseconds};
use crate::simulate::{profile, record};
use anyhow::Result;
use clap::Args;
use evaluation::trips;
use import::traces::{TraceKind, Trips, read_traces};
use import::{MapSource, Progress as _, QueryWriter};
use meshcloak::map::StreetMap;
use meshcloak::units::Length;
use options::{above_zero, metres};
use outcome::{Found, Outcome};
use std::path::{Path, PathBuf};
use std::time::Duration;
use traffic::matching::{MatchSettings, Matched, Matcher, Quality};
use traffic::traces::along::{MatchedTrip, queries_along};
use traffic::traces::reports::queries_from;
use traffic::traces::{TraceQueries, TraceSettings, overlay};

/// Arguments of `traces`.
#[derive(Debug, Args)]
#[command(after_help = "Traces, recognised by content, plain or gzipped:
  Brinkhoff   tab-separated reports in metres, with or without k; one file, or one per time stamp.
              Every report is a query; one time stamp stands for one interval.
  taxi trips  CSV with POLYLINE and TIMESTAMP, or with shape (WKT) and timestamps
  GPX         1.0 and 1.1, every segment a trip
Taxi trips and GPX are matched to the map; people ask at their interval along the matched way.

Examples:
  meshcloak traces objects-5000.txt.gz --map oldenburgGen.node --profile p1 --out q.csv.gz
  meshcloak traces with-k-t*.txt.gz --map oldenburgGen.node --interval 10 --out q.ndjson
  meshcloak traces train_1500.csv.gz --map porto.osm.pbf --profile p2 --overlay 3600 --out q.csv
  meshcloak traces monday.gpx tuesday.gpx --map town.meshmap --out q.csv")]
pub struct Traces {
    /// Trace to read; several files of one kind are read as one.
    #[arg(value_name = "IN", required = true)]
    files: Vec<PathBuf>,
    #[arg(long, help = MAP_HELP)]
    map: Option<MapSource>,
    #[command(flatten)]
    how: MapArgs,
    /// How often people ask: p1, p2, city, or a file.
    #[arg(long, value_name = "PROFILE", default_value = "p1")]
    profile: String,
    /// Everyone asks every so many seconds, whatever the profile says; in a Brinkhoff trace what
    /// one time stamp stands for [default there: the profile's first interval].
    #[arg(long, value_name = "SECONDS", value_parser = above_zero)]
    interval: Option<u32>,
    /// Smallest and largest k, drawn for each query where the trace has none.
    #[arg(long, value_name = "LEAST-MOST", default_value = "2-5", value_parser = k_range)]
    k: (u32, u32),
    /// How long everyone waits, in seconds.
    #[arg(long, value_name = "SECONDS", default_value = "3", value_parser = milliseconds)]
    dt: u32,
    /// No dc is smaller, so that people who stand still have one; metres.
    #[arg(long, value_name = "METRES", default_value_t = 10.0, value_parser = metres)]
    least_dc: f64,
    /// How far from a street a point may be, in metres; 0: any distance (Brinkhoff only).
    #[arg(long, value_name = "METRES", default_value_t = 50.0, value_parser = metres)]
    snap: f64,
    /// Lay trips of different hours over each other: all begin within this many seconds.
    #[arg(long, value_name = "SECONDS", num_args = 0..=1, default_missing_value = "3600",
          value_parser = above_zero)]
    overlay: Option<u32>,
    /// What chance begins with: same seed, same queries.
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    seed: u64,
    /// File of queries to write: .csv or .ndjson, either also with .gz.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

impl Traces {
    /// Reads map and traces, finds the queries, writes them, says how it went.
    pub fn run(&self, console: &Console) -> Result<()> {
        let asking = self.asking()?;
        let imported = self.how.read(self.map.as_ref(), console)?;
        let trips = read_traces(&self.files, console);
        console.clear();
        let trips = trips?;
        for note in trips.skips.notes() {
            console.note(&note);
        }
        let (asked, found) = match trips.kind {
            TraceKind::Brinkhoff => self.take_reports(&imported.map, &trips, &asking, console),
            _ => self.match_trips(&imported.map, &trips, &asking, console)?,
        };
        if let Some(out) = &self.out {
            write(&imported.map, &asked, out)?;
        }
        let outcome = Outcome { trips: &trips, asked: &asked, found };
        answer::print(&if self.json {
            format!("{:#}\n", outcome.as_json())
        } else {
            outcome.as_table()
        })
    }

    fn asking(&self) -> Result<TraceSettings> {
        let mut asking = TraceSettings::new(&profile(&self.profile)?);
        if let Some(interval) = self.interval {
            asking = asking.every(interval);
        }
        asking.floor = asking.floor.max(Length::metres(self.least_dc));
        asking.k = self.k;
        asking.temporal_tolerance = self.dt;
        asking.seed = self.seed;
        Ok(asking)
    }

    fn take_reports(
        &self,
        map: &StreetMap,
        trips: &Trips,
        asking: &TraceSettings,
        console: &Console,
    ) -> (TraceQueries, Found) {
        if self.overlay.is_some() {
            console
                .note("--overlay is for taxi trips and GPX; Brinkhoff traces are a crowd already");
        }
        console.begin("snapping", 0);
        let limit = (self.snap > 0.0).then_some(self.snap);
        let (asked, snapping) = queries_from(map, &trips::reported(trips), limit, asking);
        console.clear();
        (asked, Found::Snapped(snapping))
    }

    fn match_trips(
        &self,
        map: &StreetMap,
        trips: &Trips,
        asking: &TraceSettings,
        console: &Console,
    ) -> Result<(TraceQueries, Found)> {
        let mut sightings = trips::sightings(map, trips)?;
        if let Some(window) = self.overlay {
            overlay(sightings.iter_mut(), Duration::from_millis(window.into()));
        }
        let defaults = MatchSettings::default();
        let radius = if self.snap > 0.0 { self.snap } else { defaults.radius };
        console.begin("matching", sightings.len() as u64);
        let settings = MatchSettings { radius, ..defaults };
        let matched: Vec<Matched> =
            Matcher::match_all(map, settings, &sightings, &|done| console.advance(done));
        console.clear();
        let rows = trips.trips.iter().zip(&sightings).zip(&matched);
        let rows = rows.map(|((trip, sightings), matched)| MatchedTrip {
            name: &trip.id,
            sightings,
            matched,
        });
        let asked = queries_along(rows, asking);
        Ok((asked, Found::Matched(Quality::of(map, &sightings, &matched))))
    }
}

fn write(map: &StreetMap, asked: &TraceQueries, out: &Path) -> Result<()> {
    let mut writer = QueryWriter::create(out)?;
    for query in &asked.queries {
        let user = &asked.names[query.user as usize];
        writer.write(&record(map, query, user))?;
    }
    writer.finish()?;
    Ok(())
}
