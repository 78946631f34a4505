//! Meshes of Algorithm 3, as printed and as specified, compared with the streets that can be entered.

use crate::{SAMPLING, percent};
use bench::Recording;
use meshcloak::distance::{Arcs, Atlas, Search};
use meshcloak::map::{Position, StreetId, StreetMap};
use meshcloak::mesh::{MeshBuilder, MeshKey, MeshRule};
use meshcloak::query::Query;
use meshcloak::units::Length;
use std::sync::Arc;

/// Seconds in which all agents are still present, so agents with short query intervals dominate.
const EARLY: usize = 100;

/// Measurements of the expanding meshes of some queries.
#[derive(Default)]
struct Tally {
    queries: usize,
    /// Queries for which the printed mesh misses a street that can be entered.
    misses: usize,
    /// Queries for which the printed mesh misses a street that can be traversed completely.
    misses_whole: usize,
    /// Queries for which the `reach` mesh misses a street that can be entered.
    misses_reach: usize,
    /// Queries for which the printed mesh holds an unreachable street.
    adds: usize,
    /// Metres missed by the printed mesh.
    missed: f64,
    /// Unreachable metres of the printed mesh.
    added: f64,
    /// Metres that can be reached, of the `reach` mesh, of the printed mesh.
    lengths: [f64; 3],
}

/// Measures the meshes of every [`SAMPLING`]th batch.
pub fn meshes(atlas: &Arc<Atlas>, recording: &Recording) {
    let (mut all, mut early) = (Tally::default(), Tally::default());
    let mut exact = ExactReach::new(atlas.map());
    let mut builders =
        [MeshRule::Printed, MeshRule::Reach].map(|rule| MeshBuilder::new(Arc::clone(atlas), rule));
    for (second, batch) in recording.iter().enumerate().step_by(SAMPLING) {
        for query in batch {
            let tally = measure(query, &mut exact, &mut builders);
            if second < EARLY {
                early.add(&tally);
            }
            all.add(&tally);
        }
    }
    all.print();
    println!(
        "  in the first {EARLY} s: misses {:.1} %, has an unreachable one {:.1} %",
        percent(early.misses, early.queries),
        percent(early.adds, early.queries)
    );
}

fn measure(query: &Query, exact: &mut ExactReach<'_>, builders: &mut [MeshBuilder; 2]) -> Tally {
    let map = exact.map;
    let dc = query.distance_constraint;
    let member = MeshKey { street: query.position.street, dc };
    let [printed, reach] = builders.each_mut().map(|builder| {
        let mut mesh = Vec::new();
        builder.cloaking_mesh([member].into_iter(), &mut mesh);
        mesh
    });
    let (reachable, whole) = exact.streets(query.position, dc);
    let metres = |streets: &[StreetId]| streets.iter().map(|&s| map.metres(s)).sum::<f64>();
    let lost = without(map, &reachable, &printed);
    let extra = without(map, &printed, &reachable);
    Tally {
        queries: 1,
        misses: usize::from(!lost.is_empty()),
        misses_whole: usize::from(!without(map, &whole, &printed).is_empty()),
        misses_reach: usize::from(!without(map, &reachable, &reach).is_empty()),
        adds: usize::from(!extra.is_empty()),
        missed: metres(&lost),
        added: metres(&extra),
        lengths: [&reachable, &reach, &printed].map(|streets| metres(streets)),
    }
}

impl Tally {
    fn add(&mut self, other: &Tally) {
        self.queries += other.queries;
        self.misses += other.misses;
        self.misses_whole += other.misses_whole;
        self.misses_reach += other.misses_reach;
        self.adds += other.adds;
        self.missed += other.missed;
        self.added += other.added;
        for (sum, metres) in self.lengths.iter_mut().zip(other.lengths) {
            *sum += metres;
        }
    }

    fn print(&self) {
        println!(
            "  EMesh of {} queries: printed misses a reachable street for {:.1} %, one that can be \
             traversed completely for {:.1} %, has an unreachable one for {:.1} %; reach misses one for \
             {:.1} %",
            self.queries,
            percent(self.misses, self.queries),
            percent(self.misses_whole, self.queries),
            percent(self.adds, self.queries),
            percent(self.misses_reach, self.queries)
        );
        let mean = |sum: f64| sum / f64::from(self.queries as u32).max(1.0);
        println!(
            "  mean metres: reachable {:.0}, reach {:.0}, printed {:.0} (of reachable missed \
             {:.0}, unreachable {:.0})",
            mean(self.lengths[0]),
            mean(self.lengths[1]),
            mean(self.lengths[2]),
            mean(self.missed),
            mean(self.added)
        );
    }
}

/// Returns the streets that are not among `others`.
fn without(map: &StreetMap, streets: &[StreetId], others: &[StreetId]) -> Vec<StreetId> {
    let mut is_other = vec![false; map.street_count()];
    others.iter().for_each(|street| is_other[street.index()] = true);
    streets.iter().copied().filter(|street| !is_other[street.index()]).collect()
}

/// Search for the streets that can be entered from a position, by exact offset.
struct ExactReach<'a> {
    map: &'a StreetMap,
    arcs: Arcs,
    search: Search,
}

impl ExactReach<'_> {
    fn new(map: &StreetMap) -> ExactReach<'_> {
        ExactReach { map, arcs: Arcs::forward(map), search: Search::new(map.terminal_count()) }
    }

    /// Returns the streets that can be entered, and those that can be traversed completely.
    fn streets(&mut self, from: Position, dc: Length) -> (Vec<StreetId>, Vec<StreetId>) {
        let (mut streets, mut whole) = (vec![from.street], Vec::new());
        let radius = dc.checked_sub(Length::UNIT).unwrap_or(Length::ZERO);
        self.search.run(&self.arcs, self.map.exits(from), radius, |terminal, travelled| {
            for arm in self.map.leaving(terminal) {
                streets.push(arm.street);
                if travelled + self.map.street(arm.street).length <= dc {
                    whole.push(arm.street);
                }
            }
        });
        streets.sort_unstable();
        streets.dedup();
        (streets, whole)
    }
}
