//! A: reachability. Where, of what was shown, can she have come to from where she was, as fast as
//! she is; and, looking back, from where can she have gone on to where she was next.
//!
//! At L1 she was somewhere in the region shown before; at L2 the exact place is known.

use crate::attack::{Attack, Level};
use crate::posterior::{Piece, Posterior};
use crate::view::{Shown, View};
use crate::walk::{Stretch, Walk, Way};
use meshcloak::map::StreetMap;
use meshcloak::units::Length;
use std::cell::RefCell;

/// The attack at one of its two levels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reachability {
    level: Level,
    looks: Looks,
}

/// In which directions of time the attack looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Looks {
    Back,
    BackAndAhead,
}

impl Reachability {
    /// L1: from region to region, and back again.
    pub const BETWEEN_REGIONS: Reachability =
        Reachability { level: Level::Service, looks: Looks::BackAndAhead };
    /// L2 at the moment of disclosure, from where she was known to be: what `history` promises
    /// about.
    pub const FROM_A_KNOWN_POINT: Reachability =
        Reachability { level: Level::Previous, looks: Looks::Back };
    /// L2 in hindsight: also back from the region that was shown next.
    pub const IN_HINDSIGHT: Reachability =
        Reachability { level: Level::Previous, looks: Looks::BackAndAhead };
}

impl Attack for Reachability {
    fn name(&self) -> &'static str {
        match (self.level, self.looks) {
            (Level::Service, _) => "reachability",
            (_, Looks::Back) => "known-point",
            (_, Looks::BackAndAhead) => "hindsight",
        }
    }

    fn letter(&self) -> char {
        'A'
    }

    fn level(&self) -> Level {
        self.level
    }

    fn needs(&self) -> &'static str {
        match (self.level, self.looks) {
            (Level::Service, _) => {
                "the target's other disclosures and her top speed: what could be reached from the \
                 region before, and what leads to the region after"
            }
            (_, Looks::Back) => {
                "where the target was when she asked before, and her top speed: what could be \
                 reached from there"
            }
            (_, Looks::BackAndAhead) => {
                "the same, and the target's next disclosure: what leads to the region after"
            }
        }
    }

    fn attack(&self, view: &View<'_>) -> Option<Posterior> {
        WALK.with_borrow_mut(|walk| self.walk(view, walk))
    }
}

thread_local! {
    static WALK: RefCell<Walk> = RefCell::default();
}

impl Reachability {
    fn walk(self, view: &View<'_>, walk: &mut Walk) -> Option<Posterior> {
        view.target.speed?;
        let mut left = view.shown().everywhere(view.atlas.map()).pieces.clone();
        let all = left.len();
        let told = self.look_back(view, walk, &mut left);
        let next = view.disclosures.get(view.attacked + 1);
        let next = next.filter(|_| self.looks == Looks::BackAndAhead);
        if let Some(next) = next {
            let bound = farthest(view, view.shown(), next);
            let goal = stretches(&next.everywhere(view.atlas.map()).pieces);
            narrow(view.atlas.map(), walk, (&goal, bound, Way::Backward), &mut left);
        }
        let nothing = !told && next.is_none();
        (!nothing && all > 0).then(|| Posterior::places(left))
    }

    /// Rules out what cannot be reached from where she was; false if that is not known.
    fn look_back(self, view: &View<'_>, walk: &mut Walk, left: &mut Vec<Piece>) -> bool {
        let map = view.atlas.map();
        if self.level > Level::Service {
            let Some(before) = view.previous else { return false };
            let offset = before.position.offset.units();
            let here = Stretch { street: before.position.street, from: offset, to: offset };
            let span = view.shown().asked_at - before.at;
            let bound = view.target.speed.map_or(Length::ZERO, |speed| speed * span);
            narrow(map, walk, (&[here], bound, Way::Forward), left);
            return true;
        }
        // From the first region on, each narrowed by the one before it.
        let mut sources: Option<(usize, Vec<Stretch>)> = None;
        for number in view.attacked.saturating_sub(MEMORY)..view.attacked {
            let shown = &view.disclosures[number];
            let mut here = shown.everywhere(map).pieces.clone();
            if let Some((before, from)) = &sources {
                let bound = farthest(view, &view.disclosures[*before], shown);
                narrow(map, walk, (from, bound, Way::Forward), &mut here);
            }
            sources = Some((number, stretches(&here)));
        }
        let Some((before, from)) = sources else { return false };
        let bound = farthest(view, &view.disclosures[before], view.shown());
        narrow(map, walk, (&from, bound, Way::Forward), left);
        true
    }
}

/// How many disclosures are looked back on: what was longer ago rules out next to nothing.
const MEMORY: usize = 3;

/// How far the target can have come between two of her questions.
fn farthest(view: &View<'_>, first: &Shown, second: &Shown) -> Length {
    view.target.speed.map_or(Length::ZERO, |speed| speed * (second.asked_at - first.asked_at))
}

/// Pieces as stretches; those that touch are one.
fn stretches(pieces: &[Piece]) -> Vec<Stretch> {
    let mut all: Vec<Stretch> = Vec::with_capacity(pieces.len() / 4);
    for piece in pieces.iter().map(Stretch::from) {
        match all.last_mut() {
            Some(last) if last.street == piece.street && piece.from <= last.to + 1 => {
                last.to = piece.to;
            }
            _ => all.push(piece),
        }
    }
    all
}

/// Keeps of the pieces what is within reach of the sources.
fn narrow(
    map: &StreetMap,
    walk: &mut Walk,
    (sources, bound, way): (&[Stretch], Length, Way),
    pieces: &mut Vec<Piece>,
) {
    walk.search(map, sources, bound, way);
    let mut kept = Vec::with_capacity(pieces.len());
    for piece in &*pieces {
        walk.clip(map, Stretch::from(piece), way, |part| {
            let share = f64::from(part.to - part.from + 1) / f64::from(whole(piece) + 1);
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

fn whole(piece: &Piece) -> u32 {
    (piece.to - piece.from).units()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Lookout, seconds};
    use crate::view::Sighting;
    use meshcloak::region::Region;
    use meshcloak::town::town;

    /// A ── B ── C ── D    100 m each; the target does 10 m/s.
    fn road() -> Lookout {
        Lookout::on(town("A 0,0  B 100,0  C 200,0  D 300,0 | A-B B-C C-D"), 100.0, 10.0)
    }

    #[test]
    fn from_a_known_point_only_what_can_be_reached_is_left() {
        let mut lookout = road();
        lookout.show(seconds(10), &["A-B", "B-C", "C-D"]);
        let before = lookout.town.at("A-B", 20.0);
        lookout.previous = Some(Sighting { at: seconds(0), position: before });
        let left = Reachability::FROM_A_KNOWN_POINT.attack(&lookout.view(0)).expect("a past");
        // 100 m from x = 20: everything up to x = 120.
        assert_eq!(left.metres(), 120.0);
        assert!(left.holds(lookout.town.at("B-C", 20.0)));
        assert!(!left.holds(lookout.town.at("B-C", 20.1)));
        lookout.previous = None;
        assert!(Reachability::FROM_A_KNOWN_POINT.attack(&lookout.view(0)).is_none());
    }

    #[test]
    fn between_regions_the_one_before_and_the_one_after_narrow_it() {
        let mut lookout = road();
        lookout.show(seconds(0), &["A-B"]);
        lookout.show(seconds(5), &["A-B", "B-C", "C-D"]);
        lookout.show(seconds(10), &["C-D"]);
        let attack = Reachability::BETWEEN_REGIONS;
        // 50 m from A-B: up to x = 150; and 50 m before C-D: from x = 150.
        let left = attack.attack(&lookout.view(1)).expect("there is a before and an after");
        assert!(left.metres() < 0.1 && left.holds(lookout.town.at("B-C", 50.0)), "{left:?}");
        // The last is reached from there alone.
        let last = attack.attack(&lookout.view(2)).expect("there is a before");
        assert_eq!(last.metres(), 0.0);
        assert!(last.holds(lookout.town.at("C-D", 0.0)));
        // The first has only an after.
        assert_eq!(attack.attack(&lookout.view(0)).map(|left| left.metres()), Some(100.0));
        let alone = road();
        let mut alone = Lookout { town: alone.town, ..alone };
        alone.show(seconds(0), &["A-B"]);
        assert!(attack.attack(&alone.view(0)).is_none(), "nothing before, nothing after");
    }

    #[test]
    fn a_rectangle_is_looked_at_through_the_map() {
        // Two roads 20 m apart that meet far away: the rectangle holds both, but only one is near.
        let town = town("A 0,0  B 300,0  C 300,20  D 0,20  E 900,0 | A-B B-E E-C C-D");
        let mut lookout = Lookout::on(town, 100.0, 10.0);
        let near = lookout.town.map.bounds();
        let corner = meshcloak::units::Point::new(100.0, near.max.y);
        let rectangle = meshcloak::units::Rectangle { min: near.min, max: corner };
        lookout.show_region(seconds(10), Region::Rectangle(rectangle));
        let before = lookout.town.at("A-B", 50.0);
        lookout.previous = Some(Sighting { at: seconds(0), position: before });
        let left = Reachability::FROM_A_KNOWN_POINT.attack(&lookout.view(0)).expect("a past");
        assert!(left.holds(lookout.town.at("A-B", 90.0)));
        assert!(!left.holds(lookout.town.at("C-D", 250.0)), "20 m away, but not along streets");
    }
}
