//! `meshcloak map draw`: draws a map.

use crate::map_args::{MAP_HELP, MapArgs};
use crate::parse::cell_length;
use crate::picture_file::{PictureFormat, map_options, write_canvas};
use crate::progress::Console;
use anyhow::{Result, bail};
use clap::{Args, ValueEnum};
use import::{Imported, MapSource, Progress as _};
use meshcloak::cells::{Cells, DEFAULT_CELLS_LENGTH};
use meshcloak::units::Length;
use picture::{DrawOptions, Picture, Theme, draw_cells, draw_map};
use std::path::PathBuf;

/// Arguments of `map draw`.
#[derive(Debug, Args)]
#[command(override_usage = "meshcloak map draw [OPTIONS] [MAP] <OUT>")]
#[command(after_help = "Examples:
  meshcloak map draw city.png
  meshcloak map draw porto.osm.pbf porto.svg
  meshcloak map draw oldenburgGen.node oldenburg.png --theme dark --width 2400
  meshcloak map draw porto.osm.pbf cells.png --cells --cell-length 3000
  meshcloak map draw city:2000:5 town.png --no-pois --title \"A town\"")]
pub struct Draw {
    /// Map to draw (default: the built-in city) and the .png or .svg to write.
    #[arg(num_args = 1..=2, required = true, value_names = ["MAP", "OUT"], help = draw_help())]
    map_and_out: Vec<String>,
    /// Width of the picture, 200 to 8000 pixels.
    #[arg(long, value_name = "PIXELS", default_value_t = 1600)]
    width: u32,
    /// Colour theme.
    #[arg(long, value_enum, default_value = "light")]
    theme: ThemeArg,
    /// Omit points of interest.
    #[arg(long)]
    no_pois: bool,
    /// Colour the streets by the cells of `cloak --region cells` and `--region cell`.
    #[arg(long)]
    cells: bool,
    /// Approximate street length of a cell, in metres from 1 [default: 1200].
    #[arg(long, value_name = "METRES", value_parser = cell_length, requires = "cells")]
    cell_length: Option<Length>,
    /// Title above the picture [default: the name of the map].
    #[arg(long)]
    title: Option<String>,
    #[command(flatten)]
    how: MapArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ThemeArg {
    /// Dark lines on a light background.
    Light,
    /// Light lines on a dark background.
    Dark,
}

fn draw_help() -> String {
    format!("Map to draw, then the .png or .svg to write. {MAP_HELP}")
}

impl Draw {
    /// Reads the map and writes the picture.
    pub fn run(&self, console: &Console) -> Result<()> {
        let (map, out) = match &self.map_and_out[..] {
            [out] => (MapSource::default(), PathBuf::from(out)),
            [map, out, ..] => (map.parse()?, PathBuf::from(out)),
            [] => bail!("the file to write is missing; expected [MAP] OUT"),
        };
        // Rejects an unknown extension before the map is read.
        PictureFormat::of(&out)?;
        let imported = self.how.read(Some(&map), console)?;
        console.begin("drawing", 0);
        let picture = if self.cells { self.cells(&imported)? } else { self.streets(&imported)? };
        let written = write_canvas(&picture.canvas, &out);
        console.clear();
        written
    }

    fn streets(&self, imported: &Imported) -> Result<Picture> {
        Ok(draw_map(&imported.map, &self.options(imported))?)
    }

    fn cells(&self, imported: &Imported) -> Result<Picture> {
        let length = self.cell_length.unwrap_or(DEFAULT_CELLS_LENGTH);
        let cells = Cells::new(&imported.map, length);
        let subtitle = format!("cells of about {} m of street", length.as_metres());
        let options = DrawOptions { subtitle, ..self.options(imported) };
        Ok(draw_cells(&imported.map, &cells, &options)?)
    }

    fn options(&self, imported: &Imported) -> DrawOptions {
        let defaults = map_options(imported);
        DrawOptions {
            width_pixels: self.width,
            theme: match self.theme {
                ThemeArg::Light => Theme::Light,
                ThemeArg::Dark => Theme::Dark,
            },
            pois: !self.no_pois,
            title: self.title.clone().unwrap_or_else(|| defaults.title.clone()),
            ..defaults
        }
    }
}
