//! Attacks on schemes: runs a scheme on a workload, gives the disclosures to the attacks, and scores
//! their conclusions against the truth, which only this module holds.
//!
//! Targets are a sample of users with all their queries, so that attacks can link disclosures.
//! Attacks on whole batches run during the run; the others run afterwards, in parallel. The result
//! does not depend on the number of threads.

pub mod attack_score;
pub mod attacked_scheme;
pub mod own_model;
pub mod portrait;
pub mod recorded;

mod batch_attacker;
mod batch_case;
mod lines;
mod missed_sets;
mod offline;
mod own_judge;
mod publication_case;
mod pursuit;
mod question_attacker;
mod question_mix;
mod replay_attacker;
pub mod target_sums;
mod truth;

#[cfg(test)]
mod tests;

pub use attack_score::{AttackScore, AttackScores};
pub use attacked_scheme::{AttackedScheme, SchemeBuilder};
pub use missed_sets::{EdgeRule, MissedSets};
pub use own_model::{OwnModelResult, attack_own_model};
pub use portrait::{Portrait, PortraitRow};
pub use question_attacker::DecoyPlan;
pub use recorded::{RecordedError, RecordedRun};
pub use truth::Truth;

use crate::checkpoint::Checkpoint;
use crate::costs::Costs;
use crate::metrics::Tally;
use crate::run::{Conditions, Presence, run};
use crate::workload::Workload;
use attacks::ages::AGES;
use attacks::questions::QUESTIONS;
use attacks::tracker::TRACKER;
use attacks::{ATTACKS, Attack, InspectedScheme, Prior};
use baselines::SchemeError;
use batch_attacker::BatchAttacker;
use batch_case::needs_batch;
use lines::RecordedLines;
use meshcloak::distance::Atlas;
use meshcloak::map::{StreetId, StreetMap};
use meshcloak::mix::mix64;
use meshcloak::query::UserId;
use meshcloak::scheme::{Published, State};
use offline::OfflineScorer;
use pursuit::{Pursuit, Scene};
use question_attacker::QuestionAttacker;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Which attacks run, and on how many users.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttackPlan {
    /// Names of attacks, in the order of the tables.
    pub attacks: Vec<&'static str>,
    /// Number of targets; every succeeded query of a target is attacked.
    pub targets: usize,
    /// Number of queries around which the adversary plants accounts; each needs a rerun of its
    /// batch.
    pub planted: usize,
    /// Number of targets that are followed by the tracker.
    pub followed: usize,
    /// Number of particles of the tracker.
    pub particles: usize,
    /// Whether the tracker follows users of the rarest ordinary category through the regions that
    /// are asked for it, instead of all users through all regions.
    pub follows_kinds: bool,
    /// Decoys that are sent with the questions.
    pub questions: DecoyPlan,
    /// Number of runs of a randomised scheme with other random seeds, under its authors'
    /// assumptions.
    pub replays: u64,
    /// Called between batches and between publications of targets.
    pub checkpoint: Checkpoint,
}

impl Default for AttackPlan {
    fn default() -> AttackPlan {
        let attacks = ATTACKS.iter().map(|attack| attack.name).collect();
        let questions = DecoyPlan::default();
        AttackPlan {
            attacks,
            targets: 1_000,
            planted: 40,
            followed: 300,
            particles: 2_000,
            follows_kinds: false,
            questions,
            replays: 32,
            checkpoint: Checkpoint::default(),
        }
    }
}

impl AttackPlan {
    /// Returns the chosen attacks that satisfy `filter`.
    fn chosen(&self, filter: impl Fn(&Attack) -> bool) -> Vec<Attack> {
        let named = ATTACKS.iter().filter(|attack| self.attacks.contains(&attack.name));
        named.filter(|attack| filter(attack)).copied().collect()
    }

    fn batch_attacks(&self) -> Vec<Attack> {
        self.chosen(needs_batch)
    }

    fn offline_attacks(&self) -> Vec<Attack> {
        let own_run = [TRACKER.name, QUESTIONS.name, AGES.name];
        self.chosen(|attack| !needs_batch(attack) && !own_run.contains(&attack.name))
    }
}

/// Results of the attacks on one scheme.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AttackResults {
    /// Canonical name of the scheme.
    pub scheme: String,
    /// Metrics of the run over all users.
    pub tally: Tally,
    /// Time of the engine in microseconds per query, without the attacks; `None` if unknown.
    pub us_per_query: Option<f64>,
    /// The same in milliseconds per batch.
    pub ms_per_batch: Option<f64>,
    /// Scores of the attacks.
    pub scores: AttackScores,
    /// Drawing of one target; `None` if no target is suitable.
    pub portrait: Option<Portrait>,
}

/// Runs a scheme on a workload and attacks it. Presence in the name of the scheme overrides that of the
/// conditions.
///
/// # Errors
/// If the map lacks what the scheme needs.
pub fn run_attacks(
    scheme: &AttackedScheme,
    atlas: &Arc<Atlas>,
    workload: &Workload,
    conditions: Conditions,
    plan: &AttackPlan,
) -> Result<AttackResults, SchemeError> {
    let gateway = scheme.make(atlas)?;
    let presence = match scheme.presence() {
        Presence::AllAsk => conditions.presence,
        named => named,
    };
    let conditions = Conditions { presence, ..conditions };
    let targets = Targets::asking(workload, presence, plan.targets);
    let truth = Truth::of_workload(workload, conditions.tolerance);
    let prior = prior(atlas, workload, &targets);
    let attacker = BatchAttacker::new(scheme, atlas, &targets, plan, gateway.describe());
    let mut attacker = attacker.planting_among(workload.queries.len());
    let dependence = gateway.describe().regions;
    let scene = Scene { atlas, workload, targets: &targets, conditions, dependence };
    let mut pursuit = Pursuit::planned(plan, scene);
    let mut questions = QuestionAttacker::planned(plan, atlas.map());
    let mut lines = plan.attacks.contains(&AGES.name).then(RecordedLines::default);
    let mut attacking = Duration::ZERO;
    let mut inspected = InspectedScheme {
        scheme: gateway,
        inspect: |state: &State, now, published: &Published| {
            plan.checkpoint.pass();
            let begun = Instant::now();
            attacker.attack(state, now, published);
            if let Some(pursuit) = &mut pursuit {
                pursuit.add(now, state, published);
            }
            if let Some(questions) = &mut questions {
                questions.attack(state, published);
            }
            if let Some(lines) = &mut lines {
                lines.add_batch(state, now, published);
            }
            attacking += begun.elapsed();
        },
    };
    let result = run(&mut inspected, atlas.map(), workload, conditions, &mut Costs::Free);
    let BatchAttacker { rule, disclosures, mut scores, .. } = attacker;
    let scorer = OfflineScorer { atlas, truth: &truth, rule, prior: &prior };
    let portrait = scorer.score(&disclosures, plan, &mut scores);
    if let Some(lines) = lines {
        lines.score(&mut scores);
    }
    if let Some(pursuit) = pursuit {
        scores.join(pursuit.score(&plan.checkpoint));
    }
    if let Some(questions) = questions {
        scores.of(QUESTIONS.name).join(questions.finish());
    }
    let (scheme, tally) = (scheme.name().to_owned(), result.tally);
    let engine = tally.spent.iter().sum::<Duration>().saturating_sub(attacking);
    let us_per_query = tally.us_per_query(engine);
    let ms_per_batch = Some(engine.as_secs_f64() * 1e3 / tally.turns.max(1) as f64);
    Ok(AttackResults { scheme, tally, us_per_query, ms_per_batch, scores, portrait })
}

/// Users whose queries are attacked.
#[derive(Clone, Debug, Default)]
pub struct Targets {
    /// Ascending ids.
    users: Vec<u64>,
}

impl Targets {
    /// Samples `count` users of a workload by a fixed pseudo-random order.
    pub fn of(workload: &Workload, count: usize) -> Targets {
        Targets::among(workload.queries.iter().map(|query| u64::from(query.user)), count)
    }

    /// Samples `count` of the users who ask.
    pub fn asking(workload: &Workload, presence: Presence, count: usize) -> Targets {
        let users = workload.queries.iter().map(|query| u64::from(query.user));
        Targets::among(users.filter(|&user| presence.asks(UserId(user))), count)
    }

    /// Samples `count` of these users; repeated ids count once.
    pub fn among(users: impl Iterator<Item = u64>, count: usize) -> Targets {
        let mut users: Vec<u64> = users.collect();
        users.sort_unstable();
        users.dedup();
        users.sort_by_key(|&user| (mix64(user), user));
        users.truncate(count);
        users.sort_unstable();
        Targets { users }
    }

    /// Returns whether a user is a target.
    pub fn contains(&self, user: UserId) -> bool {
        self.users.binary_search(&user.0).is_ok()
    }
}

/// Street popularity among users that are not targets, or among all users if all are targets.
fn prior(atlas: &Atlas, workload: &Workload, targets: &Targets) -> Prior {
    let all_are_targets = targets.users.len() >= workload.users;
    let counts = |query: &&traffic::SimulatedQuery| {
        all_are_targets || !targets.contains(UserId(query.user.into()))
    };
    let counted = workload.queries.iter().filter(counts);
    popularity(atlas.map(), counted.map(|query| query.position.street))
}

/// Builds a prior per metre of street from observed streets.
fn popularity(map: &StreetMap, observed: impl Iterator<Item = StreetId>) -> Prior {
    // Additive smoothing: streets without observations stay possible.
    let mut count = vec![0.5; map.street_count()];
    observed.for_each(|street| count[street.index()] += 1.0);
    let per_metre = |(street, count): (StreetId, f64)| count / map.metres(street).max(1.0);
    Prior { per_metre: map.streets().zip(count).map(per_metre).collect() }
}
