//! `meshcloak traces`: converts recorded trips to queries on a map.

mod connected;
mod routes;
mod summary;

use crate::distinct_files::{self, NamedFile};
use crate::map_args::{MAP_HELP, MapArgs};
use crate::parse::{interval_millis, metres};
use crate::progress::Console;
use crate::stdout;
use crate::traffic_args::TrafficArgs;
use anyhow::Result;
use clap::Args;
use evaluation::trips;
use import::traces::{TraceKind, Trips, read_traces};
use import::{MapSource, Progress as _, QueryWriter};
use meshcloak::map::{Extent, StreetMap};
use meshcloak::units::Length;
use std::path::{Path, PathBuf};
use std::time::Duration;
use summary::{PointQuality, TraceSummary};
use traffic::matching::{MatchSettings, Matched, Matcher, Quality};
use traffic::traces::along::{MatchedTrip, queries_along};
use traffic::traces::reports::queries_from;
use traffic::traces::{TraceQueries, TraceSettings, overlay};

/// Arguments of `traces`.
#[derive(Debug, Args)]
#[command(after_help = "Traces, recognised by content, plain or gzipped:
  Brinkhoff   tab-separated reports in metres, with or without k; one file, or one per time stamp.
              Each report is a query; one time stamp is one query interval.
  taxi trips  CSV with POLYLINE and TIMESTAMP, or with shape (WKT) and timestamps
  GPX         1.0 and 1.1, each segment is a trip
Taxi trips and GPX are map-matched; queries are placed along the matched route at the query \
interval. Points are placed on the whole map. Queries on streets outside the largest strongly \
connected component, on which `cloak` works, are then left out; --whole-map keeps them.

Examples:
  meshcloak traces objects-5000.txt.gz --map oldenburgGen.node --profile p1 --out q.csv.gz
  meshcloak traces with-k-t*.txt.gz --map oldenburgGen.node --interval 10 --out q.ndjson
  meshcloak traces train_1500.csv.gz --map porto.osm.pbf --profile p2 --overlay 3600 --out q.csv
  meshcloak traces train_1500.csv.gz --map porto.osm.pbf --routes routes.csv
  meshcloak traces monday.gpx tuesday.gpx --map town.meshmap --out q.csv")]
pub struct Traces {
    /// Traces to read; several files of one format are read as one trace.
    #[arg(value_name = "IN", required = true)]
    files: Vec<PathBuf>,
    #[arg(long, help = MAP_HELP)]
    map: Option<MapSource>,
    #[command(flatten)]
    how: MapArgs,
    #[command(flatten)]
    traffic: TrafficArgs,
    /// Query interval in seconds from 0.1, also the length of a Brinkhoff time stamp [default: that
    /// of the profile].
    #[arg(long, value_name = "SECONDS", value_parser = interval_millis)]
    interval: Option<u32>,
    /// Smallest distance constraint, in metres; applies to users that stand still.
    #[arg(long, value_name = "METRES", default_value_t = 10.0, value_parser = metres)]
    least_dc: f64,
    /// Largest snapping distance, in metres; 0 disables the limit (Brinkhoff only).
    #[arg(long, value_name = "METRES", default_value_t = 50.0, value_parser = metres)]
    snap: f64,
    /// Shift all trips so that they begin within this many seconds [default: off; without a number:
    /// 3600].
    #[arg(long, value_name = "SECONDS", num_args = 0..=1, default_missing_value = "3600",
          value_parser = interval_millis)]
    overlay: Option<u32>,
    /// File for the queries: .parquet, or .csv or .ndjson, optionally with .gz.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// File for the matched routes, street by street: CSV, optionally with .gz. Not for Brinkhoff.
    #[arg(long, value_name = "FILE")]
    routes: Option<PathBuf>,
    /// Print the summary as JSON.
    #[arg(long)]
    json: bool,
}

impl Traces {
    /// Reads map and traces, derives the queries, writes them, prints a summary.
    pub fn run(&self, console: &Console) -> Result<()> {
        self.check_files()?;
        let settings = self.settings()?;
        let imported = self.how.read_whole(self.map.as_ref(), console)?;
        let trips = read_traces(&self.files, console);
        console.clear();
        let trips = trips?;
        for note in trips.skips.notes() {
            console.note(&note);
        }
        let (mut queries, points) = match trips.kind {
            TraceKind::Brinkhoff => self.snap_reports(&imported.map, &trips, &settings, console),
            _ => self.match_trips(&imported.map, &trips, &settings, console)?,
        };
        if self.how.extent() == Extent::LargestPart
            && let Some(note) = connected::cut(&imported.map, &mut queries)?
        {
            console.note(&note);
        }
        if let Some(out) = &self.out {
            write(&imported.map, &queries, out)?;
        }
        let summary = TraceSummary { trips: &trips, queries: &queries, points };
        stdout::print(&if self.json {
            format!("{:#}\n", summary.as_json())
        } else {
            summary.as_table()
        })
    }

    /// Refuses outputs that would replace an input or each other.
    fn check_files(&self) -> Result<()> {
        let traces = self.files.iter().map(|path| NamedFile { option: "the traces", path });
        let inputs: Vec<_> = traces.chain(NamedFile::of_map(self.map.as_ref())).collect();
        let outputs = [("--out", &self.out), ("--routes", &self.routes)];
        distinct_files::check(&inputs, &NamedFile::given(&outputs))
    }

    fn settings(&self) -> Result<TraceSettings> {
        let mut settings = TraceSettings::new(&self.traffic.profile()?);
        if let Some(interval) = self.interval {
            settings = settings.every(interval);
        }
        settings.floor = settings.floor.max(Length::metres(self.least_dc));
        settings.k = self.traffic.k;
        settings.temporal_tolerance = self.traffic.dt;
        settings.seed = self.traffic.seed;
        Ok(settings)
    }

    fn snap_reports(
        &self,
        map: &StreetMap,
        trips: &Trips,
        settings: &TraceSettings,
        console: &Console,
    ) -> (TraceQueries, PointQuality) {
        if self.overlay.is_some() {
            console.note("--overlay is ignored: Brinkhoff traces already overlap in time");
        }
        if self.routes.is_some() {
            console.note("--routes is ignored: reports of Brinkhoff are not matched to routes");
        }
        console.begin("snapping", 0);
        let limit = (self.snap > 0.0).then_some(self.snap);
        let (queries, snapping) = queries_from(map, &trips::reported(trips), limit, settings);
        console.clear();
        (queries, PointQuality::Snapped(snapping))
    }

    fn match_trips(
        &self,
        map: &StreetMap,
        trips: &Trips,
        settings: &TraceSettings,
        console: &Console,
    ) -> Result<(TraceQueries, PointQuality)> {
        let mut sightings = trips::sightings(map, trips)?;
        if let Some(window) = self.overlay {
            overlay(sightings.iter_mut(), Duration::from_millis(window.into()));
        }
        let defaults = MatchSettings::default();
        let radius = if self.snap > 0.0 { self.snap } else { defaults.radius };
        console.begin("matching", sightings.len() as u64);
        let match_settings = MatchSettings { radius, ..defaults };
        let matched: Vec<Matched> =
            Matcher::match_all(map, match_settings, &sightings, &|done| console.advance(done));
        console.clear();
        if let Some(file) = &self.routes {
            let names = trips.trips.iter().map(|trip| trip.id.as_str());
            routes::write(map, names.zip(&matched), file)?;
        }
        let rows = trips.trips.iter().zip(&sightings).zip(&matched);
        let rows = rows.map(|((trip, sightings), matched)| MatchedTrip {
            name: &trip.id,
            sightings,
            matched,
        });
        let queries = queries_along(rows, settings);
        Ok((queries, PointQuality::Matched(Quality::of(map, &sightings, &matched))))
    }
}

fn write(map: &StreetMap, queries: &TraceQueries, out: &Path) -> Result<()> {
    let mut writer = QueryWriter::create(out)?;
    for query in &queries.queries {
        let user = &queries.names[query.user as usize];
        writer.write(&evaluation::simulated_record(map, query, user))?;
    }
    writer.finish()?;
    Ok(())
}
