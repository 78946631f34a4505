//! The waiting users of a batch by place: who is inside a region.

use crate::distinct_users::DistinctUsers;
use crate::query_grid::QueryGrid;
use crate::runs::Runs;
use meshcloak::map::StreetMap;
use meshcloak::query::Query;
use meshcloak::region::Region;
use meshcloak::units::Rectangle;

/// Waiting users by street and by point; one query each, the oldest.
#[derive(Debug)]
pub(super) struct Crowd {
    users: DistinctUsers,
    by_street: Runs<u32>,
    grid: QueryGrid,
}

impl Crowd {
    pub(super) fn new(map: &StreetMap) -> Crowd {
        Crowd {
            users: DistinctUsers::default(),
            by_street: Runs::default(),
            grid: QueryGrid::new(map.bounds()),
        }
    }

    /// Replaces the users by those of a batch.
    pub(super) fn fill(&mut self, map: &StreetMap, waiting: &[Query]) {
        let indices = self.users.select(waiting);
        let street = |&index: &u32| (waiting[index as usize].position.street.index(), index);
        self.by_street.fill(map.street_count(), indices.iter().map(street));
        self.grid.clear();
        for &index in indices {
            self.grid.insert(index, map.point(waiting[index as usize].position));
        }
    }

    /// Waiting indices of one query of each user inside a region, for the user of `asker` that one.
    pub(super) fn inside(
        &self,
        map: &StreetMap,
        waiting: &[Query],
        region: &Region<'_>,
        asker: u32,
    ) -> Vec<u32> {
        let mut found = Vec::new();
        match region {
            Region::Mesh(streets) => {
                streets.iter().for_each(|street| found.extend(self.by_street.get(street.0)));
            }
            Region::Rectangle(rectangle) => self.grid.within(*rectangle, |index| found.push(index)),
            Region::Disc(disc) => {
                let Rectangle { min, max } = disc.bounds();
                self.grid.within(Rectangle { min, max }, |index| found.push(index));
                found.retain(|&i| region.contains(map, waiting[i as usize].position));
            }
        }
        let user = waiting[asker as usize].user;
        found.retain(|&index| waiting[index as usize].user != user);
        if region.contains(map, waiting[asker as usize].position) {
            found.push(asker);
        }
        found
    }
}
