//! Runs the searches of a schedule ([`super::reach_schedule`]) on one or several threads. The results
//! do not depend on the number of threads.

use super::reach_schedule::TightQuery;
use crate::distance::{Arcs, Atlas, REACH_STEPS, ReachedTerminals, Search};
use crate::map::StreetMap;
use rayon::prelude::*;
use std::sync::Arc;

/// Buffers of the searches.
#[derive(Debug, Default)]
pub(super) struct ReachSearcher {
    /// Created on first use.
    arcs: Option<Arcs>,
    /// One per thread.
    searches: Vec<Search>,
}

/// Results for a prefix of the queries that were to be searched.
pub(super) type Found = Vec<Arc<ReachedTerminals>>;

impl ReachSearcher {
    /// Searches for the queries of each section in order while `max_steps` suffice for the section.
    pub(super) fn search(
        &mut self,
        atlas: &Atlas,
        sections: &[Vec<TightQuery>],
        max_steps: u64,
    ) -> Vec<Found> {
        match sections {
            [] => Vec::new(),
            [section] => vec![self.search_in_waves(atlas, section, max_steps)],
            _ => self.search_sections(atlas, sections, max_steps),
        }
    }

    /// Searches for the queries of one section on all threads.
    fn search_in_waves(&mut self, atlas: &Atlas, queries: &[TightQuery], max_steps: u64) -> Found {
        let mut remaining = max_steps;
        let mut found = Found::new();
        while let Some(rest) = queries.get(found.len()..).filter(|rest| !rest.is_empty()) {
            let fitting = (remaining / u64::from(REACH_STEPS)) as usize;
            let wave = rest.split_at(fitting.min(rest.len())).0;
            if wave.is_empty() {
                break;
            }
            let reached = self.search_wave(atlas, wave);
            remaining -= reached.iter().map(|reached| u64::from(reached.steps())).sum::<u64>();
            found.extend(reached);
        }
        found
    }

    /// Searches for the queries of many sections, each on one thread; the same as in waves.
    fn search_sections(
        &mut self,
        atlas: &Atlas,
        sections: &[Vec<TightQuery>],
        max_steps: u64,
    ) -> Vec<Found> {
        let map = atlas.map();
        self.prepare(map);
        let ReachSearcher { arcs: Some(arcs), searches } = self else { return Vec::new() };
        let shares = sections.par_chunks(sections.len().div_ceil(searches.len()));
        let search_share = |(share, search): (&[Vec<TightQuery>], &mut Search)| -> Vec<Found> {
            let search_section = |queries: &Vec<TightQuery>| {
                let mut remaining = max_steps;
                let mut found = Found::new();
                for query in queries {
                    if remaining < u64::from(REACH_STEPS) {
                        break;
                    }
                    let reached =
                        ReachedTerminals::search(search, arcs, map, query.task, REACH_STEPS);
                    remaining -= u64::from(reached.steps());
                    found.push(Arc::new(reached));
                }
                found
            };
            share.iter().map(search_section).collect()
        };
        let found: Vec<Vec<Found>> = shares.zip(searches).map(search_share).collect();
        found.into_iter().flatten().collect()
    }

    /// Creates the buffers, one search per thread.
    fn prepare(&mut self, map: &StreetMap) {
        self.arcs.get_or_insert_with(|| Arcs::forward(map));
        let threads = rayon::current_num_threads();
        self.searches.resize_with(threads, || Search::new(map.terminal_count()));
    }

    fn search_wave(&mut self, atlas: &Atlas, wave: &[TightQuery]) -> Found {
        let map = atlas.map();
        self.prepare(map);
        let ReachSearcher { arcs: Some(arcs), searches } = self else { return Found::new() };
        let (arcs, threads) = (&*arcs, searches.len());
        let shares = wave.par_chunks(wave.len().div_ceil(threads));
        let search_share = |(share, search): (&[TightQuery], &mut Search)| -> Found {
            let tasks = share.iter().map(|query| query.task);
            let run = |task| ReachedTerminals::search(search, arcs, map, task, REACH_STEPS);
            tasks.map(run).map(Arc::new).collect()
        };
        let found: Vec<Found> = shares.zip(searches).map(search_share).collect();
        found.into_iter().flatten().collect()
    }
}
