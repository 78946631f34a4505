//! Output of a neighbouring system: table or JSON, results folder, picture.

use super::render;
use crate::picture_file::{PictureFormat, write_canvas};
use crate::provenance_file::state_commits;
use crate::stdout;
use anyhow::{Context as _, Result, bail};
use clap::Args;
use evaluation::neighbours::{DRAWINGS, DrawingRow, MeasureRow, draw, merge};
use neighbours::drawing::Drawing;
use std::path::PathBuf;

/// Output files and format.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub struct OutputArgs {
    /// Folder for neighbours.csv, which `meshcloak report` shows; rows of other runs are kept.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
}

/// Picture of a system.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub struct DrawArgs {
    /// Picture of an example.
    #[arg(long, value_name = "OUT.png|OUT.svg")]
    draw: Option<PathBuf>,
}

impl OutputArgs {
    /// Whether a drawing is stored.
    pub fn is_stored(&self) -> bool {
        self.out.is_some()
    }

    /// Stores and prints the measures of a run.
    pub fn write(&self, rows: &[MeasureRow], drawing: &[DrawingRow]) -> Result<()> {
        if let Some(folder) = &self.out {
            std::fs::create_dir_all(folder)
                .with_context(|| format!("cannot create the folder {}", folder.display()))?;
            let commit = env!("MESHCLOAK_COMMIT");
            let with_commit =
                |row: &MeasureRow| MeasureRow { commit: commit.into(), ..row.clone() };
            merge(folder, &rows.iter().map(with_commit).collect::<Vec<_>>(), drawing)?;
            let drawing = (!drawing.is_empty()).then_some(DRAWINGS);
            state_commits(folder, "Other architectures", drawing, Vec::new())?;
        }
        let rows: Vec<&MeasureRow> = rows.iter().collect();
        stdout::print(&if self.json { render::as_json(&rows) } else { render::as_table(&rows) })
    }
}

impl DrawArgs {
    /// Checks the extension of the picture before any work is done.
    pub fn check(&self) -> Result<()> {
        self.draw.as_deref().map_or(Ok(()), |out| PictureFormat::of(out).map(|_| ()))
    }

    /// Whether a picture is requested.
    pub fn is_requested(&self) -> bool {
        self.draw.is_some()
    }

    /// Writes the picture of a system.
    pub fn write(&self, rows: &[DrawingRow], system: &str) -> Result<()> {
        let Some(out) = &self.draw else { return Ok(()) };
        match draw(rows, system) {
            Some(canvas) => write_canvas(&canvas, out),
            None => bail!("--draw {}: this run has nothing to draw", out.display()),
        }
    }
}

/// Converts a drawing to the rows of one panel.
pub fn drawing_rows(system: &str, panel: &str, drawing: &Drawing) -> Vec<DrawingRow> {
    let layers = drawing.layers.iter();
    let layers = layers.map(|(layer, points)| DrawingRow::new(system, panel, layer, points));
    layers.chain(drawing.notes.iter().map(|note| DrawingRow::note(system, panel, note))).collect()
}
