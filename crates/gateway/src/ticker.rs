//! The engine's thread of a city: one batch at every whole multiple of the tick, by the monotonic
//! clock, and more of them under load and until the service is known. It hands rounds over a channel
//! and never waits for their delivery.

use crate::answers::answer_round;
use crate::batch::{BatchEngine, Round};
use crate::batch_schedule::BatchSchedule;
use crate::city::{City, CityId};
use crate::gateway::Gateway;
use crate::outcome::Outcome;
use parking_lot::{Condvar, Mutex};
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::JoinSet;

/// Handle of the engine's thread.
#[derive(Debug)]
pub struct Ticker {
    stop: Arc<StopSignal>,
    thread: JoinHandle<()>,
}

#[derive(Debug, Default)]
struct StopSignal {
    is_set: Mutex<bool>,
    changed: Condvar,
}

impl StopSignal {
    fn set(&self) {
        *self.is_set.lock() = true;
        self.changed.notify_all();
    }

    /// Waits for the signal or the time-out. Returns whether the signal is set.
    fn wait(&self, timeout: Duration) -> bool {
        let mut is_set = self.is_set.lock();
        self.changed.wait_while_for(&mut is_set, |is_set| !*is_set, timeout);
        *is_set
    }
}

impl Ticker {
    /// Starts the thread of a city. The channel yields rounds and closes when the thread ends.
    pub fn start(
        gateway: Arc<Gateway>,
        city: Arc<City>,
    ) -> io::Result<(Ticker, UnboundedReceiver<Round>)> {
        let (sender, rounds) = unbounded_channel();
        let stop = Arc::new(StopSignal::default());
        let signal = Arc::clone(&stop);
        let thread = thread::Builder::new().name("engine".into()).spawn(move || {
            let engine = BatchEngine::of_city(Arc::clone(&gateway), Arc::clone(&city));
            run(&gateway, &city, engine, &signal, &sender);
        })?;
        Ok((Ticker { stop, thread }, rounds))
    }

    /// Stops threads after a last batch each. Queries that still wait end as expired.
    pub fn stop_all(tickers: Vec<Ticker>) {
        tickers.iter().for_each(|ticker| ticker.stop.set());
        for ticker in tickers {
            // A panic outside a batch has been logged by the panic hook.
            ticker.thread.join().ok();
        }
    }
}

fn run(
    gateway: &Gateway,
    city: &City,
    mut engine: BatchEngine,
    stop: &StopSignal,
    rounds: &UnboundedSender<Round>,
) {
    // Sending fails only if the process is ending.
    let send = |round: Round| drop(rounds.send(round));
    // After a panic the engine's state is not trusted: all waiting queries fail, and nothing is
    // sent for them.
    let ended =
        catch_unwind(AssertUnwindSafe(|| run_batches(gateway, city, stop, &mut engine, &send)));
    city.mailbox().lock().close();
    let now = gateway.clock().now();
    match ended {
        Ok(()) => send(engine.end_all(now, Outcome::Expired)),
        Err(_) => send(engine.end_all(now, Outcome::Failed)),
    }
}

/// Runs a batch at every whole multiple of the tick, and earlier if enough queries have arrived, until
/// `stop` is set; then a last one.
fn run_batches(
    gateway: &Gateway,
    city: &City,
    stop: &StopSignal,
    engine: &mut BatchEngine,
    send: &dyn Fn(Round),
) {
    let mut schedule = BatchSchedule::new(gateway.config().engine.tick);
    loop {
        schedule.is_service_known = city.requests().is_known();
        if stop.wait(schedule.pause(gateway.clock().now())) {
            break;
        }
        let arrived = city.mailbox().lock().arrived_count();
        if let Some(at) = schedule.due(gateway.clock().now(), arrived) {
            send(engine.turn(at));
        }
    }
    city.mailbox().lock().close();
    send(engine.turn(gateway.clock().now()));
}

/// Interval between two removals of idle users.
const PURGE_INTERVAL: Duration = Duration::from_secs(30);

/// Delivers all rounds of a city. Returns when the thread has ended and everything is delivered.
/// Deliveries of successive rounds overlap if the service is slow.
#[expect(clippy::arithmetic_side_effects, reason = "times saturate")]
pub async fn deliver(gateway: Arc<Gateway>, city: CityId, mut rounds: UnboundedReceiver<Round>) {
    // What is common to all cities is purged by the first.
    let purges = city == gateway.city().id();
    let mut deliveries = JoinSet::new();
    let mut next_purge = gateway.clock().now() + PURGE_INTERVAL;
    while let Some(round) = rounds.recv().await {
        let shared = Arc::clone(&gateway);
        deliveries.spawn(async move {
            answer_round(Arc::clone(&shared), round).await;
            // After the delivery, so that it delays no answer.
            if purges {
                shared.purge_results();
            }
        });
        while deliveries.try_join_next().is_some() {}
        if purges && gateway.clock().now() >= next_purge {
            next_purge = gateway.clock().now() + PURGE_INTERVAL;
            gateway.purge_idle_users();
        }
    }
    while deliveries.join_next().await.is_some() {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch_schedule::FULL_BATCH;
    use crate::city::CityParts;
    use crate::clock::Clock;
    use crate::config::{Config, Mode};
    use crate::gateway::Parts;
    use crate::intake::parse_query;
    use crate::outcome::Finished;
    use crate::service::BuiltIn;
    use crate::submit::{Submission, submit};
    use crate::tickets::Route;
    use crate::walk::Walker;
    use meshcloak::distance::Atlas;
    use meshcloak::map::StreetId;
    use meshcloak::scheme::{
        Description, Observer, Pace, Published, RegionDependence, Scheme, State,
    };
    use meshcloak::units::{Length, Time};
    use tokio::sync::oneshot;

    /// Scheme that panics when a query waits.
    struct PanickingScheme(Published);

    impl Scheme for PanickingScheme {
        fn name(&self) -> &'static str {
            "broken"
        }

        fn describe(&self) -> Description {
            Description::unlisted(Pace::Batch, RegionDependence::Fixed)
        }

        fn cloak(&mut self, state: &State, _: Time, _: &mut dyn Observer) -> &mut Published {
            assert!(state.waiting.is_empty(), "deliberate panic of the test");
            &mut self.0
        }
    }

    fn gateway(clock: Clock, tick: Duration) -> Arc<Gateway> {
        let source = "city:500:7".parse().unwrap();
        let map = import::read_map(&source, &import::Options::default(), &()).unwrap().map;
        let walker = Arc::new(Walker::new(Arc::new(Atlas::new(map, Length::metres(300.0)))));
        let service = Box::new(BuiltIn::new(Arc::clone(&walker)));
        let mut config = Config { keys: None, ..Config::default() };
        config.engine.tick = tick;
        config.limits.rate = 1_000_000;
        let cities = vec![CityParts::only(walker, service)];
        Arc::new(Gateway::new(Parts { config, mode: Mode::Demo, cities, clock }).unwrap())
    }

    /// Submits a query of each of several users on the streets of the map.
    fn submit_queries(gateway: &Gateway, users: usize) -> Vec<oneshot::Receiver<Finished>> {
        let map = gateway.city().atlas().map();
        let account = Arc::clone(gateway.directory().account(None).unwrap());
        let submit_one = |user: usize| {
            let street = StreetId((user % map.street_count()) as u32);
            let lon_lat = map.frame().unwrap().lon_lat(map.shape(street)[0]);
            let text = serde_json::json!({
                "ticket": user.to_string(), "person": user.to_string(), "k": 2, "dt": 30,
                "lon": lon_lat.lon, "lat": lon_lat.lat, "dc": 200,
                "question": {"find": "nearest", "count": 1},
            });
            let query = parse_query(gateway, &account, text.to_string().as_bytes()).unwrap();
            let (sender, receiver) = oneshot::channel();
            let mut sender = Some(sender);
            let route = || Route::One(sender.take().unwrap());
            submit(gateway, &account, [query], route, |_, verdict| {
                assert_eq!(verdict, Submission::Waiting);
            });
            receiver
        };
        (0..users).map(submit_one).collect()
    }

    /// Returns the time and the number of queries of the first batch. The queries arrive at 0 ms; the
    /// clock shows `before` when the thread starts, and then `after`.
    async fn first_batch(users: usize, before: u64, after: u64) -> (u64, usize) {
        let gateway = gateway(Clock::manual(), Duration::from_secs(1));
        let _receivers = submit_queries(&gateway, users);
        gateway.clock().advance(before);
        let city = Arc::clone(gateway.city());
        let (ticker, mut rounds) = Ticker::start(Arc::clone(&gateway), city).unwrap();
        gateway.clock().advance(after - before);
        let first = tokio::time::timeout(Duration::from_secs(60), rounds.recv()).await;
        let first = first.expect("a batch is due").unwrap();
        Ticker::stop_all(vec![ticker]);
        (first.at.as_millis(), first.departed_count() + first.staying)
    }

    #[tokio::test]
    async fn a_full_batch_does_not_wait_for_the_tick() {
        assert_eq!(first_batch(FULL_BATCH, 249, 249).await, (125, FULL_BATCH));
        assert_eq!(first_batch(FULL_BATCH - 1, 999, 1_000).await, (1_000, FULL_BATCH - 1));
    }

    #[tokio::test]
    async fn after_a_panic_of_the_engine_waiting_queries_fail_and_nothing_is_sent() {
        let gateway = gateway(Clock::start(), Duration::from_millis(1));
        let receivers = submit_queries(&gateway, 9);
        let (sender, rounds) = unbounded_channel();
        let scheme = Box::new(PanickingScheme(Published::default()));
        let engine = BatchEngine::with_scheme(Arc::clone(&gateway), scheme);
        let thread = {
            let gateway = Arc::clone(&gateway);
            thread::spawn(move || {
                run(&gateway, gateway.city(), engine, &StopSignal::default(), &sender);
            })
        };
        deliver(Arc::clone(&gateway), gateway.city().id(), rounds).await;
        thread.join().unwrap();
        for receiver in receivers {
            let finished = receiver.await.unwrap();
            assert_eq!(finished.outcome, Outcome::Failed);
            assert!(String::from_utf8_lossy(&finished.body).contains("the service was not asked"));
        }
        assert_eq!(gateway.under_way().load(std::sync::atomic::Ordering::SeqCst), 0);
    }
}
