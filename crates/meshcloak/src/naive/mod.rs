//! Reference implementations: each algorithm in its simplest form, for tests and for reading.

mod matching;

pub use matching::{assigned_places, components, hiding_places, is_satisfied};

use crate::cells::Cells;
use crate::constraint_graph::{ConstraintGraph, Coverage};
use crate::map::{Position, Snapped, Street, StreetId, StreetMap, TerminalId};
use crate::mesh::MeshKey;
use crate::query::{Query, QueryId};
use crate::units::{Length, Point};

/// Reference for [`StreetMap::snap`]: tests every segment of every street.
pub fn snap(map: &StreetMap, point: Point, limit: Option<f64>) -> Option<Snapped> {
    let all = map.streets().filter_map(|street| nearest_on(map, street, point));
    let best = all.reduce(|best, next| if next.0 < best.0 { next } else { best });
    let within = |squared: f64| limit.is_none_or(|metres| squared <= metres * metres);
    best.filter(|&(squared, _)| within(squared)).map(|(_, snapped)| snapped)
}

/// Reference for [`StreetMap::candidates`]: tests every segment of every street.
pub fn candidates(map: &StreetMap, point: Point, radius: f64) -> Vec<Snapped> {
    let all = map.streets().filter_map(|street| nearest_on(map, street, point));
    let mut near: Vec<_> = all.filter(|&(squared, _)| squared <= radius * radius).collect();
    near.sort_by(|a, b| a.0.total_cmp(&b.0));
    near.into_iter().map(|(_, snapped)| snapped).collect()
}

/// Returns the first of the nearest points of a street, and the square of its distance.
fn nearest_on(map: &StreetMap, street: StreetId, point: Point) -> Option<(f64, Snapped)> {
    let shape = map.shape(street);
    let whole: f64 = shape.windows(2).map(|pair| pair[0].distance(pair[1])).sum();
    let mut before = 0.0;
    let mut best: Option<(f64, Snapped)> = None;
    for pair in shape.windows(2) {
        let fraction = point.nearest_fraction(pair[0], pair[1]);
        let nearest = pair[0].towards(pair[1], fraction);
        let piece = pair[0].distance(pair[1]);
        let part = if whole > 0.0 { (before + piece * fraction) / whole } else { 0.0 };
        before += piece;
        let squared = nearest.distance_squared(point);
        if best.is_none_or(|(found, _)| squared < found) {
            let position = Position { street, offset: map.street(street).length.part(part) };
            best = Some((squared, Snapped { position, distance: nearest.distance(point) }));
        }
    }
    best
}

/// Returns which terminal reaches which, `reachability(map)[a][b]`, by Warshall's algorithm.
pub fn reachability(map: &StreetMap) -> Vec<Vec<bool>> {
    let count = map.terminal_count();
    let mut reach = vec![vec![false; count]; count];
    for terminal in map.terminals() {
        reach[terminal.index()][terminal.index()] = true;
        for arm in map.leaving(terminal) {
            reach[terminal.index()][arm.terminal.index()] = true;
        }
    }
    for middle in 0..count {
        for from in 0..count {
            for to in 0..count {
                reach[from][to] |= reach[from][middle] && reach[middle][to];
            }
        }
    }
    reach
}

/// Returns the distances between terminals, `terminal_distances(map)[a][b]`, by Floyd–Warshall.
pub fn terminal_distances(map: &StreetMap) -> Vec<Vec<Option<Length>>> {
    let count = map.terminal_count();
    let mut table = vec![vec![None; count]; count];
    let shorter = |old: Option<Length>, new: Length| Some(old.map_or(new, |old| old.min(new)));
    for street in map.streets() {
        let street = map.street(street);
        let (from, to) = (street.from.index(), street.to.index());
        table[from][to] = shorter(table[from][to], street.length);
        if !street.one_way {
            table[to][from] = shorter(table[to][from], street.length);
        }
    }
    for (terminal, row) in table.iter_mut().enumerate() {
        row[terminal] = Some(Length::ZERO);
    }
    for middle in 0..count {
        for from in 0..count {
            for to in 0..count {
                if let (Some(first), Some(second)) = (table[from][middle], table[middle][to]) {
                    table[from][to] = shorter(table[from][to], first + second);
                }
            }
        }
    }
    table
}

/// Reference for [`crate::distance::Atlas::distance`], without a bound: the shortest path over every
/// exit of `a`'s street and every entrance of `b`'s, or straight along a common street.
pub fn distance(
    map: &StreetMap,
    table: &[Vec<Option<Length>>],
    a: Position,
    b: Position,
) -> Option<Length> {
    let (from, to) = (map.street(a.street), map.street(b.street));
    let mut leave = vec![(from.to, from.length - a.offset)];
    if !from.one_way {
        leave.push((from.from, a.offset));
    }
    let mut enter = vec![(to.from, b.offset)];
    if !to.one_way {
        enter.push((to.to, to.length - b.offset));
    }
    let mut paths = Vec::new();
    for &(u, out) in &leave {
        for &(w, into) in &enter {
            paths.extend(table[u.index()][w.index()].map(|across| out + across + into));
        }
    }
    if a.street == b.street && b.offset >= a.offset {
        paths.push(b.offset - a.offset);
    }
    if a.street == b.street && a.offset >= b.offset && !from.one_way {
        paths.push(a.offset - b.offset);
    }
    paths.into_iter().min()
}

/// Reference for [`crate::constraint_graph::GraphBuilder`]: tests every pair of
/// indices in the waiting list (Algorithm 2 without an index).
pub fn edges(
    map: &StreetMap,
    table: &[Vec<Option<Length>>],
    coverage: Coverage,
    waiting: &[Query],
) -> Vec<(u32, u32)> {
    let mut edges = Vec::new();
    for (i, a) in waiting.iter().enumerate() {
        for (j, b) in waiting.iter().enumerate().skip(i + 1) {
            let there = distance(map, table, a.position, b.position);
            let back = distance(map, table, b.position, a.position);
            let (dc_a, dc_b) = (a.distance_constraint, b.distance_constraint);
            let (limit_there, limit_back) = match coverage {
                Coverage::Own => (dc_a, dc_b),
                Coverage::Both => (dc_a.min(dc_b), dc_a.min(dc_b)),
            };
            let within = |length: Option<Length>, limit| length.is_some_and(|d| d <= limit);
            if a.user != b.user && within(there, limit_there) && within(back, limit_back) {
                edges.push((i as u32, j as u32));
            }
        }
    }
    edges
}

/// Reference for [`crate::constraint_graph::GraphBuilder::build_in_cells`]: the edges between queries
/// in the same cell.
pub fn edges_in_cells(
    map: &StreetMap,
    table: &[Vec<Option<Length>>],
    coverage: Coverage,
    cells: &Cells,
    waiting: &[Query],
) -> Vec<(u32, u32)> {
    let cell = |index: u32| cells.of(waiting[index as usize].position.street);
    let edges = edges(map, table, coverage, waiting).into_iter();
    edges.filter(|&(a, b)| cell(a) == cell(b)).collect()
}

/// Reference for the guard of region `cell`: whether some cell holds every member and consists of
/// the streets of the region, by trying every cell.
pub fn is_one_cell(cells: &Cells, members: &[&Query], region: &[StreetId]) -> bool {
    cells.iter().any(|cell| {
        let is_inside = |query: &&Query| cells.streets(cell).contains(&query.position.street);
        members.iter().all(is_inside) && cells.streets(cell) == region
    })
}

/// Reference for the replacement in [`crate::engine::turn()`]: the queries that a later one of the
/// same user follows. `queries` are in order of arrival, none of them expired or cancelled.
pub fn replaced(queries: &[Query]) -> Vec<QueryId> {
    let is_followed = |(index, query): &(usize, &Query)| {
        queries[index + 1..].iter().any(|later| later.user == query.user)
    };
    queries.iter().enumerate().filter(is_followed).map(|(_, query)| query.id).collect()
}

/// Returns whether every two of `nodes` are adjacent.
pub fn is_clique(graph: &ConstraintGraph, nodes: &[u32]) -> bool {
    let adjacent = |a: u32, b: u32| graph.later(a).contains(&b) || graph.later(b).contains(&a);
    nodes.iter().all(|&a| nodes.iter().all(|&b| a == b || adjacent(a, b)))
}

/// Reference for [`crate::printed::maximal_cliques`]: cliques are grown node by node, and those to
/// which another node can be added are discarded. Sorted.
pub fn maximal_cliques(graph: &ConstraintGraph) -> Vec<Vec<u32>> {
    let nodes = graph.len() as u32;
    let mut cliques: Vec<Vec<u32>> = vec![Vec::new()];
    for node in 0..nodes {
        let with = |clique: &Vec<u32>| {
            let mut longer = clique.clone();
            longer.push(node);
            is_clique(graph, &longer).then_some(longer)
        };
        let longer: Vec<Vec<u32>> = cliques.iter().filter_map(with).collect();
        cliques.extend(longer);
    }
    let extends = |clique: &[u32], node: u32| {
        !clique.contains(&node) && is_clique(graph, &[clique, &[node]].concat())
    };
    cliques.retain(|clique| !clique.is_empty() && !(0..nodes).any(|node| extends(clique, node)));
    cliques.sort();
    cliques
}

/// Reference for [`crate::mesh::MeshBuilder`]: tests for every street whether a member can
/// enter it at a terminal nearer than its `dc` to an exit of its own street. Sorted.
pub fn cloaking_mesh(
    map: &StreetMap,
    table: &[Vec<Option<Length>>],
    members: &[MeshKey],
) -> Vec<StreetId> {
    let ends =
        |street: StreetId, first: fn(&Street) -> TerminalId, second: fn(&Street) -> TerminalId| {
            let street = map.street(street);
            let mut ends = vec![first(street)];
            if !street.one_way {
                ends.push(second(street));
            }
            ends
        };
    let reaches = |member: &MeshKey, street: StreetId| {
        let exits = ends(member.street, |street| street.to, |street| street.from);
        let entrances = ends(street, |street| street.from, |street| street.to);
        let near = |u: &TerminalId, v: &TerminalId| {
            table[u.index()][v.index()].is_some_and(|length| length < member.dc)
        };
        member.street == street || exits.iter().any(|u| entrances.iter().any(|v| near(u, v)))
    };
    map.streets().filter(|&street| members.iter().any(|m| reaches(m, street))).collect()
}

/// Reference for [`crate::grouping::Grouping`]: the largest total worth of disjoint groups, by
/// trying every partition of every set of nodes.
pub fn best_groups(
    graph: &ConstraintGraph,
    k: &[u32],
    worth: &[u32],
    counts: &impl Fn(u32, u32) -> bool,
) -> u64 {
    let all = 1_usize << graph.len();
    let nodes = |set: usize| (0..graph.len() as u32).filter(move |node| set >> node & 1 == 1);
    let group = |set: usize| {
        let nodes: Vec<u32> = nodes(set).collect();
        is_clique(graph, &nodes) && is_satisfied(&nodes, k, counts)
    };
    let groups: Vec<bool> = (0..all).map(group).collect();
    let mut best = vec![0_u64; all];
    for set in 1..all {
        let lowest = set & set.wrapping_neg();
        best[set] = best[set ^ lowest]; // the lowest node is not served
        let mut part = set;
        while part > 0 {
            if part & lowest > 0 && groups[part] {
                let worth: u64 = nodes(part).map(|node| u64::from(worth[node as usize])).sum();
                best[set] = best[set].max(worth + best[set ^ part]);
            }
            part = (part - 1) & set;
        }
    }
    best[all - 1]
}
