//! Candidate-clique search over all roots, on one or several threads.
//!
//! Threads take chunks of roots from a shared counter. The cliques are joined in search order, so
//! the result does not depend on the number of threads.

use super::clique_arena::CliqueArena;
use super::pivot_search::MAX_MEMBERS;
use super::root_searcher::{RootSearcher, SearchInput};
use super::search_order::SearchOrder;
use rayon::prelude::*;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Finds the cliques of one graph after the other with reused buffers.
#[derive(Clone, Debug, Default)]
pub(super) struct CliqueFinder {
    order: SearchOrder,
    workers: Vec<Worker>,
    has_set: Vec<bool>,
    spans: Vec<RootSpan>,
    /// Whether one thread is used, however many the pool has.
    pub(super) is_sequential: bool,
}

/// Buffers and results of one thread. The alignment prevents false sharing.
#[derive(Clone, Debug, Default)]
#[repr(align(128))]
struct Worker {
    searcher: RootSearcher,
    found: CliqueArena,
    /// Roots that have a set.
    roots_with_set: Vec<u32>,
    /// Roots with at least one clique.
    roots: Vec<RootEnd>,
}

/// Root, and the end of its cliques in the worker's arena.
#[derive(Clone, Copy, Debug)]
struct RootEnd {
    root: u32,
    end: u32,
}

/// Cliques of a root: a range of a worker's arena.
#[derive(Clone, Copy, Debug, Default)]
struct RootSpan {
    worker: u32,
    start: u32,
    end: u32,
}

/// Number of consecutive roots that a thread takes at a time. Neighbours have close numbers, so a
/// chunk reuses cached rows.
const CHUNK: usize = 128;

impl CliqueFinder {
    /// Finds all cliques.
    pub(super) fn find(&mut self, input: SearchInput<'_>, found: &mut CliqueArena) {
        self.order.compute(input);
        let threads = if self.is_sequential { 1 } else { rayon::current_num_threads() };
        self.workers.resize_with(threads, Worker::default);
        self.workers.iter_mut().for_each(|worker| worker.begin(input.graph.len()));
        // A root without a publishable set is no witness (see `root_searcher`). With a restricted
        // counting relation this is known only after its neighbourhood was pruned, so a parallel
        // search needs a separate pass for it.
        let is_restricted = !input.graph.all_count();
        if is_restricted && threads > 1 {
            self.exclude_roots_without_set(input);
        }
        let is_sequential = is_restricted && threads == 1;
        if is_sequential || !self.find_in_parallel(input, found) {
            self.find_sequentially(input, found);
        }
    }

    fn find_sequentially(&mut self, input: SearchInput<'_>, found: &mut CliqueArena) {
        found.clear();
        let searcher = &mut self.workers[0].searcher;
        for rank in 0..input.graph.len() {
            let root = self.order.order[rank];
            if !searcher.search(input, &self.order, root, found) {
                self.order.max_size[root as usize] = 0;
            }
        }
    }

    /// Sets `max_size` to 0 for the roots for which the sequential search would.
    fn exclude_roots_without_set(&mut self, input: SearchInput<'_>) {
        let CliqueFinder { order, workers, has_set, .. } = self;
        for_each_chunk(workers, input.graph.len(), |worker, roots| {
            let Worker { searcher, roots_with_set, .. } = worker;
            roots_with_set.extend(roots.filter(|&root| searcher.has_set(input, order, root)));
            true
        });
        has_set.clear();
        has_set.resize(input.graph.len(), false);
        for &root in workers.iter().flat_map(|worker| &worker.roots_with_set) {
            has_set[root as usize] = true;
        }
        let searcher = &mut workers[0].searcher;
        for rank in 0..input.graph.len() {
            let root = order.order[rank];
            let is_candidate = order.max_size[root as usize] > 0 && !has_set[root as usize];
            if is_candidate && !searcher.is_dominated(input, order, root) {
                order.max_size[root as usize] = 0;
            }
        }
    }

    /// Searches all roots on all threads. Returns `false` if the cliques exceed the memory limit:
    /// then the truncated result would depend on the order.
    fn find_in_parallel(&mut self, input: SearchInput<'_>, found: &mut CliqueArena) -> bool {
        let members = AtomicUsize::new(0);
        let order = &self.order;
        for_each_chunk(&mut self.workers, input.graph.len(), |worker, roots| {
            let before = worker.found.nodes.len();
            worker.search(input, order, roots);
            let added = worker.found.nodes.len() - before;
            members.fetch_add(added, Ordering::Relaxed) + added <= MAX_MEMBERS
        });
        let fits = members.into_inner() <= MAX_MEMBERS;
        if fits {
            self.join(input.graph.len(), found);
        }
        fits
    }

    /// Joins the cliques of all workers in search order.
    fn join(&mut self, nodes: usize, found: &mut CliqueArena) {
        found.clear();
        self.spans.clear();
        self.spans.resize(nodes, RootSpan::default());
        for (number, worker) in (0..).zip(&self.workers) {
            let mut start = 0;
            for &RootEnd { root, end } in &worker.roots {
                self.spans[root as usize] = RootSpan { worker: number, start, end };
                start = end;
            }
            found.steps += worker.found.steps;
            found.truncated |= worker.found.truncated;
        }
        for &root in &self.order.order {
            let RootSpan { worker, start, end } = self.spans[root as usize];
            found.append(&self.workers[worker as usize].found, start..end);
        }
    }
}

/// Runs `work` on chunks of `0..nodes` until all are done or `work` returns `false`.
fn for_each_chunk(
    workers: &mut [Worker],
    nodes: usize,
    work: impl Fn(&mut Worker, Range<u32>) -> bool + Sync,
) {
    let next = AtomicUsize::new(0);
    let run = |worker: &mut Worker| {
        loop {
            let start = next.fetch_add(CHUNK, Ordering::Relaxed);
            let end = (start + CHUNK).min(nodes);
            if start >= nodes || !work(worker, start as u32..end as u32) {
                break;
            }
        }
    };
    if let [worker] = workers {
        run(worker);
    } else {
        workers.par_iter_mut().for_each(run);
    }
}

impl Worker {
    fn begin(&mut self, nodes: usize) {
        self.searcher.begin(nodes);
        self.found.clear();
        self.roots_with_set.clear();
        self.roots.clear();
    }

    fn search(&mut self, input: SearchInput<'_>, order: &SearchOrder, roots: Range<u32>) {
        for root in roots {
            let before = self.found.len();
            self.searcher.search(input, order, root, &mut self.found);
            if self.found.len() > before {
                self.roots.push(RootEnd { root, end: self.found.len() as u32 });
            }
        }
    }
}
