//! `meshcloak neighbours pir`: no trust at all, beside MeshCloak.

use super::output_args::OutputArgs;
use super::pir_users::{AskedSeconds, PirUsers};
use crate::map_args::{MAP_HELP, MapArgs};
use crate::parse::{days, positive_metres, positive_number};
use crate::picture_file::map_name;
use crate::progress::Console;
use crate::table::grouped;
use anyhow::{Result, bail};
use clap::Args;
use evaluation::neighbours::{Measures, Unit};
use import::{MapSource, Progress as _};
use meshcloak::distance::Atlas;
use meshcloak::engine::Engine;
use meshcloak::mesh_cloak::{RegionRule, Settings};
use meshcloak::units::Length;
use neighbours::cache::{AnswerSize, ContentGrid, stale_probability};
use neighbours::gateway_cost::{GatewayCost, RangeQuestions, measure};
use neighbours::pir::{CellTableSize, PirCost};
use rustix::time::{ClockId, clock_gettime};
use std::sync::Arc;
use std::time::Duration;

const SYSTEM: &str = "pir";
/// Largest `dc` of the simulated queries, in metres.
const DC_MAX: f64 = 2000.0;
/// Length of the cells of `serve`, in metres.
const CELL_METRES: f64 = 3000.0;
/// Side of the cells in which objects are searched, in metres.
const SEARCH_CELL: f64 = 500.0;

/// Arguments of `neighbours pir`.
#[derive(Debug, Args)]
#[command(after_help = "Three ways to ask about places: download the whole city once in a while; \
private information retrieval (YPIR), by which the service does not learn which cell it answers; \
MeshCloak, whose gateway has to be trusted. Measuring the retrieval needs a program built with \
`--features pir`; without it these rows are left out.

A cell holds all that a user in it needs; all cells have the same size. CPU times are of one thread \
of this machine. MeshCloak's server CPU is the sum of cloaking (engine), the service's search and the \
refinement of answers, for each answered question, without transport: `drive --bench` measures the \
whole gateway. Bytes of MeshCloak are those of its \
formats for these streets and objects, those of the retrieval are counted.

Examples:
  meshcloak neighbours pir
  meshcloak neighbours pir --cells 1000,10000 --cell-bytes 1000,20000 --json
  meshcloak neighbours pir porto.osm.pbf --pois PORTO_POIs.csv --users 20000 --out results
  meshcloak neighbours pir porto.osm.pbf --traces train_1500.csv.gz --overlay 300")]
pub struct Pir {
    #[arg(help = MAP_HELP)]
    map: Option<MapSource>,
    #[command(flatten)]
    how: MapArgs,
    #[command(flatten)]
    users: PirUsers,
    /// Numbers of cells of a city.
    #[arg(long, value_name = "N,…", value_delimiter = ',', default_values_t = [1000, 10_000], value_parser = clap::value_parser!(u32).range(1..))]
    cells: Vec<u32>,
    /// Bytes of a cell.
    #[arg(long, value_name = "BYTES,…", value_delimiter = ',', default_values_t = [1000, 20_000], value_parser = clap::value_parser!(u32).range(1..))]
    cell_bytes: Vec<u32>,
    /// Retrievals to measure for each size.
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=1000))]
    retrievals: u32,
    /// Range of a question to MeshCloak, in metres.
    #[arg(long, value_name = "METRES", default_value_t = 500.0, value_parser = positive_metres)]
    range: f64,
    /// Questions of a user per day.
    #[arg(long, value_name = "N", default_value_t = 10.0, value_parser = positive_number)]
    questions_per_day: f64,
    /// Time between two downloads of the city, in days.
    #[arg(long, value_name = "DAYS", default_value_t = 7.0, value_parser = days)]
    update: f64,
    /// Changes of an object per year.
    #[arg(long, value_name = "N", default_value_t = 0.2, value_parser = positive_number)]
    changes_per_year: f64,
    #[command(flatten)]
    output: OutputArgs,
}

/// MeshCloak's costs under one region rule.
struct GatewayCase {
    name: &'static str,
    cost: GatewayCost,
}

impl Pir {
    /// Measures all three ways, prints the measures.
    pub fn run(&self, console: &Console) -> Result<()> {
        let mut sizes = Vec::new();
        for &cells in &self.cells {
            for &cell_bytes in &self.cell_bytes {
                sizes.push(CellTableSize { cells, cell_bytes });
            }
        }
        sizes.iter().try_for_each(CellTableSize::check)?;
        let gateway = self.gateway(console)?;
        let costs = self.retrieve(&sizes, console)?;
        let measures = self.measures(&gateway, &costs);
        self.output.write(&measures.rows, &[])
    }

    /// Runs MeshCloak on the users.
    fn gateway(&self, console: &Console) -> Result<(String, Vec<GatewayCase>)> {
        let imported = self.how.read(self.map.as_ref(), console)?;
        let map = map_name(&imported);
        if imported.map.pois().len() == 0 {
            bail!("{map}: the map has no points of interest; add `--pois FILE`");
        }
        let size = AnswerSize { empty: 200, object: None };
        let grid = ContentGrid::new(&imported.map, SEARCH_CELL, size)?;
        let AskedSeconds { seconds, source } = self.users.read(&imported.map, console)?;
        console.begin("measuring distances", 0);
        let max_bytes = evaluation::provenance::Machine::detect().max_row_bytes();
        let dc_max = Length::metres(DC_MAX);
        let atlas = Arc::new(Atlas::with_max_bytes(imported.map, dc_max, max_bytes));
        // In advance, so that the time of the engine does not include it.
        atlas.fill();
        let cell = RegionRule::Cell(Length::metres(CELL_METRES));
        let rules = [
            ("MeshCloak, reciprocal, cell", cell),
            ("MeshCloak, reciprocal", RegionRule::default()),
        ];
        console.begin("cloaking", rules.len() as u64);
        let case = |(name, region): (&'static str, RegionRule)| {
            let settings = Settings { region, ..Settings::default() };
            let mut engine = Engine::new(Arc::clone(&atlas), settings);
            let questions = RangeQuestions { grid: &grid, size, range: self.range };
            let cost = measure(&mut engine, &seconds, &questions, &process_time);
            console.advance(1);
            GatewayCase { name, cost }
        };
        let cases = rules.into_iter().map(case).collect();
        console.clear();
        Ok((format!("{map}, {source}"), cases))
    }

    #[cfg(feature = "pir")]
    fn retrieve(
        &self,
        sizes: &[CellTableSize],
        console: &Console,
    ) -> Result<Vec<(CellTableSize, Option<PirCost>)>> {
        console.begin("retrieving", sizes.len() as u64);
        let cost = |&size: &CellTableSize| {
            let session = neighbours::pir::PirSession::new(size, self.users.traffic.seed)?;
            let cost = session.measure(self.retrievals)?;
            console.advance(1);
            Ok((size, Some(cost)))
        };
        let costs = sizes.iter().map(cost).collect();
        console.clear();
        costs
    }

    #[cfg(not(feature = "pir"))]
    fn retrieve(
        &self,
        sizes: &[CellTableSize],
        console: &Console,
    ) -> Result<Vec<(CellTableSize, Option<PirCost>)>> {
        console.note("this program was built without the feature `pir`; its rows are left out");
        Ok(sizes.iter().map(|&size| (size, None)).collect())
    }
}

/// CPU time of this process.
fn process_time() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec.unsigned_abs() as u32)
}

fn name(size: &CellTableSize) -> String {
    let cells = grouped(size.cells.into());
    format!("{cells} cells of {} kB", f64::from(size.cell_bytes) / 1000.0)
}

impl Pir {
    fn measures(
        &self,
        (source, gateway): &(String, Vec<GatewayCase>),
        costs: &[(CellTableSize, Option<PirCost>)],
    ) -> Measures {
        let Pir { range, questions_per_day, update, changes_per_year, .. } = self;
        let setting = format!(
            "questions within {range} m, {questions_per_day} per day, city downloaded every \
             {update} d, {changes_per_year} changes of an object per year"
        );
        let mut measures = Measures::new(SYSTEM, source, &setting);
        let table = measures.table("per answered question");
        for case in gateway {
            put_gateway(table, case);
        }
        for (size, cost) in costs {
            self.put_download(table, size);
            if let Some(cost) = cost {
                put_retrieval(table, size, cost);
            }
        }
        for (size, cost) in costs {
            put_once(measures.table("once"), size, cost.as_ref());
        }
        put_published(measures.table("published, not measured here"));
        measures
    }

    fn put_download(&self, table: &mut Measures, size: &CellTableSize) {
        let case = format!("download the city, {}", name(size));
        let questions = self.questions_per_day * self.update;
        let bytes = size.bytes() as f64 / questions;
        table.put(&case, "answered", Unit::Share, 1.0);
        table.put(&case, "user sends", Unit::Bytes, 0.0);
        table.put(&case, "user receives", Unit::Bytes, bytes);
        table.put(&case, "service receives", Unit::Bytes, 0.0);
        table.put(&case, "service sends", Unit::Bytes, bytes);
        let rate = self.changes_per_year / 365.25;
        table.put(&case, "stale objects", Unit::Share, stale_probability(1.0, rate, self.update));
    }
}

fn put_gateway(table: &mut Measures, GatewayCase { name, cost }: &GatewayCase) {
    table.put(name, "answered", Unit::Share, cost.answered.value());
    table.put(name, "user sends", Unit::Bytes, cost.user_upload.value());
    table.put(name, "user receives", Unit::Bytes, cost.user_download.value());
    table.put(name, "service receives", Unit::Bytes, cost.service_upload.value());
    table.put(name, "service sends", Unit::Bytes, cost.service_download.value());
    for (measure, time) in [
        ("server CPU", cost.server()),
        ("engine CPU", cost.engine),
        ("search CPU", cost.search),
        ("refinement CPU", cost.refinement),
    ] {
        table.put(name, measure, Unit::Milliseconds, cost.ms_per_answer(time));
    }
    table.put(name, "user CPU", Unit::Milliseconds, None);
    table.put(name, "stale objects", Unit::Share, 0.0);
}

fn put_retrieval(table: &mut Measures, size: &CellTableSize, cost: &PirCost) {
    let case = format!("retrieval, {}", name(size));
    table.put(&case, "answered", Unit::Share, 1.0);
    table.put(&case, "user sends", Unit::Bytes, cost.upload);
    table.put(&case, "user receives", Unit::Bytes, cost.download);
    table.put(&case, "service receives", Unit::Bytes, cost.upload);
    table.put(&case, "service sends", Unit::Bytes, cost.download);
    table.put(&case, "server CPU", Unit::Milliseconds, cost.server_seconds * 1000.0);
    table.put(&case, "user CPU", Unit::Milliseconds, cost.client_seconds * 1000.0);
    table.put(&case, "stale objects", Unit::Share, 0.0);
}

fn put_once(table: &mut Measures, size: &CellTableSize, cost: Option<&PirCost>) {
    let case = name(size);
    table.put(&case, "city", Unit::Bytes, size.bytes() as f64);
    if let Some(cost) = cost {
        let setup = cost.setup_seconds;
        table.put(&case, "retrieval: CPU after a change", Unit::Seconds, setup);
        let even = size.bytes() as f64 / (cost.upload + cost.download);
        table.put(&case, "retrievals that cost as much as the city", Unit::Number, even);
    }
}

/// Figures of the abstracts of "Scalable Private Search with Wally" (arXiv 2406.06761).
fn put_published(table: &mut Measures) {
    let case = "Wally, first version: 3,000 queries/s for 3.2 million entries";
    table.put(case, "queries per second", Unit::Count, 3000.0);
    let case = "Wally, fifth version: 8 million queries in 117 minutes";
    table.put(case, "queries per second", Unit::Count, 8e6 / (117.0 * 60.0));
}
