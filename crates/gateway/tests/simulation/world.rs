//! One schedule in virtual time: gateway, engine, clients and service on one thread.

use crate::log::{End, Log, SetRecord};
use crate::plan::{Action, Ask, Plan, Wanted};
use crate::service::FaultyService;
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::Request;
use gateway::answers::answer_round;
use gateway::batch::{BatchEngine, Round};
use gateway::city::CityParts;
use gateway::clock::Clock;
use gateway::config::{Config, Mode};
use gateway::gateway::{Gateway, Parts};
use gateway::outcome::Outcome;
use gateway::server::app;
use gateway::service::BuiltIn;
use gateway::walk::Walker;
use meshcloak::distance::Atlas;
use meshcloak::guarantee::Guarantee;
use meshcloak::map::{Position, StreetId};
use meshcloak::units::Length;
use serde_json::{Value, json};
use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::{Instant, sleep};
use tower::ServiceExt as _;

/// A fault in the simulated gateway, to show that the checks find it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// A round is not delivered.
    LoseRound,
    /// A request of a round is sent twice.
    RepeatRequest,
    /// The members of a set are delivered as two sets.
    SplitSet,
}

impl Fault {
    pub const ALL: [Fault; 3] = [Fault::LoseRound, Fault::RepeatRequest, Fault::SplitSet];
}

/// Returns the city, prepared once. Parallel tests call it first: its preparation is parallel too,
/// and must not begin on a thread that runs a schedule.
pub fn walker() -> Arc<Walker> {
    static WALKER: OnceLock<Arc<Walker>> = OnceLock::new();
    let walker = WALKER.get_or_init(|| {
        let source = "city:500:7".parse().unwrap();
        let map = import::read_map(&source, &import::Options::default(), &()).unwrap().map;
        Arc::new(Walker::new(Arc::new(Atlas::new(map, Length::metres(2000.0)))))
    });
    Arc::clone(walker)
}

/// Runs a schedule to its end.
pub fn simulate(plan: &Plan, fault: Option<Fault>) -> Log {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .unwrap();
    runtime.block_on(async { World::new(plan, fault).run(plan).await })
}

struct World {
    gateway: Arc<Gateway>,
    app: Router,
    engine: BatchEngine,
    start: Instant,
    clients: Vec<Client>,
    rounds: JoinSet<()>,
    fault: Option<Fault>,
    log: Log,
    seen: crate::service::SeenRequests,
}

struct Client {
    body: Value,
    task: JoinHandle<End>,
}

impl World {
    fn new(plan: &Plan, fault: Option<Fault>) -> World {
        let service = FaultyService::new(BuiltIn::new(walker()), plan);
        let seen = Arc::clone(&service.seen);
        let gateway = Gateway::new(Parts {
            config: config(plan),
            mode: Mode::Demo,
            cities: vec![CityParts::only(walker(), Box::new(service))],
            clock: Clock::manual(),
        });
        let gateway = Arc::new(gateway.unwrap());
        gateway.set_shuffle_seed(plan.seed + 1);
        World {
            app: app(Arc::clone(&gateway)),
            engine: BatchEngine::new(Arc::clone(&gateway)),
            start: Instant::now(),
            clients: Vec::new(),
            rounds: JoinSet::new(),
            fault,
            log: Log::default(),
            gateway,
            seen,
        }
    }

    async fn run(mut self, plan: &Plan) -> Log {
        self.gateway.refresh_categories().await.unwrap();
        for actions in &plan.seconds {
            for action in actions {
                self.act(action).await;
            }
            self.pass_second().await;
            let round = self.engine.turn(self.gateway.clock().now());
            self.deliver(round);
        }
        self.gateway.begin_stop();
        self.pass_second().await;
        let last = self.engine.turn(self.gateway.clock().now());
        self.deliver(last);
        let rest = self.engine.end_all(self.gateway.clock().now(), Outcome::Expired);
        self.deliver(rest);
        while let Some(round) = self.rounds.join_next().await {
            round.expect("a delivery does not panic");
        }
        self.finish().await
    }

    /// Lets one second of virtual time pass.
    async fn pass_second(&self) {
        sleep(Duration::from_secs(1)).await;
        self.gateway.clock().advance(1000);
    }

    async fn act(&mut self, action: &Action) {
        match action {
            Action::Ask(ask) => {
                self.log.user_of.insert(ask.number, ask.user);
                let body = self.body(ask);
                let task = tokio::spawn(send(self.app.clone(), body.clone(), self.start));
                self.clients.push(Client { body, task });
            }
            Action::Cancel(number) => {
                let path = format!("/v1/queries/{number}");
                let request = Request::delete(path).body(Body::empty()).unwrap();
                tokio::spawn(self.app.clone().oneshot(request));
            }
            Action::Disconnect(number) => self.clients[*number].task.abort(),
            Action::Repeat(number) => {
                let body = self.clients[*number].body.clone();
                tokio::spawn(send(self.app.clone(), body, self.start));
            }
            Action::Reload(queue) => {
                let mut config = Config::clone(&self.gateway.config());
                config.engine.queue = *queue;
                self.gateway.reload(&config).unwrap();
            }
        }
        // Lets the request arrive before the next action.
        sleep(Duration::from_millis(1)).await;
    }

    fn body(&self, ask: &Ask) -> Value {
        let map = self.gateway.city().atlas().map();
        let street = StreetId(ask.street % map.street_count() as u32);
        let position = Position { street, offset: map.street(street).length.part(ask.offset) };
        let lon_lat = map.frame().unwrap().lon_lat(map.point(position));
        let question = ask.question.map(|wanted| match wanted {
            Wanted::Nearest(count) => json!({"find": "nearest", "count": count}),
            Wanted::Within(radius) => json!({"find": "within", "radius": radius}),
        });
        let mut body = json!({
            "ticket": ask.number.to_string(), "person": ask.user.to_string(),
            "lon": lon_lat.lon, "lat": lon_lat.lat,
            "k": ask.k, "dt": ask.dt, "dc": 1500, "speed": 60,
        });
        if let Some(question) = question {
            body["question"] = question;
        }
        body
    }

    /// Records a round and starts its delivery. Rounds overlap if the service is slow.
    fn deliver(&mut self, mut round: Round) {
        self.log
            .batches
            .push(round.requests.iter().map(|inquiry| format!("{inquiry:?}")).collect());
        for set in &round.sets {
            let member = |member: &gateway::requests::Member| {
                let number =
                    member.pending.origin.ticket.expose().parse().expect("tickets are numbers");
                (number, member.served.k)
            };
            self.log.sets.push(SetRecord {
                batch: self.log.batches.len() - 1,
                members: set.members.iter().map(member).collect(),
                size: set.members[0].served.set_size,
            });
        }
        match self.fault {
            Some(Fault::LoseRound) => return,
            Some(Fault::RepeatRequest) => {
                let again = round.requests.first().cloned();
                self.log.batches.last_mut().unwrap().extend(again.iter().map(|i| format!("{i:?}")));
                round.requests.extend(again);
            }
            Some(Fault::SplitSet) => split_sets(&mut round),
            None => {}
        }
        self.rounds.spawn(answer_round(Arc::clone(&self.gateway), round));
    }

    async fn finish(mut self) -> Log {
        for (number, client) in self.clients.into_iter().enumerate() {
            let lost = |_| End { at: 0, outcome: "lost".into() };
            // A query that is lost would never end.
            let end = tokio::time::timeout(Duration::from_secs(600), client.task).await;
            let stuck = |_| Ok(End { at: 0, outcome: "stuck".into() });
            self.log.ends.insert(number, end.unwrap_or_else(stuck).unwrap_or_else(lost));
        }
        let (accepted, ended) = self.gateway.metrics().exact_counts();
        (self.log.accepted, self.log.ended) = (accepted, ended.iter().sum());
        self.log.under_way = self.gateway.under_way().load(Ordering::SeqCst);
        self.log.queued_requests = self.gateway.city().requests().len();
        self.log.requests = self.seen.lock().unwrap().clone();
        self.log
    }
}

/// Delivers each member of a set as a set of its own.
fn split_sets(round: &mut Round) {
    let sets = std::mem::take(&mut round.sets).into_iter();
    let members = sets.flat_map(|set| set.members);
    round.sets = members
        .map(|member| gateway::requests::ServedSet {
            requests: vec![member.request],
            members: vec![member],
        })
        .collect();
}

fn config(plan: &Plan) -> Config {
    let mut config = Config { keys: None, ..Config::default() };
    config.limits.rate = 1_000_000;
    config.limits.person_rate = 60_000;
    config.engine.queue = plan.queue;
    config.service.concurrency = plan.slots;
    config.service.wait = Duration::from_millis(plan.max_wait);
    if plan.is_history {
        config.engine.guarantee = Guarantee::History;
    }
    config
}

/// Sends a query and waits for the response.
async fn send(app: Router, body: Value, start: Instant) -> End {
    let request = Request::post("/v1/queries")
        .header("content-type", "application/json")
        .body(Body::from(body.to_string()))
        .unwrap();
    let response = app.oneshot(request).await.unwrap();
    let at = start.elapsed().as_millis();
    let body = to_bytes(response.into_body(), 1 << 24).await.unwrap();
    let body: Value = serde_json::from_slice(&body).unwrap();
    End { at, outcome: body["outcome"].as_str().unwrap_or("none").to_owned() }
}
