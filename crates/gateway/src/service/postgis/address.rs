//! Address of a database, and whether its connections are encrypted.

use super::tls::TlsRoots;
use std::path::PathBuf;
use tokio_postgres::Config;

/// Address of a database. Has no `Debug`: it may hold a password.
#[derive(Clone, Default)]
pub struct DatabaseAddress {
    /// `postgres://user:password@host:port/database`, or key=value pairs.
    pub url: String,
    /// PEM file of the root certificates of the database; without it nothing is encrypted.
    pub roots: Option<PathBuf>,
}

/// Reason why an address is invalid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    /// The URL cannot be parsed; it is not quoted because it may hold a password.
    #[error("the database's address is not of the form postgres://user@host/database")]
    Url,
    /// The root certificates cannot be read.
    #[error("{0}")]
    Roots(String),
}

/// A parsed address.
#[derive(Clone)]
pub(super) struct ParsedAddress {
    pub config: Config,
    pub tls: Option<TlsRoots>,
}

impl DatabaseAddress {
    pub(super) fn parse(&self) -> Result<ParsedAddress, AddressError> {
        let config: Config = self.url.parse().map_err(|_| AddressError::Url)?;
        let tls = self.roots.as_deref().map(TlsRoots::read).transpose();
        Ok(ParsedAddress { config, tls: tls.map_err(AddressError::Roots)? })
    }
}

impl From<&str> for DatabaseAddress {
    fn from(url: &str) -> DatabaseAddress {
        DatabaseAddress { url: url.to_owned(), roots: None }
    }
}

impl From<&String> for DatabaseAddress {
    fn from(url: &String) -> DatabaseAddress {
        DatabaseAddress::from(url.as_str())
    }
}
