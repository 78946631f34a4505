//! Who searches for cliques from where: nodes of one portion of the graph after the other, by
//! whichever thread is free, and joined in the order of searches; so the answer does not depend on
//! the number of threads.

use super::expand::MOST_MEMBERS;
use super::found::Found;
use super::ranking::Ranking;
use super::searcher::{Quest, Searcher};
use rayon::prelude::*;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Room for searches.
#[derive(Clone, Debug, Default)]
pub(super) struct Finder {
    ranking: Ranking,
    workers: Vec<Worker>,
    begins: Vec<bool>,
    places: Vec<Place>,
}

/// What one thread has found; in cache lines of its own, for another thread writes to the next.
#[derive(Clone, Debug, Default)]
#[repr(align(128))]
struct Worker {
    searcher: Searcher,
    found: Found,
    /// The roots at which sets can begin.
    begun: Vec<u32>,
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
        let threads = rayon::current_num_threads();
        self.workers.resize_with(threads, Worker::default);
        self.workers.iter_mut().for_each(|worker| worker.begin(quest.graph.len()));
        // Where not everyone counts, only a look at all around tells whether a root is a witness.
        if !quest.graph.everyone_counts() && threads > 1 {
            self.look_around(quest);
        }
        let alone = !quest.graph.everyone_counts() && threads == 1;
        if alone || !self.together(quest, found) {
            self.one_by_one(quest, found);
        }
    }

    /// One root after the other.
    fn one_by_one(&mut self, quest: Quest<'_>, found: &mut Found) {
        found.clear();
        let searcher = &mut self.workers[0].searcher;
        for turn in 0..quest.graph.len() {
            let root = self.ranking.order[turn];
            if !searcher.search(quest, &self.ranking, root, found) {
                self.ranking.most[root as usize] = 0;
            }
        }
    }

    /// Finds out at which roots no set can begin, as searches one by one would.
    fn look_around(&mut self, quest: Quest<'_>) {
        let Finder { ranking, workers, begins, .. } = self;
        share(workers, quest.graph.len(), |worker, roots| {
            let Worker { searcher, begun, .. } = worker;
            begun.extend(roots.filter(|&root| searcher.begins(quest, ranking, root)));
            true
        });
        begins.clear();
        begins.resize(quest.graph.len(), false);
        for &root in workers.iter().flat_map(|worker| &worker.begun) {
            begins[root as usize] = true;
        }
        let searcher = &mut workers[0].searcher;
        for turn in 0..quest.graph.len() {
            let root = ranking.order[turn];
            let most = ranking.most[root as usize];
            if most > 0 && !begins[root as usize] && !searcher.is_dominated(quest, ranking, root) {
                ranking.most[root as usize] = 0;
            }
        }
    }

    /// All portions, by all threads; `false` if more was found than may be kept: then what is left
    /// out depends on the order.
    fn together(&mut self, quest: Quest<'_>, found: &mut Found) -> bool {
        let members = AtomicUsize::new(0);
        let ranking = &self.ranking;
        share(&mut self.workers, quest.graph.len(), |worker, roots| {
            let before = worker.found.nodes.len();
            worker.search(quest, ranking, roots);
            let more = worker.found.nodes.len() - before;
            members.fetch_add(more, Ordering::Relaxed) + more <= MOST_MEMBERS
        });
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

/// Lets every worker do one portion of the nodes after the other, until one says that it is enough.
fn share(
    workers: &mut [Worker],
    nodes: usize,
    work: impl Fn(&mut Worker, Range<u32>) -> bool + Sync,
) {
    let next = AtomicUsize::new(0);
    let all = |worker: &mut Worker| {
        loop {
            let start = next.fetch_add(PORTION, Ordering::Relaxed);
            let end = (start + PORTION).min(nodes);
            if start >= nodes || !work(worker, start as u32..end as u32) {
                break;
            }
        }
    };
    if let [worker] = workers {
        all(worker);
    } else {
        workers.par_iter_mut().for_each(all);
    }
}

impl Worker {
    fn begin(&mut self, nodes: usize) {
        self.searcher.begin(nodes);
        self.found.clear();
        self.begun.clear();
        self.roots.clear();
    }

    /// Searches from some nodes.
    fn search(&mut self, quest: Quest<'_>, ranking: &Ranking, roots: Range<u32>) {
        for root in roots {
            let before = self.found.len();
            self.searcher.search(quest, ranking, root, &mut self.found);
            if self.found.len() > before {
                self.roots.push((root, self.found.len() as u32));
            }
        }
    }
}
