//! A crowd that lives on the map at real pace and asks through the same door as everyone else:
//! its questions are JSON, examined, limited and refused like anybody's.

use crate::board::{Board, ticket};
use gateway::gateway::Gateway;
use gateway::tickets::Route;
use meshcloak::map::Frame;
use meshcloak::query::{Query as CoreQuery, QueryId};
use meshcloak::units::Time;
use serde::Serialize;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::{oneshot, watch};
use traffic::{Profile, SimulatedQuery, SimulationSettings, Simulation};

/// How the crowd of the demo lives.
const PROFILE: &str = include_str!("../profiles/demo.toml");

/// A second is lived through in so many steps, so that not everybody asks at once.
const STEPS: u64 = 10;

/// The city of the demo: small enough for a few thousand people to meet.
pub const CITY: &str = "city:1500:1";

/// Who the crowd is.
#[derive(Clone, Copy, Debug)]
pub struct CrowdPlan {
    /// How many people.
    pub users: u32,
    /// Smallest and largest k.
    pub k: (u32, u32),
    /// How long they wait.
    pub patience: Duration,
    /// What chance begins with.
    pub seed: u64,
}

impl Default for CrowdPlan {
    fn default() -> CrowdPlan {
        CrowdPlan { users: 5_000, k: (2, 5), patience: Duration::from_secs(8), seed: 1 }
    }
}

/// What a question looks like on the wire.
#[derive(Serialize)]
struct Body<'a> {
    ticket: &'a str,
    person: &'a str,
    lon: f64,
    lat: f64,
    k: u32,
    dt: f64,
    dc: f64,
    speed: f64,
    question: QuestionBody<'a>,
}

#[derive(Serialize)]
struct QuestionBody<'a> {
    find: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    radius: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    count: Option<u32>,
    along: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    category: Option<&'a str>,
}

/// The crowd.
pub struct Crowd {
    gateway: Arc<Gateway>,
    board: Arc<Board>,
    frame: Frame,
    categories: Vec<String>,
    next: u64,
}

impl Crowd {
    /// A crowd of a gateway, seen on a board.
    pub fn new(gateway: Arc<Gateway>, board: Arc<Board>, frame: Frame) -> Crowd {
        let map = gateway.atlas().map();
        let categories = map.tables().categories.iter().filter(|name| !name.is_empty());
        let categories = categories.map(ToOwned::to_owned).collect();
        Crowd { gateway, board, frame, categories, next: 1 }
    }

    /// Lets the crowd live until the gateway stops. Takes a thread.
    pub fn live(mut self, plan: CrowdPlan, stopping: &watch::Receiver<bool>) {
        let profile = Profile::from_toml(PROFILE).expect("the built-in profile is valid");
        let atlas = Arc::clone(self.gateway.atlas());
        let settings = SimulationSettings {
            users: plan.users,
            k: plan.k,
            temporal_tolerance: u32::try_from(plan.patience.as_millis()).unwrap_or(u32::MAX),
            seed: plan.seed,
        };
        let mut people = Simulation::new(atlas.map(), &profile, settings);
        let began = Instant::now();
        let mut second = 0;
        while let Some(batch) = people.step() {
            self.board.moved(atlas.map(), people.agents().map(|agent| (agent.agent, agent.position)));
            self.record(second, &batch.queries);
            for step in 0..STEPS {
                if *stopping.borrow() {
                    return;
                }
                let due = Duration::from_millis(second * 1000 + step * 1000 / STEPS);
                std::thread::sleep(due.saturating_sub(began.elapsed()));
                let end = second.saturating_sub(1) * 1000 + (step + 1) * 1000 / STEPS;
                let from = end.saturating_sub(1000 / STEPS);
                // Those who ask at the very beginning ask in the first step.
                let now = |query: &&SimulatedQuery| (from + 1..=end).contains(&query.asked_at.max(1));
                self.ask(batch.queries.iter().filter(now));
            }
            second += 1;
        }
    }

    /// Keeps what is asked in this second for the arena.
    fn record(&mut self, second: u64, queries: &[SimulatedQuery]) {
        let first = self.next;
        self.next += queries.len() as u64;
        let ids = (first..).map(QueryId);
        let asked = queries.iter().zip(ids).map(|(query, id)| query.as_query(id)).collect();
        self.board.lock().tape.push(Time::from_millis(second * 1000), asked);
    }

    /// Asks the gateway.
    fn ask<'a>(&self, queries: impl Iterator<Item = &'a SimulatedQuery>) {
        let directory = self.gateway.directory();
        let Some(account) = directory.account(None) else { return };
        for query in queries {
            let text = self.body(query);
            // Whoever is refused gives up, as a person would.
            let Ok(ask) = self.gateway.examine(account, text.as_bytes()) else { continue };
            let waits = CoreQuery { position: ask.position, ..query.as_query(QueryId(0)) };
            self.board.asked(query.user, waits);
            // The crowd does not read its answers.
            let route = || Route::One(oneshot::channel().0);
            self.gateway.submit(account, [ask], route, |_, _| ());
        }
    }

    fn body(&self, query: &SimulatedQuery) -> String {
        let place = self.frame.lon_lat(self.gateway.atlas().map().point(query.position));
        let category = (!self.categories.is_empty())
            .then(|| self.categories[query.user as usize % self.categories.len()].as_str());
        let nearest = !query.user.is_multiple_of(3);
        let body = Body {
            ticket: &ticket(query.user, query.number),
            person: &format!("crowd-{}", query.user),
            lon: place.lon,
            lat: place.lat,
            k: query.k,
            dt: f64::from(query.temporal_tolerance) / 1000.0,
            dc: query.distance_constraint.as_metres(),
            speed: f64::from(query.speed) / 1000.0,
            question: QuestionBody {
                find: if nearest { "nearest" } else { "within" },
                radius: (!nearest).then_some(500),
                count: nearest.then_some(3),
                along: "streets",
                category,
            },
        };
        serde_json::to_string(&body).expect("strings and finite numbers are JSON")
    }
}
