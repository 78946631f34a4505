//! What the tests of attacks share: a town, a target, and what was shown of her.

use crate::view::{Crowd, Prior, Rule, Shown, Sighting, Target, View};
use meshcloak::distance::{Atlas, LARGEST_DC_MAX};
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

pub(crate) struct Lookout {
    pub town: Town,
    pub atlas: Arc<Atlas>,
    pub target: Target,
    pub rule: Rule,
    pub shown: Vec<Shown>,
    pub previous: Option<Sighting>,
    pub named: Vec<Vec<UserId>>,
    pub prior: Option<Prior>,
}

impl Lookout {
    /// After a target with that dc, in metres, and speed, in metres per second.
    pub fn on(town: Town, dc: f64, speed: f64) -> Lookout {
        Lookout {
            atlas: Arc::new(Atlas::new(town.map.clone(), LARGEST_DC_MAX)),
            town,
            target: Target { dc: Length::metres(dc), speed: Some(Speed::metres_per_second(speed)) },
            rule: Rule::Mesh(MeshRule::Reach),
            shown: Vec::new(),
            previous: None,
            named: Vec::new(),
            prior: None,
        }
    }

    /// She asked, and these streets were shown at once.
    pub fn show(&mut self, at: Time, streets: &[&str]) {
        let mut streets: Vec<StreetId> =
            streets.iter().map(|name| self.town.street(name)).collect();
        streets.sort_unstable();
        self.show_region(at, Region::Mesh(streets.into()));
    }

    pub fn show_region(&mut self, at: Time, region: Region<'static>) {
        self.shown.push(Shown::new(at, at, Arc::new(region)));
    }

    pub fn view(&self, attacked: usize) -> View<'_> {
        View {
            atlas: &self.atlas,
            rule: self.rule,
            target: self.target,
            disclosures: &self.shown,
            attacked,
            previous: self.previous,
            crowd: None,
            named: &self.named,
            prior: self.prior.as_ref(),
        }
    }

    pub fn view_of<'a>(&'a self, attacked: usize, crowd: &'a Crowd<'a>) -> View<'a> {
        View { crowd: Some(crowd), ..self.view(attacked) }
    }
}

/// People along the x axis of a town whose streets are `0-1`, `1-2`, … of that many metres each;
/// user, query and place have the same number.
pub(crate) fn people_on(lookout: &Lookout, street: f64, places: &[f64], k: &[u32]) -> Vec<Query> {
    let person = |(number, (&metres, &k)): (usize, (&f64, &u32))| {
        let first = (metres / street) as usize;
        let position =
            lookout.town.at(&format!("{first}-{}", first + 1), metres - first as f64 * street);
        Query {
            id: QueryId(number as u64),
            user: UserId(number as u64),
            asked_at: seconds(1),
            position,
            k,
            temporal_tolerance: Duration::from_secs(5),
            distance_constraint: lookout.target.dc,
            speed: lookout.target.speed,
        }
    };
    places.iter().zip(k).enumerate().map(person).collect()
}

type Make = Box<dyn Fn() -> Box<dyn Scheme> + Sync>;

/// MeshCloak on a batch in which these wait: the state, who was served with what, and the scheme.
pub(crate) fn batch(
    lookout: &Lookout,
    people: Vec<Query>,
    guarantee: Guarantee,
) -> (State, Vec<(u64, Region<'static>)>, Make) {
    let atlas = Arc::clone(&lookout.atlas);
    let make = move || -> Box<dyn Scheme> {
        let settings = Settings { guarantee, ..Settings::default() };
        Box::new(MeshCloak::new(Arc::clone(&atlas), settings))
    };
    let state = State::with_waiting(people);
    let mut scheme = make();
    let published = scheme.cloak(&state, seconds(1), &mut ());
    let served = published.served().iter().map(|served| {
        let user = state.waiting[served.index as usize].user.0;
        (user, published.set(served.set).region.into_owned())
    });
    let served = served.collect();
    (state, served, Box::new(make))
}
