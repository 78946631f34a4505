//! What cells are like, and what they cost: how long they are on real maps, and the regions of
//! `reciprocal` made of them beside those that members can reach.
//!
//! `MESHCLOAK_MAPS=FOLDER cargo run --release -p traffic --example cells [PEOPLE]` looks at
//! Oldenburg, Paris and Porto, and lets people live in Oldenburg; without that folder in the
//! built-in city. P1, patience 3 s, k up to 5, every street alike, on one thread.

use import::{MapSource, Options};
use meshcloak::cells::{CellRule, Cells};
use meshcloak::distance::Atlas;
use meshcloak::engine::{Batch, turn};
use meshcloak::guarantee::Guarantee;
use meshcloak::history::LastPositions;
use meshcloak::map::{StreetId, StreetMap};
use meshcloak::mesh_cloak::{MeshCloak, RegionRule, Settings as Scheme};
use meshcloak::query::Query;
use meshcloak::scheme::{Scheme as _, State};
use meshcloak::units::{Length, Point, Time};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};
use traffic::{Profile, Settings, Simulation};

const LENGTHS: [f64; 3] = [1200.0, 600.0, 300.0];

fn main() {
    let people = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(100_000);
    let folder = std::env::var_os("MESHCLOAK_MAPS").map(PathBuf::from);
    let maps = folder.map(|folder| {
        ["oldenburg/oldenburgGen.node", "paris/paris.nodes.csv.gz", "porto/porto-city.osm.pbf"]
            .map(|file| MapSource::File(folder.join(file)))
            .to_vec()
    });
    let maps = maps.unwrap_or_else(|| vec![MapSource::default()]);
    let read = |source| import::read_map(source, &Options::default(), &());
    let maps: Vec<StreetMap> = maps
        .iter()
        .map(|source| read(source).unwrap_or_else(|error| panic!("{error}")).map)
        .collect();
    println!("streets  cells of  cells  0.5–1.5  shorter  longer  shortest  longest  across    ms");
    for map in &maps {
        LENGTHS.iter().for_each(|&metres| describe(map, metres));
    }
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("one thread");
    one.install(|| compare(&maps[0], people));
}

/// How long cells are, and how far apart their farthest ends in the plane.
fn describe(map: &StreetMap, metres: f64) {
    let begun = Instant::now();
    let cells = Cells::new(map, Length::metres(metres));
    let spent = begun.elapsed();
    let length = |cell| cells.streets(cell).iter().map(|&street| map.metres(street)).sum::<f64>();
    let lengths: Vec<f64> = cells.iter().map(length).collect();
    let share = |wanted: &dyn Fn(f64) -> bool| {
        100.0 * lengths.iter().filter(|length| wanted(**length / metres)).count() as f64
            / lengths.len() as f64
    };
    let across: f64 = cells.iter().map(|cell| across(map, cells.streets(cell))).sum();
    println!(
        "{:7}  {metres:8} {:6} {:6.1} % {:6.1} % {:5.1} % {:9.0} {:8.0} {:7.0} {:5.0}",
        map.street_count(),
        cells.count(),
        share(&|part| (0.5..=1.5).contains(&part)),
        share(&|part| part < 0.5),
        share(&|part| part > 1.5),
        lengths.iter().copied().fold(f64::MAX, f64::min),
        lengths.iter().copied().fold(0.0, f64::max),
        across / cells.count() as f64,
        spent.as_secs_f64() * 1e3,
    );
}

/// How far apart the farthest two points of some streets are.
fn across(map: &StreetMap, streets: &[StreetId]) -> f64 {
    let points: Vec<Point> = streets.iter().flat_map(|&id| map.shape(id)).copied().collect();
    let mut most: f64 = 0.0;
    for (place, a) in points.iter().enumerate() {
        most = points[place..].iter().map(|b| a.distance(*b)).fold(most, f64::max);
    }
    most
}

/// Regions that members can reach, and regions of cells.
fn compare(map: &StreetMap, people: u32) {
    let settings =
        Settings { users: people, k: (2, 5), temporal_tolerance: 3000, ..Settings::default() };
    let profile = Profile::named("p1").expect("it is built in").with_uniform_places();
    let atlas = Arc::new(Atlas::new(map.clone(), profile.largest_constraint()));
    let tape = Simulation::new(map, &profile, settings).tape();
    println!("\nguarantee   region       success  metres          µs  worst ms");
    for guarantee in [Guarantee::Paper, Guarantee::Reciprocal, Guarantee::History] {
        let cells = LENGTHS.map(|metres| CellRule { length: Length::metres(metres), least: 1 });
        let least = CellRule { least: 3, ..cells[1] };
        let cells = cells.into_iter().chain([least]).map(RegionRule::Cells);
        for region in [RegionRule::default()].into_iter().chain(cells) {
            run(&atlas, &tape, Scheme { guarantee, region, ..Scheme::default() });
        }
    }
}

fn run(atlas: &Arc<Atlas>, tape: &[Vec<Query>], settings: Scheme) {
    let mut scheme = MeshCloak::new(Arc::clone(atlas), settings);
    let mut state = State::default();
    let mut positions = scheme.history_horizon().map(LastPositions::new);
    let (mut served, mut expired, mut metres, mut looked_at) = (0, 0, 0.0, 0);
    let (mut spent, mut worst) = (Duration::ZERO, Duration::ZERO);
    for second in 0..tape.len() + 12 {
        let now = Time::from_millis(second as u64 * 1000);
        let arrivals = tape.get(second).cloned().unwrap_or_default();
        let begun = Instant::now();
        if let Some(positions) = &mut positions {
            positions.record_all(&arrivals, &mut state.history);
        }
        let batch = Batch { now, arrivals, cancelled: Vec::new() };
        let done = turn(&mut scheme, &mut state, batch, &mut ());
        spent += begun.elapsed();
        worst = worst.max(begun.elapsed());
        served += done.served.len();
        expired += done.expired.len();
        assert_eq!(done.published.stats.rejected.total(), 0, "the guard held a set back");
        for (_, set) in done.served.iter().step_by(20) {
            metres += done.published.set(*set).region.metres(atlas.map());
            looked_at += 1;
        }
    }
    let region = match settings.region {
        RegionRule::Mesh(_) => "reach".to_owned(),
        RegionRule::Cells(rule) => format!("{} m, {}+", rule.length.as_metres(), rule.least),
    };
    println!(
        "{:11} {region:11} {:7.2} % {:6.0} {:11.2} {:9.1}",
        format!("{:?}", settings.guarantee).to_lowercase(),
        100.0 * served as f64 / (served + expired).max(1) as f64,
        metres / f64::from(looked_at.max(1)),
        spent.as_secs_f64() * 1e6 / (served + expired).max(1) as f64,
        worst.as_secs_f64() * 1e3,
    );
}
