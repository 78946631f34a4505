//! A: reachability. Keeps the streets of the region that the target can have reached at its top speed,
//! and from which it can have continued to the next region.
//!
//! At L1 the target starts in its previous region; at L2 at its exact previous position.

use crate::attack::{Attack, Level};
use crate::posterior::{Piece, Posterior};
use crate::street_search::{SearchDirection, StreetInterval, StreetSearch};
use crate::view::View;
use meshcloak::map::StreetMap;
use meshcloak::units::{Length, Time};
use std::cell::RefCell;

/// L1: forward and backward between regions.
pub const BETWEEN_REGIONS: Attack = Attack {
    name: "reachability",
    letter: 'A',
    level: Level::Service,
    needs: "the target's other disclosures and top speed: streets reachable from the previous \
            region, and streets that lead to the next one",
    run: |view| attack(view, Level::Service, Horizon::Hindsight),
};

/// L2 at the time of disclosure, from the known previous position: the attack that `history`
/// withstands.
pub const FROM_A_KNOWN_POINT: Attack = Attack {
    name: "known-point",
    letter: 'A',
    level: Level::Previous,
    needs: "the target's previous position and top speed: streets reachable from there",
    run: |view| attack(view, Level::Previous, Horizon::Disclosure),
};

/// L2 in hindsight: also backward from the next region.
pub const IN_HINDSIGHT: Attack = Attack {
    name: "hindsight",
    letter: 'A',
    level: Level::Previous,
    needs: "the same, and the target's next disclosure: streets that lead to the next region",
    run: |view| attack(view, Level::Previous, Horizon::Hindsight),
};

/// Time up to which the adversary uses disclosures.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Horizon {
    /// The attacked disclosure.
    Disclosure,
    /// The one after the attacked disclosure.
    Hindsight,
}

thread_local! {
    static SEARCH: RefCell<StreetSearch> = RefCell::default();
}

/// Returns the reachable part of the attacked region.
fn attack(view: &View<'_>, level: Level, horizon: Horizon) -> Option<Posterior> {
    view.target.speed?;
    let map = view.atlas.map();
    let mut pieces = view.disclosure().uniform(map).pieces.clone();
    if pieces.is_empty() {
        return None;
    }
    SEARCH.with_borrow_mut(|search| {
        let has_past = apply_past(view, level, search, &mut pieces);
        let next = view.disclosures.get(view.attacked + 1);
        let next = next.filter(|_| horizon == Horizon::Hindsight);
        if let Some(next) = next {
            let bound = max_travel(view, view.disclosure().asked_at, next.asked_at);
            let goal = merged_intervals(&next.uniform(map).pieces);
            let origin =
                SearchOrigin { sources: &goal, bound, direction: SearchDirection::Backward };
            narrow(map, search, &origin, &mut pieces);
        }
        (has_past || next.is_some()).then(|| Posterior::of_pieces(pieces))
    })
}

/// Removes positions that are unreachable from the past; returns false if no past is known.
fn apply_past(
    view: &View<'_>,
    level: Level,
    search: &mut StreetSearch,
    pieces: &mut Vec<Piece>,
) -> bool {
    let map = view.atlas.map();
    if level > Level::Service {
        let Some(known) = view.previous else { return false };
        let bound = max_travel(view, known.at, view.disclosure().asked_at);
        let source = StreetInterval::from(&Piece::point(known.position));
        narrow(map, search, &SearchOrigin::forward(&[source], bound), pieces);
        return true;
    }
    // Each region is narrowed by its predecessor, from the oldest on.
    let mut past: Option<(Time, Vec<StreetInterval>)> = None;
    for earlier in &view.disclosures[view.attacked.saturating_sub(MAX_EARLIER)..view.attacked] {
        let mut possible = earlier.uniform(map).pieces.clone();
        if let Some((time, sources)) = &past {
            let bound = max_travel(view, *time, earlier.asked_at);
            narrow(map, search, &SearchOrigin::forward(sources, bound), &mut possible);
        }
        past = Some((earlier.asked_at, merged_intervals(&possible)));
    }
    let Some((time, sources)) = past else { return false };
    let bound = max_travel(view, time, view.disclosure().asked_at);
    narrow(map, search, &SearchOrigin::forward(&sources, bound), pieces);
    true
}

/// Number of earlier disclosures used; older ones rule out next to nothing.
const MAX_EARLIER: usize = 3;

/// Returns how far the target can have travelled between two times.
fn max_travel(view: &View<'_>, from: Time, to: Time) -> Length {
    view.target.speed.map_or(Length::ZERO, |speed| speed * (to - from))
}

/// Converts pieces to intervals, merging adjacent ones.
fn merged_intervals(pieces: &[Piece]) -> Vec<StreetInterval> {
    let mut merged: Vec<StreetInterval> = Vec::with_capacity(pieces.len() / 4);
    for piece in pieces.iter().map(StreetInterval::from) {
        match merged.last_mut() {
            Some(last) if last.street == piece.street && piece.from <= last.to + 1 => {
                last.to = piece.to;
            }
            _ => merged.push(piece),
        }
    }
    merged
}

/// Sources, range and direction of one reachability search.
struct SearchOrigin<'a> {
    sources: &'a [StreetInterval],
    bound: Length,
    direction: SearchDirection,
}

impl<'a> SearchOrigin<'a> {
    fn forward(sources: &'a [StreetInterval], bound: Length) -> SearchOrigin<'a> {
        SearchOrigin { sources, bound, direction: SearchDirection::Forward }
    }
}

/// Restricts pieces to their parts within reach of the origin.
fn narrow(
    map: &StreetMap,
    search: &mut StreetSearch,
    origin: &SearchOrigin<'_>,
    pieces: &mut Vec<Piece>,
) {
    let SearchOrigin { sources, bound, direction } = *origin;
    search.search(map, sources, bound, direction);
    let mut kept = Vec::with_capacity(pieces.len());
    for piece in &*pieces {
        search.clip(map, StreetInterval::from(piece), direction, |part| {
            let whole = (piece.to - piece.from).units();
            let share = f64::from(part.to - part.from + 1) / f64::from(whole + 1);
            kept.push(Piece {
                from: Length::from_units(part.from),
                to: Length::from_units(part.to),
                weight: piece.weight * share,
                ..*piece
            });
        });
    }
    *pieces = kept;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Scenario, seconds};
    use crate::view::KnownPosition;
    use meshcloak::region::Region;
    use meshcloak::town::town;

    /// A ── B ── C ── D    100 m each; the target's speed is 10 m/s.
    fn road() -> Scenario {
        Scenario::on(town("A 0,0  B 100,0  C 200,0  D 300,0 | A-B B-C C-D"), 100.0, 10.0)
    }

    #[test]
    fn a_known_point_leaves_only_reachable_streets() {
        let mut scenario = road();
        scenario.show(seconds(10), &["A-B", "B-C", "C-D"]);
        let earlier = scenario.town.at("A-B", 20.0);
        scenario.previous = Some(KnownPosition { at: seconds(0), position: earlier });
        let posterior = FROM_A_KNOWN_POINT.attack(&scenario.view(0)).expect("a known position");
        // 100 m from x = 20: everything up to x = 120.
        assert_eq!(posterior.metres(), 120.0);
        assert!(posterior.holds(scenario.town.at("B-C", 20.0)));
        assert!(!posterior.holds(scenario.town.at("B-C", 20.1)));
        scenario.previous = None;
        assert!(FROM_A_KNOWN_POINT.attack(&scenario.view(0)).is_none());
    }

    #[test]
    fn previous_and_next_region_narrow_a_region() {
        let mut scenario = road();
        scenario.show(seconds(0), &["A-B"]);
        scenario.show(seconds(5), &["A-B", "B-C", "C-D"]);
        scenario.show(seconds(10), &["C-D"]);
        let attack = BETWEEN_REGIONS;
        // 50 m from A-B: up to x = 150; and 50 m before C-D: from x = 150.
        let posterior = attack.attack(&scenario.view(1)).expect("a previous and a next region");
        assert!(
            posterior.metres() < 0.1 && posterior.holds(scenario.town.at("B-C", 50.0)),
            "{posterior:?}"
        );
        // The last region is reachable only from x = 150, so only its start remains.
        let last = attack.attack(&scenario.view(2)).expect("a previous region");
        assert_eq!(last.metres(), 0.0);
        assert!(last.holds(scenario.town.at("C-D", 0.0)));
        // The first region has only a next one.
        assert_eq!(
            attack.attack(&scenario.view(0)).map(|posterior| posterior.metres()),
            Some(100.0)
        );
        let mut alone = road();
        alone.show(seconds(0), &["A-B"]);
        assert!(attack.attack(&alone.view(0)).is_none(), "no other region");
    }

    #[test]
    fn reachability_in_a_rectangle_follows_the_streets() {
        // Two roads 20 m apart that meet far away: the rectangle holds both, but only one is near.
        let town = town("A 0,0  B 300,0  C 300,20  D 0,20  E 900,0 | A-B B-E E-C C-D");
        let mut scenario = Scenario::on(town, 100.0, 10.0);
        let near = scenario.town.map.bounds();
        let corner = meshcloak::units::Point::new(100.0, near.max.y);
        let rectangle = meshcloak::units::Rectangle { min: near.min, max: corner };
        scenario.show_region(seconds(10), Region::Rectangle(rectangle));
        let earlier = scenario.town.at("A-B", 50.0);
        scenario.previous = Some(KnownPosition { at: seconds(0), position: earlier });
        let posterior = FROM_A_KNOWN_POINT.attack(&scenario.view(0)).expect("a known position");
        assert!(posterior.holds(scenario.town.at("A-B", 90.0)));
        assert!(
            !posterior.holds(scenario.town.at("C-D", 250.0)),
            "20 m away, but not along streets"
        );
    }
}
