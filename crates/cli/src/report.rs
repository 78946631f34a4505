//! `meshcloak report`: rebuilds the report of an evaluation from its result files.

use crate::provenance_file;
use crate::stdout;
use anyhow::Result;
use clap::Args;
use evaluation::report::report;
use std::path::PathBuf;

/// Arguments of `report`.
#[derive(Debug, Args)]
#[command(
    after_help = "The report is one self-contained HTML file. The folder plots beside it holds \
its plots as SVG and their data as CSV. Without --out, files whose rows state their commits are
named in DIR/provenance.toml.

Examples:
  meshcloak report results
  meshcloak report results --out /tmp/report.html"
)]
pub struct Report {
    /// Folder with the results of `evaluate`.
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Report file [default: DIR/report.html].
    #[arg(long, value_name = "FILE.html")]
    out: Option<PathBuf>,
}

impl Report {
    /// Reads the results, writes the report, prints its path. A report beside its results has a
    /// complete provenance.
    pub fn run(&self) -> Result<()> {
        if self.out.is_none() {
            provenance_file::complete(&self.folder)?;
        }
        let file = self.out.clone().unwrap_or_else(|| self.folder.join("report.html"));
        report(&self.folder, &file)?;
        stdout::print(&format!("{}\n", file.display()))
    }
}
