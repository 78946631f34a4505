//! The largest set around one new query that may be published, by branch and bound: what is done
//! where the graph is too dense for all its maximal cliques to be kept.

use super::boundary::Person;
use meshcloak::units::Rectangle;

/// So many steps one search may take.
const BUDGET: u32 = 2_000;

/// So many people are looked at, those who have waited longest.
const MOST_PEOPLE: usize = 512;

/// The largest part of `people` that may be published, whether or not they are pairwise adjacent.
/// Who has no place in the whole has none in a part, for a part is smaller and so is its
/// rectangle: they are dropped until all fit. Gives the rectangle; `None` if nobody is left.
pub(super) fn drop_misfits<P>(
    people: &mut Vec<P>,
    person: impl Fn(&P) -> Person,
) -> Option<Rectangle> {
    loop {
        let size = people.len();
        let rectangle = Rectangle::around(people.iter().map(|p| person(p).point))?;
        people.retain(|p| {
            let person = person(p);
            person.k as usize <= size && person.may_have_come_into(rectangle)
        });
        if people.len() == size {
            return Some(rectangle);
        }
    }
}

/// What a search has found.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// The places of the members among those who were looked at; none if there is no set.
    pub(super) members: Vec<usize>,
    pub(super) steps: u32,
    pub(super) truncated: bool,
}

/// The largest set that may be published and holds the last of `people`, all of whom are adjacent
/// to her.
pub(super) fn search(people: &[Person]) -> Found {
    let mut found = Found::default();
    let mut places: Vec<usize> = (0..people.len()).collect();
    let newest = people.len().wrapping_sub(1);
    drop_misfits(&mut places, |&place| people[place]);
    if places.last() != Some(&newest) {
        return found;
    }
    if places.len() > MOST_PEOPLE {
        places.drain(MOST_PEOPLE - 1..places.len() - 1);
        found.truncated = true;
    }
    places.rotate_right(1);
    let mut branch = Branch { people, found: &mut found };
    branch.grow(1, places);
    found.truncated |= found.steps > BUDGET;
    found
}

struct Branch<'a> {
    people: &'a [Person],
    found: &'a mut Found,
}

impl Branch<'_> {
    /// Looks for sets that hold the first `fixed` of `places`, which are adjacent to all others.
    fn grow(&mut self, fixed: usize, mut places: Vec<usize>) {
        self.found.steps += 1;
        if self.found.steps > BUDGET {
            return;
        }
        let firm = places[fixed - 1];
        drop_misfits(&mut places, |&place| self.people[place]);
        // Dropping keeps the order, so the fixed ones are still there if the last of them is.
        let complete = places.get(fixed - 1) == Some(&firm);
        if !complete || places.len() <= self.found.members.len() {
            return;
        }
        let adjacent = |a: usize, b: usize| self.people[a].is_adjacent(&self.people[b]);
        let open = &places[fixed..];
        let strangers = |&place: &usize| {
            open.iter().filter(|&&other| other != place && !adjacent(place, other)).count()
        };
        // Of equals the first: places are looked at in one order.
        let most = (fixed..places.len()).map(|at| (strangers(&places[at]), at));
        let (count, pivot) = most.fold((0, 0), |a, b| if b.0 > a.0 { b } else { a });
        if count == 0 {
            self.found.members = places;
            return;
        }
        let pivot = places.remove(pivot);
        let mut with = places.clone();
        let mut at = 0;
        with.retain(|&other| {
            at += 1;
            at <= fixed || adjacent(pivot, other)
        });
        with.insert(fixed, pivot);
        self.grow(fixed + 1, with);
        self.grow(fixed, places);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshcloak::distance::{Atlas, LARGEST_DC_MAX};
    use meshcloak::history::History;
    use meshcloak::query::UserId;
    use meshcloak::town::Town;
    use rand::RngExt as _;

    #[test]
    fn no_set_around_the_newest_is_larger_than_the_one_found() {
        let mut sizes = 0;
        for seed in 0..300 {
            let town = Town::random(seed);
            let mut random = Town::generator(seed);
            let atlas = Atlas::new(town.map.clone(), LARGEST_DC_MAX);
            let crowd = town.crowd(&mut random, 1 + seed as usize % 12);
            let mut people: Vec<Person> = crowd
                .iter()
                .map(|query| {
                    let mut person = Person::of(&atlas, &History::default(), query);
                    person.user = UserId(random.random_range(0..8));
                    let corners = [town.position(&mut random), town.position(&mut random)];
                    let last = Rectangle::around(corners.map(|p| town.map.point(p))).unwrap();
                    let far = random.random_range(100.0..900.0);
                    if random.random_bool(0.7) { person.shown_as(last, far) } else { person }
                })
                .collect();
            let newest = people.pop().unwrap();
            people.retain(|person| person.is_adjacent(&newest));
            people.push(newest);
            let found = search(&people);
            let mut most = 0;
            for subset in 1..1_u32 << people.len() {
                let places: Vec<usize> =
                    (0..people.len()).filter(|at| subset >> at & 1 == 1).collect();
                let apart = |a: &usize, b: &usize| a == b || people[*a].is_adjacent(&people[*b]);
                let clique = places.iter().all(|a| places.iter().all(|b| apart(a, b)));
                let mut fitting = places.clone();
                drop_misfits(&mut fitting, |&place| people[place]);
                if clique && places.contains(&(people.len() - 1)) && fitting == places {
                    most = most.max(places.len());
                }
            }
            assert_eq!(
                (found.members.len(), found.truncated),
                (most, false),
                "seed {seed}\n{town}"
            );
            sizes += most;
        }
        assert!(sizes > 200, "only {sizes}");
    }
}
