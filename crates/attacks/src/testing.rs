//! Shared fixtures of the attack tests: a town, a target and its disclosures.

use crate::scheme_rerun::SchemeFactory;
use crate::view::{
    KnownPosition, LinkedDisclosure, Prior, RegionDependence, Snapshot, Target, View,
};
use meshcloak::distance::{Atlas, MAX_DC_MAX};
use meshcloak::guarantee::Guarantee;
use meshcloak::map::StreetId;
use meshcloak::mesh::MeshRule;
use meshcloak::mesh_cloak::{MeshCloak, Settings};
use meshcloak::query::{Query, QueryId, UserId};
use meshcloak::region::Region;
use meshcloak::scheme::{Scheme, State};
use meshcloak::town::Town;
use meshcloak::units::{Length, Speed, Time};
use std::sync::Arc;
use std::time::Duration;

pub(crate) fn seconds(seconds: u64) -> Time {
    Time::from_millis(seconds * 1_000)
}

pub(crate) struct Scenario {
    pub town: Town,
    pub atlas: Arc<Atlas>,
    pub target: Target,
    pub rule: RegionDependence,
    pub disclosures: Vec<LinkedDisclosure>,
    pub previous: Option<KnownPosition>,
    pub candidate_sets: Vec<Vec<UserId>>,
    pub prior: Option<Prior>,
}

impl Scenario {
    /// Creates a scenario with a target of that dc in metres and speed in metres per second.
    pub fn on(town: Town, dc: f64, speed: f64) -> Scenario {
        Scenario {
            atlas: Arc::new(Atlas::new(town.map.clone(), MAX_DC_MAX)),
            town,
            target: Target { dc: Length::metres(dc), speed: Some(Speed::metres_per_second(speed)) },
            rule: RegionDependence::Mesh(MeshRule::Reach),
            disclosures: Vec::new(),
            previous: None,
            candidate_sets: Vec::new(),
            prior: None,
        }
    }

    /// Adds a disclosure of these streets at the time of the query.
    pub fn show(&mut self, at: Time, streets: &[&str]) {
        let mut streets: Vec<StreetId> =
            streets.iter().map(|name| self.town.street(name)).collect();
        streets.sort_unstable();
        self.show_region(at, Region::Mesh(streets.into()));
    }

    pub fn show_region(&mut self, at: Time, region: Region<'static>) {
        self.disclosures.push(LinkedDisclosure::new(at, at, Arc::new(region)));
    }

    pub fn view(&self, attacked: usize) -> View<'_> {
        View {
            atlas: &self.atlas,
            rule: self.rule,
            target: self.target,
            disclosures: &self.disclosures,
            attacked,
            previous: self.previous,
            set: None,
            snapshot: None,
            candidate_sets: &self.candidate_sets,
            prior: self.prior.as_ref(),
        }
    }

    pub fn view_of<'a>(&'a self, attacked: usize, snapshot: &'a Snapshot<'a>) -> View<'a> {
        View { snapshot: Some(snapshot), ..self.view(attacked) }
    }
}

/// Creates queries at these x coordinates of a town whose streets `0-1`, `1-2`, … lie on the x axis and
/// have the same length in metres. The user id, query id and index of a query are equal.
pub(crate) fn queries_on(
    scenario: &Scenario,
    street_length: f64,
    metres: &[f64],
    k: &[u32],
) -> Vec<Query> {
    let query = |(number, (&metres, &k)): (usize, (&f64, &u32))| {
        let first = (metres / street_length) as usize;
        let position = scenario
            .town
            .at(&format!("{first}-{}", first + 1), metres - first as f64 * street_length);
        Query::builder(UserId(number as u64), position)
            .id(QueryId(number as u64))
            .at(seconds(1))
            .k(k)
            .dt(Duration::from_secs(5))
            .dc(scenario.target.dc)
            .speed(scenario.target.speed)
            .build_unchecked()
    };
    metres.iter().zip(k).enumerate().map(query).collect()
}

/// Runs MeshCloak on these queries; returns the state, the served users with regions, and the factory.
pub(crate) fn batch(
    scenario: &Scenario,
    queries: Vec<Query>,
    guarantee: Guarantee,
) -> (State, Vec<(u64, Region<'static>)>, Box<SchemeFactory<'static>>) {
    let atlas = Arc::clone(&scenario.atlas);
    let make = move || -> Box<dyn Scheme> {
        let settings = Settings { guarantee, ..Settings::default() };
        Box::new(MeshCloak::new(Arc::clone(&atlas), settings))
    };
    let state = State::with_waiting(queries);
    let mut scheme = make();
    let published = scheme.cloak(&state, seconds(1), &mut ());
    let served = published.served().iter().map(|served| {
        let user = state.waiting[served.index as usize].user.0;
        (user, published.set(served.set).region.into_owned())
    });
    let served = served.collect();
    (state, served, Box::new(make))
}
