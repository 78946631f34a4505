//! The crowd: a simulation that is a few seconds ahead of the clock, as queries ready to be sent.

use bytes::Bytes;
use meshcloak::map::{Position, StreetMap};
use serde_json::json;
use std::hash::{BuildHasher as _, RandomState};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;
use traffic::{Profile, SimulatedQuery, Simulation, SimulationSettings};

/// One query.
#[derive(Clone, Debug)]
pub struct Post {
    /// Who asks.
    pub user: u32,
    /// Which of all queries, from 0.
    pub number: u32,
    /// When it is to be sent, in milliseconds.
    pub at: u64,
    /// The JSON, without a line break.
    pub body: Bytes,
    /// Where she is.
    pub position: Position,
    /// Which of the questions.
    pub question: usize,
}

/// What people ask, each time another.
pub const QUESTIONS: [&str; 4] = [
    r#"{"find":"nearest","count":3,"along":"streets"}"#,
    r#"{"find":"within","radius":300,"along":"plane"}"#,
    r#"{"find":"nearest","count":5,"along":"plane"}"#,
    r#"{"find":"within","radius":400,"along":"streets"}"#,
];

/// Who asks, and for how long.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// Who they are.
    pub settings: SimulationSettings,
    /// For how long.
    pub seconds: u32,
    /// Seconds of their lives that nobody sees.
    pub skip: u32,
}

/// Seconds of queries, one after the other.
#[derive(Debug)]
pub struct Crowd {
    seconds: Receiver<Vec<Post>>,
}

/// How many seconds the simulation may be ahead.
const AHEAD: usize = 4;

impl Crowd {
    /// Lets people live, on a thread of their own.
    pub fn start(map: Arc<StreetMap>, profile: Profile, plan: Plan) -> Crowd {
        let (sender, seconds) = sync_channel(AHEAD);
        thread::spawn(move || {
            let mut simulation = Simulation::new(&map, &profile, plan.settings);
            let run = run();
            let mut number = 0;
            for second in 0..plan.skip + plan.seconds {
                let Some(batch) = simulation.step() else { break };
                if second < plan.skip {
                    continue;
                }
                let start = u64::from(plan.skip) * 1000;
                let posts = batch.queries.iter().map(|query| {
                    number += 1;
                    let asked = Asked { number: number - 1, run, start };
                    post(&map, query, asked)
                });
                let mut posts: Vec<Post> = posts.collect();
                posts.sort_by_key(|post| post.at);
                // Nobody listens once driving has failed.
                if sender.send(posts).is_err() {
                    break;
                }
            }
        });
        Crowd { seconds }
    }
}

impl Iterator for Crowd {
    type Item = Vec<Post>;

    fn next(&mut self) -> Option<Vec<Post>> {
        self.seconds.recv().ok()
    }
}

/// A number that no other run has: tickets are remembered for a while, and so is where people
/// were, which those of another run cannot have been.
fn run() -> u32 {
    RandomState::new().hash_one(0) as u32
}

/// The speed that people say is theirs, of the one that is: a tenth more, as an app would say that
/// knows that reports are on their way for a moment, and not always for the same. Who says no more
/// than she drives has come too far whenever a query arrives sooner after the last than it was
/// asked, and nobody can hide her (SPEC §6).
const DECLARED: f64 = 1.1;

/// Which query, of which run, that began when.
#[derive(Clone, Copy, Debug)]
struct Asked {
    number: u32,
    run: u32,
    start: u64,
}

/// Simulated people ask at whole seconds; each of the real ones at moments of her own.
fn phase(user: u32) -> u64 {
    u64::from(user.wrapping_mul(0x9e37_79b9) >> 16) % 1000
}

/// The JSON of one query.
fn post(map: &StreetMap, query: &SimulatedQuery, Asked { number, run, start }: Asked) -> Post {
    let question = number as usize % QUESTIONS.len();
    let place = map.frame().map(|frame| frame.lon_lat(map.point(query.position)));
    let (lon, lat) = place.map_or((0.0, 0.0), |place| (place.lon, place.lat));
    let known = json!({
        "ticket": format!("{number}-{run:x}"),
        "person": format!("{}-{run:x}", query.user),
        "lon": lon,
        "lat": lat,
        "k": query.k,
        "dt": f64::from(query.temporal_tolerance) / 1000.0,
        "dc": query.distance_constraint.as_metres(),
        "speed": f64::from(query.speed) / 1000.0 * DECLARED,
    });
    let mut text = known.to_string();
    text.pop();
    let body = format!("{text},\"question\":{}}}", QUESTIONS[question]);
    Post {
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
    use gateway::clock::Clock;
    use gateway::config::{Config, Mode};
    use gateway::desk::Verdict;
    use gateway::error::Refusal;
    use gateway::gateway::{Gateway, Parts};
    use gateway::service::BuiltIn;
    use gateway::tickets::Route;
    use gateway::walk::Walker;
    use meshcloak::distance::Atlas;
    use meshcloak::guarantee::Guarantee;
    use meshcloak::units::Length;
    use serde_json::Value;
    use tokio::sync::oneshot;

    fn gateway(map: &StreetMap) -> Gateway {
        let walker = Arc::new(Walker::new(Arc::new(Atlas::new(map.clone(), Length::metres(300.)))));
        let service = Box::new(BuiltIn::new(Arc::clone(&walker)));
        let mut config = Config { keys: None, ..Config::default() };
        config.engine.guarantee = Guarantee::History;
        config.limits.rate = 1_000_000;
        config.limits.person_rate = 1_000_000;
        let parts = Parts { config, mode: Mode::Demo, walker, service, clock: Clock::by_hand() };
        Gateway::new(parts).expect("it needs nothing from outside")
    }

    /// Milliseconds that a query takes to arrive.
    fn on_its_way(post: &Post) -> u64 {
        u64::from(post.number.wrapping_mul(0x9e37_79b9) >> 16) % 100
    }

    /// How many get in, and how many came too far for the speed that they declare; that of
    /// everyone is so many times what the crowd says.
    fn admitted(map: &StreetMap, crowds: &[Vec<Post>], times: f64) -> [u32; 2] {
        let gateway = gateway(map);
        let account = Arc::clone(gateway.directory().account(None).expect("it is open"));
        let mut counts = [0; 2];
        for posts in crowds {
            let mut arriving: Vec<(u64, &Post)> =
                posts.iter().map(|post| (post.at + on_its_way(post), post)).collect();
            arriving.sort_by_key(|arriving| arriving.0);
            let began = gateway.clock().now().as_millis();
            for (at, post) in arriving {
                gateway.clock().advance(began + at - gateway.clock().now().as_millis());
                let mut body: Value = serde_json::from_slice(&post.body).expect("it is JSON");
                let speed = body["speed"].as_f64().expect("everyone has one");
                body["speed"] = (speed * times).into();
                let ask = gateway.examine(&account, body.to_string().as_bytes());
                let ask = ask.map_err(|(_, refusal)| refusal).expect("it can be asked");
                let route = || Route::One(oneshot::channel().0);
                gateway.submit(&account, [ask], route, |_, verdict| match verdict {
                    Verdict::Refused(Refusal::FasterThanDeclared) => counts[1] += 1,
                    verdict => {
                        assert_eq!(verdict, Verdict::Waits);
                        counts[0] += 1;
                    }
                });
            }
        }
        counts
    }

    #[test]
    fn who_declares_a_little_more_than_she_drives_gets_in_however_queries_arrive_and_in_every_run()
    {
        let map = import::read_map(&"city:500:7".parse().unwrap(), &Default::default(), &());
        let map = Arc::new(map.unwrap().map);
        let profile = Profile::named("p1").unwrap();
        let crowds = [1, 2].map(|seed| -> Vec<Post> {
            let settings = SimulationSettings { users: 300, seed, ..SimulationSettings::default() };
            let plan = Plan { settings, seconds: 60, skip: 0 };
            Crowd::start(Arc::clone(&map), profile.clone(), plan).flatten().collect()
        });
        let [came, refused] = admitted(&map, &crowds, 1.0);
        assert!(came > 1_000 && refused * 100 < came, "{came} came, {refused} were refused");
        let [came, refused] = admitted(&map, &crowds, 1.0 / DECLARED);
        assert!(refused > came / 3, "{came} came, {refused} were refused");
    }
}
