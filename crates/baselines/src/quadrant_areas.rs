//! Publication shared by Casper and Interval Cloak: each query is assigned an area of quadrants;
//! queries with the same area publish one set, which holds all users inside the area.

use crate::distinct_users::DistinctUsers;
use crate::quadrants::{Quadrant, Quadrants};
use meshcloak::map::StreetMap;
use meshcloak::query::Query;
use meshcloak::region::Region;
use meshcloak::scheme::{Observer, Published, Stage, Stats};
use meshcloak::units::{Point, Rectangle};
use rustc_hash::FxHashMap;

/// A quadrant or a pair of adjacent ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Area {
    first: Quadrant,
    second: Option<Quadrant>,
}

impl Area {
    /// An area of one quadrant.
    pub(crate) fn one(quadrant: Quadrant) -> Area {
        Area { first: quadrant, second: None }
    }

    /// An area of two quadrants, equal for both orders.
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

/// Area of a query and its rank in Z-order.
#[derive(Clone, Copy, Debug)]
struct RankedArea {
    rank: usize,
    area: Area,
}

/// Assigns areas to the queries of a batch and publishes them.
#[derive(Clone, Debug)]
pub(crate) struct AreaPublisher {
    users: DistinctUsers,
    quadrants: Quadrants,
    /// By waiting index: rank in Z-order and area.
    chosen: Vec<Option<RankedArea>>,
    sets: FxHashMap<Area, u32>,
    published: Published,
}

impl AreaPublisher {
    /// Creates a publisher for a map.
    pub(crate) fn new(map: &StreetMap) -> AreaPublisher {
        AreaPublisher {
            users: DistinctUsers::default(),
            quadrants: Quadrants::new(map),
            chosen: Vec::new(),
            sets: FxHashMap::default(),
            published: Published::default(),
        }
    }

    /// Quadrants of the map.
    pub(crate) fn quadrants(&self) -> &Quadrants {
        &self.quadrants
    }

    /// Publishes for each query the area that `choose` returns for its rank and k; `None` leaves it
    /// waiting.
    pub(crate) fn publish(
        &mut self,
        map: &StreetMap,
        waiting: &[Query],
        choose: impl Fn(&Quadrants, usize, usize) -> Option<Area>,
        observer: &mut dyn Observer,
    ) -> &mut Published {
        let AreaPublisher { users, quadrants, chosen, sets, published } = self;
        observer.stage(Stage::Graph);
        quadrants.fill(map, waiting, users.select(waiting));
        observer.stage(Stage::Cliques);
        chosen.clear();
        chosen.resize(waiting.len(), None);
        for rank in 0..quadrants.len() {
            let index = quadrants.waiting_index(rank) as usize;
            let area = choose(quadrants, rank, waiting[index].k as usize);
            chosen[index] = area.map(|area| RankedArea { rank, area });
        }
        observer.stage(Stage::Mesh);
        published.clear();
        sets.clear();
        for (index, chosen) in chosen.iter().enumerate() {
            let Some(RankedArea { rank, area }) = *chosen else { continue };
            let set = *sets.entry(area).or_insert_with(|| {
                let parts = [Some(area.first), area.second].into_iter().flatten();
                let inside = parts.flat_map(|quadrant| quadrants.within(quadrant, rank));
                let members = inside.map(|rank| waiting[quadrants.waiting_index(rank) as usize].id);
                published.add(members, &Region::Rectangle(area.rectangle(quadrants)))
            });
            published.serve(index as u32, set);
        }
        published.stats =
            Stats { nodes: quadrants.len(), cliques: published.set_count(), ..Stats::default() };
        published
    }
}
