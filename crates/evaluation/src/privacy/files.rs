//! Attacks on what others published: a file of queries and a file of what became of them (SPEC §8),
//! from this program or any other. Whoever published what is in the file, so no algorithm is run
//! again, and accounts cannot be planted.

use super::judge::Judge;
use super::score::Scores;
use super::tap::{Taken, is_live, look_at};
use super::truth::{Asked, Truth};
use super::{Assay, Plan, Victims};
use crate::score::line::{Line, Outcome, Success};
use crate::score::{ScoreError, ScoreProblem, labels, open};
use attacks::{Candidate, Prior, RegionDependence, Rerun, RerunResult, Snapshot};
use import::{Coordinates, ImportError, Progress, QueryReader, QueryRecord};
use meshcloak::distance::Atlas;
use meshcloak::map::{StreetId, StreetMap};
use meshcloak::query::{QueryId, UserId};
use meshcloak::region::Region;
use meshcloak::units::{Length, Speed, Time};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::io::BufRead as _;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// What was asked and published.
#[derive(Debug, Default)]
pub struct Given {
    truth: Truth,
    /// By time, what was published and for whom.
    batches: BTreeMap<Time, Vec<Published>>,
}

#[derive(Debug)]
struct Published {
    query: u32,
    region: Arc<Region<'static>>,
    members: Arc<[u32]>,
}

/// Why files cannot be attacked.
#[derive(Debug, thiserror::Error)]
pub enum GivenError {
    /// Queries that cannot be read.
    #[error(transparent)]
    Queries(#[from] ImportError),
    /// Outcomes that cannot be read, or do not fit the queries.
    #[error(transparent)]
    Outcomes(#[from] ScoreError),
    /// Degrees on a map that has none.
    #[error("the queries are in lon/lat and the map has none; give `--origin LON,LAT`")]
    NoFrame,
}

impl Given {
    /// Reads both files. Queries off the map, or that cannot be read, take no part.
    pub fn read(
        map: &StreetMap,
        queries: &Path,
        outcomes: &Path,
        progress: &dyn Progress,
    ) -> Result<Given, GivenError> {
        let (truth, numbers) = asked(map, queries, progress)?;
        let mut given = Given { truth, batches: BTreeMap::new() };
        let streets = labels(map);
        let problem = |line, problem| ScoreError { file: outcomes.to_owned(), line, problem };
        let input = open(outcomes).map_err(|error| problem(0, error.into()))?;
        for (number, text) in input.lines().enumerate() {
            let number = number as u64 + 1;
            let text = text.map_err(|error| problem(number, error.into()))?;
            if text.trim().is_empty() {
                continue;
            }
            let added = Line::read(&text).and_then(|line| given.add(line, &numbers, &streets));
            added.map_err(|source| problem(number, source))?;
        }
        Ok(given)
    }

    fn add(
        &mut self,
        line: Line,
        numbers: &FxHashMap<String, u32>,
        streets: &FxHashMap<&str, StreetId>,
    ) -> Result<(), ScoreProblem> {
        let Outcome::Succeeded(success) = line.outcome else { return Ok(()) };
        let id = line.query.unwrap_or_default();
        let query = *numbers.get(&id).ok_or_else(|| ScoreProblem::Unknown(id.clone()))?;
        let region = Arc::new(region(&id, &success, streets)?);
        let member = |member: &String| {
            let unknown = || ScoreProblem::UnknownMember(id.clone(), member.clone());
            numbers.get(member).copied().ok_or_else(unknown)
        };
        let members = success.set.iter().map(member).collect::<Result<_, _>>()?;
        let at = Time::from_millis(line.at);
        self.batches.entry(at).or_default().push(Published { query, region, members });
        Ok(())
    }

    /// Attacks it; `rule` says what is known of how its regions were made.
    pub fn assay(&self, atlas: &Arc<Atlas>, rule: RegionDependence, plan: &Plan) -> Assay {
        let mut users: Vec<u64> = self.truth.asked.iter().map(|asked| asked.user.0).collect();
        users.sort_unstable();
        users.dedup();
        let victims = Victims::among(users, plan.victims);
        let mut scores = Scores::default();
        let taken = self.taken(atlas, (rule, plan), &victims, &mut scores);
        let prior = self.prior(atlas, &victims);
        let judge = Judge { atlas, truth: &self.truth, rule, prior: &prior };
        let portrait = judge.judge(&taken, plan, &mut scores);
        let scheme = "outcomes".to_owned();
        Assay { scheme, scores, portrait, ..Assay::default() }
    }

    fn taken(
        &self,
        atlas: &Arc<Atlas>,
        (rule, plan): (RegionDependence, &Plan),
        victims: &Victims,
        scores: &mut Scores,
    ) -> Vec<Taken> {
        let mut attacks = attacks::all();
        attacks.retain(|attack| is_live(attack.as_ref()) && plan.attacks.contains(&attack.name()));
        let mut taken = Vec::new();
        for (&at, published) in &self.batches {
            let replay = Replay { published };
            let people: Vec<Candidate> =
                published.iter().map(|one| self.somebody(one.query)).collect();
            let crowd = Snapshot::new(&people, &replay);
            for (one, victim) in published.iter().zip(&people) {
                if !victims.holds(victim.user) {
                    continue;
                }
                let shown = (victim, at, &one.region, one.members.len());
                let named = look_at((atlas, rule), &attacks, shown, &crowd, scores);
                let (region, members) = (Arc::clone(&one.region), Arc::clone(&one.members));
                taken.push(Taken { query: one.query, at, region, members, named });
            }
        }
        taken
    }

    fn somebody(&self, number: u32) -> Candidate {
        let asked = self.truth.of(number);
        Candidate {
            id: QueryId(number.into()),
            user: asked.user,
            position: asked.position,
            k: asked.k,
            dc: asked.dc,
            asked_at: asked.at,
            tolerance: asked.patience,
            speed: asked.speed,
        }
    }

    fn prior(&self, atlas: &Atlas, victims: &Victims) -> Prior {
        let asked = self.truth.asked.iter();
        let others = asked.filter(|asked| !victims.holds(asked.user));
        super::popularity(atlas.map(), others.map(|asked| asked.position.street))
    }
}

/// What was published is what the algorithm publishes.
struct Replay<'a> {
    published: &'a [Published],
}

impl Rerun for Replay<'_> {
    fn rerun(&self, people: &[Candidate]) -> Option<RerunResult> {
        if people.len() != self.published.len() {
            return None; // another batch than the one in the file
        }
        let regions = self.published.iter().map(|one| (*one.region).clone());
        Some(RerunResult {
            regions: regions.collect(),
            region_of: (0..people.len() as u32).map(Some).collect(),
            sets: (0..people.len() as u32).map(|place| vec![place]).collect(),
        })
    }
}

/// What was asked, and the number of each query by its id.
fn asked(
    map: &StreetMap,
    path: &Path,
    progress: &dyn Progress,
) -> Result<(Truth, FxHashMap<String, u32>), GivenError> {
    let mut reader = QueryReader::open(path, progress)?;
    let mut numbers = FxHashMap::default();
    let mut users: FxHashMap<String, u64> = FxHashMap::default();
    let mut asked = Vec::new();
    while let Some(row) = reader.next_row()? {
        let Ok(record) = row.query else { continue };
        let point = match record.coordinates {
            Coordinates::Metres(point) => point,
            Coordinates::Degrees(place) => map.frame().ok_or(GivenError::NoFrame)?.point(place),
        };
        let Some(snapped) = map.snap(point, None) else { continue };
        let QueryRecord { query, user, asked_at, k, temporal_tolerance, speed, .. } = record;
        if numbers.contains_key(&query) {
            continue;
        }
        numbers.insert(query, asked.len() as u32);
        let next = users.len() as u64;
        asked.push(Asked {
            user: UserId(*users.entry(user).or_insert(next)),
            at: Time::from_millis(asked_at),
            position: snapped.position,
            k,
            dc: record.distance_constraint.max(Length::UNIT),
            speed: speed.map(|speed| Speed::metres_per_second(f64::from(speed) / 1000.0)),
            patience: Duration::from_millis(temporal_tolerance),
            previous: None,
        });
    }
    Ok((Truth::new(asked.into_iter()), numbers))
}

fn region(
    id: &str,
    success: &Success,
    streets: &FxHashMap<&str, StreetId>,
) -> Result<Region<'static>, ScoreProblem> {
    if let Some(shape) = &success.shape {
        return Ok(shape.clone());
    }
    let find = |label: &String| {
        let street = streets.get(label.as_str()).copied();
        street.ok_or_else(|| ScoreProblem::Street(id.to_owned(), label.clone()))
    };
    let mesh = success.mesh.as_ref().ok_or(ScoreProblem::Missing("mesh"))?;
    let mut mesh: Vec<StreetId> = mesh.iter().map(find).collect::<Result<_, _>>()?;
    mesh.sort_unstable();
    mesh.dedup();
    Ok(Region::Mesh(mesh.into()))
}
