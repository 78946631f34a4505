//! One publication and the truth about it, with which the results of attacks are compared.

use super::attack_score::{AttackScore, Observation, indicator};
use attacks::combined;
use attacks::intersection::common_users;
use attacks::{Posterior, View};
use meshcloak::map::{Position, StreetMap};
use meshcloak::query::{Query, UserId};

pub(super) struct PublicationCase<'a> {
    pub map: &'a StreetMap,
    pub truth: &'a Query,
    /// Distinct users of the set with their positions.
    pub members: Vec<(UserId, Position)>,
    /// Uniform distribution over the published region.
    pub region: &'a Posterior,
    /// Candidates of the target's disclosures up to this one.
    pub named: &'a [Vec<UserId>],
}

impl PublicationCase<'_> {
    /// Returns the observation of the disclosure itself, before any attack.
    pub(super) fn shown(&self) -> Observation {
        let remaining = Some(self.members.len());
        Observation { remaining, wrong: false, ..self.observe_positions(self.region) }
    }

    /// Compares the result of an attack with the truth.
    pub(super) fn observe(&self, letter: char, view: &View<'_>, found: &Posterior) -> Observation {
        let truth = self.truth;
        if let Some(users) = &found.candidates {
            let (remaining, wrong) = (Some(users.len()), !users.contains(&truth.user));
            let (k, user) = (truth.k, Some(truth.user.0));
            return Observation { k, user, remaining, wrong, ..Observation::default() };
        }
        let observation = self.observe_positions(found);
        match letter {
            'B' | 'J' => Observation { remaining: None, ..observation },
            'C' => Observation { remaining: None, metres: None, wrong: false, ..observation },
            'L' => {
                let combined = self.observe_positions(&combined::remaining(view));
                Observation { error: observation.error, ..combined }
            }
            _ => observation,
        }
    }

    /// Compares remaining positions with the truth; candidates are the members on them.
    fn observe_positions(&self, found: &Posterior) -> Observation {
        let Query { k, user, position, .. } = *self.truth;
        Observation {
            k,
            user: Some(user.0),
            remaining: Some(self.members.iter().filter(|member| found.holds(member.1)).count()),
            metres: Some(found.metres()),
            error: found.expected_error(self.map, self.map.point(position)),
            wrong: !found.holds(position),
        }
    }

    /// Adds the further figures of the centre (C), intersection (F) and Bayesian (J) attacks.
    /// `error` is the position error of the attack in metres.
    pub(super) fn add_figures(
        &self,
        score: &mut AttackScore,
        letter: char,
        found: &Posterior,
        error: Option<f64>,
    ) {
        let shown_error = || self.shown().error;
        match letter {
            'C' => {
                score.add_figure("error of a random point", shown_error().unwrap_or(0.0));
                score.add_figure("rank of the victim", self.rank(found));
            }
            'F' => {
                for (linked, name) in [(2, "below k after two"), (3, "below k after three")] {
                    if self.named.len() >= linked {
                        let common = common_users(self.named, linked).len();
                        score.add_figure(name, indicator(common < self.truth.k as usize));
                    }
                }
            }
            'J' => {
                score.add_figure("bits left", found.entropy());
                score.add_figure("bits of the region", self.region.entropy());
                let errors = shown_error().zip(error);
                let gain = errors.map_or(0.0, |(uniform, bayes)| uniform - bayes);
                score.add_figure("metres gained over the region", gain);
            }
            _ => {}
        }
    }

    /// Returns the rank of the target among the members by distance to a guess: 0 is nearest, 1 is
    /// farthest; the mean of an uninformative guess is 0.5.
    fn rank(&self, guess: &Posterior) -> f64 {
        let Some(centre) = guess.centre(self.map) else { return 0.5 };
        let distance = |position| self.map.point(position).distance(centre);
        let target = distance(self.truth.position);
        let nearer = self.members.iter().filter(|member| distance(member.1) < target).count();
        let equal = self.members.iter().filter(|member| distance(member.1) == target).count();
        (nearer as f64 + equal as f64 / 2.0) / self.members.len().max(1) as f64
    }
}
