//! The largest set around one new query that may be published, by branch and bound: what is done
//! where the graph is too dense for all its maximal cliques to be kept.

use super::boundary::Person;
use meshcloak::units::Rectangle;

/// So many steps one search may take.
const BUDGET: u32 = 1_000;

/// So many people are looked at, those who have waited longest.
const MOST_PEOPLE: usize = 64 * WORDS;

const WORDS: usize = 4;

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
    let people: Vec<Person> = places.iter().map(|&place| people[place]).collect();
    let mut branch = Branch {
        neighbours: people.iter().map(|a| Set::of(&people, |b| a.is_adjacent(b))).collect(),
        people: &people,
        best: Set::default(),
        steps: 0,
    };
    let newest = people.len() - 1;
    let mut fixed = Set::default();
    fixed.insert(newest);
    let mut open = Set::of(&people, |_| true);
    open.remove(newest);
    branch.grow(fixed, open);
    found.steps = branch.steps;
    found.truncated |= branch.steps > BUDGET;
    found.members = branch.best.iter().map(|at| places[at]).collect();
    found
}

/// Some of those who are looked at, as bits.
#[derive(Clone, Copy, Debug, Default)]
struct Set([u64; WORDS]);

impl Set {
    fn of(people: &[Person], wanted: impl Fn(&Person) -> bool) -> Set {
        let mut set = Set::default();
        let inside = (0..people.len()).filter(|&at| wanted(&people[at]));
        inside.for_each(|at| set.insert(at));
        set
    }

    fn insert(&mut self, at: usize) {
        self.0[at / 64] |= 1 << (at % 64);
    }

    fn remove(&mut self, at: usize) {
        self.0[at / 64] &= !(1 << (at % 64));
    }

    fn len(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    fn joined(&self, other: &Set, join: impl Fn(u64, u64) -> u64) -> Set {
        Set(std::array::from_fn(|word| join(self.0[word], other.0[word])))
    }

    fn iter(&self) -> impl Iterator<Item = usize> + use<> {
        let words = self.0;
        (0..WORDS).flat_map(move |word| {
            let mut left = words[word];
            std::iter::from_fn(move || {
                let bit = left.trailing_zeros() as usize;
                left &= left.wrapping_sub(1);
                (bit < 64).then_some(word * 64 + bit)
            })
        })
    }
}

struct Branch<'a> {
    people: &'a [Person],
    neighbours: Vec<Set>,
    best: Set,
    steps: u32,
}

impl Branch<'_> {
    /// Looks for sets that hold all of `fixed`, which are adjacent to one another and to all of
    /// `open`, and some of these.
    fn grow(&mut self, fixed: Set, mut open: Set) {
        loop {
            self.steps += 1;
            if self.steps > BUDGET || !self.drop_misfits(&fixed, &mut open) {
                return;
            }
            let all = fixed.joined(&open, |a, b| a | b);
            if all.len() <= self.best.len() {
                return;
            }
            let strangers = |at: usize| open.joined(&self.neighbours[at], |a, b| a & !b).len() - 1;
            // Of equals the first.
            let most = open.iter().map(|at| (strangers(at), at));
            let (count, pivot) = most.fold((0, 0), |a, b| if b.0 > a.0 { b } else { a });
            if count == 0 {
                self.best = all;
                return;
            }
            open.remove(pivot);
            let mut with = fixed;
            with.insert(pivot);
            self.grow(with, open.joined(&self.neighbours[pivot], |a, b| a & b));
        }
    }

    /// Drops from `open` who has no place in the whole; `false` if one of `fixed` has none.
    fn drop_misfits(&self, fixed: &Set, open: &mut Set) -> bool {
        loop {
            let all = fixed.joined(open, |a, b| a | b);
            let size = all.len();
            let points = all.iter().map(|at| self.people[at].point);
            let Some(rectangle) = Rectangle::around(points) else { return false };
            let misfit = |at: &usize| {
                let person = &self.people[*at];
                person.k > size || !person.may_have_come_into(rectangle)
            };
            if fixed.iter().any(|at| misfit(&at)) {
                return false;
            }
            all.iter().filter(misfit).for_each(|at| open.remove(at));
            if fixed.len() + open.len() == size {
                return true;
            }
        }
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
            let crowd = town.random_queries(&mut random, 1 + seed as usize % 12);
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
