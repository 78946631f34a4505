//! What Casper and Interval Cloak share: everyone is given an area made of quadrants, and whoever
//! is given the same area is in one set, which holds all people inside.

use crate::crowd::Crowd;
use crate::quadrants::{Quadrant, Quadrants};
use meshcloak::map::StreetMap;
use meshcloak::query::Query;
use meshcloak::region::Region;
use meshcloak::scheme::{Observer, Published, Stage, Stats};
use meshcloak::units::{Point, Rectangle};
use rustc_hash::FxHashMap;

/// A quadrant, or two side by side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Area {
    first: Quadrant,
    second: Option<Quadrant>,
}

impl Area {
    /// One quadrant.
    pub(crate) fn one(quadrant: Quadrant) -> Area {
        Area { first: quadrant, second: None }
    }

    /// Two quadrants; the same area whichever comes first.
    pub(crate) fn both(a: Quadrant, b: Quadrant) -> Area {
        Area { first: a.min(b), second: Some(a.max(b)) }
    }

    fn rectangle(self, quadrants: &Quadrants) -> Rectangle {
        let first = quadrants.rectangle(self.first);
        let second = self.second.map_or(first, |second| quadrants.rectangle(second));
        Rectangle {
            min: Point::new(first.min.x.min(second.min.x), first.min.y.min(second.min.y)),
            max: Point::new(first.max.x.max(second.max.x), first.max.y.max(second.max.y)),
        }
    }
}

/// Everyone's area in a batch, with the room that takes.
#[derive(Clone, Debug)]
pub(crate) struct Areas {
    crowd: Crowd,
    quadrants: Quadrants,
    /// By place in the waiting list: her rank in Z-order, and her area.
    chosen: Vec<Option<(u32, Area)>>,
    sets: FxHashMap<Area, u32>,
    published: Published,
}

impl Areas {
    /// No batch yet.
    pub(crate) fn of(map: &StreetMap) -> Areas {
        Areas {
            crowd: Crowd::default(),
            quadrants: Quadrants::of(map),
            chosen: Vec::new(),
            sets: FxHashMap::default(),
            published: Published::default(),
        }
    }

    /// Publishes for everyone the area that `choose` finds for a rank and a k; who has none waits.
    pub(crate) fn publish(
        &mut self,
        map: &StreetMap,
        waiting: &[Query],
        choose: impl Fn(&Quadrants, usize, usize) -> Option<Area>,
        watch: &mut dyn Observer,
    ) -> &mut Published {
        let Areas { crowd, quadrants, chosen, sets, published } = self;
        watch.stage(Stage::Graph);
        quadrants.fill(map, waiting, crowd.gather(waiting));
        watch.stage(Stage::Cliques);
        chosen.clear();
        chosen.resize(waiting.len(), None);
        for rank in 0..quadrants.len() {
            let place = quadrants.place(rank) as usize;
            let area = choose(quadrants, rank, waiting[place].k as usize);
            chosen[place] = area.map(|area| (rank as u32, area));
        }
        watch.stage(Stage::Mesh);
        published.clear();
        sets.clear();
        for (place, chosen) in chosen.iter().enumerate() {
            let Some((rank, area)) = *chosen else { continue };
            let set = *sets.entry(area).or_insert_with(|| {
                let quarters = [Some(area.first), area.second].into_iter().flatten();
                let inside = quarters.flat_map(|quarter| quadrants.within(quarter, rank as usize));
                let members = inside.map(|rank| waiting[quadrants.place(rank) as usize].id);
                published.add(members, &Region::Rectangle(area.rectangle(quadrants)))
            });
            published.serve(place as u32, set);
        }
        published.stats =
            Stats { nodes: quadrants.len(), cliques: published.set_count(), ..Stats::default() };
        published
    }
}
