//! Attack M: what the questions sent about a region tell about its members, with what decoys cost.

use super::attack_score::{AttackScore, Observation, indicator};
use super::question_mix::{QuestionMix, is_sensitive, shares};
use super::{AttackPlan, Targets};
use attacks::questions::{CategoryId, QUESTIONS, QuestionModel};
use meshcloak::map::StreetMap;
use meshcloak::query::Query;
use meshcloak::region::Region;
use meshcloak::scheme::{Published, State};

/// Bytes of a request without its coordinates, about.
const REQUEST_BYTES: usize = 150;
/// Bytes of one pair of coordinates in GeoJSON, with six decimals.
const POINT_BYTES: usize = 22;
/// Probability above which the adversary is certain.
const CERTAIN: f64 = 0.9;

/// Decoys of a gateway.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DecoyPlan {
    /// Further categories that are asked with each category.
    pub decoys: usize,
    /// Smallest number of categories of a region.
    pub diversity: usize,
}

/// Asks the questions of each batch, and attacks those of regions with a target.
pub(super) struct QuestionAttacker<'a> {
    map: &'a StreetMap,
    targets: &'a Targets,
    mix: QuestionMix,
    model: QuestionModel,
    score: AttackScore,
    requests: usize,
    bytes: usize,
    answers: usize,
}

impl<'a> QuestionAttacker<'a> {
    /// Creates the attacker; `None` if the plan does not have the attack.
    pub(super) fn planned(
        plan: &AttackPlan,
        map: &'a StreetMap,
        targets: &'a Targets,
    ) -> Option<QuestionAttacker<'a>> {
        let DecoyPlan { decoys, diversity } = plan.questions;
        plan.attacks.contains(&QUESTIONS.name).then(|| QuestionAttacker {
            map,
            targets,
            mix: QuestionMix::new(),
            model: QuestionModel::new(&shares(), decoys, diversity),
            score: AttackScore::default(),
            requests: 0,
            bytes: 0,
            answers: 0,
        })
    }

    /// Attacks the questions of a batch.
    pub(super) fn attack(&mut self, state: &State, published: &Published) {
        for_each_region(state, published, |region, members| self.attack_region(region, members));
    }

    /// Attacks the questions about one region.
    fn attack_region(&mut self, region: &Region<'_>, members: &[(Region<'_>, &Query)]) {
        let requested = self.model.requested(&self.mix.categories(members));
        self.answers += members.len();
        self.requests += requested.len();
        self.bytes += requested.len() * (REQUEST_BYTES + region_bytes(self.map, region));
        if !members.iter().any(|(_, query)| self.targets.contains(query.user)) {
            return;
        }
        let posterior = self.model.posterior(&requested, members.len());
        let guess = most_probable(&posterior);
        for (_, query) in members {
            let truth = self.mix.category(query.user);
            let found = posterior[truth as usize];
            self.score.add(&Observation { k: query.k, ..Observation::default() });
            self.score.add_figure("category guessed", indicator(guess == truth));
            let before = most_probable(self.model.prior());
            self.score.add_figure("guessed without requests", indicator(before == truth));
            self.score.add_figure("certain", indicator(found > CERTAIN));
            if is_sensitive(truth) {
                self.score.add_figure("probability of a sensitive question", found);
                self.score.add_figure("sensitive and certain", indicator(found > CERTAIN));
            }
        }
    }

    /// Returns the score with the cost of the requests.
    pub(super) fn finish(mut self) -> AttackScore {
        let answers = self.answers.max(1) as f64;
        self.score.add_figure("requests per answer", self.requests as f64 / answers);
        self.score.add_figure("kB per answer", self.bytes as f64 / answers / 1000.0);
        self.score
    }
}

/// Calls `visit` with each distinct region of a batch and the queries with a question about it.
pub(super) fn for_each_region(
    state: &State,
    published: &Published,
    mut visit: impl FnMut(&Region<'_>, &[(Region<'_>, &Query)]),
) {
    let served = published.served().iter();
    let asked = served.map(|one| (one.set, &state.waiting[one.index as usize]));
    let mut asked: Vec<(Region<'_>, &Query)> = asked
        .filter(|(_, query)| query.asks)
        .map(|(set, query)| (published.set(set).region, query))
        .collect();
    asked.sort_by(|(a, x), (b, y)| a.total_cmp(b).then(x.id.cmp(&y.id)));
    for members in asked.chunk_by(|(a, _), (b, _)| a == b) {
        if let [(region, _), ..] = members {
            visit(region, members);
        }
    }
}

/// Size of a region as GeoJSON, about.
fn region_bytes(map: &StreetMap, region: &Region<'_>) -> usize {
    let points = region.streets(map).iter().map(|&street| map.shape(street).len()).sum::<usize>();
    points * POINT_BYTES
}

fn most_probable(weights: &[f64]) -> CategoryId {
    let best = weights.iter().enumerate().max_by(|(_, a), (_, b)| a.total_cmp(b));
    best.map_or(0, |(category, _)| category as CategoryId)
}
