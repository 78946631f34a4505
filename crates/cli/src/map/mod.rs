//! `meshcloak map`: describes, converts and draws maps, and measures cells.

mod cells;
mod convert;
mod draw;
mod info;
mod statistics;

use crate::progress::Console;
use anyhow::Result;
use clap::Subcommand;

/// The subcommands of `map`.
#[derive(Debug, Subcommand)]
pub enum MapCommand {
    /// Print counts, extent and lengths of a map (Table II of the paper).
    Info(info::Info),
    /// Convert a map to another format.
    Convert(convert::Convert),
    /// Draw a map as PNG or SVG.
    Draw(draw::Draw),
    /// Measure lengths of cells for region cell, and suggest one.
    Cells(cells::CellLengths),
}

/// Runs a subcommand.
pub fn run(command: &MapCommand, console: &Console) -> Result<()> {
    match command {
        MapCommand::Info(info) => info.run(console),
        MapCommand::Convert(convert) => convert.run(console),
        MapCommand::Draw(draw) => draw.run(console),
        MapCommand::Cells(cells) => cells.run(console),
    }
}
