//! Random queries with published rectangles.

use super::boundary::BoundedQuery;
use meshcloak::distance::{Atlas, MAX_DC_MAX};
use meshcloak::history::History;
use meshcloak::query::UserId;
use meshcloak::town::Town;
use meshcloak::units::Rectangle;
use rand::RngExt as _;

/// Returns queries of up to eight users on a random town; most have a published rectangle.
pub(super) fn random_queries(seed: u64, count: usize) -> Vec<BoundedQuery> {
    let town = Town::random(seed);
    let mut random = Town::generator(seed);
    let atlas = Atlas::new(town.map.clone(), MAX_DC_MAX);
    let waiting = town.random_queries(&mut random, count);
    let bounded = waiting.iter().map(|query| {
        let mut query = BoundedQuery::new(&atlas, &History::default(), query);
        query.user = UserId(random.random_range(0..8));
        let corners = [town.position(&mut random), town.position(&mut random)];
        let last = Rectangle::around(corners.map(|p| town.map.point(p))).unwrap();
        let range = random.random_range(100.0..900.0);
        if random.random_bool(0.7) { query.with_published(last, range) } else { query }
    });
    bounded.collect()
}
