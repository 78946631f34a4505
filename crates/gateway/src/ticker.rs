//! The engine's own thread: a batch at every whole multiple of the tick, by the monotonic clock.
//! It hands rounds over and never waits for what becomes of them.

use crate::answers::answer;
use crate::engine::{Engine, Round};
use crate::gateway::Gateway;
use meshcloak::units::Time;
use std::io;
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
            .spawn(move || run(&gateway, &heard, &sender))?;
        Ok((Ticker { bell, thread }, rounds))
    }

    /// Ends the thread: nothing more is accepted, those who wait are served or have expired.
    pub fn stop(self) {
        *self.bell.rung.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.bell.ring.notify_all();
        // A thread that has panicked has said so already.
        self.thread.join().ok();
    }
}

fn run(gateway: &Arc<Gateway>, bell: &Bell, rounds: &UnboundedSender<Round>) {
    let tick = u64::try_from(gateway.config().engine.tick.as_millis()).unwrap_or(1000).max(1);
    let mut engine = Engine::new(Arc::clone(gateway));
    let mut last = 0;
    loop {
        let now = gateway.clock().now().as_millis();
        let due = (last + 1).max(now / tick) * tick;
        if due > now && bell.wait(Duration::from_millis(due - now)) {
            break;
        }
        // A turn that took longer than a tick is followed by the batch that is due by now.
        last = (gateway.clock().now().as_millis() / tick).max(last + 1);
        // Nobody listens only if the process is ending.
        rounds.send(engine.turn(Time::from_millis(last * tick))).ok();
    }
    gateway.mailbox().lock().shut();
    let now = gateway.clock().now();
    rounds.send(engine.turn(now)).ok();
    rounds.send(engine.give_up(now)).ok();
}

/// Rounds between two looks for people who have not asked for long.
const SELDOM: u64 = 60;

/// Tells everyone of every round how their query ended; done when the thread has ended and all
/// have been told. Rounds overlap if the service is slow.
pub async fn deliver(gateway: Arc<Gateway>, mut rounds: UnboundedReceiver<Round>) {
    let mut under_way = JoinSet::new();
    let mut number: u64 = 0;
    while let Some(round) = rounds.recv().await {
        under_way.spawn(answer(Arc::clone(&gateway), round));
        while under_way.try_join_next().is_some() {}
        gateway.forget_results();
        number += 1;
        if number.is_multiple_of(SELDOM) {
            gateway.forget_people();
        }
    }
    while under_way.join_next().await.is_some() {}
}
