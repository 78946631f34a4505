//! CliqueCloak (Gedik and Liu 2008): free space, one query at a time. Each query has a box around
//! its point; two queries are adjacent if each one's point lies in the other's box. Whoever comes
//! looks for a clique among her neighbours in which every k is met, and all of it is published
//! under its bounding rectangle.

mod search;

use crate::grid::Grid;
use crate::roster::{Roster, place_of};
use meshcloak::distance::Atlas;
use meshcloak::query::{Query, QueryId, UserId};
use meshcloak::region::Region;
use meshcloak::scheme::{
    Description, Observer, Pace, Published, RegionDependence, Scheme, Stage, State,
};
use meshcloak::units::{Point, Rectangle, Time};
use search::Search;
use std::sync::Arc;
use std::time::Duration;

/// Which cliques a new query looks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ambition {
    /// One of its own k, among neighbours whose k is no larger (*local-k*).
    Local,
    /// Also one of a neighbour's larger k, the largest first (*nbr-k*).
    Neighbours,
}

/// CliqueCloak, with who waits and where.
#[derive(Debug)]
pub struct CliqueCloak {
    atlas: Arc<Atlas>,
    ambition: Ambition,
    roster: Roster,
    /// Those who wait, by number.
    people: Vec<Person>,
    grid: Grid,
    search: Search,
    neighbours: Vec<u32>,
    published: Published,
}

/// A query as this scheme sees it.
#[derive(Clone, Copy, Debug)]
struct Person {
    id: QueryId,
    user: UserId,
    k: u32,
    point: Point,
    /// Half the side of her box.
    reach: f64,
    asked_at: Time,
    tolerance: Duration,
}

/// A new query looks at no more than so many neighbours, the nearest.
const MOST_NEIGHBOURS: usize = 1 << 10;

impl Person {
    fn of(atlas: &Atlas, query: &Query) -> Person {
        Person {
            id: query.id,
            user: query.user,
            k: query.k,
            point: atlas.map().point(query.position),
            reach: query.distance_constraint.as_metres(),
            asked_at: query.asked_at,
            tolerance: query.temporal_tolerance,
        }
    }

    /// Her box in the plane.
    fn rectangle(&self) -> Rectangle {
        let (Point { x, y }, reach) = (self.point, self.reach);
        Rectangle { min: Point::new(x - reach, y - reach), max: Point::new(x + reach, y + reach) }
    }

    /// Whether somebody's point lies in her box, time included.
    fn covers(&self, other: &Person) -> bool {
        let Rectangle { min, max } = self.rectangle();
        let Point { x, y } = other.point;
        let apart = (self.asked_at - other.asked_at).max(other.asked_at - self.asked_at);
        min.x <= x && x <= max.x && min.y <= y && y <= max.y && apart <= self.tolerance
    }

    fn is_adjacent(&self, other: &Person) -> bool {
        self.user != other.user && self.covers(other) && other.covers(self)
    }
}

impl CliqueCloak {
    /// CliqueCloak on a map, of which it uses only where its positions are in the plane.
    pub fn new(atlas: Arc<Atlas>, ambition: Ambition) -> CliqueCloak {
        CliqueCloak {
            ambition,
            roster: Roster::default(),
            people: Vec::new(),
            grid: Grid::new(atlas.map().bounds()),
            search: Search::default(),
            neighbours: Vec::new(),
            published: Published::default(),
            atlas,
        }
    }

    /// Brings who waits up to date, those aside who have just come.
    fn follow(&mut self, state: &State) {
        if self.roster.is_of_the_turn_before(state) {
            for id in &state.departed {
                if let Some((number, _)) = self.roster.leave(*id) {
                    self.grid.remove(number, self.people[number as usize].point);
                }
            }
        } else {
            self.roster.clear();
            self.people.clear();
            self.grid.clear();
            for query in &state.waiting[..state.waiting.len() - state.arrived] {
                self.enter(query);
            }
        }
        self.roster.settle(state);
    }

    fn enter(&mut self, query: &Query) -> u32 {
        let number = self.roster.enter(query);
        let person = Person::of(&self.atlas, query);
        if number as usize == self.people.len() {
            self.people.push(person);
        } else {
            self.people[number as usize] = person;
        }
        self.grid.insert(number, person.point);
        number
    }

    /// Her neighbours, nearest first. Gives how many she has.
    fn look_around(&mut self, newest: u32) -> usize {
        let CliqueCloak { people, grid, neighbours, .. } = self;
        let person = people[newest as usize];
        neighbours.clear();
        grid.within(person.rectangle(), |number| {
            if people[number as usize].is_adjacent(&person) {
                neighbours.push(number);
            }
        });
        let key = |&number: &u32| {
            let other = &people[number as usize];
            (other.point.distance_squared(person.point), other.id)
        };
        neighbours.sort_unstable_by(|a, b| {
            let (a, b) = (key(a), key(b));
            a.0.total_cmp(&b.0).then(a.1.cmp(&b.1))
        });
        let count = neighbours.len();
        neighbours.truncate(MOST_NEIGHBOURS);
        count
    }

    /// A clique with the newest query in which every k is met; it comes last in its own.
    fn find_clique(&mut self, newest: u32) -> Option<Vec<u32>> {
        let CliqueCloak { people, search, neighbours, .. } = self;
        let neighbour = |at: usize| &people[neighbours[at] as usize];
        let own = people[newest as usize].k;
        if neighbours.len() + 1 < own as usize {
            return None;
        }
        search.begin(neighbours.len(), |a, b| neighbour(a).is_adjacent(neighbour(b)));
        let mut sizes = vec![own];
        if self.ambition == Ambition::Neighbours {
            let theirs = (0..neighbours.len()).map(|at| neighbour(at).k);
            sizes.extend(theirs.filter(|&k| k > own && k as usize <= neighbours.len() + 1));
            sizes.sort_unstable_by(|a, b| b.cmp(a));
            sizes.dedup();
        }
        sizes.into_iter().find_map(|k| {
            let allowed = |at: usize| neighbour(at).k <= k;
            let found = search.find(k.max(1) as usize - 1, neighbours.len(), allowed)?;
            Some(found.iter().map(|&at| neighbours[at as usize]).chain([newest]).collect())
        })
    }

    /// Publishes a clique under its bounding rectangle; nobody of it can be in another.
    fn publish(&mut self, clique: &[u32], waiting: &[Query], served: &mut Vec<(u32, u32)>) {
        let CliqueCloak { people, grid, published, .. } = self;
        let members = || clique.iter().map(|&number| people[number as usize]);
        let Some(rectangle) = Rectangle::around(members().map(|member| member.point)) else {
            return;
        };
        let ids = members().map(|member| member.id);
        let set = published.add(ids, &Region::Rectangle(rectangle));
        served.extend(members().map(|member| (place_of(waiting, member.id), set)));
        clique.iter().for_each(|&number| grid.remove(number, people[number as usize].point));
    }
}

impl Scheme for CliqueCloak {
    fn name(&self) -> &'static str {
        match self.ambition {
            Ambition::Local => "clique-cloak",
            Ambition::Neighbours => "clique-cloak-nbr",
        }
    }

    fn describe(&self) -> Description {
        Description {
            setting: "free space",
            cliques: match self.ambition {
                Ambition::Local => "local search, own k",
                Ambition::Neighbours => "local search, neighbours' k",
            },
            constraint: "box given by the user",
            pace: Pace::Sequential,
            regions: RegionDependence::Tight,
        }
    }

    fn cloak(&mut self, state: &State, _: Time, watch: &mut dyn Observer) -> &mut Published {
        self.published.clear();
        self.published.stats.nodes = state.waiting.len();
        watch.stage(Stage::Graph);
        self.follow(state);
        let mut served = Vec::new();
        for query in &state.waiting[state.waiting.len() - state.arrived..] {
            watch.stage(Stage::Graph);
            let newest = self.enter(query);
            let neighbours = self.look_around(newest);
            watch.stage(Stage::Cliques);
            let clique = self.find_clique(newest);
            let stats = &mut self.published.stats;
            stats.edges += neighbours;
            stats.steps += std::mem::take(&mut self.search.steps);
            stats.truncated |= std::mem::take(&mut self.search.truncated);
            stats.truncated |= neighbours > MOST_NEIGHBOURS;
            if let Some(clique) = clique {
                watch.stage(Stage::Mesh);
                self.published.stats.cliques += 1;
                self.publish(&clique, &state.waiting, &mut served);
            }
        }
        served.sort_unstable();
        served.into_iter().for_each(|(place, set)| self.published.serve(place, set));
        &mut self.published
    }
}
