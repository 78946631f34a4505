//! Selection of sections, maps and configurations by `MESHCLOAK_BENCH`.

use bench::{CONFIGURATIONS, NamedMap, WorkloadConfiguration};

/// Whether `MESHCLOAK_BENCH` contains `name`, or none of `all`.
pub fn is_selected(name: &str, all: &[&str]) -> bool {
    let selection = std::env::var("MESHCLOAK_BENCH").unwrap_or_default();
    selection.contains(name) || !all.iter().any(|other| selection.contains(other))
}

/// The selected maps.
pub fn maps() -> Vec<NamedMap> {
    let mut maps = bench::maps();
    maps.retain(|map| is_selected(map.name, &["Oldenburg", "Paris", "Porto"]));
    maps
}

/// The selected configurations.
pub fn configurations() -> impl Iterator<Item = WorkloadConfiguration> {
    let all = CONFIGURATIONS.map(WorkloadConfiguration::label);
    CONFIGURATIONS.into_iter().filter(move |configuration| {
        is_selected(&configuration.label(), &all.each_ref().map(String::as_str))
    })
}
