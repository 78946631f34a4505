//! Part of an experiment that one machine runs.
//!
//! Cells are dealt in the order of the grid, so that every shard has cells of each map and scheme.
//! Shards share no cell; their output folders merge by copying.

use std::fmt;
use std::str::FromStr;

/// Shard `index` of `count`, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    index: usize,
    count: usize,
}

/// Largest number of shards.
const MAX_SHARDS: usize = 10_000;

impl Shard {
    /// The whole experiment.
    pub const ALL: Shard = Shard { index: 1, count: 1 };

    /// Whether the cell with this position in the grid belongs to the shard.
    pub fn has(self, position: usize) -> bool {
        position % self.count == self.index - 1
    }
}

impl FromStr for Shard {
    type Err = String;

    /// Parses `INDEX/COUNT`.
    fn from_str(text: &str) -> Result<Shard, String> {
        let shard = text.split_once('/').and_then(|(index, count)| {
            Some(Shard { index: index.parse().ok()?, count: count.parse().ok()? })
        });
        shard
            .filter(|shard| (1..=MAX_SHARDS).contains(&shard.count))
            .filter(|shard| (1..=shard.count).contains(&shard.index))
            .ok_or_else(|| {
                format!("expected INDEX/COUNT with 1 ≤ INDEX ≤ COUNT ≤ {MAX_SHARDS}, such as 2/8")
            })
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cell_belongs_to_exactly_one_shard() {
        for count in 1..=7 {
            let shards: Vec<Shard> =
                (1..=count).map(|index| format!("{index}/{count}").parse().unwrap()).collect();
            for position in 0..40 {
                assert_eq!(shards.iter().filter(|shard| shard.has(position)).count(), 1);
            }
        }
    }

    #[test]
    fn shards_outside_their_range_are_refused() {
        for text in ["", "1", "0/2", "3/2", "1/0", "-1/2", "1/2/3", "1/10001", "a/b"] {
            assert!(text.parse::<Shard>().is_err(), "{text}");
        }
        assert_eq!("2/8".parse::<Shard>().unwrap().to_string(), "2/8");
        assert_eq!("1/1".parse(), Ok(Shard::ALL));
    }
}
