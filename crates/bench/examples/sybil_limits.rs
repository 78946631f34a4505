//! Attack G, invented users, against `limits.people` and against the rounded `streets` of receipts.
//!
//! `cargo run --release -p bench --example sybil_limits 5000` simulates 5,000 agents on the first
//! map, P1-3-5, under `reciprocal`. It takes minutes.
//!
//! - **Names.** The adversary has a number of names and four of them at each target. In the next batch
//!   it uses the same names at other targets: nothing binds a name to a place.
//! - **Receipts.** Four invented users stand where the adversary supposes the target. It knows all
//!   other positions, re-runs the batch with the target on each street within the target's dc, or
//!   elsewhere, and keeps the streets that give the receipt it got.

use bench::{WorkloadConfiguration, agents_and_seed, batches, in_pool, maps};
use meshcloak::distance::Atlas;
use meshcloak::engine::turn;
use meshcloak::map::Position;
use meshcloak::mesh_cloak::{MeshCloak, Settings};
use meshcloak::query::{Query, QueryId, UserId};
use meshcloak::scheme::{Scheme as _, State};
use meshcloak::units::Time;
use std::sync::Arc;

/// Invented users at each target.
const AT_TARGET: usize = 4;

/// Numbers of names of the adversary.
const NAMES: [usize; 3] = [4, 40, 400];

/// Ids of invented users begin here.
const INVENTED: u64 = 1 << 40;

/// Every n-th batch is attacked, and there every n-th query by its receipts.
const BATCHES: u64 = 7;
const RECEIPT_SAMPLING: usize = 400;

/// What a receipt tells of a set: rounded size and exact number of streets.
type Receipt = (usize, usize);

struct Run {
    atlas: Arc<Atlas>,
}

#[derive(Default)]
struct Findings {
    /// Attacked batches, of one second each.
    batches: u32,
    /// Attacked targets, by number of names.
    attacked: [u32; NAMES.len()],
    /// Targets published with fewer than k users that exist, by number of names.
    broken: [u32; NAMES.len()],
    /// Candidate streets of each target: before the attack, with exact, rounded and no `streets`.
    candidates: Vec<[usize; 4]>,
}

fn main() {
    let (agents, seed) = agents_and_seed(std::env::args().skip(1));
    let map = maps()[0].read();
    let configuration = WorkloadConfiguration::new("p1", 3, 5);
    let dc_max = configuration.profile().largest_constraint();
    let recording = configuration.record(&map, agents, seed);
    let run = Run { atlas: Arc::new(Atlas::new(map, dc_max)) };
    in_pool(1, || run.replay(&recording));
}

impl Run {
    fn replay(&self, recording: &[Vec<Query>]) {
        let mut scheme = self.scheme();
        let mut state = State::default();
        let mut found = Findings::default();
        for (number, batch) in (0..).zip(batches(recording)) {
            let mut before = state.clone();
            before.waiting.retain(|query| !query.has_expired(batch.now));
            before.waiting.extend(batch.arrivals.iter().cloned());
            if number % BATCHES == 0 && !before.waiting.is_empty() {
                self.attack(&before, batch.now, &mut found);
            }
            turn(&mut scheme, &mut state, batch, &mut ());
        }
        found.print();
    }

    fn attack(&self, state: &State, now: Time, found: &mut Findings) {
        found.batches += 1;
        for (index, names) in NAMES.into_iter().enumerate() {
            let [attacked, broken] = self.attack_many(state, now, names / AT_TARGET);
            found.attacked[index] += attacked;
            found.broken[index] += broken;
        }
        for target in (0..state.waiting.len()).step_by(RECEIPT_SAMPLING) {
            found.candidates.extend(self.candidates(state, now, target));
        }
    }

    fn scheme(&self) -> MeshCloak {
        MeshCloak::new(Arc::clone(&self.atlas), Settings::default())
    }

    /// Surrounds several targets in one batch. Returns their number, and that of targets published
    /// with fewer than k users that exist.
    fn attack_many(&self, state: &State, now: Time, targets: usize) -> [u32; 2] {
        let step = (state.waiting.len() / targets.max(1)).max(1);
        let chosen: Vec<Query> =
            state.waiting.iter().step_by(step).take(targets).cloned().collect();
        let mut attacked = state.clone();
        for (number, target) in chosen.iter().enumerate() {
            surround(&mut attacked, target, number * AT_TARGET);
        }
        let mut scheme = self.scheme();
        let published = scheme.cloak(&attacked, now, &mut ());
        let mut broken = 0;
        for served in published.served() {
            let query = &attacked.waiting[served.index as usize];
            let members = published.set(served.set).members.iter();
            let honest = members.filter(|id| id.0 < INVENTED).count();
            let is_target = chosen.iter().any(|target| target.id == query.id);
            broken += u32::from(is_target && honest < query.k as usize);
        }
        [chosen.len() as u32, broken]
    }

    /// Counts the streets on which the target can be: before the attack, and after receipts with the
    /// exact number of streets, the rounded one, and none. `None` if the invented users are not served.
    fn candidates(&self, state: &State, now: Time, target: usize) -> Option<[usize; 4]> {
        let known = state.waiting[target].clone();
        let receipt = |position: Option<Position>| {
            let mut state = state.clone();
            surround(&mut state, &known, 0);
            match position {
                Some(position) => state.waiting[target].position = position,
                None => drop(state.waiting.remove(target)),
            }
            self.receipt(&state, now)
        };
        let truth = receipt(Some(known.position))?;
        let map = self.atlas.map();
        let middle = |street| Position { street, offset: map.street(street).length.part(0.5) };
        let within = |position: &Position| {
            let distance = self.atlas.distance(known.position, *position);
            distance.is_some_and(|length| length <= known.distance_constraint)
        };
        let streets: Vec<Position> = map.streets().map(middle).filter(within).collect();
        let mut left = [streets.len() + 1, 0, 0, 0];
        for position in streets.into_iter().map(Some).chain([None]) {
            let Some(found) = receipt(position) else { continue };
            let rounded = |receipt: Receipt| (receipt.0, round_up(receipt.1));
            left[1] += usize::from(found == truth);
            left[2] += usize::from(rounded(found) == rounded(truth));
            left[3] += usize::from(found.0 == truth.0);
        }
        Some(left)
    }

    /// Returns the receipt of the first invented user.
    fn receipt(&self, state: &State, now: Time) -> Option<Receipt> {
        let mut scheme = self.scheme();
        let published = scheme.cloak(state, now, &mut ());
        let index = state.waiting.iter().position(|query| query.id == QueryId(INVENTED))?;
        let served = published.served().iter().find(|served| served.index as usize == index)?;
        let set = published.set(served.set);
        let size = [50, 20, 10, 5, 3, 2].into_iter().find(|step| *step <= set.members.len());
        Some((size?, set.region.streets(self.atlas.map()).len()))
    }
}

impl Findings {
    fn print(&self) {
        println!("names  targets a minute  of them below k");
        for (index, names) in NAMES.into_iter().enumerate() {
            let attacked = f64::from(self.attacked[index]);
            let a_minute = 60.0 * attacked / f64::from(self.batches);
            let share = 100.0 * f64::from(self.broken[index]) / attacked.max(1.0);
            println!("{names:5}  {a_minute:16.0}  {share:13.1} %");
        }
        let mean = |part: usize| {
            let sum: usize = self.candidates.iter().map(|counts| counts[part]).sum();
            sum as f64 / self.candidates.len().max(1) as f64
        };
        println!("\ncandidate streets of {} targets", self.candidates.len());
        let rows = ["before the attack", "exact streets", "rounded streets", "no streets"];
        for (part, name) in rows.into_iter().enumerate() {
            println!("{name:17}  {:5.1}", mean(part));
        }
    }
}

/// Adds invented users with k = 2 at the position of a target.
fn surround(state: &mut State, target: &Query, first: usize) {
    for number in 0..AT_TARGET {
        let number = (first + number) as u64;
        let mut invented = target.clone();
        (invented.id, invented.user) = (QueryId(INVENTED + number), UserId(u64::MAX - number));
        invented.k = 2;
        state.waiting.push(invented);
    }
}

/// Rounds up to 1, 2 or 5 times a power of ten, as receipts do.
fn round_up(streets: usize) -> usize {
    let powers = (0..).map(|exponent| 10_usize.pow(exponent));
    let mut steps = powers.flat_map(|power| [power, 2 * power, 5 * power]);
    steps.find(|step| *step >= streets).unwrap_or(usize::MAX)
}
