//! Algorithm 3 as printed and as we read it, against the streets one can truly enter.

use crate::{EVERY, Tape, percent};
use meshcloak::distance::{Atlas, Search, Ways};
use meshcloak::map::{Position, StreetId, StreetMap};
use meshcloak::mesh::{MeshBuilder, MeshKey, MeshRule};
use meshcloak::query::Query;
use meshcloak::units::Length;
use std::sync::Arc;

/// While this many seconds everyone is still there, so those who ask often ask most.
const EARLY: usize = 100;

/// What was seen of the expanding meshes of some queries.
#[derive(Default)]
struct Tally {
    asked: usize,
    /// Printed misses a street that can be entered.
    misses: usize,
    /// Printed misses a street that can be walked from end to end.
    misses_whole: usize,
    misses_reach: usize,
    adds: usize,
    missed: f64,
    added: f64,
    /// Metres that can be reached, of `Reach`, of printed.
    lengths: [f64; 3],
}

/// Looks at the meshes of one in [`EVERY`] batches.
pub fn meshes(atlas: &Arc<Atlas>, tape: &Tape) {
    let (mut all, mut early) = (Tally::default(), Tally::default());
    let mut truth = Truth::new(atlas.map());
    let mut builders =
        [MeshRule::Printed, MeshRule::Reach].map(|rule| MeshBuilder::new(Arc::clone(atlas), rule));
    for (second, batch) in tape.iter().enumerate().step_by(EVERY) {
        for query in batch {
            let seen = look(query, &mut truth, &mut builders);
            if second < EARLY {
                early.add(&seen);
            }
            all.add(&seen);
        }
    }
    all.print();
    println!(
        "  in the first {EARLY} s: misses {:.1} %, has an unreachable one {:.1} %",
        percent(early.misses, early.asked),
        percent(early.adds, early.asked)
    );
}

fn look(query: &Query, truth: &mut Truth<'_>, builders: &mut [MeshBuilder; 2]) -> Tally {
    let map = truth.map;
    let dc = query.distance_constraint;
    let member = MeshKey { street: query.position.street, dc };
    let [printed, reach] = builders.each_mut().map(|builder| {
        let mut mesh = Vec::new();
        builder.cloaking_mesh([member].into_iter(), &mut mesh);
        mesh
    });
    let (truly, whole) = truth.streets(query.position, dc);
    let metres = |streets: &[StreetId]| streets.iter().map(|&s| map.metres(s)).sum::<f64>();
    let lost = without(map, &truly, &printed);
    let extra = without(map, &printed, &truly);
    Tally {
        asked: 1,
        misses: usize::from(!lost.is_empty()),
        misses_whole: usize::from(!without(map, &whole, &printed).is_empty()),
        misses_reach: usize::from(!without(map, &truly, &reach).is_empty()),
        adds: usize::from(!extra.is_empty()),
        missed: metres(&lost),
        added: metres(&extra),
        lengths: [&truly, &reach, &printed].map(|streets| metres(streets)),
    }
}

impl Tally {
    fn add(&mut self, other: &Tally) {
        self.asked += other.asked;
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
             walked whole for {:.1} %, has an unreachable one for {:.1} %; reach misses one for \
             {:.1} %",
            self.asked,
            percent(self.misses, self.asked),
            percent(self.misses_whole, self.asked),
            percent(self.adds, self.asked),
            percent(self.misses_reach, self.asked)
        );
        let mean = |sum: f64| sum / f64::from(self.asked as u32).max(1.0);
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

/// Those of `streets` that are not among `others`.
fn without(map: &StreetMap, streets: &[StreetId], others: &[StreetId]) -> Vec<StreetId> {
    let mut there = vec![false; map.street_count()];
    others.iter().for_each(|street| there[street.index()] = true);
    streets.iter().copied().filter(|street| !there[street.index()]).collect()
}

/// The streets one can set foot on from a position, offset and all.
struct Truth<'a> {
    map: &'a StreetMap,
    ways: Ways,
    search: Search,
}

impl Truth<'_> {
    fn new(map: &StreetMap) -> Truth<'_> {
        Truth { map, ways: Ways::forward(map), search: Search::new(map.terminal_count()) }
    }

    /// The streets that can be entered, and those of them that can be walked from end to end.
    fn streets(&mut self, from: Position, dc: Length) -> (Vec<StreetId>, Vec<StreetId>) {
        let (mut streets, mut whole) = (vec![from.street], Vec::new());
        let nearer = dc.checked_sub(Length::UNIT).unwrap_or(Length::ZERO);
        self.search.run(&self.ways, self.map.exits(from), nearer, |terminal, behind| {
            for arm in self.map.leaving(terminal) {
                streets.push(arm.street);
                if behind + self.map.street(arm.street).length <= dc {
                    whole.push(arm.street);
                }
            }
        });
        streets.sort_unstable();
        streets.dedup();
        (streets, whole)
    }
}
