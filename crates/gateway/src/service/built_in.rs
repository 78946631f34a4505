//! The points of interest of our own map, asked by region without leaving the process: the
//! service one has without any other.

use super::by_street::ByStreet;
use super::few::Few;
use super::object::{Complete, Object, Objects};
use super::point_grid::PointGrid;
use super::samples::{NEAR_A_SAMPLE, samples, segments};
use super::{Coming, Service};
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
    /// Ascending by id, so that numbers are in the order of ids.
    objects: Vec<Arc<Object>>,
    by_street: ByStreet,
    everything: Shelf,
    categories: BTreeMap<String, Shelf>,
    /// Where there are no more objects than this of a category, all of them are the answer: to
    /// refine that is quicker than to search from every boundary terminal, or along every street.
    pub(crate) few_enough: usize,
}

/// The objects of a category.
struct Shelf {
    grid: PointGrid,
    /// All of them, ready to be the answer.
    all: Objects,
}

impl Shelf {
    fn new(objects: &[Arc<Object>], points: &[(Point, u32)]) -> Shelf {
        let all = points.iter().map(|&(_, number)| objects[number as usize].clone()).collect();
        Shelf { grid: PointGrid::new(points), all: Objects::new(all, Complete::Yes).prepared() }
    }
}

impl BuiltIn {
    /// The service that knows the points of interest of the walker's map.
    pub fn new(walker: Arc<Walker>) -> BuiltIn {
        let objects = Object::all_of(walker.map());
        BuiltIn::of(walker, objects)
    }

    /// The service that knows these objects.
    fn of(walker: Arc<Walker>, objects: Vec<Arc<Object>>) -> BuiltIn {
        let mut members: BTreeMap<&str, Vec<_>> = BTreeMap::new();
        let mut everything = Vec::with_capacity(objects.len());
        for (object, number) in objects.iter().zip(0_u32..) {
            members.entry(&object.category).or_default().push((object.point, number));
            everything.push((object.point, number));
        }
        let shelf =
            |(name, points): (&str, Vec<_>)| (name.to_owned(), Shelf::new(&objects, &points));
        let categories = members.into_iter().map(shelf).collect();
        let by_street = ByStreet::new(objects.iter().map(|object| object.position)).at_hand();
        let everything = Shelf::new(&objects, &everything);
        BuiltIn { walker, objects, by_street, everything, categories, few_enough: 4096 }
    }

    fn answer(&self, inquiry: &Inquiry) -> Objects {
        let question = inquiry.question();
        let region = inquiry.region();
        let numbers = match self.shelf_of(&question.category) {
            None => Vec::new(),
            Some(Shelf { grid, all }) if grid.len() <= self.few_enough => return all.clone(),
            Some(Shelf { grid, .. }) => match question.operation {
                Operation::Within { radius, along: Along::Plane } => {
                    self.near(grid, region, radius.as_metres() * 1.002 + 1.0)
                }
                Operation::Within { radius, along: Along::Streets } => {
                    self.reached(&question.category, region, radius)
                }
                Operation::Nearest { count, along: Along::Plane } => {
                    self.nearest_plane(grid, region, count)
                }
                Operation::Nearest { count, along: Along::Streets } => {
                    self.nearest_streets(&question.category, region, count)
                }
            },
        };
        self.objects(numbers)
    }

    fn shelf_of(&self, category: &Category) -> Option<&Shelf> {
        match category {
            Category::Any => Some(&self.everything),
            Category::Of(name) => self.categories.get(&**name),
        }
    }

    fn objects(&self, mut numbers: Vec<u32>) -> Objects {
        numbers.sort_unstable();
        numbers.dedup();
        let objects = numbers.into_iter().map(|number| self.objects[number as usize].clone());
        Objects::new(objects.collect(), Complete::Yes)
    }

    /// Every object within `metres` of the region, and some more.
    fn near(&self, grid: &PointGrid, region: &[StreetId], metres: f64) -> Vec<u32> {
        let mut cells = grid.no_cells();
        for segment in segments(self.walker.map(), region) {
            grid.want_near(&mut cells, segment, metres);
        }
        grid.in_cells(&cells).collect()
    }

    /// The nearest from a sample are at most its distance farther from anyone near it.
    fn nearest_plane(&self, grid: &PointGrid, region: &[StreetId], count: u32) -> Vec<u32> {
        let farthest = samples(self.walker.map(), region).map(|sample| {
            let mut few = Few::new(count);
            grid.nearest(sample, &mut few);
            few.bound().unwrap_or(f64::INFINITY)
        });
        let farthest = farthest.fold(0.0, f64::max) + NEAR_A_SAMPLE;
        if farthest.is_finite() {
            self.near(grid, region, farthest)
        } else {
            grid.numbers().collect()
        }
    }

    fn on_region(&self, category: &Category, region: &[StreetId]) -> Vec<u32> {
        let places = region.iter().flat_map(|&street| self.by_street.on(street));
        let numbers = places.map(|place| place.object);
        numbers.filter(|&number| self.is_of(category, number)).collect()
    }

    fn is_of(&self, category: &Category, number: u32) -> bool {
        category.holds(&self.objects[number as usize].category)
    }

    /// What stands on the region, and what is within `radius` of where one can leave it.
    fn reached(&self, category: &Category, region: &[StreetId], radius: Length) -> Vec<u32> {
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

    /// What stands on the region, and what is nearest to each terminal by which one can leave it.
    /// Ties need no care: numbers decide them as ids do for the person, so whoever is ahead of an
    /// object at the terminal is ahead of it for everyone who leaves there.
    fn nearest_streets(&self, category: &Category, region: &[StreetId], count: u32) -> Vec<u32> {
        let mut numbers = self.on_region(category, region);
        for terminal in boundary(self.walker.map(), region) {
            let mut few = Few::new(count);
            let wanted = |number| self.is_of(category, number);
            self.walker.nearest([(terminal, Length::ZERO)], &self.by_street, wanted, &mut few);
            numbers.extend(few.into_vec().into_iter().map(|(_, number)| number));
        }
        numbers
    }
}

impl Service for BuiltIn {
    fn name(&self) -> &'static str {
        "built-in"
    }

    fn ask<'a>(&'a self, inquiry: &'a Inquiry) -> Coming<'a, Objects> {
        Box::pin(async { Ok(self.answer(inquiry)) })
    }

    fn categories(&self) -> Coming<'_, Vec<String>> {
        Box::pin(async { Ok(self.categories.keys().cloned().collect()) })
    }
}
