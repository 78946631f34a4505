//! Length of cells on real maps, and the cost of regions made of them compared with regions of
//! reachable streets.
//!
//! `MESHCLOAK_MAPS=FOLDER cargo run --release -p bench --example cells [AGENTS]` describes the cells
//! of Oldenburg, Paris and Porto and simulates agents in Oldenburg; without the folder both in the
//! built-in city. P1-3-5, uniform places, one thread.

use bench::{ReplayState, WorkloadConfiguration, agents_and_seed, batches, in_pool, maps};
use meshcloak::cells::Cells;
use meshcloak::distance::Atlas;
use meshcloak::guarantee::Guarantee;
use meshcloak::map::{StreetId, StreetMap};
use meshcloak::mesh_cloak::{MeshCloak, RegionRule, Settings};
use meshcloak::query::Query;
use meshcloak::units::{Length, Point};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Measured cell lengths in metres.
const LENGTHS: [f64; 3] = [1200.0, 600.0, 300.0];

/// The region of every n-th served query is measured.
const SAMPLING: usize = 20;

fn main() {
    let (agents, _) = agents_and_seed(std::env::args().skip(1));
    let maps: Vec<StreetMap> = maps().iter().map(bench::NamedMap::read).collect();
    println!("streets  cells of  cells  0.5–1.5  shorter  longer  shortest  longest  across    ms");
    for map in &maps {
        LENGTHS.iter().for_each(|&metres| describe(map, metres));
    }
    in_pool(1, || compare(&maps[0], agents));
}

/// Prints the distribution of cell lengths and the mean diameter.
fn describe(map: &StreetMap, metres: f64) {
    let start = Instant::now();
    let cells = Cells::new(map, Length::metres(metres));
    let spent = start.elapsed();
    let length = |cell| cells.streets(cell).iter().map(|&street| map.metres(street)).sum::<f64>();
    let lengths: Vec<f64> = cells.iter().map(length).collect();
    let share = |is_counted: &dyn Fn(f64) -> bool| {
        100.0 * lengths.iter().filter(|length| is_counted(**length / metres)).count() as f64
            / lengths.len() as f64
    };
    let diameters: f64 = cells.iter().map(|cell| diameter(map, cells.streets(cell))).sum();
    println!(
        "{:7}  {metres:8} {:6} {:6.1} % {:6.1} % {:5.1} % {:9.0} {:8.0} {:7.0} {:5.0}",
        map.street_count(),
        cells.count(),
        share(&|part| (0.5..=1.5).contains(&part)),
        share(&|part| part < 0.5),
        share(&|part| part > 1.5),
        lengths.iter().copied().fold(f64::MAX, f64::min),
        lengths.iter().copied().fold(0.0, f64::max),
        diameters / cells.count() as f64,
        spent.as_secs_f64() * 1e3,
    );
}

/// Largest straight-line distance between two shape points of the streets. Quadratic.
fn diameter(map: &StreetMap, streets: &[StreetId]) -> f64 {
    let points: Vec<Point> = streets.iter().flat_map(|&id| map.shape(id)).copied().collect();
    let mut max: f64 = 0.0;
    for (index, a) in points.iter().enumerate() {
        max = points[index..].iter().map(|b| a.distance(*b)).fold(max, f64::max);
    }
    max
}

/// Compares regions of reachable streets with regions of cells.
fn compare(map: &StreetMap, agents: u32) {
    let configuration = WorkloadConfiguration::new("p1", 3, 5);
    let dc_max = configuration.profile().largest_constraint();
    let atlas = Arc::new(Atlas::new(map.clone(), dc_max));
    let recording = configuration.record(map, agents, 1);
    println!("\nguarantee   region       success  metres          µs  worst ms");
    for guarantee in [Guarantee::Paper, Guarantee::Reciprocal, Guarantee::History] {
        let cells = LENGTHS.map(|metres| RegionRule::Cells(Length::metres(metres)));
        for region in [RegionRule::default()].into_iter().chain(cells) {
            replay(&atlas, &recording, Settings { guarantee, region, ..Settings::default() });
        }
    }
}

fn replay(atlas: &Arc<Atlas>, recording: &[Vec<Query>], settings: Settings) {
    let mut scheme = MeshCloak::new(Arc::clone(atlas), settings);
    let mut replay = ReplayState::new(&scheme);
    let (mut served, mut expired, mut metres, mut sampled) = (0, 0, 0.0, 0);
    let (mut spent, mut worst) = (Duration::ZERO, Duration::ZERO);
    for mut batch in batches(recording) {
        replay.record(&mut batch);
        let start = Instant::now();
        let done = replay.turn(&mut scheme, batch, &mut ());
        spent += start.elapsed();
        worst = worst.max(start.elapsed());
        served += done.served.len();
        expired += done.expired.len();
        assert_eq!(done.published.stats.rejected.total(), 0, "the guard rejected a set");
        for (_, set) in done.served.iter().step_by(SAMPLING) {
            metres += done.published.set(*set).region.metres(atlas.map());
            sampled += 1;
        }
    }
    let region = match settings.region {
        RegionRule::Mesh(_) => "reach".to_owned(),
        RegionRule::Cell(length) => format!("cell of {} m", length.as_metres()),
        RegionRule::Cells(length) => format!("cells, {} m", length.as_metres()),
    };
    println!(
        "{:11} {region:11} {:7.2} % {:6.0} {:11.2} {:9.1}",
        format!("{:?}", settings.guarantee).to_lowercase(),
        100.0 * served as f64 / (served + expired).max(1) as f64,
        metres / f64::from(sampled.max(1)),
        spent.as_secs_f64() * 1e6 / (served + expired).max(1) as f64,
        worst.as_secs_f64() * 1e3,
    );
}
