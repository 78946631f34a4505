//! `meshcloak keys`: accounts of the gateway and their API keys.

use crate::table::Table;
use crate::user_token::UserToken;
use anyhow::Result;
use clap::{Args, Subcommand};
use gateway::keys::{KeyFile, LimitOverrides};
use std::path::PathBuf;

/// A key is printed once, when it is created; the file holds its SHA-256.
#[derive(Debug, Subcommand)]
pub enum Keys {
    /// Create a key; creates the account too if it does not exist.
    Add(Add),
    /// List accounts and keys.
    List(KeyFileArg),
    /// Revoke a key; an account is removed with its last key.
    Revoke(Revoke),
    /// Create a personal token of a user at a running gateway, and print it as a QR code.
    Token(UserToken),
}

#[derive(Debug, Args)]
pub struct KeyFileArg {
    /// Key file (`accounts.keys`).
    #[arg(long, value_name = "FILE", default_value = "keys.json")]
    keys: PathBuf,
}

#[derive(Debug, Args)]
pub struct Add {
    /// Account name.
    account: String,
    #[command(flatten)]
    file: KeyFileArg,
    /// Largest number of queries per second [default: `limits.rate`].
    #[arg(long)]
    rate: Option<u32>,
    /// Largest number of queries per minute and user [default: `limits.person_rate`].
    #[arg(long)]
    person_rate: Option<u32>,
    /// Largest number of distinct users within an hour [default: `limits.people`].
    #[arg(long)]
    people: Option<usize>,
    /// Largest number of open streams, WebSockets and waiting requests
    /// [default: `limits.connections`].
    #[arg(long)]
    connections: Option<usize>,
    /// Largest k [default: `limits.k_max`].
    #[arg(long)]
    k_max: Option<u32>,
    /// Largest temporal tolerance, in seconds [default: `limits.dt_max`].
    #[arg(long)]
    dt_max: Option<f64>,
    /// Smallest distance constraint, in metres [default: `limits.dc_min`].
    #[arg(long)]
    dc_min: Option<f64>,
    /// Largest distance constraint, in metres [default: `limits.dc_max`].
    #[arg(long)]
    dc_max: Option<f64>,
}

#[derive(Debug, Args)]
pub struct Revoke {
    /// Key id, as `keys list` prints it.
    id: String,
    #[command(flatten)]
    file: KeyFileArg,
}

impl Keys {
    /// Runs the subcommand.
    pub fn run(&self) -> Result<()> {
        match self {
            Keys::Add(add) => add.run(),
            Keys::List(file) => file.list(),
            Keys::Revoke(revoke) => revoke.run(),
            Keys::Token(token) => token.run(),
        }
    }
}

impl Add {
    fn run(&self) -> Result<()> {
        let limits = LimitOverrides {
            rate: self.rate,
            person_rate: self.person_rate,
            people: self.people,
            connections: self.connections,
            k_max: self.k_max,
            dt_max: self.dt_max,
            dc_min: self.dc_min,
            dc_max: self.dc_max,
        };
        let key = KeyFile::update(&self.file.keys, |file| file.add(&self.account, limits))?;
        println!("{}", key.secret);
        eprintln!("key {} of account `{}`; it will not be printed again", key.id, self.account);
        Ok(())
    }
}

impl KeyFileArg {
    fn list(&self) -> Result<()> {
        let file = KeyFile::read(&self.keys)?;
        let mut table = Table::default();
        for account in &file.accounts {
            table.heading(&account.name);
            for (name, limit) in account.limits.named() {
                table.row(name, limit);
            }
            for key in &account.keys {
                table.row("key", &key.id);
            }
        }
        print!("{}", table.render());
        Ok(())
    }
}

impl Revoke {
    fn run(&self) -> Result<()> {
        KeyFile::update(&self.file.keys, |file| file.revoke(&self.id))?;
        eprintln!(
            "key {} is removed from the file; a running gateway accepts it until SIGHUP \
             (systemctl reload meshcloak), then check /health",
            self.id
        );
        Ok(())
    }
}
