//! Attack M: what the questions sent about a region tell about its members, with what decoys cost.

use super::AttackPlan;
use super::attack_score::{AttackScore, Observation, indicator};
use super::question_mix::{QuestionMix, is_sensitive, shares};
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

/// Asks the questions of each batch, and attacks them all: regions with a target would over-represent
/// those with many members.
pub(super) struct QuestionAttacker<'a> {
    map: &'a StreetMap,
    mix: QuestionMix,
    model: QuestionModel,
    score: AttackScore,
    requests: usize,
    bytes: usize,
    answers: usize,
}

impl<'a> QuestionAttacker<'a> {
    /// Creates the attacker; `None` if the plan does not have the attack.
    pub(super) fn planned(plan: &AttackPlan, map: &'a StreetMap) -> Option<QuestionAttacker<'a>> {
        let DecoyPlan { decoys, diversity } = plan.questions;
        plan.attacks.contains(&QUESTIONS.name).then(|| QuestionAttacker {
            map,
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
        for_each_region(state, published, |region| self.attack_region(region));
    }

    /// Attacks the questions about one region.
    fn attack_region(&mut self, AskedRegion { asking, present }: AskedRegion<'_, '_>) {
        let Some((region, _)) = asking.first() else { return };
        let requested = self.model.requested(&self.mix.categories(asking));
        self.answers += asking.len();
        self.requests += requested.len();
        self.bytes += requested.len() * (REQUEST_BYTES + region_bytes(self.map, region));
        // For an adversary who does not know who asks, every member is as likely to be an asker.
        let asking_share = asking.len() as f64 / (asking.len() + present) as f64;
        let posterior = self.model.posterior(&requested, asking.len());
        let guess = most_probable(&posterior);
        for (_, query) in asking {
            let truth = self.mix.category(query.user);
            let found = posterior[truth as usize];
            self.score.add(&Observation { k: query.k, ..Observation::default() });
            self.score.add_figure("category guessed", indicator(guess == truth));
            let before = most_probable(self.model.prior());
            self.score.add_figure("guessed without requests", indicator(before == truth));
            self.score.add_figure("certain", indicator(found > CERTAIN));
            if is_sensitive(truth) {
                self.score.add_figure("probability of a sensitive question", found);
                self.score.add_figure("sensitive question, askers unknown", found * asking_share);
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

/// A distinct region of a batch that is asked about.
#[derive(Clone, Copy)]
pub(super) struct AskedRegion<'s, 'r> {
    /// The queries with a question about it, each with the region; at least one.
    pub(super) asking: &'s [(Region<'r>, &'r Query)],
    /// Number of presence reports in its sets.
    pub(super) present: usize,
}

/// Calls `visit` with each distinct region of a batch that has a question.
pub(super) fn for_each_region(
    state: &State,
    published: &Published,
    mut visit: impl FnMut(AskedRegion<'_, '_>),
) {
    let served = published.served().iter();
    let served = served.map(|one| (one.set, &state.waiting[one.index as usize]));
    let mut members: Vec<(Region<'_>, &Query)> =
        served.map(|(set, query)| (published.set(set).region, query)).collect();
    let key = |query: &Query| (!query.asks, query.id);
    members.sort_by(|(a, x), (b, y)| a.total_cmp(b).then(key(x).cmp(&key(y))));
    for members in members.chunk_by(|(a, _), (b, _)| a == b) {
        let (asking, present) = members.split_at(members.partition_point(|(_, query)| query.asks));
        if !asking.is_empty() {
            visit(AskedRegion { asking, present: present.len() });
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
