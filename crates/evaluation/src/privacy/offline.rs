//! Scores the attacks that need no batch, after the run: builds the adversary's view of each
//! publication, and chooses the publication that the report draws.

use super::AttackPlan;
use super::attack_score::{AttackScores, Observation, SHOWN};
use super::batch_attacker::TargetDisclosure;
use super::portrait::{Portrait, PortraitContent, Suitability};
use super::publication_case::PublicationCase;
use super::truth::Truth;
use attacks::reachability::FROM_A_KNOWN_POINT;
use attacks::{
    Attack, KnownMember, KnownPosition, KnownSet, Level, LinkedDisclosure, Prior, RegionDependence,
    Target, View,
};
use meshcloak::distance::Atlas;
use meshcloak::guarantee::DEFAULT_HORIZON;
use meshcloak::map::Position;
use meshcloak::query::{Query, UserId};
use rayon::prelude::*;
use std::sync::Arc;
use std::time::Instant;

/// Truth and prior of a run.
pub(super) struct OfflineScorer<'a> {
    pub atlas: &'a Arc<Atlas>,
    pub truth: &'a Truth,
    pub rule: RegionDependence,
    pub prior: &'a Prior,
}

/// Suitability of a publication as an example, and its index among those of its target.
type Example = (Suitability, usize);

/// All disclosures for one target.
struct Track<'a> {
    disclosures: Vec<&'a TargetDisclosure>,
    linked: Vec<LinkedDisclosure>,
    named: Vec<Vec<UserId>>,
}

impl OfflineScorer<'_> {
    /// Scores all disclosures; returns the drawing of the most suitable target.
    pub(super) fn score(
        &self,
        disclosures: &[TargetDisclosure],
        plan: &AttackPlan,
        scores: &mut AttackScores,
    ) -> Option<Portrait> {
        let mut by_user: Vec<&TargetDisclosure> = disclosures.iter().collect();
        let user = |disclosure: &TargetDisclosure| self.truth.of(disclosure.query).user;
        by_user.sort_by_key(|disclosure| (user(disclosure), disclosure.query));
        let targets: Vec<&[&TargetDisclosure]> =
            by_user.chunk_by(|a, b| user(a) == user(b)).collect();
        let attacks = plan.offline_attacks();
        let scored: Vec<(AttackScores, Option<Example>)> =
            targets.par_iter().map(|target| self.score_target(target, &attacks, plan)).collect();
        let mut best: Option<(Example, usize)> = None;
        for (target, (target_scores, example)) in scored.into_iter().enumerate() {
            scores.join(target_scores);
            let example = example.map(|example| (example, target));
            best = best.into_iter().chain(example).min();
        }
        if plan.attacks.contains(&"timing") && !disclosures.is_empty() {
            self.score_timing(disclosures, scores);
        }
        let (example, target) = best?;
        self.portrait(&self.track(targets[target]), example.1)
    }

    fn score_timing(&self, disclosures: &[TargetDisclosure], scores: &mut AttackScores) {
        let pairs = disclosures.iter().map(|disclosure| {
            let query = self.truth.of(disclosure.query);
            ((disclosure.at - query.asked_at).as_secs_f64(), f64::from(query.k))
        });
        if let Some(found) = correlation(pairs) {
            scores.of("timing").add_figure("delay and k correlate", found);
        }
    }

    fn track<'t>(&self, disclosures: &[&'t TargetDisclosure]) -> Track<'t> {
        let link = |disclosure: &&TargetDisclosure| {
            let asked_at = self.truth.of(disclosure.query).asked_at;
            LinkedDisclosure::new(asked_at, disclosure.at, Arc::clone(&disclosure.region))
        };
        Track {
            linked: disclosures.iter().map(link).collect(),
            named: disclosures.iter().map(|disclosure| disclosure.named.clone()).collect(),
            disclosures: disclosures.to_vec(),
        }
    }

    fn score_target(
        &self,
        disclosures: &[&TargetDisclosure],
        attacks: &[Attack],
        plan: &AttackPlan,
    ) -> (AttackScores, Option<Example>) {
        let track = self.track(disclosures);
        let mut scores = AttackScores::default();
        let mut best: Option<Example> = None;
        for attacked in 0..disclosures.len() {
            plan.checkpoint.pass();
            let suitability = self.score_publication(&track, attacked, attacks, &mut scores);
            let example = suitability.map(|suitability| (suitability, attacked));
            best = best.into_iter().chain(example).min();
        }
        (scores, best)
    }

    /// Draws what an adversary with the target's previous position concludes from a publication.
    fn portrait(&self, track: &Track<'_>, attacked: usize) -> Option<Portrait> {
        let attack = FROM_A_KNOWN_POINT;
        let remaining = attack.attack(&self.view(track, attacked, &attack))?;
        let disclosure = track.disclosures[attacked];
        let truth = self.truth.of(disclosure.query);
        let picture = PortraitContent {
            map: self.atlas.map(),
            shown: track.linked[attacked].uniform(self.atlas.map()),
            remaining: &remaining,
            truth,
            previous: self.truth.previous(disclosure.query).map(|previous| previous.position),
            members: &self.members(disclosure),
        };
        picture.draw()
    }

    /// Scores all attacks on one publication.
    fn score_publication(
        &self,
        track: &Track<'_>,
        attacked: usize,
        attacks: &[Attack],
        scores: &mut AttackScores,
    ) -> Option<Suitability> {
        let case = self.case(track, attacked);
        let set = self.known_set(track.disclosures[attacked]);
        let shown = case.shown();
        scores.of(SHOWN).add(&shown);
        let mut suitability = None;
        for attack in attacks {
            let view = self.view(track, attacked, attack);
            let set = Some(&set).filter(|_| attack.level == Level::Pasts);
            let view = View { set, ..view };
            let begun = Instant::now();
            let found = attack.attack(&view);
            let score = scores.of(attack.name);
            score.elapsed += begun.elapsed();
            let Some(found) = found else {
                let counts_users = !"BCJ".contains(attack.letter);
                let remaining = shown.remaining.filter(|_| counts_users);
                score.add(&Observation { remaining, ..shown });
                continue;
            };
            let observation = case.observe(attack.letter, &view, &found);
            score.add(&observation);
            case.add_figures(score, attack.letter, &found, observation.error);
            if attack.name == "known-point" {
                let metres = case.region.metres();
                suitability = Portrait::suitability(&observation, case.members.len(), metres);
            }
        }
        suitability
    }

    fn case<'a>(&'a self, track: &'a Track<'_>, attacked: usize) -> PublicationCase<'a> {
        let disclosure = track.disclosures[attacked];
        PublicationCase {
            map: self.atlas.map(),
            truth: self.truth.of(disclosure.query),
            members: self.members(disclosure),
            region: track.linked[attacked].uniform(self.atlas.map()),
            named: &track.named[..=attacked],
        }
    }

    /// Returns the distinct users of a set with their positions.
    fn members(&self, disclosure: &TargetDisclosure) -> Vec<(UserId, Position)> {
        let queries = disclosure.members.iter().map(|&query| self.truth.of(query));
        let mut members: Vec<_> = queries.map(|query| (query.user, query.position)).collect();
        members.sort_unstable();
        members.dedup_by_key(|member| member.0);
        members
    }

    /// Returns what an adversary with everyone's past knows of a set.
    fn known_set(&self, disclosure: &TargetDisclosure) -> KnownSet {
        let member = |(&number, &before): (&u32, &Option<u32>)| {
            let query = self.truth.of(number);
            let is_recent = |known: &KnownPosition| known.at + DEFAULT_HORIZON >= query.asked_at;
            let accepted = self.truth.previous(number).map(known).filter(is_recent);
            let published = before.map(|before| self.truth.of(before)).map(known).filter(is_recent);
            KnownMember { accepted, published, speed: query.speed, asked_at: query.asked_at }
        };
        let members = disclosure.members.iter();
        KnownSet {
            places: members.clone().map(|&number| self.truth.of(number).position).collect(),
            target: members.clone().position(|&id| id == disclosure.query).unwrap_or(0),
            members: members.zip(&*disclosure.published_before).map(member).collect(),
        }
    }

    fn view<'a>(&'a self, track: &'a Track<'_>, attacked: usize, attack: &Attack) -> View<'a> {
        let number = track.disclosures[attacked].query;
        let truth = self.truth.of(number);
        let previous = self.truth.previous(number).map(known);
        let level = attack.level;
        View {
            atlas: self.atlas,
            rule: self.rule,
            target: Target { dc: truth.distance_constraint, speed: truth.speed },
            disclosures: &track.linked,
            attacked,
            previous: previous.filter(|_| level == Level::Previous),
            set: None,
            snapshot: None,
            candidate_sets: if level == Level::Batch { &track.named } else { &[] },
            prior: (attack.letter == 'J').then_some(self.prior),
        }
    }
}

fn known(query: &Query) -> KnownPosition {
    KnownPosition { at: query.asked_at, position: query.position }
}

/// Returns the Pearson correlation; `None` if one of the variables is constant.
fn correlation(pairs: impl Iterator<Item = (f64, f64)> + Clone) -> Option<f64> {
    let count = pairs.clone().count() as f64;
    let (x, y) = pairs.clone().fold((0.0, 0.0), |sum, pair| (sum.0 + pair.0, sum.1 + pair.1));
    let (x, y) = (x / count, y / count);
    let (mut xx, mut yy, mut xy) = (0.0, 0.0, 0.0);
    for (a, b) in pairs {
        xx += (a - x) * (a - x);
        yy += (b - y) * (b - y);
        xy += (a - x) * (b - y);
    }
    (xx > 0.0 && yy > 0.0).then(|| xy / (xx * yy).sqrt())
}
