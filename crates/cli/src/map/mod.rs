//! `meshcloak map`: look at a map, convert it, draw it.

mod convert;
mod draw;
mod facts;
mod info;

use crate::progress::Console;
use anyhow::Result;
use clap::Subcommand;

/// The subcommands of `map`.
#[derive(Debug, Subcommand)]
pub enum MapCommand {
    /// Counts, extent and lengths, as in the paper's Table II and more.
    Info(info::Info),
    /// Write a map in another format.
    Convert(convert::Convert),
    /// Draw a map.
    Draw(draw::Draw),
}

/// Runs a subcommand.
pub fn run(command: &MapCommand, console: &Console) -> Result<()> {
    match command {
        MapCommand::Info(info) => info.run(console),
        MapCommand::Convert(convert) => convert.run(console),
        MapCommand::Draw(draw) => draw.run(console),
    }
}
