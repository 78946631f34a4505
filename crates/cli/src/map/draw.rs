//! `meshcloak map draw`: a picture of a map.

use crate::map_args::{MAP_HELP, MapArgs};
use crate::progress::Console;
use crate::scheme_args::region::cell_length;
use anyhow::{Result, bail};
use clap::{Args, ValueEnum};
use import::{Imported, MapSource, Progress as _};
use meshcloak::cells::{CellRule, Cells};
use meshcloak::units::Length;
use picture::{Options, Picture, Theme, draw_cells, draw_map};
use std::path::{Path, PathBuf};

/// Arguments of `map draw`.
#[derive(Debug, Args)]
#[command(override_usage = "meshcloak map draw [OPTIONS] [MAP] <OUT>")]
#[command(after_help = "Examples:
  meshcloak map draw city.png
  meshcloak map draw porto.osm.pbf porto.svg
  meshcloak map draw oldenburgGen.node oldenburg.png --theme dark --width 2400
  meshcloak map draw porto.osm.pbf cells.png --cells --cell-length 600
  meshcloak map draw city:2000:5 town.png --no-pois --title \"A town\"")]
pub struct Draw {
    /// The map to draw (default: the built-in city) and the .png or .svg to write.
    #[arg(num_args = 1..=2, required = true, value_names = ["MAP", "OUT"], help = draw_help())]
    map_and_out: Vec<String>,
    /// Width of the picture in pixels.
    #[arg(long, value_name = "PIXELS", default_value_t = 1600)]
    width: u32,
    /// Light or dark ground.
    #[arg(long, value_enum, default_value = "light")]
    theme: ThemeArg,
    /// Leave out points of interest.
    #[arg(long)]
    no_pois: bool,
    /// Colour the streets by cells, as `cloak --region cells` has them.
    #[arg(long)]
    cells: bool,
    /// How long a cell is, about [default: 1200].
    #[arg(long, value_name = "METRES", value_parser = cell_length, requires = "cells")]
    cell_length: Option<Length>,
    /// What stands above the picture [default: the name of the map].
    #[arg(long)]
    title: Option<String>,
    #[command(flatten)]
    how: MapArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ThemeArg {
    /// Dark lines on a light ground.
    Light,
    /// Light lines on a dark ground.
    Dark,
}

fn draw_help() -> String {
    format!("The map (left out: the built-in city), then the .png or .svg to write. {MAP_HELP}")
}

/// What a picture is written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Png,
    Svg,
}

impl Draw {
    /// Reads the map and writes the picture.
    pub fn run(&self, console: &Console) -> Result<()> {
        let (map, out) = match &self.map_and_out[..] {
            [out] => (MapSource::default(), PathBuf::from(out)),
            [map, out, ..] => (map.parse()?, PathBuf::from(out)),
            [] => bail!("no file to write was named"),
        };
        let kind = kind_of(&out)?;
        let imported = self.how.read(Some(&map), console)?;
        console.begin("drawing", 0);
        let picture = if self.cells { self.cells(&imported)? } else { self.streets(&imported)? };
        let bytes = match kind {
            Kind::Png => picture.to_png(),
            Kind::Svg => picture.to_svg().into_bytes(),
        };
        console.clear();
        import::write_file(&out, &bytes)?;
        Ok(())
    }

    fn streets(&self, imported: &Imported) -> Result<Picture> {
        Ok(draw_map(&imported.map, &self.options(imported))?)
    }

    fn cells(&self, imported: &Imported) -> Result<Picture> {
        let length = self.cell_length.unwrap_or(CellRule::default().length);
        let cells = Cells::new(&imported.map, length);
        let subtitle = format!("{} cells of about {} m", cells.count(), length.as_metres());
        let options = Options { subtitle, ..self.options(imported) };
        Ok(draw_cells(&imported.map, &cells, &options)?)
    }

    fn options(&self, imported: &Imported) -> Options {
        let source = Path::new(&imported.provenance.source);
        let name = source.file_name().unwrap_or(source.as_os_str()).to_string_lossy();
        let osm = imported.provenance.format.starts_with("OSM");
        Options {
            width_pixels: self.width,
            theme: match self.theme {
                ThemeArg::Light => Theme::Light,
                ThemeArg::Dark => Theme::Dark,
            },
            pois: !self.no_pois,
            title: self.title.clone().unwrap_or_else(|| name.into_owned()),
            attribution: if osm { "© OpenStreetMap contributors".into() } else { String::new() },
            ..Options::default()
        }
    }
}

fn kind_of(out: &Path) -> Result<Kind> {
    match out.extension().and_then(|ending| ending.to_str()) {
        Some("png") => Ok(Kind::Png),
        Some("svg") => Ok(Kind::Svg),
        _ => bail!("{}: expected an ending .png or .svg", out.display()),
    }
}
