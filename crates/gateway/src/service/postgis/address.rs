//! Where a database is, and whether what is said to it is encrypted.

use super::encryption::Encryption;
use std::path::PathBuf;
use tokio_postgres::Config;

/// Where a database is. Not printed: it may hold a password.
#[derive(Clone, Default)]
pub struct Address {
    /// `postgres://user:password@host:port/database`, or key=value pairs.
    pub url: String,
    /// Certificates, PEM, from which the database's must descend; without them nothing is
    /// encrypted.
    pub roots: Option<PathBuf>,
}

/// Why an address is none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadAddress {
    /// It may hold a password, so it is not shown.
    #[error("the database's address is not of the form postgres://user@host/database")]
    Url,
    /// Nobody could be trusted.
    #[error("{0}")]
    Roots(String),
}

/// An address that was understood.
#[derive(Clone)]
pub(super) struct Place {
    pub config: Config,
    pub encryption: Option<Encryption>,
}

impl Address {
    pub(super) fn place(&self) -> Result<Place, BadAddress> {
        let config: Config = self.url.parse().map_err(|_| BadAddress::Url)?;
        let encryption = self.roots.as_deref().map(Encryption::read).transpose();
        Ok(Place { config, encryption: encryption.map_err(BadAddress::Roots)? })
    }
}

impl From<&str> for Address {
    fn from(url: &str) -> Address {
        Address { url: url.to_owned(), roots: None }
    }
}

impl From<&String> for Address {
    fn from(url: &String) -> Address {
        Address::from(url.as_str())
    }
}
