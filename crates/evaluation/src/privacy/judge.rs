//! Builds what each attack may see of the truth, and scores what the attack believes.

use super::Plan;
use super::score::{Look, SHOWN, Score, Scores};
use super::tap::{Taken, is_live};
use super::truth::{Asked, Truth};
use super::victim::{Order, Portrait};
use attacks::combined::Combined;
use attacks::intersection::common_users;
use attacks::reachability::Reachability;
use attacks::{
    Attack, KnownPosition, LinkedDisclosure, Posterior, Prior, RegionDependence, Target, View,
};
use meshcloak::distance::Atlas;
use meshcloak::map::Position;
use meshcloak::query::UserId;
use rayon::prelude::*;
use std::sync::Arc;
use std::time::Instant;

/// Scores attacks that can wait until all is published.
pub(super) struct Judge<'a> {
    pub atlas: &'a Arc<Atlas>,
    pub truth: &'a Truth,
    pub rule: RegionDependence,
    pub prior: &'a Prior,
}

/// How good an example a publication is, and which of a victim's it is.
type Example = (Order, usize);

/// Everything shown for one victim.
struct Followed<'a> {
    taken: Vec<&'a Taken>,
    shown: Vec<LinkedDisclosure>,
    named: Vec<Vec<UserId>>,
}

/// One publication, and the truth about it.
struct Case<'a> {
    truth: &'a Asked,
    members: Vec<(UserId, Position)>,
    everywhere: &'a Posterior,
    /// What the disclosure itself says.
    plain: Look,
    /// Whom disclosures up to this one can have been made for.
    named: &'a [Vec<UserId>],
}

impl Judge<'_> {
    /// Scores what was taken; gives somebody to draw.
    pub(super) fn judge(
        &self,
        taken: &[Taken],
        plan: &Plan,
        scores: &mut Scores,
    ) -> Option<Portrait> {
        let mut by_user: Vec<&Taken> = taken.iter().collect();
        let user = |taken: &Taken| self.truth.of(taken.query).user;
        by_user.sort_by_key(|taken| (user(taken), taken.query));
        let groups: Vec<&[&Taken]> = by_user.chunk_by(|a, b| user(a) == user(b)).collect();
        let mut attacks = attacks::all();
        attacks.retain(|attack| !is_live(attack.as_ref()) && plan.attacks.contains(&attack.name()));
        let judged: Vec<(Scores, Option<Example>)> =
            groups.par_iter().map(|taken| self.follow(taken, &attacks)).collect();
        let mut best: Option<(Example, usize)> = None;
        for (group, (theirs, example)) in judged.into_iter().enumerate() {
            scores.join(theirs);
            let example = example.map(|example| (example, group));
            best = best.into_iter().chain(example).min();
        }
        if plan.attacks.contains(&"timing") && !taken.is_empty() {
            let pairs = taken.iter().map(|taken| {
                let asked = self.truth.of(taken.query);
                ((taken.at - asked.at).as_secs_f64(), f64::from(asked.k))
            });
            if let Some(found) = correlation(pairs) {
                scores.of("timing").note("delay and k correlate", found);
            }
        }
        let (example, group) = best?;
        self.portrait(&self.followed(groups[group]), example.1)
    }

    fn followed<'t>(&self, taken: &[&'t Taken]) -> Followed<'t> {
        let shown = |taken: &&Taken| {
            LinkedDisclosure::new(
                self.truth.of(taken.query).at,
                taken.at,
                Arc::clone(&taken.region),
            )
        };
        Followed {
            shown: taken.iter().map(shown).collect(),
            named: taken.iter().map(|taken| taken.named.clone()).collect(),
            taken: taken.to_vec(),
        }
    }

    fn follow(&self, taken: &[&Taken], attacks: &[Box<dyn Attack>]) -> (Scores, Option<Example>) {
        let followed = self.followed(taken);
        let mut scores = Scores::default();
        let mut best: Option<Example> = None;
        for attacked in 0..taken.len() {
            let order = self.look(&followed, attacked, attacks, &mut scores);
            let example = order.map(|order| (order, attacked));
            best = best.into_iter().chain(example).min();
        }
        (scores, best)
    }

    /// What somebody who knew where she was could make of one publication, to be drawn.
    fn portrait(&self, followed: &Followed<'_>, attacked: usize) -> Option<Portrait> {
        let attack = Reachability::FROM_A_KNOWN_POINT;
        let left = attack.attack(&self.view(followed, attacked, &attack))?;
        let taken = followed.taken[attacked];
        let truth = self.truth.of(taken.query);
        let before = truth.previous.map(|before| self.truth.of(before).position);
        let map = self.atlas.map();
        let everywhere = followed.shown[attacked].uniform(map);
        Portrait::of(map, (everywhere, &left), (truth, before), &self.members(taken))
    }

    /// Lets all attacks look at one publication.
    fn look(
        &self,
        followed: &Followed<'_>,
        attacked: usize,
        attacks: &[Box<dyn Attack>],
        scores: &mut Scores,
    ) -> Option<Order> {
        let case = self.case(followed, attacked);
        scores.of(SHOWN).add(&case.plain);
        let mut order = None;
        for attack in attacks {
            let view = self.view(followed, attacked, attack.as_ref());
            let begun = Instant::now();
            let found = attack.attack(&view);
            let score = scores.of(attack.name());
            score.took += begun.elapsed();
            let Some(found) = found else {
                let counts = !"BCJ".contains(attack.letter());
                score.add(&Look { left: case.plain.left.filter(|_| counts), ..case.plain });
                continue;
            };
            let look = self.weigh(&case, attack.letter(), &view, &found);
            score.add(&look);
            self.note(&case, attack.letter(), (&found, look), score);
            if attack.name() == "known-point" {
                order = Portrait::order(&look, case.members.len(), case.everywhere.metres());
            }
        }
        order
    }

    fn case<'a>(&'a self, followed: &'a Followed<'_>, attacked: usize) -> Case<'a> {
        let taken = followed.taken[attacked];
        let truth = self.truth.of(taken.query);
        let members = self.members(taken);
        let everywhere = followed.shown[attacked].uniform(self.atlas.map());
        let mut plain = self.places(truth, everywhere, &members);
        (plain.left, plain.wrong) = (Some(members.len()), false);
        Case { truth, members, everywhere, plain, named: &followed.named[..=attacked] }
    }

    /// What an attack found, by the truth.
    fn weigh(&self, case: &Case<'_>, letter: char, view: &View<'_>, found: &Posterior) -> Look {
        let truth = case.truth;
        if let Some(people) = &found.candidates {
            let wrong = !people.contains(&truth.user);
            return Look { k: truth.k, left: Some(people.len()), wrong, ..Look::default() };
        }
        let look = self.places(truth, found, &case.members);
        match letter {
            'B' | 'J' => Look { left: None, ..look },
            'C' => Look { left: None, metres: None, wrong: false, ..look },
            'L' => {
                let left = self.places(truth, &Combined::remaining(view), &case.members);
                Look { error: look.error, ..left }
            }
            _ => look,
        }
    }

    /// Further figures of an attack.
    fn note(
        &self,
        case: &Case<'_>,
        letter: char,
        (found, look): (&Posterior, Look),
        score: &mut Score,
    ) {
        match letter {
            'C' => {
                score.note("error of a random point", case.plain.error.unwrap_or(0.0));
                score.note("rank of the victim", self.rank(case.truth, found, &case.members));
            }
            'F' => note_links(score, case.truth.k, case.named),
            'J' => {
                score.note("bits left", found.entropy());
                score.note("bits of the region", case.everywhere.entropy());
                let errors = case.plain.error.zip(look.error);
                let gain = errors.map_or(0.0, |(flat, hers)| flat - hers);
                score.note("metres gained over the region", gain);
            }
            _ => {}
        }
    }

    /// Who is in a set, each once, and where.
    fn members(&self, taken: &Taken) -> Vec<(UserId, Position)> {
        let known = taken.members.iter().map(|&query| self.truth.of(query));
        let mut members: Vec<_> = known.map(|asked| (asked.user, asked.position)).collect();
        members.sort_unstable();
        members.dedup_by_key(|member| member.0);
        members
    }

    /// What an attack that leaves places comes to.
    fn places(&self, truth: &Asked, found: &Posterior, members: &[(UserId, Position)]) -> Look {
        let left = members.iter().filter(|member| found.holds(member.1)).count();
        let point = self.atlas.map().point(truth.position);
        Look {
            k: truth.k,
            left: Some(left),
            metres: Some(found.metres()),
            error: found.expected_error(self.atlas.map(), point),
            wrong: !found.holds(truth.position),
        }
    }

    /// Where the victim stands among the members in order of distance to a guess: 0 is nearest, 1
    /// is farthest, and one half is the mean if the guess tells nothing.
    fn rank(&self, truth: &Asked, guess: &Posterior, members: &[(UserId, Position)]) -> f64 {
        let map = self.atlas.map();
        let Some(centre) = guess.centre(map) else { return 0.5 };
        let away = |position| map.point(position).distance(centre);
        let hers = away(truth.position);
        let nearer = members.iter().filter(|member| away(member.1) < hers).count();
        let equal = members.iter().filter(|member| away(member.1) == hers).count();
        (nearer as f64 + equal as f64 / 2.0) / members.len().max(1) as f64
    }

    fn view<'a>(
        &'a self,
        followed: &'a Followed<'_>,
        attacked: usize,
        attack: &dyn Attack,
    ) -> View<'a> {
        let truth = self.truth.of(followed.taken[attacked].query);
        let before = truth.previous.map(|before| {
            let before = self.truth.of(before);
            KnownPosition { at: before.at, position: before.position }
        });
        let level = attack.level();
        View {
            atlas: self.atlas,
            rule: self.rule,
            target: Target { dc: truth.dc, speed: truth.speed },
            disclosures: &followed.shown,
            attacked,
            previous: before.filter(|_| level == attacks::Level::Previous),
            snapshot: None,
            candidate_sets: if level == attacks::Level::Batch { &followed.named } else { &[] },
            prior: (attack.letter() == 'J').then_some(self.prior),
        }
    }
}

fn note_links(score: &mut Score, k: u32, named: &[Vec<UserId>]) {
    for (linked, name) in [(2, "below k after two"), (3, "below k after three")] {
        if named.len() >= linked {
            let left = common_users(named, linked).len();
            score.note(name, if left < k as usize { 1.0 } else { 0.0 });
        }
    }
}

/// How two numbers go together (Pearson); `None` if one of them never changes.
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
