//! Who searches for cliques from where: nodes of one portion of the graph after the other, by
//! whichever thread is free, and joined in the order of searches; so the answer does not depend on
//! the number of threads.

use super::expand::MOST_MEMBERS;
use super::found::Found;
use super::searcher::{Quest, Ranking, Searcher};
use rayon::prelude::*;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Room for searches.
#[derive(Clone, Debug, Default)]
pub(super) struct Finder {
    ranking: Ranking,
    workers: Vec<Worker>,
    places: Vec<Place>,
}

/// What one thread has found; in cache lines of its own, for another thread writes to the next.
#[derive(Clone, Debug, Default)]
#[repr(align(128))]
struct Worker {
    searcher: Searcher,
    found: Found,
    /// The roots from which cliques were found, and the end of those of each.
    roots: Vec<(u32, u32)>,
}

/// Where the cliques of a root are.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    worker: u32,
    start: u32,
    end: u32,
}

/// So many nodes are searched from at a time: neighbours have numbers close to each other.
const PORTION: usize = 128;

impl Finder {
    /// Finds all cliques.
    pub(super) fn find(&mut self, quest: Quest<'_>, found: &mut Found) {
        self.ranking.sort(quest);
        // Where not everyone counts, only a search tells whether a root is a witness for others.
        if !quest.graph.everyone_counts() || !self.together(quest, found) {
            self.one_by_one(quest, found);
        }
    }

    /// One root after the other.
    fn one_by_one(&mut self, quest: Quest<'_>, found: &mut Found) {
        found.clear();
        self.workers.resize_with(self.workers.len().max(1), Worker::default);
        let searcher = &mut self.workers[0].searcher;
        searcher.begin(quest.graph.len());
        for turn in 0..quest.graph.len() {
            let root = self.ranking.order[turn];
            if !searcher.search(quest, &self.ranking, root, found) {
                self.ranking.most[root as usize] = 0;
            }
        }
    }

    /// All portions, by all threads; `false` if more was found than may be kept: then what is left
    /// out depends on the order.
    fn together(&mut self, quest: Quest<'_>, found: &mut Found) -> bool {
        let threads = rayon::current_num_threads();
        self.workers.resize_with(threads, Worker::default);
        let (next, members) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let ranking = &self.ranking;
        let work = |worker: &mut Worker| {
            worker.begin(quest.graph.len());
            while members.load(Ordering::Relaxed) <= MOST_MEMBERS {
                let start = next.fetch_add(PORTION, Ordering::Relaxed);
                if start >= quest.graph.len() {
                    break;
                }
                let before = worker.found.nodes.len();
                worker.search(quest, ranking, start..(start + PORTION).min(quest.graph.len()));
                members.fetch_add(worker.found.nodes.len() - before, Ordering::Relaxed);
            }
        };
        if threads == 1 {
            self.workers.iter_mut().for_each(work);
        } else {
            self.workers.par_iter_mut().for_each(work);
        }
        let fits = members.into_inner() <= MOST_MEMBERS;
        if fits {
            self.join(quest.graph.len(), found);
        }
        fits
    }

    /// Joins what was found, in the order of searches.
    fn join(&mut self, nodes: usize, found: &mut Found) {
        found.clear();
        self.places.clear();
        self.places.resize(nodes, Place::default());
        for (number, worker) in (0..).zip(&self.workers) {
            let mut start = 0;
            for &(root, end) in &worker.roots {
                self.places[root as usize] = Place { worker: number, start, end };
                start = end;
            }
            found.steps += worker.found.steps;
            found.truncated |= worker.found.truncated;
        }
        for &root in &self.ranking.order {
            let Place { worker, start, end } = self.places[root as usize];
            found.append(&self.workers[worker as usize].found, start..end);
        }
    }
}

impl Worker {
    fn begin(&mut self, nodes: usize) {
        self.searcher.begin(nodes);
        self.found.clear();
        self.roots.clear();
    }

    /// Searches from some nodes.
    fn search(&mut self, quest: Quest<'_>, ranking: &Ranking, roots: Range<usize>) {
        for root in roots.map(|root| root as u32) {
            let before = self.found.len();
            self.searcher.search(quest, ranking, root, &mut self.found);
            if self.found.len() > before {
                self.roots.push((root, self.found.len() as u32));
            }
        }
    }
}
