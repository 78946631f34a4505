//! Shares of the accounts in a bounded queue: a dynamic threshold, as in shared-memory switches.
//!
//! An account may hold at most [`FACTOR`] times the free capacity. With `n` accounts that submit
//! without pause the queue settles where each holds `3 / (1 + 3 n)` of the capacity: three quarters
//! for one account, 3/7 each for two. `1 / (1 + 3 n)` stays free, so an account that has been idle is
//! admitted at once, and every query of a full account that ends goes to the others first.

/// Queries of one account per free place.
const FACTOR: usize = 3;

/// Whether an account that holds `held` of the `used` places of a queue may take one more.
pub fn allows(capacity: usize, used: usize, held: usize) -> bool {
    held < FACTOR.saturating_mul(capacity.saturating_sub(used))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lets greedy accounts submit in turn until all are refused; returns what each holds.
    fn fill(capacity: usize, held: &mut [usize]) {
        while held.iter().enumerate().any(|(index, _)| {
            let used = held.iter().sum();
            allows(capacity, used, held[index])
        }) {
            for index in 0..held.len() {
                let used = held.iter().sum();
                held[index] += usize::from(allows(capacity, used, held[index]));
            }
        }
    }

    #[test]
    fn greedy_accounts_share_the_queue_equally_and_leave_room() {
        for (accounts, expected) in [(1, 15_000), (2, 8_571), (3, 6_000), (10, 1_935)] {
            let mut held = vec![0_usize; accounts];
            fill(20_000, &mut held);
            assert!(held.iter().all(|held| held.abs_diff(expected) <= 2), "{held:?}");
            assert!(held.iter().sum::<usize>() < 20_000);
        }
    }

    #[test]
    fn an_idle_account_finds_room_beside_full_ones_and_grows_to_its_share() {
        let mut held = [0, 0];
        fill(20_000, &mut held);
        let [a, b] = held;
        assert!(allows(20_000, a + b, 0));
        let mut held = [a, b, 0];
        fill(20_000, &mut held);
        let admitted = held[2];
        assert!(admitted > 1_500, "{admitted} beside two full accounts");
        // Queries of the full accounts end; the third grows until all hold the same.
        for _ in 0..20_000 {
            held[0] = held[0].saturating_sub(3);
            held[1] = held[1].saturating_sub(3);
            fill(20_000, &mut held);
        }
        assert!(held[2].abs_diff(6_000) <= 10, "{held:?}");
    }
}
