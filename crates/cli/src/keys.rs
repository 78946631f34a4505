//! `meshcloak keys`: the accounts of the gateway and their keys.

use crate::table::Table;
use anyhow::Result;
use clap::{Args, Subcommand};
use gateway::keys::{KeyFile, LimitOverrides};
use std::path::PathBuf;

/// Keys are shown once, when they are made; the file holds their SHA-256.
#[derive(Debug, Subcommand)]
pub enum Keys {
    /// Make a key for an account, and the account if there is none of that name.
    Add(Add),
    /// List accounts and keys.
    List(File),
    /// Take a key away; an account without one is gone.
    Revoke(Revoke),
}

#[derive(Debug, Args)]
pub struct File {
    /// Where the keys are (`accounts.keys`).
    #[arg(long, value_name = "FILE", default_value = "keys.json")]
    keys: PathBuf,
}

#[derive(Debug, Args)]
pub struct Add {
    /// The name of the account.
    account: String,
    #[command(flatten)]
    file: File,
    /// Queries per second, if not everybody's limit.
    #[arg(long)]
    rate: Option<u32>,
    /// Queries per minute of one person.
    #[arg(long)]
    person_rate: Option<u32>,
    /// The largest k.
    #[arg(long)]
    k_max: Option<u32>,
    /// The longest patience, in seconds.
    #[arg(long)]
    dt_max: Option<f64>,
    /// The smallest distance constraint, in metres.
    #[arg(long)]
    dc_min: Option<f64>,
    /// The largest distance constraint, in metres.
    #[arg(long)]
    dc_max: Option<f64>,
}

#[derive(Debug, Args)]
pub struct Revoke {
    /// The key, as it is listed.
    id: String,
    #[command(flatten)]
    file: File,
}

impl Keys {
    /// Does what was asked for.
    pub fn run(&self) -> Result<()> {
        match self {
            Keys::Add(add) => add.run(),
            Keys::List(file) => file.list(),
            Keys::Revoke(revoke) => revoke.run(),
        }
    }
}

impl Add {
    fn run(&self) -> Result<()> {
        let limits = LimitOverrides {
            rate: self.rate,
            person_rate: self.person_rate,
            k_max: self.k_max,
            dt_max: self.dt_max,
            dc_min: self.dc_min,
            dc_max: self.dc_max,
        };
        let mut file = KeyFile::read(&self.file.keys)?;
        let key = file.add(&self.account, limits)?;
        file.write(&self.file.keys)?;
        println!("{}", key.secret);
        eprintln!("key {} of account `{}`; it is not shown again", key.id, self.account);
        Ok(())
    }
}

impl File {
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
        let mut file = KeyFile::read(&self.file.keys)?;
        file.revoke(&self.id)?;
        Ok(file.write(&self.file.keys)?)
    }
}
