//! The engine's own thread: a batch at every whole multiple of the tick, by the monotonic clock.
//! It hands rounds over and never waits for what becomes of them.

use crate::answers::answer;
use crate::engine::{Engine, Round};
use crate::gateway::Gateway;
use crate::outcome::Outcome;
use meshcloak::units::Time;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::JoinSet;

/// The thread, until it is stopped.
#[derive(Debug)]
pub struct Ticker {
    bell: Arc<Bell>,
    thread: JoinHandle<()>,
}

#[derive(Debug, Default)]
struct Bell {
    rung: Mutex<bool>,
    ring: Condvar,
}

impl Bell {
    /// Waits for so long, or until it rings; whether it has rung.
    fn wait(&self, span: Duration) -> bool {
        let rung = self.rung.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.ring.wait_timeout_while(rung, span, |rung| !*rung);
        *waited.unwrap_or_else(PoisonError::into_inner).0
    }
}

impl Ticker {
    /// Starts the thread. Rounds come out of the channel, until it ends with the thread.
    pub fn start(gateway: Arc<Gateway>) -> io::Result<(Ticker, UnboundedReceiver<Round>)> {
        let (sender, rounds) = unbounded_channel();
        let bell = Arc::new(Bell::default());
        let heard = Arc::clone(&bell);
        let thread = thread::Builder::new()
            .name("engine".into())
            .spawn(move || run(&gateway, Engine::new(Arc::clone(&gateway)), &heard, &sender))?;
        Ok((Ticker { bell, thread }, rounds))
    }

    /// Ends the thread: nothing more is accepted, those who wait are served or have expired.
    pub fn stop(self) {
        *self.bell.rung.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.bell.ring.notify_all();
        // A thread that has panicked outside of all batches has said so already.
        self.thread.join().ok();
    }
}

fn run(gateway: &Gateway, mut engine: Engine, bell: &Bell, rounds: &UnboundedSender<Round>) {
    // Nobody listens only if the process is ending.
    let send = |round: Round| drop(rounds.send(round));
    // A thread that panics would take those who wait with it. They are told, and nothing is sent
    // for them; what is left of the engine is not trusted with anybody else.
    let ended = catch_unwind(AssertUnwindSafe(|| batches(gateway, bell, &mut engine, &send)));
    gateway.mailbox().lock().shut();
    let now = gateway.clock().now();
    match ended {
        Ok(()) => send(engine.give_up(now, Outcome::Expired)),
        Err(_) => send(engine.give_up(now, Outcome::Failed)),
    }
}

/// A batch at every whole multiple of the tick until the bell rings, and then a last one.
fn batches(gateway: &Gateway, bell: &Bell, engine: &mut Engine, send: &dyn Fn(Round)) {
    let tick = u64::try_from(gateway.config().engine.tick.as_millis()).unwrap_or(1000).max(1);
    let mut last = 0;
    loop {
        let now = gateway.clock().now().as_millis();
        let due = (last + 1).max(now / tick) * tick;
        if bell.wait(Duration::from_millis(due.saturating_sub(now))) {
            break;
        }
        // A turn that took longer than a tick is followed by the batch that is due by now.
        last = (gateway.clock().now().as_millis() / tick).max(last + 1);
        send(engine.turn(Time::from_millis(last * tick)));
    }
    gateway.mailbox().lock().shut();
    send(engine.turn(gateway.clock().now()));
}

/// Rounds between two looks for people who have not asked for long.
const SELDOM: u64 = 60;

/// Tells everyone of every round how their query ended; done when the thread has ended and all
/// have been told. Rounds overlap if the service is slow.
pub async fn deliver(gateway: Arc<Gateway>, mut rounds: UnboundedReceiver<Round>) {
    let mut under_way = JoinSet::new();
    let mut number: u64 = 0;
    while let Some(round) = rounds.recv().await {
        let whose = Arc::clone(&gateway);
        under_way.spawn(async move {
            answer(Arc::clone(&whose), round).await;
            // Nobody waits for that, so not before everyone was told.
            whose.forget_results();
        });
        while under_way.try_join_next().is_some() {}
        number += 1;
        if number.is_multiple_of(SELDOM) {
            gateway.forget_people();
        }
    }
    while under_way.join_next().await.is_some() {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Clock;
    use crate::config::{Config, Mode};
    use crate::gateway::Parts;
    use crate::service::BuiltIn;
    use crate::tickets::Route;
    use crate::walk::Walker;
    use meshcloak::distance::Atlas;
    use meshcloak::scheme::{
        Description, Observer, Pace, Published, RegionDependence, Scheme, State,
    };
    use meshcloak::units::Length;
    use tokio::sync::oneshot;

    /// Panics once somebody waits.
    struct Broken(Published);

    impl Scheme for Broken {
        fn name(&self) -> &'static str {
            "broken"
        }

        fn describe(&self) -> Description {
            Description {
                setting: "",
                cliques: "",
                constraint: "",
                pace: Pace::Batch,
                regions: RegionDependence::Fixed,
            }
        }

        fn cloak(&mut self, state: &State, _: Time, _: &mut dyn Observer) -> &mut Published {
            assert!(state.waiting.is_empty(), "as it was to");
            &mut self.0
        }
    }

    fn gateway() -> Gateway {
        let source = "city:500:7".parse().unwrap();
        let map = import::read_map(&source, &import::Options::default(), &()).unwrap().map;
        let walker = Arc::new(Walker::new(Arc::new(Atlas::new(map, Length::metres(300.0)))));
        let service = Box::new(BuiltIn::new(Arc::clone(&walker)));
        let mut config = Config { keys: None, ..Config::default() };
        config.engine.tick = Duration::from_millis(1);
        let parts = Parts { config, mode: Mode::Demo, walker, service, clock: Clock::start() };
        Gateway::new(parts).unwrap()
    }

    #[tokio::test]
    async fn an_engine_that_panics_tells_those_who_wait_and_sends_nothing() {
        let gateway = Arc::new(gateway());
        let map = gateway.atlas().map();
        let place = map.frame().unwrap().lon_lat(map.shape(meshcloak::map::StreetId(3))[0]);
        let account = Arc::clone(gateway.directory().account(None).unwrap());
        let mut told = Vec::new();
        for person in 0..9 {
            let text = serde_json::json!({
                "ticket": person.to_string(), "person": person.to_string(), "k": 2, "dt": 30,
                "lon": place.lon, "lat": place.lat, "dc": 200,
                "question": {"find": "nearest", "count": 1},
            });
            let ask = gateway.examine(&account, text.to_string().as_bytes()).unwrap();
            let (sender, receiver) = oneshot::channel();
            let mut sender = Some(sender);
            gateway.submit(&account, [ask], || Route::One(sender.take().unwrap()), |_, _| ());
            told.push(receiver);
        }
        let (sender, rounds) = unbounded_channel();
        let engine = Engine::with(Arc::clone(&gateway), Box::new(Broken(Published::default())));
        let thread = {
            let gateway = Arc::clone(&gateway);
            thread::spawn(move || run(&gateway, engine, &Bell::default(), &sender))
        };
        deliver(Arc::clone(&gateway), rounds).await;
        thread.join().unwrap();
        for told in told {
            let finished = told.await.unwrap();
            assert_eq!(finished.outcome, Outcome::Failed);
            assert!(String::from_utf8_lossy(&finished.body).contains("the service was not asked"));
        }
        assert_eq!(gateway.under_way().load(std::sync::atomic::Ordering::SeqCst), 0);
    }
}
