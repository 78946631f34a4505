//! Attack G, invented users, with and without `across_accounts`, and what the rule costs.
//!
//! `cargo run --release -p bench --example sybils [AGENTS]` simulates agents on the first map,
//! P1-3-5, and divides them among apps. For every 500th waiting query an account of the adversary
//! adds users with k = 2 at its position. The attack succeeds if the target is then published in a
//! set with fewer than k other users and itself.

use bench::{Recording, WorkloadConfiguration, agents_and_seed, batches, in_pool, maps};
use meshcloak::accounts::AccountId;
use meshcloak::distance::Atlas;
use meshcloak::engine::turn;
use meshcloak::mesh_cloak::{MeshCloak, Settings};
use meshcloak::query::{Query, QueryId, UserId};
use meshcloak::scheme::{Scheme as _, State};
use meshcloak::units::Time;
use std::sync::Arc;

/// Numbers of invented users at the position of a target.
const INVENTED: [u64; 3] = [1, 4, 20];

/// Numbers of apps that share the users.
const APPS: [u32; 3] = [1, 3, 10];

/// Account of the adversary; the apps have the numbers from 1.
const ADVERSARY: AccountId = AccountId(1_000);

/// Every n-th waiting query is a target.
const SAMPLING: usize = 500;

/// A run of one rule over a recording.
struct Run {
    atlas: Arc<Atlas>,
    settings: Settings,
    apps: u32,
}

#[derive(Default)]
struct Counts {
    served: usize,
    expired: usize,
    targets: usize,
    /// Targets published with fewer than k users that exist, by number of invented users.
    broken: [usize; INVENTED.len()],
}

fn main() {
    let (agents, seed) = agents_and_seed(std::env::args().skip(1));
    let map = maps()[0].read();
    let configuration = WorkloadConfiguration::new("p1", 3, 5);
    let dc_max = configuration.profile().largest_constraint();
    let recording = configuration.record(&map, agents, seed);
    let atlas = Arc::new(Atlas::new(map, dc_max));
    println!("apps  across_accounts  success  targets  below k with 1, 4, 20 invented users");
    for apps in APPS {
        for across_accounts in [false, true] {
            let settings = Settings { across_accounts, ..Settings::default() };
            let run = Run { atlas: Arc::clone(&atlas), settings, apps };
            let counts = in_pool(1, || run.replay(&recording));
            let share = |part: usize, all: usize| 100.0 * part as f64 / all.max(1) as f64;
            let broken =
                counts.broken.map(|broken| format!("{:5.1} %", share(broken, counts.targets)));
            println!(
                "{apps:4}  {across_accounts:15}  {:5.1} %  {:7}  {}",
                share(counts.served, counts.served + counts.expired),
                counts.targets,
                broken.join("  "),
            );
        }
    }
}

impl Run {
    fn replay(&self, recording: &Recording) -> Counts {
        let mut scheme = MeshCloak::new(Arc::clone(&self.atlas), self.settings);
        let (mut state, mut counts) = (State::default(), Counts::default());
        for batch in batches(recording) {
            for query in &batch.arrivals {
                state.accounts.set(query.id, self.app(query));
            }
            let mut before = state.clone();
            before.waiting.retain(|query| !query.has_expired(batch.now));
            before.waiting.extend(batch.arrivals.iter().cloned());
            self.attack(&before, batch.now, &mut counts);
            let done = turn(&mut scheme, &mut state, batch, &mut ());
            counts.served += done.served.len();
            counts.expired += done.expired.len() + done.replaced.len();
        }
        counts
    }

    /// Returns the app of a user.
    fn app(&self, query: &Query) -> AccountId {
        AccountId(1 + (query.user.0 % u64::from(self.apps)) as u32)
    }

    /// Attacks every n-th waiting query of a batch.
    fn attack(&self, state: &State, now: Time, counts: &mut Counts) {
        for target in state.waiting.iter().step_by(SAMPLING) {
            counts.targets += 1;
            for (invented, broken) in INVENTED.into_iter().zip(&mut counts.broken) {
                let found = self.honest_users(state, target, invented, now);
                *broken += usize::from(found.is_some_and(|honest| honest < target.k as usize));
            }
        }
    }

    /// Returns the number of users that exist in the set of the target; `None` if it is not served.
    fn honest_users(
        &self,
        state: &State,
        target: &Query,
        invented: u64,
        now: Time,
    ) -> Option<usize> {
        let mut state = state.clone();
        for number in 0..invented {
            let mut sybil = target.clone();
            (sybil.id, sybil.user) = (QueryId((1 << 40) + number), UserId(u64::MAX - number));
            sybil.k = 2;
            state.accounts.set(sybil.id, ADVERSARY);
            state.waiting.push(sybil);
        }
        let mut scheme = MeshCloak::new(Arc::clone(&self.atlas), self.settings);
        let published = scheme.cloak(&state, now, &mut ());
        let index = state.waiting.iter().position(|query| query.id == target.id)?;
        let served = published.served().iter().find(|served| served.index as usize == index)?;
        let members = published.set(served.set).members.iter();
        Some(members.filter(|id| id.0 < 1 << 40).count())
    }
}
