//! The points of interest of the gateway's own map. The default service; needs no network.

use super::nearest_set::NearestSet;
use super::object::{Completeness, Object, Objects};
use super::objects_by_street::ObjectsByStreet;
use super::point_grid::PointGrid;
use super::polylines::segments;
use super::samples::{SAMPLE_RADIUS, samples};
use super::{Service, ServiceFuture};
use crate::inquiry::Inquiry;
use crate::question::{Along, Category, Operation};
use crate::walk::{Walker, boundary};
use meshcloak::map::StreetId;
use meshcloak::units::{Length, Point};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The built-in service.
pub struct BuiltIn {
    walker: Arc<Walker>,
    /// Ascending by id: the order of numbers is the order of ids.
    objects: Vec<Arc<Object>>,
    by_street: ObjectsByStreet,
    all: CategoryIndex,
    categories: BTreeMap<String, CategoryIndex>,
    /// A category with at most this many objects is returned as a whole: to refine all of them is
    /// faster than to search from every boundary terminal or along every street.
    pub(crate) max_unfiltered: usize,
}

/// The objects of one category.
struct CategoryIndex {
    grid: PointGrid,
    /// All objects of the category, as an answer.
    objects: Objects,
}

impl CategoryIndex {
    fn new(objects: &[Arc<Object>], points: &[(Point, u32)]) -> CategoryIndex {
        let objects = points
            .iter()
            .filter_map(|&(_, number)| objects.get(number as usize).cloned())
            .collect();
        let objects = Objects::new(objects, Completeness::Complete).with_shared_index();
        CategoryIndex { grid: PointGrid::new(points), objects }
    }
}

impl BuiltIn {
    /// Builds the service of the points of interest of the walker's map.
    pub fn new(walker: Arc<Walker>) -> BuiltIn {
        let objects = Object::all_of(walker.map());
        let mut points_by_category: BTreeMap<&str, Vec<_>> = BTreeMap::new();
        let mut points = Vec::with_capacity(objects.len());
        for (object, number) in objects.iter().zip(0_u32..) {
            let category = points_by_category.entry(&object.category).or_default();
            category.push((object.point, number));
            points.push((object.point, number));
        }
        let index = |(name, points): (&str, Vec<_>)| {
            (name.to_owned(), CategoryIndex::new(&objects, &points))
        };
        let categories = points_by_category.into_iter().map(index).collect();
        let positions = objects.iter().map(|object| object.position);
        let by_street = ObjectsByStreet::new(positions).with_street_index();
        let all = CategoryIndex::new(&objects, &points);
        BuiltIn { walker, objects, by_street, all, categories, max_unfiltered: 4096 }
    }

    fn answer(&self, inquiry: &Inquiry) -> Objects {
        let question = inquiry.question();
        let (category, region) = (&question.category, inquiry.region());
        let Some(CategoryIndex { grid, objects }) = self.category_index(category) else {
            return self.select(Vec::new());
        };
        if grid.len() <= self.max_unfiltered {
            return objects.clone();
        }
        self.select(match question.operation {
            Operation::Within { radius, along: Along::Plane } => {
                self.within_plane(grid, region, radius.as_metres() * 1.002 + 1.0)
            }
            Operation::Within { radius, along: Along::Streets } => {
                self.within_streets(category, region, radius)
            }
            Operation::Nearest { count, along: Along::Plane } => {
                self.nearest_plane(grid, region, count)
            }
            Operation::Nearest { count, along: Along::Streets } => {
                self.nearest_streets(category, region, count)
            }
        })
    }

    fn category_index(&self, category: &Category) -> Option<&CategoryIndex> {
        match category {
            Category::Any => Some(&self.all),
            Category::Of(name) => self.categories.get(&**name),
        }
    }

    /// Returns the objects with these numbers; duplicates are removed.
    fn select(&self, mut numbers: Vec<u32>) -> Objects {
        numbers.sort_unstable();
        numbers.dedup();
        let objects =
            numbers.into_iter().filter_map(|number| self.objects.get(number as usize).cloned());
        Objects::new(objects.collect(), Completeness::Complete)
    }

    /// Returns a superset of the objects within `metres` of the region.
    fn within_plane(&self, grid: &PointGrid, region: &[StreetId], metres: f64) -> Vec<u32> {
        let mut cells = grid.no_cells();
        for segment in segments(self.walker.map(), region) {
            grid.add_cells_near(&mut cells, segment, metres);
        }
        grid.in_cells(&cells).collect()
    }

    /// Searches within the largest distance of the `count`-th object from any sample, plus the
    /// largest distance from a sample.
    fn nearest_plane(&self, grid: &PointGrid, region: &[StreetId], count: u32) -> Vec<u32> {
        let bounds = samples(self.walker.map(), region).map(|sample| {
            let mut nearest = NearestSet::new(count);
            grid.nearest(sample, |_| true, &mut nearest);
            nearest.bound().unwrap_or(f64::INFINITY)
        });
        let radius = bounds.fold(0.0, f64::max) + SAMPLE_RADIUS;
        if radius.is_finite() {
            self.within_plane(grid, region, radius)
        } else {
            grid.numbers().collect()
        }
    }

    fn on_region(&self, category: &Category, region: &[StreetId]) -> Vec<u32> {
        let objects = region.iter().flat_map(|&street| self.by_street.on_street(street));
        let numbers = objects.map(|object| object.object);
        numbers.filter(|&number| self.is_of(category, number)).collect()
    }

    fn is_of(&self, category: &Category, number: u32) -> bool {
        self.objects.get(number as usize).is_some_and(|object| category.includes(&object.category))
    }

    /// Returns the objects on the region and those within `radius` of its boundary terminals.
    fn within_streets(&self, category: &Category, region: &[StreetId], radius: Length) -> Vec<u32> {
        let mut numbers = self.on_region(category, region);
        let exits = boundary(self.walker.map(), region);
        let exits = exits.into_iter().map(|terminal| (terminal, Length::ZERO));
        self.walker.within(exits, radius, &self.by_street, |number, _| {
            if self.is_of(category, number) {
                numbers.push(number);
            }
        });
        numbers
    }

    /// Returns the objects on the region and those nearest to each boundary terminal. Ties are
    /// broken by number, which is the order of ids used in answers: an object that precedes
    /// another one at a terminal precedes it for every user that leaves the region there.
    fn nearest_streets(&self, category: &Category, region: &[StreetId], count: u32) -> Vec<u32> {
        let mut numbers = self.on_region(category, region);
        for terminal in boundary(self.walker.map(), region) {
            let mut nearest = NearestSet::new(count);
            let wanted = |number| self.is_of(category, number);
            self.walker.nearest([(terminal, Length::ZERO)], &self.by_street, wanted, &mut nearest);
            numbers.extend(nearest.into_vec().into_iter().map(|(_, number)| number));
        }
        numbers
    }
}

impl Service for BuiltIn {
    fn name(&self) -> &'static str {
        "built-in"
    }

    fn ask<'a>(&'a self, inquiry: &'a Inquiry) -> ServiceFuture<'a, Objects> {
        Box::pin(async { Ok(self.answer(inquiry)) })
    }

    fn categories(&self) -> ServiceFuture<'_, Vec<String>> {
        Box::pin(async { Ok(self.categories.keys().cloned().collect()) })
    }
}
