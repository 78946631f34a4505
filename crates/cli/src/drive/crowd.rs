//! The crowd: a simulation that is a few seconds ahead of the clock, as queries ready to be sent.

use bytes::Bytes;
use meshcloak::map::{Position, StreetMap};
use serde_json::json;
use std::hash::{BuildHasher as _, RandomState};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;
use traffic::{Profile, Query, Settings, Simulation};

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
    pub settings: Settings,
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

/// A number that no other run has: tickets are remembered for a while.
fn run() -> u64 {
    RandomState::new().hash_one(0)
}

/// Which query, of which run, that began when.
#[derive(Clone, Copy, Debug)]
struct Asked {
    number: u32,
    run: u64,
    start: u64,
}

/// Simulated people ask at whole seconds; each of the real ones at moments of her own.
fn phase(user: u32) -> u64 {
    u64::from(user.wrapping_mul(0x9e37_79b9) >> 16) % 1000
}

/// The JSON of one query.
fn post(map: &StreetMap, query: &Query, Asked { number, run, start }: Asked) -> Post {
    let question = number as usize % QUESTIONS.len();
    let place = map.frame().map(|frame| frame.lon_lat(map.point(query.position)));
    let (lon, lat) = place.map_or((0.0, 0.0), |place| (place.lon, place.lat));
    let known = json!({
        "ticket": format!("{number}-{run:x}"),
        "person": query.user.to_string(),
        "lon": lon,
        "lat": lat,
        "k": query.k,
        "dt": f64::from(query.temporal_tolerance) / 1000.0,
        "dc": query.distance_constraint.as_metres(),
        "speed": f64::from(query.speed) / 1000.0,
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
