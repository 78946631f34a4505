//! CliqueCloak (Gedik and Liu 2008): free space, sequential. Each query has a box around its point;
//! two queries are adjacent if each point lies in the other's box. A new query searches its
//! neighbours for a clique that meets the k of all members; the clique is published under its
//! bounding rectangle.

mod clique_search;

use crate::query_grid::QueryGrid;
use crate::waiting_table::{WaitingTable, waiting_index};
use clique_search::CliqueSearch;
use meshcloak::distance::Atlas;
use meshcloak::query::{Query, QueryId, UserId};
use meshcloak::region::Region;
use meshcloak::scheme::{
    Description, Observer, Pace, Published, RegionDependence, Scheme, Stage, State,
};
use meshcloak::units::{Point, Rectangle, Time};

use std::sync::Arc;
use std::time::Duration;

/// Size of the cliques that a new query searches for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KSearch {
    /// The query's own k, among neighbours with no larger k (*local-k*).
    Local,
    /// Also a neighbour's larger k, largest first (*nbr-k*).
    Neighbours,
}

/// The scheme, its waiting queries and their spatial index.
#[derive(Debug)]
pub struct CliqueCloak {
    atlas: Arc<Atlas>,
    k_search: KSearch,
    waiting_table: WaitingTable,
    /// By number of the waiting table.
    queries: Vec<BoxQuery>,
    grid: QueryGrid,
    search: CliqueSearch,
    neighbours: Vec<u32>,
    published: Published,
}

/// A query with its box in space and time.
#[derive(Clone, Copy, Debug)]
struct BoxQuery {
    id: QueryId,
    user: UserId,
    k: u32,
    point: Point,
    /// Half the side of the box in metres.
    radius: f64,
    asked_at: Time,
    tolerance: Duration,
}

/// Maximum number of neighbours, the nearest, that a search considers.
const MAX_NEIGHBOURS: usize = 1 << 10;

impl BoxQuery {
    fn new(atlas: &Atlas, query: &Query) -> BoxQuery {
        BoxQuery {
            id: query.id,
            user: query.user,
            k: query.k,
            point: atlas.map().point(query.position),
            radius: query.distance_constraint.as_metres(),
            asked_at: query.asked_at,
            tolerance: query.temporal_tolerance,
        }
    }

    /// Box in the plane.
    fn rectangle(&self) -> Rectangle {
        let (Point { x, y }, radius) = (self.point, self.radius);
        Rectangle {
            min: Point::new(x - radius, y - radius),
            max: Point::new(x + radius, y + radius),
        }
    }

    /// Whether the other query lies in this box in space and time.
    fn covers(&self, other: &BoxQuery) -> bool {
        let Rectangle { min, max } = self.rectangle();
        let Point { x, y } = other.point;
        let interval = (self.asked_at - other.asked_at).max(other.asked_at - self.asked_at);
        min.x <= x && x <= max.x && min.y <= y && y <= max.y && interval <= self.tolerance
    }

    fn is_adjacent(&self, other: &BoxQuery) -> bool {
        self.user != other.user && self.covers(other) && other.covers(self)
    }
}

impl CliqueCloak {
    /// Creates the scheme for a map; it uses only the coordinates of positions.
    pub fn new(atlas: Arc<Atlas>, k_search: KSearch) -> CliqueCloak {
        CliqueCloak {
            k_search,
            waiting_table: WaitingTable::default(),
            queries: Vec::new(),
            grid: QueryGrid::new(atlas.map().bounds()),
            search: CliqueSearch::default(),
            neighbours: Vec::new(),
            published: Published::default(),
            atlas,
        }
    }

    /// Applies the changes since the previous turn, except for new arrivals.
    fn update(&mut self, state: &State) {
        if self.waiting_table.is_from_previous_turn(state) {
            for id in &state.departed {
                if let Some((number, _)) = self.waiting_table.remove(*id) {
                    self.grid.remove(number, self.queries[number as usize].point);
                }
            }
        } else {
            self.waiting_table.clear();
            self.queries.clear();
            self.grid.clear();
            for query in &state.waiting[..state.waiting.len() - state.arrived] {
                self.insert(query);
            }
        }
        self.waiting_table.mark_current(state);
    }

    fn insert(&mut self, query: &Query) -> u32 {
        let number = self.waiting_table.insert(query);
        let entry = BoxQuery::new(&self.atlas, query);
        if number as usize == self.queries.len() {
            self.queries.push(entry);
        } else {
            self.queries[number as usize] = entry;
        }
        self.grid.insert(number, entry.point);
        number
    }

    /// Stores the nearest neighbours, nearest first; returns the number of all neighbours.
    fn find_neighbours(&mut self, newest: u32) -> usize {
        let CliqueCloak { queries, grid, neighbours, .. } = self;
        let query = queries[newest as usize];
        neighbours.clear();
        grid.within(query.rectangle(), |number| {
            if queries[number as usize].is_adjacent(&query) {
                neighbours.push(number);
            }
        });
        let key = |&number: &u32| {
            let other = &queries[number as usize];
            (other.point.distance_squared(query.point), other.id)
        };
        neighbours.sort_unstable_by(|a, b| {
            let (a, b) = (key(a), key(b));
            a.0.total_cmp(&b.0).then(a.1.cmp(&b.1))
        });
        let count = neighbours.len();
        neighbours.truncate(MAX_NEIGHBOURS);
        count
    }

    /// Finds a clique with the newest query, as last member, that meets the k of all members.
    fn find_clique(&mut self, newest: u32) -> Option<Vec<u32>> {
        let CliqueCloak { queries, search, neighbours, .. } = self;
        let neighbour = |index: usize| &queries[neighbours[index] as usize];
        let own = queries[newest as usize].k;
        if neighbours.len() + 1 < own as usize {
            return None;
        }
        search.begin(neighbours.len(), |a, b| neighbour(a).is_adjacent(neighbour(b)));
        let mut sizes = vec![own];
        if self.k_search == KSearch::Neighbours {
            let others = (0..neighbours.len()).map(|index| neighbour(index).k);
            sizes.extend(others.filter(|&k| k > own && k as usize <= neighbours.len() + 1));
            sizes.sort_unstable_by(|a, b| b.cmp(a));
            sizes.dedup();
        }
        sizes.into_iter().find_map(|k| {
            let allowed = |index: usize| neighbour(index).k <= k;
            let found = search.find(k.max(1) as usize - 1, neighbours.len(), allowed)?;
            Some(found.iter().map(|&index| neighbours[index as usize]).chain([newest]).collect())
        })
    }

    /// Publishes a clique under its bounding rectangle and removes its members from the index.
    fn publish(&mut self, clique: &[u32], waiting: &[Query], served: &mut Vec<(u32, u32)>) {
        let CliqueCloak { queries, grid, published, .. } = self;
        let members = || clique.iter().map(|&number| queries[number as usize]);
        let Some(rectangle) = Rectangle::around(members().map(|member| member.point)) else {
            return;
        };
        let ids = members().map(|member| member.id);
        let set = published.add(ids, &Region::Rectangle(rectangle));
        served.extend(members().map(|member| (waiting_index(waiting, member.id), set)));
        clique.iter().for_each(|&number| grid.remove(number, queries[number as usize].point));
    }
}

impl Scheme for CliqueCloak {
    fn name(&self) -> &'static str {
        match self.k_search {
            KSearch::Local => "clique-cloak",
            KSearch::Neighbours => "clique-cloak-nbr",
        }
    }

    fn describe(&self) -> Description {
        let (label, summary, cliques) = match self.k_search {
            KSearch::Local => {
                ("CliqueCloak", "A rectangle around a clique in the plane.", "local search, own k")
            }
            KSearch::Neighbours => (
                "CliqueCloak, neighbours",
                "CliqueCloak that tries larger cliques.",
                "local search, neighbours' k",
            ),
        };
        Description {
            label,
            summary,
            setting: "free space",
            cliques,
            constraint: "box given by the user",
            pace: Pace::Sequential,
            regions: RegionDependence::Tight,
        }
    }

    fn cloak(&mut self, state: &State, _: Time, observer: &mut dyn Observer) -> &mut Published {
        self.published.clear();
        self.published.stats.nodes = state.waiting.len();
        observer.stage(Stage::Graph);
        self.update(state);
        let mut served = Vec::new();
        for query in &state.waiting[state.waiting.len() - state.arrived..] {
            observer.stage(Stage::Graph);
            let newest = self.insert(query);
            let neighbours = self.find_neighbours(newest);
            observer.stage(Stage::Cliques);
            let clique = self.find_clique(newest);
            let stats = &mut self.published.stats;
            stats.edges += neighbours;
            stats.steps += std::mem::take(&mut self.search.steps);
            stats.truncated |= std::mem::take(&mut self.search.truncated);
            stats.truncated |= neighbours > MAX_NEIGHBOURS;
            if let Some(clique) = clique {
                observer.stage(Stage::Mesh);
                self.published.stats.cliques += 1;
                self.publish(&clique, &state.waiting, &mut served);
            }
        }
        served.sort_unstable();
        served.into_iter().for_each(|(index, set)| self.published.serve(index, set));
        &mut self.published
    }
}
