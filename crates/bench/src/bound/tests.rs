//! What an engine serves is attainable; a search finds a set if and only if trying all subsets does.

mod naive;

use super::*;
use crate::{Recording, ReplayState, WorkloadConfiguration, batches, report_presence};
use meshcloak::distance::{Atlas, MAX_DC_MAX};
use meshcloak::mesh_cloak::{MeshCloak, RegionRule, Settings};
use meshcloak::units::Length;
use std::sync::Arc;
use traffic::AskShare;

const WINDOW: Range<u64> = 40..50;

const GUARANTEES: [(Guarantee, HistoryClock); 3] = [
    (Guarantee::Reciprocal, HistoryClock::Asked),
    (Guarantee::History, HistoryClock::Asked),
    (Guarantee::History, HistoryClock::Published),
];

fn atlas() -> Arc<Atlas> {
    let source = "city:500:2".parse().unwrap();
    let map = import::read_map(&source, &import::Options::default(), &()).unwrap().map;
    Arc::new(Atlas::new(map, MAX_DC_MAX))
}

/// Queries of agents of which a percentage asks.
fn recording(atlas: &Atlas, agents: u32, share: u32) -> Recording {
    let mut recording = WorkloadConfiguration::new("p1", 3, 5).record(atlas.map(), agents, 1);
    recording.truncate(WINDOW.end as usize + 5);
    report_presence(&mut recording, AskShare::percent(share).unwrap());
    recording
}

/// Runs a scheme and returns the measured queries that are served.
fn serve(scheme: &mut dyn Scheme, recording: &Recording) -> Vec<Query> {
    let mut replay = ReplayState::new(scheme);
    let mut served = Vec::new();
    for mut batch in batches(recording) {
        replay.record(&mut batch);
        let done = replay.turn(scheme, batch, &mut ());
        served.extend(done.served.into_iter().map(|(query, _)| query));
    }
    served.retain(|query| is_measured(query, &WINDOW));
    served
}

#[test]
fn every_served_query_is_attainable() {
    let atlas = atlas();
    for (agents, share) in [(800, 100), (1_600, 10)] {
        let recording = recording(&atlas, agents, share);
        let all = recording.iter().flatten().filter(|query| is_measured(query, &WINDOW)).count();
        for region in [RegionRule::default(), RegionRule::Cell(Length::metres(3_000.0))] {
            let mut bounds = Vec::new();
            for (guarantee, history_clock) in GUARANTEES {
                let settings = Settings { guarantee, history_clock, region, ..Settings::default() };
                let scheme = || MeshCloak::new(Arc::clone(&atlas), settings);
                let served = serve(&mut scheme(), &recording);
                let mut recorder = BoundRecorder::new(scheme(), WINDOW);
                assert!(serve(&mut recorder, &recording).is_empty());
                let what = format!("{share} % ask, {settings:?}");
                assert_attainable(&recorder, &served, &what);
                let bound = recorder.max_served();
                assert!(!served.is_empty() && served.len() <= bound, "{what}: {bound}");
                assert_eq!(recorder.undecided(), 0, "{what}");
                bounds.push(bound);
            }
            // `asked`, `published`, `reciprocal`: less and less is excluded.
            let is_ordered = bounds[1] < bounds[2] && bounds[2] <= bounds[0] && bounds[1] < all;
            assert!(is_ordered, "{bounds:?} of {all}");
        }
    }
}

/// Checks each served query, and with the clock `published` each with the last one that left.
fn assert_attainable<S: Scheme>(recorder: &BoundRecorder<S>, served: &[Query], what: &str) {
    let mut last: BTreeMap<UserId, QueryId> = BTreeMap::new();
    for query in served {
        let left = last.insert(query.user, query.id);
        let past = left.filter(|_| depends_on_what_left(&recorder.promise));
        assert!(recorder.attainable.contains(&(query.id, past)), "{what}: {:?}", query.id);
    }
}

/// Scheme that compares every search of a small neighbourhood with the reference.
struct Comparison {
    promise: Promise,
    /// Queries of each user, in order of arrival.
    arrived: BTreeMap<UserId, Vec<Query>>,
    /// Compared queries without and with a set.
    compared: [usize; 2],
    published: Published,
}

impl Scheme for Comparison {
    fn name(&self) -> &'static str {
        "comparison"
    }

    fn describe(&self) -> Description {
        MeshCloak::new(Arc::clone(&self.promise.atlas), Settings::default()).describe()
    }

    fn history_horizon(&self) -> Option<Horizon> {
        Some(meshcloak::guarantee::DEFAULT_HORIZON.into())
    }

    fn promise(&self) -> Option<Promise> {
        Some(self.promise.clone())
    }

    fn cloak(&mut self, state: &State, now: Time, _: &mut dyn Observer) -> &mut Published {
        for query in &state.waiting[state.waiting.len() - state.arrived..] {
            self.arrived.entry(query.user).or_default().push(query.clone());
        }
        let (mut graph, mut grouping) = (GraphBuilder::default(), Grouping::default());
        let batch = BatchGraph::new(&mut graph, &self.promise, state, now);
        for node in batch.nodes().filter(|&node| batch.query(node).asks) {
            let query = batch.query(node);
            let past = self.arrived[&query.user].iter().rfind(|past| past.id < query.id);
            let case = naive::Case { promise: &self.promise, state, now, past };
            if let Some(expected) = case.has_set(query) {
                assert_eq!(batch.has_set(&mut grouping, node, past), Some(expected));
                self.compared[usize::from(expected)] += 1;
            }
        }
        &mut self.published
    }
}

#[test]
fn searches_find_a_set_where_trying_all_subsets_does() {
    let atlas = atlas();
    for (guarantee, history_clock) in GUARANTEES {
        let settings = Settings { guarantee, history_clock, ..Settings::default() };
        let promise = MeshCloak::new(Arc::clone(&atlas), settings).promise().unwrap();
        let (arrived, published) = (BTreeMap::new(), Published::default());
        let mut scheme = Comparison { promise, arrived, compared: [0, 0], published };
        serve(&mut scheme, &recording(&atlas, 300, 50));
        assert!(scheme.compared.iter().all(|&count| count > 30), "{:?}", scheme.compared);
    }
}
