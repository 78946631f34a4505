//! Attacks on recorded runs: a query file and an outcome file (docs/SPEC.md §8) of any program. The
//! algorithm is not available, so batches are not run again and accounts cannot be planted.

use super::attack_score::AttackScores;
use super::batch_attacker::TargetDisclosure;
use super::batch_case::BatchCase;
use super::lines::RecordedLines;
use super::offline::OfflineScorer;
use super::truth::Truth;
use super::{AttackPlan, AttackResults, Targets};
use crate::score::{
    OutcomeLine, OutcomeReader, RecordedOutcome, ScoreError, ScoreProblem, StreetLabels,
    SucceededOutcome,
};
use attacks::ages::AGES;
use attacks::{Candidate, Prior, RegionDependence, Rerun, RerunResult, Snapshot};
use import::{Coordinates, ImportError, Progress, QueryReader, QueryRecord};
use meshcloak::distance::Atlas;
use meshcloak::map::StreetMap;
use meshcloak::query::{Query, QueryId, UserId};
use meshcloak::region::Region;
use meshcloak::units::{Length, Speed, Time};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// Queries and publications of a recorded run.
#[derive(Debug, Default)]
pub struct RecordedRun {
    pub(super) truth: Truth,
    /// Publications by time.
    pub(super) batches: BTreeMap<Time, Vec<RecordedPublication>>,
    /// Numbers of the expired queries.
    pub(super) expired: Vec<u32>,
}

/// Publication for one query.
#[derive(Debug)]
pub(super) struct RecordedPublication {
    pub query: u32,
    pub region: Arc<Region<'static>>,
    pub members: Arc<[u32]>,
}

/// Why a recorded run cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum RecordedError {
    /// The query file cannot be read.
    #[error(transparent)]
    Queries(#[from] ImportError),
    /// The outcome file cannot be read or contradicts the queries.
    #[error(transparent)]
    Outcomes(#[from] ScoreError),
    /// The queries are in degrees and the map has no projection.
    #[error(
        "the queries are in lon/lat and the map has no geographic origin; add `--origin LON,LAT`"
    )]
    NoFrame,
}

impl RecordedRun {
    /// Reads both files. Malformed queries and queries off the map are ignored.
    pub fn read(
        map: &StreetMap,
        queries: &Path,
        outcomes: &Path,
        progress: &dyn Progress,
    ) -> Result<RecordedRun, RecordedError> {
        let queries = QueryReader::open(queries, progress)?;
        RecordedRun::of_rows(map, queries, OutcomeReader::open(outcomes)?)
    }

    /// Reads rows of any source.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub fn of_rows(
        map: &StreetMap,
        queries: QueryReader<'_>,
        outcomes: OutcomeReader<'_>,
    ) -> Result<RecordedRun, RecordedError> {
        let (truth, numbers) = read_queries(map, queries)?;
        let mut recorded = RecordedRun { truth, ..RecordedRun::default() };
        let streets = StreetLabels::new(map);
        outcomes.for_each(|line| recorded.add(line, &numbers, &streets))?;
        Ok(recorded)
    }

    fn add(
        &mut self,
        line: OutcomeLine,
        numbers: &FxHashMap<String, u32>,
        streets: &StreetLabels<'_>,
    ) -> Result<(), ScoreProblem> {
        let id = line.query.unwrap_or_default();
        let query = || numbers.get(&id).copied().ok_or_else(|| ScoreProblem::Unknown(id.clone()));
        let success = match line.outcome {
            RecordedOutcome::Succeeded(success) => success,
            RecordedOutcome::Expired => {
                self.expired.push(query()?);
                return Ok(());
            }
            _ => return Ok(()),
        };
        let query = query()?;
        let region = Arc::new(region(&id, &success, streets)?);
        let member = |member: &String| {
            let unknown = || ScoreProblem::UnknownMember(id.clone(), member.clone());
            numbers.get(member).copied().ok_or_else(unknown)
        };
        let members = success.set.iter().map(member).collect::<Result<_, _>>()?;
        let at = Time::from_millis(line.at);
        self.batches.entry(at).or_default().push(RecordedPublication { query, region, members });
        Ok(())
    }

    /// Attacks the run; `rule` is the assumed dependence of regions on the members.
    pub fn run_attacks(
        &self,
        atlas: &Arc<Atlas>,
        rule: RegionDependence,
        plan: &AttackPlan,
    ) -> AttackResults {
        let users = self.truth.queries().iter().map(|query| query.user.0);
        let targets = Targets::among(users, plan.targets);
        let mut scores = AttackScores::default();
        let attacks = plan.batch_attacks();
        let mut disclosures = Vec::new();
        let mut last_published: FxHashMap<UserId, u32> = FxHashMap::default();
        for (&at, publications) in &self.batches {
            let candidates: Vec<Candidate> = publications
                .iter()
                .map(|publication| self.truth.of(publication.query).into())
                .collect();
            let replay = FileReplay { publications };
            let snapshot = &Snapshot::new(&candidates, &replay);
            for (publication, target) in publications.iter().zip(&candidates) {
                if !targets.contains(target.user) {
                    continue;
                }
                plan.checkpoint.pass();
                let RecordedPublication { query, region, members } = publication;
                let members_len = members.len();
                let case =
                    BatchCase { atlas, rule, snapshot, target, at, region, members: members_len };
                let named = case.attack(&attacks, &mut scores);
                let (region, members) = (Arc::clone(region), Arc::clone(members));
                let last = |member: &u32| last_published.get(&self.truth.of(*member).user).copied();
                let published_before = members.iter().map(last).collect();
                let query = *query;
                disclosures.push(TargetDisclosure {
                    query,
                    at,
                    region,
                    members,
                    named,
                    published_before,
                });
            }
            for publication in publications {
                // Presence reports leave with the set of a query.
                let present = publication.members.iter().copied();
                let present = present.filter(|&member| !self.truth.of(member).asks);
                for query in present.chain([publication.query]) {
                    last_published.insert(self.truth.of(query).user, query);
                }
            }
        }
        if plan.attacks.contains(&AGES.name) {
            self.lines().score(&mut scores);
        }
        let prior = self.prior(atlas, &targets);
        let scorer = OfflineScorer { atlas, truth: &self.truth, rule, prior: &prior };
        let portrait = scorer.score(&disclosures, plan, &mut scores);
        let scheme = "outcomes".to_owned();
        AttackResults { scheme, scores, portrait, ..AttackResults::default() }
    }

    /// Returns the lines of all sets. The members of a set share its region; a set is taken once.
    fn lines(&self) -> RecordedLines {
        let mut lines = RecordedLines::default();
        for (&at, publications) in &self.batches {
            for members in distinct_sets(publications) {
                lines.add(at, members.iter().map(|&member| self.truth.of(member)));
            }
        }
        lines
    }

    fn prior(&self, atlas: &Atlas, targets: &Targets) -> Prior {
        let others = self.truth.queries().iter().filter(|query| !targets.contains(query.user));
        super::popularity(atlas.map(), others.map(|query| query.position.street))
    }
}

/// Returns the sets of a batch; a set that several members publish once.
pub(super) fn distinct_sets(publications: &[RecordedPublication]) -> Vec<&[u32]> {
    let mut sets: Vec<&[u32]> = publications.iter().map(|one| &*one.members).collect();
    sets.sort_unstable();
    sets.dedup();
    sets
}

/// Replays the recorded publications of a batch.
struct FileReplay<'a> {
    publications: &'a [RecordedPublication],
}

impl Rerun for FileReplay<'_> {
    /// Returns `None` for any batch other than the recorded one.
    fn rerun(&self, candidates: &[Candidate]) -> Option<RerunResult> {
        if candidates.len() != self.publications.len() {
            return None;
        }
        let regions = self.publications.iter().map(|publication| (*publication.region).clone());
        Some(RerunResult {
            regions: regions.collect(),
            region_of: (0..candidates.len() as u32).map(Some).collect(),
            sets: (0..candidates.len() as u32).map(|index| vec![index]).collect(),
        })
    }
}

/// Reads the queries, and their numbers by id.
fn read_queries(
    map: &StreetMap,
    mut reader: QueryReader<'_>,
) -> Result<(Truth, FxHashMap<String, u32>), RecordedError> {
    let mut numbers = FxHashMap::default();
    let mut users: FxHashMap<String, u64> = FxHashMap::default();
    let mut queries = Vec::new();
    while let Some(row) = reader.next_row()? {
        let Ok(record) = row.query else { continue };
        let point = match record.coordinates {
            Coordinates::Metres(point) => point,
            Coordinates::Degrees(lon_lat) => {
                map.frame().ok_or(RecordedError::NoFrame)?.point(lon_lat)
            }
        };
        let Some(snapped) = map.snap(point, None) else { continue };
        let QueryRecord { query, user, asked_at, k, temporal_tolerance, speed, .. } = record;
        if numbers.contains_key(&query) {
            continue;
        }
        let next = users.len() as u64;
        let user = UserId(*users.entry(user).or_insert(next));
        let mut known = Query::builder(user, snapped.position)
            .id(QueryId(queries.len() as u64))
            .at(Time::from_millis(asked_at))
            .k(k)
            .dt(Duration::from_millis(temporal_tolerance))
            .dc(record.distance_constraint.max(Length::UNIT))
            .asks(record.asks)
            .build_unchecked();
        known.speed = speed.map(|speed| Speed::metres_per_second(f64::from(speed) / 1000.0));
        numbers.insert(query, queries.len() as u32);
        queries.push(known);
    }
    Ok((Truth::new(queries), numbers))
}

fn region(
    id: &str,
    success: &SucceededOutcome,
    streets: &StreetLabels<'_>,
) -> Result<Region<'static>, ScoreProblem> {
    if let Some(shape) = &success.shape {
        return Ok(shape.clone());
    }
    let mesh = success.mesh.as_ref().ok_or(ScoreProblem::Missing("mesh"))?;
    let mut mesh = streets.find_all(id, mesh)?;
    mesh.dedup();
    Ok(Region::Mesh(mesh.into()))
}
