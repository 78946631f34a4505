//! One schedule in virtual time: gateway, engine, clients and service on one thread.

use crate::fault::{Fault, add_decoys_of_members, split_sets};
use crate::log::{Asked, End, Log, Place, SetRecord};
use crate::plan::{Action, Ask, Plan, WantedOperation};
use crate::process::{Installation, Process};
use gateway::answers::answer_round;
use gateway::batch::Round;
use gateway::config::{AfterStart, Config};
use gateway::outcome::Outcome;
use gateway::requests::{Member, ServedSet};
use gateway::walk::Walker;
use meshcloak::distance::Atlas;
use meshcloak::map::{Position, StreetId};
use meshcloak::units::Length;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep};

/// Top speed that users declare, in metres per second.
pub const SPEED: f64 = 60.0;

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
    runtime.block_on(async { World::new(plan, fault).await.run().await })
}

struct World<'a> {
    plan: &'a Plan,
    installation: Installation,
    /// `None` between a kill and the next start only.
    process: Option<Process>,
    start: Instant,
    clients: Vec<Client>,
    fault: Option<Fault>,
    log: Log,
}

struct Client {
    body: Value,
    task: JoinHandle<End>,
}

impl World<'_> {
    async fn new(plan: &Plan, fault: Option<Fault>) -> World<'_> {
        let installation = Installation::new(plan);
        // The operator declares the first start.
        let process = Some(installation.start(plan, AfterStart::New).await);
        let (start, clients, log) = (Instant::now(), Vec::new(), Log::new(plan));
        World { plan, installation, process, start, clients, fault, log }
    }

    fn process(&mut self) -> &mut Process {
        self.process.as_mut().expect("a process runs")
    }

    async fn run(mut self) -> Log {
        for actions in &self.plan.seconds {
            for action in actions {
                self.act(action).await;
            }
            self.pass_second().await;
            let round = self.process().turn();
            self.deliver(round);
        }
        self.log.stopped = self.start.elapsed().as_millis();
        self.process().gateway.begin_stop();
        self.pass_second().await;
        let last = self.process().turn();
        self.deliver(last);
        let now = self.process().gateway.clock().now();
        let rest = self.process().engine.end_all(now, Outcome::Expired);
        self.deliver(rest);
        while let Some(round) = self.process().rounds.join_next().await {
            round.expect("a delivery does not panic");
        }
        self.finish().await
    }

    /// Lets one second of virtual time pass.
    async fn pass_second(&mut self) {
        sleep(Duration::from_secs(1)).await;
        self.process().gateway.clock().advance(1000);
    }

    async fn act(&mut self, action: &Action) {
        match action {
            Action::Ask(ask) => self.ask(ask),
            Action::Cancel(number) => self.process().cancel(*number),
            Action::Disconnect(number) => self.clients[*number].task.abort(),
            Action::Repeat(number) => {
                let body = self.clients[*number].body.clone();
                self.process().repeat(&body);
            }
            Action::Reload(queue) => {
                let gateway = &self.process().gateway;
                let mut config = Config::clone(&gateway.config());
                config.engine.queue = *queue;
                gateway.reload(&config).unwrap();
            }
            Action::Restart => self.restart().await,
            Action::StepWallClock(millis) => {
                let follows = self.fault == Some(Fault::FollowWallClock);
                let clock = self.process().gateway.clock();
                clock.step_wall(*millis);
                clock.advance(u64::try_from(*millis).ok().filter(|_| follows).unwrap_or(0));
            }
        }
        // Lets the request arrive before the next action.
        sleep(Duration::from_millis(1)).await;
    }

    fn ask(&mut self, ask: &Ask) {
        let at = self.start.elapsed().as_millis();
        self.log.user_of.insert(ask.number, ask.user);
        self.log.asked.insert(ask.number, Asked { at, dt: u128::from(ask.dt) * 1_000 });
        let body = self.body(ask);
        let task = tokio::spawn(self.process().send(&body));
        self.clients.push(Client { body, task });
    }

    /// Kills the process and starts another one; the connections of all clients are lost.
    async fn restart(&mut self) {
        self.clients.iter().for_each(|client| client.task.abort());
        if let Some(process) = self.process.take() {
            process.kill().await;
        }
        let after_start = match self.fault {
            Some(Fault::ForgetUsers) => AfterStart::New,
            _ => AfterStart::Refuse,
        };
        self.process = Some(self.installation.start(self.plan, after_start).await);
        self.log.restarts += 1;
    }

    fn body(&self, ask: &Ask) -> Value {
        let walker = walker();
        let map = walker.atlas().map();
        let street = StreetId(ask.street % map.street_count() as u32);
        let position = Position { street, offset: map.street(street).length.part(ask.offset) };
        let lon_lat = map.frame().unwrap().lon_lat(map.point(position));
        let question = ask.question.map(|wanted| {
            let mut question = match wanted.operation {
                WantedOperation::Nearest(count) => json!({"find": "nearest", "count": count}),
                WantedOperation::Within(radius) => json!({"find": "within", "radius": radius}),
            };
            if let Some(category) = wanted.category {
                question["category"] = json!(categories()[category]);
            }
            question
        });
        let mut body = json!({
            "ticket": ask.number.to_string(), "person": ask.user.to_string(),
            "lon": lon_lat.lon, "lat": lon_lat.lat,
            "k": ask.k, "dt": ask.dt, "dc": 1500, "speed": SPEED,
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
            self.record_set(set);
        }
        match self.fault {
            Some(Fault::LoseRound) => return,
            Some(Fault::RepeatRequest) => {
                let again = round.requests.first().cloned();
                self.log.batches.last_mut().unwrap().extend(again.iter().map(|i| format!("{i:?}")));
                round.requests.extend(again);
            }
            Some(Fault::SplitSet) => split_sets(&mut round),
            Some(Fault::DecoyOfMember) => add_decoys_of_members(&mut round),
            _ => {}
        }
        let delay = Duration::from_secs(if self.fault == Some(Fault::DelayRound) { 30 } else { 0 });
        let process = self.process();
        let gateway = Arc::clone(&process.gateway);
        process.rounds.spawn(async move {
            sleep(delay).await;
            answer_round(gateway, round).await;
        });
    }

    fn record_set(&mut self, set: &ServedSet) {
        let published = self.start.elapsed().as_millis();
        let number = |member: &Member| -> usize {
            member.pending.origin.ticket.expose().parse().expect("tickets are numbers")
        };
        let member = |member: &Member| (number(member), member.served.k);
        let members: Vec<(usize, u32)> = set.members.iter().map(member).collect();
        let largest_k = members.iter().map(|(_, k)| *k as usize).max().unwrap_or(0);
        let size = match self.fault {
            Some(Fault::ShrinkSet) => largest_k - 1,
            _ => set.members[0].served.set_size,
        };
        let batch = self.log.batches.len() - 1;
        let record = SetRecord { batch, published, members, size };
        let copies = if self.fault == Some(Fault::RepeatSet) { 2 } else { 1 };
        self.log.sets.extend(std::iter::repeat_n(record, copies));
        for member in &set.members {
            let (user, asked) =
                (self.log.user_of[&number(member)], self.log.asked[&number(member)]);
            let point = walker().atlas().map().point(*member.position.expose());
            let place = Place { user, point, earliest: asked.at, latest: published };
            self.log.places.push(place);
        }
    }

    async fn finish(mut self) -> Log {
        for (number, client) in self.clients.drain(..).enumerate() {
            let lost = |_| End { at: 0, outcome: "lost".into() };
            // A query that is lost would never end.
            let end = tokio::time::timeout(Duration::from_secs(600), client.task).await;
            let stuck = |_| Ok(End { at: 0, outcome: "stuck".into() });
            self.log.ends.insert(number, end.unwrap_or_else(stuck).unwrap_or_else(lost));
        }
        let gateway = Arc::clone(&self.process().gateway);
        let (accepted, ended) = gateway.metrics().exact_counts();
        (self.log.accepted, self.log.ended) = (accepted, ended.iter().sum());
        self.log.under_way = gateway.under_way().load(Ordering::SeqCst);
        self.log.queued_requests = gateway.city().requests().len();
        self.log.requests = self.installation.seen.lock().unwrap().clone();
        self.log
    }
}

/// Some categories of the city's objects.
fn categories() -> &'static [String] {
    static CATEGORIES: OnceLock<Vec<String>> = OnceLock::new();
    CATEGORIES.get_or_init(|| {
        let walker = walker();
        let map = walker.atlas().map();
        let names: BTreeSet<&str> = map.pois().map(|poi| map.category(poi)).collect();
        names.into_iter().map(str::to_owned).collect()
    })
}
