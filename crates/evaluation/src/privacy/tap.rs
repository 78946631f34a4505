//! Looks on while a scheme runs: notes what is published for victims, and lets those attacks have
//! a look that need the whole batch, for a batch is not kept.

use super::score::{Look, Scores};
use super::{Plan, Suspect, Victims, scattered};
use attacks::{
    Attack, Candidate, KnownPosition, LinkedDisclosure, Posterior, Rerun, RerunResult, SchemeRerun,
    Snapshot, Target,
};
use attacks::{Level, RegionDependence, View};
use meshcloak::distance::Atlas;
use meshcloak::guard::Promise;
use meshcloak::query::UserId;
use meshcloak::region::Region;
use meshcloak::scheme::{Description, Observer, Published, Scheme, Served, State};
use meshcloak::units::Time;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A publication for a victim.
#[derive(Clone, Debug)]
pub(crate) struct Taken {
    /// The number of her query.
    pub query: u32,
    pub at: Time,
    pub region: Arc<Region<'static>>,
    /// The numbers of the queries of her set.
    pub members: Arc<[u32]>,
    /// For whom it can have been published.
    pub named: Vec<UserId>,
}

/// A scheme, and somebody who looks on.
pub(super) struct Tap<'a> {
    scheme: Box<dyn Scheme>,
    onlooker: Onlooker<'a>,
}

struct Onlooker<'a> {
    suspect: &'a Suspect,
    atlas: &'a Arc<Atlas>,
    victims: &'a Victims,
    plan: &'a Plan,
    attacks: Vec<Box<dyn Attack>>,
    planted: usize,
    rule: RegionDependence,
    cheap: bool,
    taken: Vec<Taken>,
    scores: Scores,
}

impl<'a> Tap<'a> {
    pub(super) fn new(
        suspect: &'a Suspect,
        atlas: &'a Arc<Atlas>,
        (victims, plan): (&'a Victims, &'a Plan),
    ) -> Tap<'a> {
        let scheme = suspect.make(atlas);
        let mut attacks = attacks::all();
        attacks.retain(|attack| is_live(attack.as_ref()) && plan.attacks.contains(&attack.name()));
        let onlooker = Onlooker {
            suspect,
            atlas,
            victims,
            plan,
            attacks,
            planted: 0,
            rule: scheme.describe().regions,
            cheap: suspect.is_cheap_to_rerun(scheme.as_ref()),
            taken: Vec::new(),
            scores: Scores::default(),
        };
        Tap { scheme, onlooker }
    }

    /// What was published for victims, in order of time, and what live attacks came to.
    pub(super) fn done(self) -> (Vec<Taken>, Scores) {
        (self.onlooker.taken, self.onlooker.scores)
    }
}

/// Whether an attack needs the batch itself; the intersection needs only who was named.
pub(super) fn is_live(attack: &dyn Attack) -> bool {
    attack.level() == Level::Batch && attack.letter() != 'F'
}

impl Scheme for Tap<'_> {
    fn name(&self) -> &'static str {
        self.scheme.name()
    }

    fn describe(&self) -> Description {
        self.scheme.describe()
    }

    fn history_horizon(&self) -> Option<Duration> {
        self.scheme.history_horizon()
    }

    fn promise(&self) -> Option<Promise> {
        self.scheme.promise()
    }

    fn cloak(&mut self, state: &State, now: Time, watch: &mut dyn Observer) -> &mut Published {
        let published = self.scheme.cloak(state, now, watch);
        self.onlooker.look(state, now, published);
        published
    }
}

/// The algorithm as it was run, and as it can be run on a batch that was changed.
struct Replay<'a> {
    again: SchemeRerun<'a>,
    /// What was published; `None` if the batch is to be run again.
    published: Option<RerunResult>,
}

impl Rerun for Replay<'_> {
    fn rerun(&self, people: &[Candidate]) -> Option<RerunResult> {
        match &self.published {
            Some(answer) if people.len() == self.again.state.waiting.len() => Some(answer.clone()),
            _ => self.again.rerun(people),
        }
    }
}

fn answer(state: &State, published: &Published) -> RerunResult {
    let mut answer =
        RerunResult { region_of: vec![None; state.waiting.len()], ..RerunResult::default() };
    for set in 0..published.set_count() as u32 {
        answer.regions.push(published.set(set).region.into_owned());
        answer.sets.push(Vec::new());
    }
    for served in published.served() {
        answer.region_of[served.index as usize] = Some(served.set);
        answer.sets[served.set as usize].push(served.index);
    }
    answer
}

impl Onlooker<'_> {
    fn look(&mut self, state: &State, now: Time, published: &Published) {
        let mut hits = published.served().iter();
        let is_hit =
            |served: &&Served| self.victims.holds(state.waiting[served.index as usize].user);
        let hits: Vec<Served> = hits.by_ref().filter(is_hit).copied().collect();
        if hits.is_empty() {
            return;
        }
        let people = SchemeRerun::candidates(state);
        let (suspect, atlas) = (self.suspect, self.atlas);
        let make = || suspect.copy(atlas);
        let again = SchemeRerun { make: &make, state, now };
        // A copy that draws other lots is no replay, and neither is a batch that is cheap to run.
        let replay = !self.cheap;
        let replay = Replay { again, published: replay.then(|| answer(state, published)) };
        let crowd = Snapshot::new(&people, &replay);
        let mut shared: BTreeMap<u32, (Arc<Region<'static>>, Arc<[u32]>)> = BTreeMap::new();
        for hit in hits {
            let (region, members) = shared
                .entry(hit.set)
                .or_insert_with(|| {
                    let set = published.set(hit.set);
                    let members = set.members.iter().map(|id| id.0 as u32).collect();
                    (Arc::new(set.region.into_owned()), members)
                })
                .clone();
            let victim = Candidate::from(&state.waiting[hit.index as usize]);
            let view = (self.atlas, self.rule);
            let shown = (&victim, now, &region, members.len());
            let attacks: Vec<&Box<dyn Attack>> = self
                .attacks
                .iter()
                .filter(|attack| {
                    attack.letter() != 'G' || is_turn(&mut self.planted, self.plan.planted, &victim)
                })
                .collect();
            let named = look_at(view, attacks, shown, &crowd, &mut self.scores);
            let query = victim.id.0 as u32;
            self.taken.push(Taken { query, at: now, region, members, named });
        }
    }
}

/// Lets live attacks look at what was shown for a victim: when, what, and with how many. Gives whom
/// inversion names, whether it was asked for or not.
pub(super) fn look_at<'a>(
    (atlas, rule): (&Arc<Atlas>, RegionDependence),
    attacks: impl IntoIterator<Item = &'a Box<dyn Attack>>,
    (victim, at, region, members): (&Candidate, Time, &Arc<Region<'static>>, usize),
    crowd: &Snapshot<'_>,
    scores: &mut Scores,
) -> Vec<UserId> {
    let shown = [LinkedDisclosure::new(victim.asked_at, at, Arc::clone(region))];
    let view = View {
        atlas,
        rule,
        target: Target { dc: victim.dc, speed: victim.speed },
        disclosures: &shown,
        attacked: 0,
        previous: None,
        snapshot: Some(crowd),
        candidate_sets: &[],
        prior: None,
    };
    for attack in attacks {
        let plants = attack.letter() == 'G';
        // Accounts are planted where she is.
        let beside = KnownPosition { at, position: victim.position };
        let view = View { previous: plants.then_some(beside), ..view };
        let begun = Instant::now();
        let found = attack.attack(&view);
        let score = scores.of(attack.name());
        score.took += begun.elapsed();
        if found.is_none() && plants {
            continue;
        }
        score.add(&look(atlas, attack.letter(), victim, (found.as_ref(), members)));
        if let ('H', Some(found)) = (attack.letter(), &found) {
            score.note("distinct questions", questions(crowd, region) as f64);
            score.note("distinct streets", found.pieces.len() as f64);
        }
    }
    // The batch has been run again by now, if it ever is.
    attacks::inversion::Inversion
        .attack(&view)
        .and_then(|found| found.candidates)
        .unwrap_or_default()
}

/// Every seventh question or so is one to plant accounts at, until there have been enough.
fn is_turn(planted: &mut usize, most: usize, victim: &Candidate) -> bool {
    let turn = *planted < most && scattered(victim.id.0 ^ 0x5B11).is_multiple_of(7);
    *planted += usize::from(turn);
    turn
}

/// What a live attack found, by the truth.
fn look(
    atlas: &Atlas,
    letter: char,
    victim: &Candidate,
    (found, members): (Option<&Posterior>, usize),
) -> Look {
    let Some(found) = found else {
        return Look { k: victim.k, left: Some(members), ..Look::default() };
    };
    let people = found.candidates.as_deref().unwrap_or_default();
    let street = victim.position.street;
    let named = match letter {
        // People on one street count as one there.
        'H' => found.pieces.iter().any(|piece| piece.street == street),
        _ => people.contains(&victim.user),
    };
    let point = atlas.map().point(victim.position);
    let error = found.expected_error(atlas.map(), point).filter(|_| named);
    Look { k: victim.k, left: Some(people.len()), metres: None, error, wrong: !named }
}

/// How many kinds of questions those ask for whom a region is published. Tapes hold none, so
/// everyone asks for one of eight kinds, the first half of the time, the next a quarter, and so on.
fn questions(crowd: &Snapshot<'_>, region: &Region<'_>) -> usize {
    let kind =
        |place: &u32| scattered(crowd.candidates[*place as usize].id.0).leading_zeros().min(7);
    let mut kinds: Vec<u32> = crowd.publishers_of(region).iter().map(kind).collect();
    kinds.sort_unstable();
    kinds.dedup();
    kinds.len()
}
