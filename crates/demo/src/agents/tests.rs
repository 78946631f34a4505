use super::*;
use crate::Demo;
use axum::body::Body;
use axum::http::{Request, StatusCode};
use gateway::answers::answer_round;
use gateway::batch::BatchEngine;
use gateway::city::CityParts;
use gateway::clock::Clock;
use gateway::config::{Config, Mode};
use gateway::gateway::Parts;
use gateway::service::BuiltIn;
use gateway::walk::Walker;
use meshcloak::RegionRule;
use meshcloak::distance::Atlas;
use meshcloak::units::Length;
use tower::ServiceExt as _;

/// Virtual seconds of a run, one batch each.
const SECONDS: u64 = 60;

/// Agents of a run: few for the town, so that those who ask at the same time seldom meet.
const AGENTS: AgentSettings =
    AgentSettings { users: 120, k: (2, 5), temporal_tolerance: Duration::from_secs(8), seed: 1 };

/// Sums of the counts that the page is sent.
#[derive(Debug, Default, PartialEq)]
struct Sums {
    asked: u64,
    served: u64,
    expired: u64,
}

impl Sums {
    /// Adds the counts of a frame.
    fn add(&mut self, frame: &str) {
        let frame: Value = serde_json::from_str(frame).unwrap();
        let count = |name: &str| frame["counts"][name].as_u64().unwrap();
        self.asked += count("asked");
        self.served += count("served");
        self.expired += count("expired");
    }

    /// Share of the ended queries that were served.
    fn success(&self) -> f64 {
        self.served as f64 / (self.served + self.expired) as f64
    }
}

/// A gateway of the demo whose time the test advances. No limit depends on real time.
fn gateway() -> Arc<Gateway> {
    let source = "city:1000:3".parse().unwrap();
    let map = import::read_map(&source, &import::Options::default(), &()).unwrap().map;
    let walker = Arc::new(Walker::new(Arc::new(Atlas::new(map, Length::metres(2_000.0)))));
    let service = Box::new(BuiltIn::new(Arc::clone(&walker)));
    let mut config = Config { keys: None, ..Config::default() };
    config.engine.region = RegionRule::default();
    (config.limits.rate, config.limits.person_rate) = (10_000_000, 60_000);
    config.service.wait = Duration::from_secs(3_600);
    let cities = vec![CityParts::only(walker, service)];
    let parts = Parts { config, mode: Mode::Demo, cities, clock: Clock::manual() };
    Arc::new(Gateway::new(parts).unwrap())
}

/// Runs the loop of the demo in virtual time. `shared` moves the switch of the page; `None` leaves
/// it as it is at the start.
fn run(shared: Option<bool>) -> Sums {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let gateway = gateway();
    runtime.block_on(gateway.refresh_categories()).unwrap();
    let demo = Demo::new(Arc::clone(&gateway), AGENTS);
    if let Some(shared) = shared {
        let body = Body::from(json!({ "shared": shared }).to_string());
        let request = Request::post("/demo/presence").header("content-type", "application/json");
        let response = demo.routes(None).oneshot(request.body(body).unwrap());
        assert_eq!(runtime.block_on(response).unwrap().status(), StatusCode::OK);
    }
    let (mut engine, mut observer) = (BatchEngine::new(Arc::clone(&gateway)), demo.observer());
    let mut sums = Sums::default();
    let frame = demo.tiles.frame().clone();
    let agents = Agents::new(Arc::clone(&gateway), Arc::clone(&demo.board), frame);
    agents.run_steps(AGENTS, |due| {
        let now = due.as_millis() as u64;
        gateway.clock().advance(now - gateway.clock().now().as_millis());
        if now.is_multiple_of(1000) && now > 0 {
            let round = engine.turn(gateway.clock().now());
            observer(&round);
            sums.add(&demo.board.frames().borrow());
            runtime.block_on(answer_round(Arc::clone(&gateway), round));
        }
        now < SECONDS * 1000
    });
    sums
}

#[test]
fn more_askers_are_served_while_agents_share_their_presence() {
    let (unchanged, on, off) = (run(None), run(Some(true)), run(Some(false)));
    assert_eq!(unchanged, on, "the switch is on at the start");
    assert_eq!(on.asked, off.asked, "the same agents ask");
    assert!(off.expired > 100 && off.served > 0, "{off:?}");
    assert!(on.success() > 2.0 * off.success(), "{on:?} {off:?}");
}
