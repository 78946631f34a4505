//! Simulated clients: a simulation a few seconds ahead of the clock, as queries ready to send.

use bytes::Bytes;
use meshcloak::map::{Position, StreetMap};
use serde_json::json;
use std::hash::{BuildHasher as _, RandomState};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;
use traffic::{Profile, SimulatedQuery, Simulation, SimulationSettings};

/// A query ready to be sent.
#[derive(Clone, Debug)]
pub struct ClientQuery {
    /// Number of the user.
    pub user: u32,
    /// Number of the query in the run, from 0.
    pub number: u32,
    /// Send time, in milliseconds from the start of the run.
    pub at: u64,
    /// JSON body without a line break.
    pub body: Bytes,
    /// Position of the user.
    pub position: Position,
    /// Index in [`QUESTIONS`].
    pub question: usize,
}

/// Questions, used in turn.
pub const QUESTIONS: [&str; 4] = [
    r#"{"find":"nearest","count":3,"along":"streets"}"#,
    r#"{"find":"within","radius":300,"along":"plane"}"#,
    r#"{"find":"nearest","count":5,"along":"plane"}"#,
    r#"{"find":"within","radius":400,"along":"streets"}"#,
];

/// Simulation to run and part of it to send.
#[derive(Clone, Copy, Debug)]
pub struct ClientSettings {
    /// Simulated agents.
    pub simulation: SimulationSettings,
    /// Simulated seconds to send.
    pub seconds: u32,
    /// Simulated seconds to skip before the first query that is sent.
    pub skip: u32,
}

/// Queries of one simulated second after the other.
#[derive(Debug)]
pub struct Clients {
    seconds: Receiver<Vec<ClientQuery>>,
}

/// Largest lead of the simulation over the reader, in simulated seconds.
const MAX_LEAD: usize = 4;

impl Clients {
    /// Starts the simulation on its own thread.
    pub fn start(map: Arc<StreetMap>, profile: Profile, settings: ClientSettings) -> Clients {
        let (sender, seconds) = sync_channel(MAX_LEAD);
        thread::spawn(move || {
            let ClientSettings { simulation, seconds, skip } = settings;
            let mut simulation = Simulation::new(&map, &profile, simulation);
            let run = LoadRun { id: random_run_id(), start: u64::from(skip) * 1000 };
            let mut numbers = 0..;
            for second in 0..skip + seconds {
                let Some(batch) = simulation.step() else { break };
                if second < skip {
                    continue;
                }
                let queries = batch.queries.iter().zip(&mut numbers);
                let mut queries: Vec<ClientQuery> =
                    queries.map(|(query, number)| prepare(&map, query, number, run)).collect();
                queries.sort_by_key(|query| query.at);
                // The receiver is closed if sending to the gateway has failed.
                if sender.send(queries).is_err() {
                    break;
                }
            }
        });
        Clients { seconds }
    }
}

impl Iterator for Clients {
    type Item = Vec<ClientQuery>;

    fn next(&mut self) -> Option<Vec<ClientQuery>> {
        self.seconds.recv().ok()
    }
}

/// Returns a random id of the run. Tickets and user names contain it: the gateway remembers
/// tickets and past positions, and those of different runs must not collide.
fn random_run_id() -> u32 {
    RandomState::new().hash_one(0) as u32
}

/// Ratio of declared to actual speed. Latency varies, so two queries can arrive in a shorter
/// interval than they were sent; without a margin the `history` guarantee would then reject the
/// second as faster than declared (docs/SPEC.md §6).
const DECLARED_SPEED_RATIO: f64 = 1.1;

/// Id of a run and its start in simulated milliseconds.
#[derive(Clone, Copy, Debug)]
struct LoadRun {
    id: u32,
    start: u64,
}

/// Returns the offset of a user's queries within a second, in milliseconds: simulated agents ask at
/// whole seconds, real users at any time.
fn phase(user: u32) -> u64 {
    u64::from(user.wrapping_mul(0x9e37_79b9) >> 16) % 1000
}

/// Builds the JSON body of a query.
fn prepare(map: &StreetMap, query: &SimulatedQuery, number: u32, run: LoadRun) -> ClientQuery {
    let LoadRun { id, start } = run;
    let question = number as usize % QUESTIONS.len();
    let lon_lat = map.frame().map(|frame| frame.lon_lat(map.point(query.position)));
    let (lon, lat) = lon_lat.map_or((0.0, 0.0), |lon_lat| (lon_lat.lon, lon_lat.lat));
    let fields = json!({
        "ticket": format!("{number}-{id:x}"),
        "person": format!("{}-{id:x}", query.user),
        "lon": lon,
        "lat": lat,
        "k": query.k,
        "dt": f64::from(query.temporal_tolerance) / 1000.0,
        "dc": query.distance_constraint.as_metres(),
        "speed": f64::from(query.speed) / 1000.0 * DECLARED_SPEED_RATIO,
    });
    let mut text = fields.to_string();
    text.pop();
    let body = format!("{text},\"question\":{}}}", QUESTIONS[question]);
    ClientQuery {
        user: query.user,
        number,
        at: (query.asked_at + phase(query.user)).saturating_sub(start),
        body: body.into(),
        position: query.position,
        question,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gateway::city::CityParts;
    use gateway::clock::Clock;
    use gateway::config::{Config, Mode};
    use gateway::error::Refusal;
    use gateway::gateway::{Gateway, Parts};
    use gateway::intake::parse_query;
    use gateway::service::BuiltIn;
    use gateway::submit::{Submission, submit};
    use gateway::tickets::Route;
    use gateway::walk::Walker;
    use meshcloak::distance::Atlas;
    use meshcloak::guarantee::Guarantee;
    use meshcloak::units::Length;
    use serde_json::Value;
    use tokio::sync::oneshot;

    fn gateway(map: &StreetMap) -> Gateway {
        let walker =
            Arc::new(Walker::new(Arc::new(Atlas::new(map.clone(), Length::metres(2000.)))));
        let service = Box::new(BuiltIn::new(Arc::clone(&walker)));
        let mut config = Config { keys: None, ..Config::default() };
        config.engine.guarantee = Guarantee::History;
        config.limits.rate = 1_000_000;
        config.limits.person_rate = 1_000_000;
        let parts = Parts {
            config,
            mode: Mode::Demo,
            cities: vec![CityParts::only(walker, service)],
            clock: Clock::manual(),
        };
        Gateway::new(parts).expect("the default configuration is valid")
    }

    /// Latency of a query, in milliseconds.
    fn latency(query: &ClientQuery) -> u64 {
        u64::from(query.number.wrapping_mul(0x9e37_79b9) >> 16) % 100
    }

    /// Counts the accepted queries and those rejected as faster than declared. `factor` scales the
    /// declared speeds.
    fn admitted(map: &StreetMap, runs: &[Vec<ClientQuery>], factor: f64) -> [u32; 2] {
        let gateway = gateway(map);
        let account = Arc::clone(gateway.directory().account(None).expect("the demo has no keys"));
        let mut counts = [0; 2];
        for queries in runs {
            let mut arrivals: Vec<(u64, &ClientQuery)> =
                queries.iter().map(|query| (query.at + latency(query), query)).collect();
            arrivals.sort_by_key(|arrival| arrival.0);
            let start = gateway.clock().now().as_millis();
            for (at, query) in arrivals {
                gateway.clock().advance(start + at - gateway.clock().now().as_millis());
                let mut body: Value = serde_json::from_slice(&query.body).expect("valid JSON");
                let speed = body["speed"].as_f64().expect("every query has a speed");
                body["speed"] = (speed * factor).into();
                let query = parse_query(&gateway, &account, body.to_string().as_bytes());
                let query = query.map_err(|refused| refused.refusal).expect("a valid query");
                let route = || Route::One(oneshot::channel().0);
                submit(&gateway, &account, [query], route, |_, verdict| match verdict {
                    Submission::Refused(Refusal::FasterThanDeclared) => counts[1] += 1,
                    verdict => {
                        assert_eq!(verdict, Submission::Waiting);
                        counts[0] += 1;
                    }
                });
            }
        }
        counts
    }

    #[test]
    fn a_margin_on_the_declared_speed_tolerates_variable_latency_in_every_run() {
        let map = import::read_map(&"city:500:7".parse().unwrap(), &Default::default(), &());
        let map = Arc::new(map.unwrap().map);
        let profile = Profile::named("p1").unwrap();
        let runs = [1, 2].map(|seed| -> Vec<ClientQuery> {
            let simulation =
                SimulationSettings { users: 300, seed, ..SimulationSettings::default() };
            let settings = ClientSettings { simulation, seconds: 60, skip: 0 };
            Clients::start(Arc::clone(&map), profile.clone(), settings).flatten().collect()
        });
        let [accepted, refused] = admitted(&map, &runs, 1.0);
        assert!(
            accepted > 1_000 && refused * 100 < accepted,
            "{accepted} accepted, {refused} refused"
        );
        let [accepted, refused] = admitted(&map, &runs, 1.0 / DECLARED_SPEED_RATIO);
        assert!(refused > accepted / 3, "{accepted} accepted, {refused} refused");
    }
}
