//! Names of cities, shards and processes, and the subjects made of them.

use crate::error::ClusterError;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

/// Longest name of a city, in bytes.
const MAX_CITY: usize = 32;

/// Name of a city: 1 to 32 characters of `a-z`, `0-9` and `-`, so that it is one token of a subject.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct City(Arc<str>);

impl City {
    /// Checks a name.
    ///
    /// # Errors
    /// If the name is empty, longer than 32 characters or contains other characters.
    pub fn new(name: &str) -> Result<City, ClusterError> {
        let is_plain =
            |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        match (1..=MAX_CITY).contains(&name.len()) && name.bytes().all(is_plain) {
            true => Ok(City(name.into())),
            false => Err(ClusterError::CityName { name: name.chars().take(40).collect() }),
        }
    }

    /// Returns the name.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns one shard of this city.
    pub fn shard(&self, number: u16) -> Shard {
        Shard { city: self.clone(), number }
    }

    /// Returns the name of the stream that holds the log.
    pub(crate) fn stream(&self) -> String {
        format!("MC_LOG_{self}")
    }

    /// Returns the subject of all records of the log.
    pub(crate) fn records(&self) -> String {
        format!("mc.log.{self}.*")
    }

    /// Returns the subject of the identity of the log.
    pub(crate) fn identity(&self) -> String {
        format!("mc.log.{self}.id")
    }

    /// Returns the subject on which the server announces every stored record, without payload.
    pub(crate) fn news(&self) -> String {
        format!("mc.new.{self}.*")
    }
}

impl fmt::Display for City {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for City {
    type Err = ClusterError;
    fn from_str(name: &str) -> Result<City, ClusterError> {
        City::new(name)
    }
}

/// A part of a city that one engine owns.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Shard {
    /// The city.
    pub city: City,
    /// Number of the part, from 0.
    pub number: u16,
}

impl Shard {
    /// Returns the subject of the records of this shard.
    pub(crate) fn records(&self) -> String {
        format!("mc.log.{}.{}", self.city, self.number)
    }

    /// Returns a key of the bucket: `KIND.CITY.NUMBER`.
    pub(crate) fn key(&self, kind: &str) -> String {
        format!("{kind}.{}.{}", self.city, self.number)
    }

    /// Parses a key of the bucket.
    pub(crate) fn from_key(kind: &str, key: &str) -> Option<Shard> {
        let (city, number) = key.strip_prefix(kind)?.strip_prefix('.')?.split_once('.')?;
        Some(Shard { city: City::new(city).ok()?, number: number.parse().ok()? })
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.city, self.number)
    }
}

/// Random number of a process, printed as 16 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u64);

impl NodeId {
    /// Draws a number from the operating system.
    ///
    /// # Errors
    /// If the operating system has no randomness.
    pub fn random() -> Result<NodeId, ClusterError> {
        random_u64().map(NodeId)
    }
}

/// Returns 64 random bits of the operating system.
pub(crate) fn random_u64() -> Result<u64, ClusterError> {
    getrandom::u64().map_err(|error| ClusterError::Randomness(error.to_string()))
}

impl fmt::Display for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl fmt::Debug for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "NodeId({self})")
    }
}

impl FromStr for NodeId {
    type Err = ClusterError;
    fn from_str(text: &str) -> Result<NodeId, ClusterError> {
        let is_hex = text.len() == 16 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        let number = is_hex.then(|| u64::from_str_radix(text, 16).ok()).flatten();
        number
            .map(NodeId)
            .ok_or_else(|| ClusterError::NodeId { text: text.chars().take(40).collect() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_city_is_one_token_of_a_subject() {
        for name in ["oldenburg", "a", "new-york-2", &"x".repeat(32)] {
            assert_eq!(City::new(name).unwrap().as_str(), name);
        }
        for name in ["", "New", "a.b", "a*", "a>", "a b", "köln", &"x".repeat(33)] {
            let error = City::new(name).unwrap_err().to_string();
            assert!(error.contains("a-z"), "{name}: {error}");
        }
    }

    #[test]
    fn keys_and_node_ids_are_parsed_strictly() {
        let shard = City::new("paris").unwrap().shard(3);
        assert_eq!(Shard::from_key("owner", &shard.key("owner")), Some(shard));
        for key in ["owner.paris", "want.paris.3", "owner.paris.3.4", "owner.Paris.3", "ownerx.p.3"]
        {
            assert_eq!(Shard::from_key("owner", key), None, "{key}");
        }
        let id = NodeId::random().unwrap();
        assert_eq!(id.to_string().parse::<NodeId>().unwrap(), id);
        for text in ["", "12", "+123456789abcdef0", "zzzzzzzzzzzzzzzz"] {
            assert!(text.parse::<NodeId>().is_err(), "{text}");
        }
    }
}
