//! `meshcloak report`: the report of an evaluation, from its files of results alone.

use crate::answer;
use anyhow::Result;
use clap::Args;
use evaluation::report::report;
use std::path::PathBuf;

/// Arguments of `report`.
#[derive(Debug, Args)]
#[command(
    after_help = "The report is one HTML file that needs no other and no network. Its plots \
stand as SVG, and their numbers as CSV, in the folder plots beside it.

Examples:
  meshcloak report results
  meshcloak report results --out /tmp/report.html"
)]
pub struct Report {
    /// Folder of results.
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// File to write instead of DIR/report.html.
    #[arg(long, value_name = "FILE.html")]
    out: Option<PathBuf>,
}

impl Report {
    /// Reads the results, writes the report, says where it is.
    pub fn run(&self) -> Result<()> {
        let file = self.out.clone().unwrap_or_else(|| self.folder.join("report.html"));
        report(&self.folder, &file)?;
        answer::print(&format!("{}\n", file.display()))
    }
}
