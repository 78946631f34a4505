//! Users that a visit can be confused with.

use super::visits::Visit;

/// Longest anonymity set that is examined; the rest is counted as truncated.
pub(super) const MAX_SET_LEN: usize = 4096;

/// Whether two visits of one zone are mixed: different users, inside at the same time, and entered
/// within the window.
pub(super) fn are_mixed(a: &Visit, b: &Visit, window: Option<u64>) -> bool {
    a.user != b.user
        && a.entered <= b.left
        && b.entered <= a.left
        && window.is_none_or(|window| a.entered.abs_diff(b.entered) <= window)
}

/// Finds anonymity sets among the visits of one zone, which are in order of entry.
pub(super) struct SetFinder<'a> {
    visits: &'a [Visit],
    window: Option<u64>,
    /// Longest visit in milliseconds.
    longest: u64,
}

impl<'a> SetFinder<'a> {
    pub fn new(visits: &'a [Visit], window: Option<u64>) -> SetFinder<'a> {
        let longest = visits.iter().map(|visit| visit.left - visit.entered).max().unwrap_or(0);
        SetFinder { visits, window, longest }
    }

    /// Stores the indices of all visits that are mixed with `target`, without it, ascending; at most
    /// [`MAX_SET_LEN`]. Returns whether there were more.
    ///
    /// Visits are scanned in both directions only as far as the entry times allow.
    pub fn find(&self, target: usize, set: &mut Vec<u32>) -> bool {
        set.clear();
        let own = &self.visits[target];
        let back = self.window.unwrap_or(u64::MAX).min(self.longest);
        let first = self.visits.partition_point(|visit| visit.entered + back < own.entered);
        for (index, visit) in self.visits.iter().enumerate().skip(first) {
            if visit.entered > own.left {
                break;
            }
            if are_mixed(own, visit, self.window) {
                if set.len() == MAX_SET_LEN {
                    return true;
                }
                set.push(index as u32);
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TravelTime;
    use meshcloak::town::Town;
    use rand::RngExt as _;
    use traffic::Leg;

    #[test]
    fn sets_agree_with_comparing_all_pairs_and_are_symmetric() {
        for seed in 0..300 {
            let mut random = Town::generator(seed);
            let count = random.random_range(0..60);
            let mut visits: Vec<Visit> = (0..count)
                .map(|_| {
                    let entered = random.random_range(0..30_000);
                    let leg = Leg::from_index(0);
                    let left = entered + random.random_range(0..9_000);
                    let user = random.random_range(0..40);
                    let time = TravelTime::default();
                    Visit { user, from: leg, to: leg, entered, left, before: time, after: time }
                })
                .collect();
            visits.sort_by_key(|visit| (visit.entered, visit.user));
            for window in [None, Some(0), Some(2_000), Some(60_000)] {
                let finder = SetFinder::new(&visits, window);
                let sets: Vec<Vec<u32>> = (0..visits.len())
                    .map(|target| {
                        let mut set = Vec::new();
                        assert!(!finder.find(target, &mut set));
                        set
                    })
                    .collect();
                for (a, set) in sets.iter().enumerate() {
                    let all = (0..visits.len() as u32)
                        .filter(|&b| are_mixed(&visits[a], &visits[b as usize], window));
                    assert_eq!(*set, all.collect::<Vec<u32>>(), "seed {seed} {window:?}");
                    for &b in set {
                        assert!(sets[b as usize].contains(&(a as u32)), "seed {seed}");
                    }
                }
            }
        }
    }
}
