//! Public map of a divided city: which cells belong to which shard, and how many queries they have.
//!
//! ```text
//! plan.CITY          division: first cell of each shard, length of each cell
//! load.CITY.SHARD    accepted queries of the last minute by cell, rounded up to tens
//! owner.CITY.SHARD   lease: the engine that owns the shard (crate::owners)
//! ```
//!
//! The log decides when engines change to another division ([`crate::record::Body::Plan`]).

use crate::bucket::{Bucket, Put};
use crate::error::ClusterError;
use crate::names::{City, Shard};
use bytes::Bytes;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// First part of the keys of loads.
const LOAD: &str = "load";

/// Division of the cells of a city among shards. A shard has a run of cells.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Division {
    version: u8,
    /// Digest of the map, as 16 hexadecimal digits.
    map: String,
    /// Length of cells in units of 1/32 m.
    pub cell_length: u32,
    /// First cell of each shard, ascending; the first is 0.
    pub starts: Vec<u32>,
    /// Street length of each cell in metres.
    pub metres: Vec<u32>,
    /// Revision of the key; 0 if it was not written.
    #[serde(skip)]
    pub revision: u64,
}

impl Division {
    /// Returns a division that was not written.
    pub fn new(map: u64, cell_length: u32, metres: Vec<u32>, starts: Vec<u32>) -> Division {
        let map = format!("{map:016x}");
        Division { version: 1, map, cell_length, starts, metres, revision: 0 }
    }

    /// Whether this is a division of these cells into that many shards.
    pub fn fits(&self, map: u64, cell_length: u32, shards: usize) -> bool {
        self.map == format!("{map:016x}")
            && self.cell_length == cell_length
            && self.starts.len() == shards
    }

    /// Reads the division of a city; `None` if it was never divided.
    ///
    /// # Errors
    /// If NATS is unavailable or the value is unreadable.
    pub async fn get(bucket: &Bucket, city: &City) -> Result<Option<Division>, ClusterError> {
        let value = bucket.get(&plan_key(city)).await?;
        let Some(bytes) = value.bytes else { return Ok(None) };
        let division: Division = parse(&plan_key(city), &bytes)?;
        let is_ascending = division.starts.is_sorted_by(|a, b| a < b);
        let is_inside =
            division.starts.iter().all(|start| (*start as usize) < division.metres.len());
        if division.version != 1
            || division.starts.first() != Some(&0)
            || !is_ascending
            || !is_inside
        {
            let problem = "expected version 1 and ascending cells from 0".into();
            return Err(ClusterError::Damaged { place: plan_key(city), problem });
        }
        Ok(Some(Division { revision: value.revision, ..division }))
    }

    /// Writes this division if the key still has the revision `self.revision`. Returns it as
    /// written; `None` if another process was faster or there was no answer.
    ///
    /// # Errors
    /// If the server refuses the write.
    pub async fn put(self, bucket: &Bucket, city: &City) -> Result<Option<Division>, ClusterError> {
        Ok(match bucket.put(&plan_key(city), encode(&self), self.revision).await? {
            Put::Done(revision) => Some(Division { revision, ..self }),
            Put::Changed | Put::Unknown => None,
        })
    }

    /// Returns another division of the same cells.
    pub fn with_starts(&self, starts: Vec<u32>) -> Division {
        Division { starts, ..self.clone() }
    }

    /// Returns the cells of a shard.
    pub fn cells(&self, shard: u16) -> std::ops::Range<usize> {
        let shard = usize::from(shard);
        let start = |shard: usize| self.starts.get(shard).map(|start| *start as usize);
        let end = start(shard.saturating_add(1)).unwrap_or(self.metres.len());
        start(shard).unwrap_or(end)..end
    }
}

/// Accepted queries of a shard's cells in one minute.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CellLoad {
    version: u8,
    /// First cell.
    pub first: u32,
    /// Queries by cell, rounded up to tens.
    pub queries: Vec<u32>,
}

impl CellLoad {
    /// Rounds the numbers of queries of cells from `first` on.
    pub fn new(first: u32, queries: &[u32]) -> CellLoad {
        let round = |count: &u32| count.checked_next_multiple_of(10).unwrap_or(u32::MAX);
        CellLoad { version: 1, first, queries: queries.iter().map(round).collect() }
    }

    /// Writes the load of a shard, without comparing it with the old value.
    ///
    /// # Errors
    /// If NATS is unavailable.
    pub async fn put(&self, bucket: &Bucket, shard: &Shard) -> Result<(), ClusterError> {
        let key = shard.key(LOAD);
        let revision = bucket.get(&key).await?.revision;
        bucket.put(&key, encode(self), revision).await.map(drop)
    }

    /// Returns the queries of every cell of a city with this many cells.
    ///
    /// # Errors
    /// If NATS is unavailable or a value is unreadable.
    pub async fn of_city(
        bucket: &Bucket,
        city: &City,
        cells: usize,
    ) -> Result<Vec<u64>, ClusterError> {
        let mut queries = vec![0_u64; cells];
        for (key, _, bytes) in bucket.list(&format!("{LOAD}.{city}")).await? {
            let load: CellLoad = parse(&key, &bytes)?;
            let places = queries.iter_mut().skip(load.first as usize);
            places.zip(&load.queries).for_each(|(place, count)| *place = u64::from(*count));
        }
        Ok(queries)
    }
}

fn plan_key(city: &City) -> String {
    format!("plan.{city}")
}

fn encode(value: &impl Serialize) -> Bytes {
    serde_json::to_vec(value).expect("numbers and strings have a JSON form").into()
}

fn parse<T: DeserializeOwned>(key: &str, bytes: &[u8]) -> Result<T, ClusterError> {
    serde_json::from_slice(bytes).map_err(|error| ClusterError::Damaged {
        place: key.to_owned(),
        problem: error.to_string(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shard_has_the_cells_up_to_the_next_one() {
        let division = Division::new(7, 32, vec![100; 10], vec![0, 4, 9]);
        assert_eq!([0, 1, 2, 3].map(|shard| division.cells(shard)), [0..4, 4..9, 9..10, 10..10]);
        assert!(division.fits(7, 32, 3));
        assert!(!division.fits(8, 32, 3) && !division.fits(7, 33, 3) && !division.fits(7, 32, 2));
    }

    #[test]
    fn loads_are_rounded_up_to_tens() {
        let load = CellLoad::new(3, &[0, 1, 10, 11, u32::MAX]);
        assert_eq!(load.queries, [0, 10, 10, 20, u32::MAX]);
    }
}
