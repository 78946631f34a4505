//! A scheme under the assumptions of its authors: their crowd, their rule for k, and the attack that
//! they promise to withstand ([`ThreatModel`]). The other attacks use MeshCloak's assumptions, which
//! are stricter than those of most rivals.

use super::attack_score::{AttackScore, Observation};
use super::batch_attacker::{BatchAttacker, TargetDisclosure};
use super::own_judge::OwnJudge;
use super::replay_attacker::ReplayAttacker;
use super::{AttackPlan, AttackedScheme, Targets, Truth, prior};
use crate::costs::Costs;
use crate::metrics::Tally;
use crate::run::{Conditions, Presence, run};
use crate::workload::Workload;
use attacks::InspectedScheme;
use baselines::SchemeError;
use baselines::registry::{Crowd, KRule, OwnAttack, ThreatModel};
use meshcloak::distance::Atlas;
use meshcloak::query::UserId;
use meshcloak::scheme::{Published, State};
use rustc_hash::FxHashMap;
use std::borrow::Cow;
use std::sync::Arc;

/// Result of a run under the authors' assumptions.
#[derive(Clone, Debug, PartialEq)]
pub struct OwnModelResult {
    /// Canonical name of the scheme.
    pub scheme: String,
    /// The assumptions.
    pub model: ThreatModel,
    /// Metrics of the run over all users.
    pub tally: Tally,
    /// Score of the attack that the authors promise to withstand.
    pub score: AttackScore,
}

/// Runs a scheme with the crowd and the k of its authors, and attacks it as they assume.
///
/// # Errors
/// If the map lacks what the scheme needs.
pub fn attack_own_model(
    scheme: &AttackedScheme,
    atlas: &Arc<Atlas>,
    workload: &Workload,
    conditions: Conditions,
    plan: &AttackPlan,
) -> Result<OwnModelResult, SchemeError> {
    let model = scheme.threat_model();
    let workload = &*with_k_rule(workload, model.k);
    let presence = match model.crowd {
        Crowd::Asking => Presence::AllAsk,
        Crowd::Registered => Presence::Registered,
    };
    let conditions = Conditions { presence, ..conditions };
    let own = OwnRun { scheme, atlas, workload, conditions, plan };
    let (tally, score) = match model.attack {
        OwnAttack::Inversion | OwnAttack::Intersection => own.invert(model.attack)?,
        OwnAttack::Replay => own.replay()?,
        OwnAttack::InRegion
        | OwnAttack::Movement
        | OwnAttack::Prior
        | OwnAttack::Visitors
        | OwnAttack::Places => own.judge(model.attack)?,
    };
    Ok(OwnModelResult { scheme: scheme.name().to_owned(), model, tally, score })
}

/// Applies the authors' rule for k: a common k is the largest of the workload, a constant one the
/// largest of the user.
pub(super) fn with_k_rule(workload: &Workload, rule: KRule) -> Cow<'_, Workload> {
    if rule == KRule::Personal {
        return Cow::Borrowed(workload);
    }
    let group = |user: u32| if rule == KRule::Common { 0 } else { user };
    let mut largest: FxHashMap<u32, u32> = FxHashMap::default();
    for query in &workload.queries {
        let k = largest.entry(group(query.user)).or_default();
        *k = query.k.max(*k);
    }
    let mut workload = workload.clone();
    workload.queries.iter_mut().for_each(|query| query.k = largest[&group(query.user)]);
    Cow::Owned(workload)
}

/// Input of a run under the authors' assumptions.
struct OwnRun<'a> {
    scheme: &'a AttackedScheme,
    atlas: &'a Arc<Atlas>,
    workload: &'a Workload,
    conditions: Conditions,
    plan: &'a AttackPlan,
}

impl OwnRun<'_> {
    /// Runs the scheme; `inspect` receives every batch.
    fn run(
        &self,
        inspect: impl FnMut(&State, meshcloak::units::Time, &Published) + Send,
    ) -> Result<Tally, SchemeError> {
        let mut inspected = InspectedScheme { scheme: self.scheme.make(self.atlas)?, inspect };
        let map = self.atlas.map();
        Ok(run(&mut inspected, map, self.workload, self.conditions, &mut Costs::Free).tally)
    }

    /// Attacks that run the algorithm again.
    fn invert(&self, attack: OwnAttack) -> Result<(Tally, AttackScore), SchemeError> {
        let targets = Targets::of(self.workload, self.plan.targets);
        let plan = AttackPlan { attacks: vec!["inversion"], ..self.plan.clone() };
        let description = self.scheme.make(self.atlas)?.describe();
        let mut attacker =
            BatchAttacker::new(self.scheme, self.atlas, &targets, &plan, description);
        let tally = self.run(|state, now, published| attacker.attack(state, now, published))?;
        let score = match attack {
            OwnAttack::Intersection => {
                let truth = Truth::of_workload(self.workload, self.conditions.tolerance);
                intersect(&attacker.disclosures, &truth)
            }
            _ => attacker.scores.get("inversion").cloned().unwrap_or_default(),
        };
        Ok((tally, score))
    }

    /// Runs a randomised algorithm again with many seeds.
    fn replay(&self) -> Result<(Tally, AttackScore), SchemeError> {
        let targets = Targets::of(self.workload, self.plan.targets);
        let mut attacker =
            ReplayAttacker::new(self.scheme, self.atlas, &targets, self.plan.replays)?;
        let tally = self.run(|state, now, published| attacker.attack(state, now, published))?;
        Ok((tally, attacker.score))
    }

    /// Attacks on the region itself.
    fn judge(&self, attack: OwnAttack) -> Result<(Tally, AttackScore), SchemeError> {
        let targets = Targets::of(self.workload, self.plan.targets);
        let prior = prior(self.atlas, self.workload, &targets);
        let mechanism = self.scheme.copy(self.atlas)?;
        let mut judge = OwnJudge::new(attack, self.atlas.map(), &targets, &prior, mechanism);
        let tally = self.run(|state, now, published| judge.inspect(state, now, published))?;
        Ok((tally, judge.score))
    }
}

/// Scores each disclosure by the users who are candidates of it and of all earlier ones of the same
/// target.
fn intersect(disclosures: &[TargetDisclosure], truth: &Truth) -> AttackScore {
    let mut score = AttackScore::default();
    let mut left: FxHashMap<UserId, Vec<UserId>> = FxHashMap::default();
    for disclosure in disclosures {
        let target = truth.of(disclosure.query);
        let named = &disclosure.named;
        let candidates = left.entry(target.user).or_insert_with(|| named.clone());
        candidates.retain(|user| named.contains(user));
        score.add(&Observation {
            k: target.k,
            remaining: Some(candidates.len()),
            wrong: !candidates.contains(&target.user),
            ..Observation::default()
        });
    }
    score
}
