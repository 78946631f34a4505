//! On which maps, and what people ask there.

use import::{MapSource, Options};
use meshcloak::map::StreetMap;
use meshcloak::query::Query;
use std::path::PathBuf;
use traffic::{Profile, Simulation};

/// The farthest that anybody of these profiles gets between two queries.
pub const DC_MAX: f64 = 1_500.0;

/// What `MESHCLOAK_BENCH` names, as in `MESHCLOAK_BENCH="pipelines Oldenburg"`; all if it names no
/// such thing.
pub fn wanted(name: &str, all: &[&str]) -> bool {
    let only = std::env::var("MESHCLOAK_BENCH").unwrap_or_default();
    only.contains(name) || !all.iter().any(|other| only.contains(other))
}

pub fn maps() -> Vec<(&'static str, MapSource)> {
    let Some(maps) = std::env::var_os("MESHCLOAK_MAPS").map(PathBuf::from) else {
        println!("(MESHCLOAK_MAPS is not set: the built-in city stands for real ones)");
        return vec![("built-in city", MapSource::default())];
    };
    [
        ("Oldenburg", "oldenburg/oldenburgGen.node"),
        ("Paris", "paris/paris.nodes.csv.gz"),
        ("Porto", "porto/porto-city.osm.pbf"),
    ]
    .into_iter()
    .filter(|(name, _)| wanted(name, &["Oldenburg", "Paris", "Porto"]))
    .map(|(name, path)| (name, MapSource::File(maps.join(path))))
    .collect()
}

pub fn read(source: &MapSource) -> StreetMap {
    import::read_map(source, &Options::default(), &()).expect("the map can be read").map
}

/// A configuration of the paper: profile, largest k and patience in seconds.
pub type Setting = (&'static str, u32, u32);

/// Those that are compared.
pub const CONFIGURATIONS: [Setting; 5] =
    [("p1", 5, 3), ("p1", 5, 5), ("p1", 10, 3), ("p2", 5, 3), ("p2", 10, 10)];

pub fn label((profile, k, dt): Setting) -> String {
    format!("{}-{dt}-{k}", profile.to_uppercase())
}

/// What people ask, second by second; the uniform places of the paper.
pub fn tape(map: &StreetMap, users: u32, (profile, k, dt): Setting) -> Vec<Vec<Query>> {
    let profile = Profile::named(profile).expect("built in").with_uniform_places();
    let settings = traffic::Settings { users, k: (2, k), temporal_tolerance: dt * 1_000, seed: 1 };
    Simulation::new(map, &profile, settings).tape()
}

/// The configurations that `MESHCLOAK_BENCH` names; all if it names none.
pub fn settings() -> impl Iterator<Item = Setting> {
    let all = CONFIGURATIONS.map(label);
    let named =
        move |setting: &Setting| wanted(&label(*setting), &all.each_ref().map(String::as_str));
    CONFIGURATIONS.into_iter().filter(named)
}
