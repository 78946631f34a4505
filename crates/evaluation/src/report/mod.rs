//! The report: one HTML file that needs no other, made from the files of results alone, and every
//! plot of it as SVG and CSV beside it. Same files, same bytes.
//!
//! A module for each section; `page` is what they are written on, `data` what they are made of,
//! `paper` the numbers that the paper prints.

mod batch;
mod claims;
mod configuration;
mod data;
mod density;
mod number;
mod over_dt;
mod page;
mod paper;
mod plot;
mod presence;
mod privacy;
mod provenance;
mod rivals;
mod spread;
mod tables;
mod taxis;
mod volume;
mod why_a_map;

pub use data::{Data, DataError};
pub use plot::Plot;

use import::ImportError;
use picture::PictureError;
use std::path::{Path, PathBuf};

/// A report.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// The page.
    pub html: String,
    /// The plots on it.
    pub plots: Vec<Plot>,
}

/// Why there is no report.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// No results.
    #[error(transparent)]
    Data(#[from] DataError),
    /// More than a picture holds.
    #[error(transparent)]
    Picture(#[from] PictureError),
    /// No room, or no permission.
    #[error(transparent)]
    Write(#[from] ImportError),
    /// No folder for the plots.
    #[error("{}: {source}", path.display())]
    Folder {
        /// Where it should be.
        path: PathBuf,
        /// Why it is not.
        source: std::io::Error,
    },
}

impl Report {
    /// The report of these results.
    pub fn new(data: &Data) -> Result<Report, PictureError> {
        let mut sections = vec![
            provenance::section(data),
            claims::section(data),
            tables::schemes(data),
            tables::maps(data),
            volume::section(data)?,
        ];
        for topic in &over_dt::TOPICS {
            sections.push(over_dt::section(data, topic)?);
        }
        sections.extend([
            batch::section(data),
            rivals::section(data)?,
            density::section(data)?,
            taxis::section(data)?,
            presence::section(data)?,
            privacy::section(data)?,
            why_a_map::section(),
        ]);
        let title = data.provenance.get("title").and_then(toml::Value::as_str);
        let title = format!("MeshCloak: {}", title.unwrap_or("evaluation"));
        let (html, plots) = page::page(&title, sections);
        Ok(Report { html, plots })
    }

    /// Writes the page, and its plots into the folder `plots` beside it.
    pub fn write(&self, file: &Path) -> Result<(), ReportError> {
        let folder = file.parent().unwrap_or(Path::new("")).join("plots");
        std::fs::create_dir_all(&folder)
            .map_err(|source| ReportError::Folder { path: folder.clone(), source })?;
        for plot in &self.plots {
            let path = folder.join(plot.name());
            import::write_file(&path.with_extension("svg"), plot.svg().as_bytes())?;
            if let Some(csv) = plot.csv() {
                import::write_file(&path.with_extension("csv"), csv.as_bytes())?;
            }
        }
        Ok(import::write_file(file, self.html.as_bytes())?)
    }
}

/// Makes the report of a folder of results.
pub fn report(folder: &Path, file: &Path) -> Result<Report, ReportError> {
    let report = Report::new(&Data::read(folder)?)?;
    report.write(file)?;
    Ok(report)
}
