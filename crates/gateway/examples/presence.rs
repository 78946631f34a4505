//! What people who share their presence without asking do for those who ask: the success rate of
//! askers with the others present, and as it would be without them.
//!
//! `cargo run --release -p gateway --example presence [PEOPLE]`

use gateway::accounts::Account;
use gateway::answers::answer;
use gateway::clock::Clock;
use gateway::config::{Config, Mode};
use gateway::engine::{Engine, Round};
use gateway::gateway::{Gateway, Parts};
use gateway::inquiry::Inquiry;
use gateway::intake::Ask;
use gateway::outcome::Outcome;
use gateway::question::{Along, Category, Operation, Question, Wish};
use gateway::service::{Coming, Complete, Objects, Service};
use gateway::tickets::Route;
use gateway::walk::Walker;
use meshcloak::distance::Atlas;
use meshcloak::query::{Query, UserId};
use meshcloak::units::Length;
use std::error::Error;
use std::sync::Arc;
use traffic::{Profile, Settings, Simulation};

/// A service that knows nothing: what it says is of no interest here.
struct Nobody;

impl Service for Nobody {
    fn name(&self) -> &'static str {
        "nobody"
    }

    fn ask<'a>(&'a self, _: &'a Inquiry) -> Coming<'a, Objects> {
        Box::pin(async { Ok(Objects::new(Vec::new(), Complete::Yes)) })
    }

    fn categories(&self) -> Coming<'_, Vec<String>> {
        Box::pin(async { Ok(Vec::new()) })
    }
}

/// What becomes of people who ask nothing.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Others {
    /// They report.
    Present,
    /// They are not there.
    Absent,
}

/// Askers that were served, and all that have ended.
#[derive(Default)]
struct Tally {
    served: usize,
    ended: usize,
}

impl Tally {
    fn count(&mut self, round: &Round) {
        let served: usize = round.jobs.iter().map(|job| job.members.len()).sum();
        let expired = round
            .ended
            .iter()
            .filter(|(pending, outcome)| *outcome == Outcome::Expired && pending.wish.is_some());
        self.served += served;
        self.ended += served + expired.count();
    }

    fn percent(&self) -> f64 {
        100.0 * self.served as f64 / self.ended as f64
    }
}

/// Whether somebody is among the so many in a hundred who ask nothing.
fn asks_nothing(user: UserId, share: u64) -> bool {
    user.0.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(32) % 100 < share
}

async fn run(
    walker: &Arc<Walker>,
    tape: &[Vec<Query>],
    share: u64,
    others: Others,
) -> Result<Tally, Box<dyn Error>> {
    let config = Config { keys: None, ..Config::default() };
    let (walker, service) = (Arc::clone(walker), Box::new(Nobody));
    let parts = Parts { config, mode: Mode::Demo, walker, service, clock: Clock::by_hand() };
    let gateway = Arc::new(Gateway::new(parts)?);
    let account = gateway.directory().named("demo").cloned().ok_or("no account")?;
    let mut engine = Engine::new(Arc::clone(&gateway));
    let (mut tally, mut number) = (Tally::default(), 0);
    for (second, queries) in (0_u64..).zip(tape.iter().map(Vec::as_slice).chain([&[][..]; 5])) {
        for query in queries {
            let silent = asks_nothing(query.user, share);
            if !(silent && others == Others::Absent) {
                let wait =
                    query.asked_at.as_millis().saturating_sub(gateway.clock().now().as_millis());
                gateway.clock().advance(wait);
                number += 1;
                put(&gateway, &account, number, query, (!silent).then(wish).transpose()?);
            }
        }
        gateway.clock().advance((second * 1000).saturating_sub(gateway.clock().now().as_millis()));
        let round = engine.turn(gateway.clock().now());
        tally.count(&round);
        answer(Arc::clone(&gateway), round).await;
        gateway.forget_results();
    }
    Ok(tally)
}

fn wish() -> Result<Wish, gateway::question::QuestionError> {
    let operation = Operation::Nearest { count: 3, along: Along::Streets };
    Wish::of(Question { operation, category: Category::Any })
}

fn put(gateway: &Gateway, account: &Arc<Account>, number: u64, query: &Query, wish: Option<Wish>) {
    let ask = Ask {
        ticket: number.to_string().into(),
        digest: number,
        user: query.user,
        position: query.position,
        k: query.k,
        dt: query.temporal_tolerance,
        dc: query.distance_constraint,
        speed: query.speed,
        wish,
    };
    let nowhere = || Route::One(tokio::sync::oneshot::channel().0);
    gateway.submit(account, [ask], nowhere, |_, _| {});
}

fn main() -> Result<(), Box<dyn Error>> {
    let users = std::env::args().nth(1).map_or(Ok(10_000), |text| text.parse())?;
    let map = import::read_map(&"city".parse()?, &import::Options::default(), &())?.map;
    let profile = Profile::named("p1").ok_or("no profile")?;
    let settings = Settings { users, ..Settings::default() };
    let tape = Simulation::new(&map, &profile, settings).tape();
    let walker = Arc::new(Walker::new(Arc::new(Atlas::new(map, Length::metres(2000.0)))));
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_time().build()?;
    println!("{users} people on the built-in city, profile p1, k 2–5, dt 3 s\n");
    println!("| ask nothing | askers served | the same askers, the others absent |\n|---|---|---|");
    for share in [0, 25, 50, 75, 90] {
        let rate = |others| runtime.block_on(run(&walker, &tape, share, others));
        let (with, without) = (rate(Others::Present)?, rate(Others::Absent)?);
        println!("| {share} % | {:.1} % | {:.1} % |", with.percent(), without.percent());
    }
    Ok(())
}
