//! Footprints (Xu & Cai 2007, 2009): a region is as popular as a public place that the user names. The
//! popularity of a place is 2^H, where H is the entropy of its past visitors: the number of equally
//! frequent visitors that would be as hard to tell apart.
//!
//! Past visitors, not present users, are the crowd: a query is served at once and independently. The
//! past is the earlier queries of all users. The region is the smallest quadrant around the user
//! whose popularity suffices.

use crate::quadrant_areas::{Area, AreaPublisher};
use crate::quadrants::{Quadrant, Quadrants};
use crate::registry::{
    Crowd, KRule, OwnAttack, Parameter, SchemeEntry, SchemeError, ThreatModel, ValueRange,
};
use meshcloak::distance::Atlas;
use meshcloak::history::{Horizon, Visits, log2};
use meshcloak::map::{Position, StreetMap};
use meshcloak::scheme::{Description, Observer, Pace, Published, RegionDependence, Scheme, State};
use meshcloak::units::{Length, Point, Time};
use std::sync::Arc;
use std::time::Duration;

/// Row in the table of schemes.
pub(crate) const ENTRY: SchemeEntry = SchemeEntry {
    name: "footprints",
    parameters: &[
        Parameter {
            name: "place",
            meaning: "label of a street in the public place; without one, k visitors suffice",
            default: "",
            range: ValueRange::Label,
        },
        Parameter::number("size", "smallest side of the public place in m", "500", (1.0, 1e6)),
        Parameter::whole("levels", "halvings of the map for the smallest quadrants", "9", (1, 16)),
    ],
    threat_model: ThreatModel {
        crowd: Crowd::Asking,
        k: KRule::Personal,
        attack: OwnAttack::Visitors,
        promise: "the region has had k equally frequent visitors",
    },
    build: |atlas, arguments| {
        let place = match arguments.text("place") {
            "" => None,
            label => Some(find_street(atlas.map(), label)?),
        };
        let settings = FootprintSettings {
            place,
            size: arguments.number("size"),
            levels: arguments.whole("levels") as u32,
        };
        Ok(Box::new(Footprints::new(Arc::clone(atlas), settings)))
    },
};

/// Middle of the street with a label.
fn find_street(map: &StreetMap, label: &str) -> Result<Point, SchemeError> {
    let found = map.streets().find(|&street| map.street_label(street) == label);
    let street = found.ok_or_else(|| SchemeError::Map {
        scheme: "footprints",
        problem: format!("place={label}: the map has no street with that id"),
    })?;
    let half = Length::from_units(map.street(street).length.units() / 2);
    Ok(map.point(Position { street, offset: half }))
}

/// How long users are remembered; their visits are kept.
const HORIZON: Duration = Duration::from_secs(600);

/// Settings of footprints.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FootprintSettings {
    /// A point in the public place.
    pub place: Option<Point>,
    /// Minimum side of the public place in metres.
    pub size: f64,
    /// Number of halvings of the map.
    pub levels: u32,
}

/// The scheme and its buffers.
#[derive(Debug)]
pub struct Footprints {
    atlas: Arc<Atlas>,
    settings: FootprintSettings,
    areas: AreaPublisher,
    /// Quadrant of the public place.
    place: Option<Quadrant>,
}

impl Footprints {
    /// Creates the scheme for a map.
    pub fn new(atlas: Arc<Atlas>, settings: FootprintSettings) -> Footprints {
        let areas = AreaPublisher::new(atlas.map());
        let quadrants = areas.quadrants();
        let is_large = |level: &u32| quadrants.area(*level) >= settings.size * settings.size;
        let level = (0..=settings.levels).rev().find(is_large).unwrap_or(0);
        let place = settings.place.map(|point| quadrants.at(point, level));
        Footprints { place, areas, atlas, settings }
    }
}

/// Smallest quadrant around a user whose past visitors have at least that entropy.
fn choose(
    quadrants: &Quadrants,
    rank: usize,
    levels: u32,
    is_popular: impl Fn(Quadrant) -> bool,
) -> Option<Area> {
    let mut quadrant = quadrants.around(rank, levels);
    while !is_popular(quadrant) {
        quadrant = quadrant.parent()?;
    }
    Some(Area::one(quadrant))
}

/// Entropy that the region of a user with that k needs: that of the public place, and at least that
/// of k equally frequent visitors.
fn required(visits: &Visits, place: Option<Quadrant>, k: usize) -> u64 {
    let public = place.map_or(0, |place| visits.entropy(place.key()));
    public.max(log2(k as u32))
}

impl Scheme for Footprints {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn describe(&self) -> Description {
        Description {
            label: "Footprints",
            summary: "A quadrant with as many past visitors as a public place.",
            setting: "free space",
            cliques: "none, past visitors instead",
            constraint: "popularity",
            pace: Pace::Batch,
            regions: RegionDependence::Fixed,
        }
    }

    fn history_horizon(&self) -> Option<Horizon> {
        Some(HORIZON.into())
    }

    fn cloak(&mut self, state: &State, _: Time, observer: &mut dyn Observer) -> &mut Published {
        let Footprints { atlas, settings, areas, place } = self;
        let (visits, levels) = (state.history.visits(), settings.levels);
        let choose = |quadrants: &Quadrants, rank: usize, k: usize| {
            let needed = required(visits, *place, k);
            choose(quadrants, rank, levels, |q| visits.entropy(q.key()) >= needed)
        };
        let arrivals = &state.waiting[state.waiting.len() - state.arrived..];
        let points = arrivals.iter().map(|query| (query.user, atlas.map().point(query.position)));
        let steps: Vec<_> = points
            .flat_map(|(user, point)| {
                let quadrants = areas.quadrants();
                (0..=levels).map(move |level| (quadrants.at(point, level).key(), user))
            })
            .collect();
        let published = areas.publish(atlas.map(), &state.waiting, choose, observer);
        steps.into_iter().for_each(|(place, user)| published.visit(place, user));
        published
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshcloak::engine::{Batch, turn};
    use meshcloak::query::{Query, UserId};
    use meshcloak::region::Region;
    use meshcloak::town::{Town, town};
    use rand::RngExt as _;
    use std::collections::BTreeMap;

    /// Reference: popularity of the earlier queries in a quadrant.
    fn popularity(town: &Town, past: &[Query], quadrant: Quadrant) -> f64 {
        let mut counts: BTreeMap<UserId, f64> = BTreeMap::new();
        let quadrants = Quadrants::new(&town.map);
        let at = |query: &Query| quadrants.at(town.map.point(query.position), quadrant.level());
        for query in past.iter().filter(|query| at(query) == quadrant) {
            *counts.entry(query.user).or_default() += 1.0;
        }
        let total: f64 = counts.values().sum();
        let bits = |count: &f64| -count / total * (count / total).log2();
        counts.values().map(bits).sum::<f64>().exp2()
    }

    #[test]
    fn regions_are_the_smallest_quadrants_that_were_popular_enough() {
        let (mut served, mut smaller) = (0, 0);
        for seed in 0..60 {
            let town = Town::random(seed * 5);
            let mut random = Town::generator(seed);
            let atlas = Arc::new(Atlas::new(town.map.clone(), Length::metres(100.0)));
            let place = (seed % 2 == 0).then(|| town.map.point(town.position(&mut random)));
            let settings = FootprintSettings { place, size: 200.0, levels: 6 };
            let mut scheme = Footprints::new(Arc::clone(&atlas), settings);
            let quadrants = Quadrants::new(&town.map);
            let public = scheme.place;
            let mut queries = town.random_queries(&mut random, 120);
            for query in &mut queries {
                query.user = UserId(random.random_range(0..9));
                query.temporal_tolerance = Duration::ZERO;
            }
            let (mut state, mut past) = (State::default(), Vec::new());
            for (second, arrivals) in (1..).zip(queries.chunks(6)) {
                let now = Time::from_millis(second * 1_000);
                let mut arrivals = arrivals.to_vec();
                arrivals.iter_mut().for_each(|query| query.asked_at = now);
                let batch = Batch { now, arrivals: arrivals.clone(), cancelled: vec![] };
                let done = turn(&mut scheme, &mut state, batch, &mut ());
                for (query, set) in &done.served {
                    let Region::Rectangle(own) = done.published.set(*set).region else {
                        panic!("rectangles")
                    };
                    let public = public.map_or(0.0, |place| popularity(&town, &past, place));
                    let needed = public.max(query.k.into());
                    let point = town.map.point(query.position);
                    for quadrant in (0..=6).rev().map(|level| quadrants.at(point, level)) {
                        let found = popularity(&town, &past, quadrant);
                        if quadrants.rectangle(quadrant) == own {
                            assert!(found >= needed - 1e-3, "seed {seed}: {found} {needed}");
                            break;
                        }
                        assert!(found < needed + 1e-3, "seed {seed}: {found} {needed}");
                        smaller += 1;
                    }
                    served += 1;
                }
                past.extend(arrivals);
            }
        }
        assert!(served > 1_000 && smaller > 1_000, "{served} {smaller}");
    }

    #[test]
    fn an_unknown_place_is_refused() {
        let map = town("A 0,0  B 300,0 | A-B").map;
        let atlas = Arc::new(Atlas::new(map, Length::metres(100.0)));
        assert!(crate::by_name(&atlas, "footprints:place=A-B").is_ok());
        let problem = crate::by_name(&atlas, "footprints:place=C").err().expect("unknown");
        let expected = "scheme `footprints`: place=C: the map has no street with that id";
        assert_eq!(problem.to_string(), expected);
    }
}
