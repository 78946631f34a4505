//! The evaluation report: one self-contained HTML file built from result files alone, with each plot
//! as SVG and CSV beside it. Deterministic: equal inputs give equal bytes.
//!
//! One module per section. `page` renders HTML, `data` reads the result files, `paper` holds the
//! numbers printed in the paper.

mod batch;
mod claims;
mod configuration;
mod costs;
mod data;
mod density;
mod neighbours;
mod number;
mod over_dt;
mod page;
mod paper;
mod plot;
mod presence;
mod printed_mesh;
mod privacy;
mod provenance;
mod schemes;
mod spread;
mod tables;
mod taxis;
mod volume;
mod why_a_map;

pub use data::{Data, DataError};
pub use plot::Plot;

use import::ImportError;
use page::ReportSection;
use picture::PictureError;
use std::path::{Path, PathBuf};

/// A rendered report.
#[derive(Clone, Debug, PartialEq)]
pub struct HtmlReport {
    /// HTML page.
    pub html: String,
    /// Plots of the page.
    pub plots: Vec<Plot>,
    /// Markdown table of the paper's claims, if the results are those of §V.
    pub claims: Option<String>,
}

/// Failure to build or write a report.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// The results cannot be read.
    #[error(transparent)]
    Data(#[from] DataError),
    /// A plot exceeds the size limits of a picture.
    #[error(transparent)]
    Picture(#[from] PictureError),
    /// A file cannot be written.
    #[error(transparent)]
    Write(#[from] ImportError),
    /// The folder of the plots cannot be created.
    #[error("cannot create the folder {}: {source}", path.display())]
    Folder {
        /// Path of the folder.
        path: PathBuf,
        /// Cause.
        source: std::io::Error,
    },
}

impl HtmlReport {
    /// Builds the report of `data`.
    pub fn new(data: &Data) -> Result<HtmlReport, PictureError> {
        let claims = data.is_paper().then(|| claims::judge(data));
        let mut sections: Vec<ReportSection> =
            claims.iter().map(|claims| claims::section(claims)).collect();
        sections.extend([tables::schemes(data), tables::maps(data), volume::section(data)?]);
        for topic in &over_dt::TOPICS {
            sections.push(over_dt::section(data, topic)?);
        }
        sections.extend([
            printed_mesh::section(data)?,
            batch::section(data),
            schemes::section(data)?,
            density::section(data)?,
            taxis::section(data)?,
            presence::section(data)?,
            privacy::section(data)?,
            costs::section(data),
            neighbours::section(data),
        ]);
        if data.is_paper() {
            sections.extend([privacy::reachability_section(), why_a_map::section()]);
        }
        let provenance = provenance::section(data, &sections);
        sections.push(provenance);
        let title = data.provenance.get("title").and_then(toml::Value::as_str);
        let title = format!("MeshCloak: {}", title.unwrap_or("evaluation"));
        let (html, plots) = page::page(&title, sections);
        let claims = claims.map(|claims| claims::to_markdown(data, &claims));
        Ok(HtmlReport { html, plots, claims })
    }

    /// Writes the page to `file`, its plots to the folder `plots` and the claims to `claims.md`
    /// beside it.
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
        if let Some(claims) = &self.claims {
            import::write_file(&file.with_file_name("claims.md"), claims.as_bytes())?;
        }
        Ok(import::write_file(file, self.html.as_bytes())?)
    }
}

/// Builds the report of a results folder and writes it to `file`.
pub fn report(folder: &Path, file: &Path) -> Result<HtmlReport, ReportError> {
    let report = HtmlReport::new(&Data::read(folder)?)?;
    report.write(file)?;
    Ok(report)
}
