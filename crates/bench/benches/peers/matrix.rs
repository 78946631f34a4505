//! Distance matrix M(1000 m) (Algorithm 1); answer: number of pairs.

use crate::bounded_search::BoundedSearch;
use crate::table::Table;
use meshcloak::distance::DistanceMatrix;
use meshcloak::map::StreetMap;
use meshcloak::units::Length;

pub fn measure(table: &mut Table) {
    let map = bench::oldenburg();
    let task = "distance matrix, 1000 m";
    let limit = Length::metres(1_000.0);
    let head = [map.terminal_count() as u32, limit.units(), 0];
    let all = std::iter::once(head).chain(arcs(&map));
    table.write(&format!("{task}.u32"), all.flatten().map(u32::to_le_bytes));
    table.measure(task, || DistanceMatrix::new(&map, limit).pair_count() as f64);
    table.measure_peer(task, "flat arrays, as RoutingKit", || {
        let search = BoundedSearch::new(map.terminal_count(), arcs(&map));
        search.rows(limit.units()).pair_count() as f64
    });
}

/// Iterates over the arcs of a map: from, to, length in 1/32 m.
pub fn arcs(map: &StreetMap) -> impl Iterator<Item = [u32; 3]> {
    map.terminals().flat_map(move |terminal| {
        let arms = map.leaving(terminal).iter();
        arms.map(move |arm| [terminal.0, arm.terminal.0, map.street(arm.street).length.units()])
    })
}
