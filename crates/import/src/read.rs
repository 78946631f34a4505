//! Reads a map from any source in any supported format.

#![cfg_attr(
    not(test),
    deny(clippy::indexing_slicing, clippy::string_slice, clippy::arithmetic_side_effects)
)]

use crate::city;
use crate::detect::{MapFormat, detect};
use crate::draft::{Draft, Imported};
use crate::error::{FileLocation, ImportError, Problem};
use crate::input::Input;
use crate::options::Options;
use crate::prepared::{self, Prepared};
use crate::progress::Progress;
use crate::source::MapSource;
use crate::{brinkhoff, csv_map, geojson_map, graphml, osm, shapefile_map};
use meshcloak::map::{Extent, Frame, MapBuilder};
use std::fs::File;
use std::path::Path;

/// Reads the map from `source`.
///
/// # Errors
/// [`ImportError`] with file, location and problem if a file cannot be read as a map.
pub fn read_map(
    source: &MapSource,
    options: &Options,
    progress: &dyn Progress,
) -> Result<Imported, ImportError> {
    let name = source.to_string();
    let name = Path::new(&name);
    let path = match source {
        MapSource::City(plan) => {
            let mut draft = city::build(*plan, progress);
            if let Some(origin) = options.origin {
                draft.builder.set_frame(Frame::at(origin));
            }
            let options = Options { origin: None, ..options.clone() };
            return finish(draft, name, &options, progress);
        }
        MapSource::File(path) => path,
    };
    let draft = match detect(path)? {
        MapFormat::Osm(file, kind) => {
            osm::read(Input::open(&file, progress)?, kind, &options.osm, progress)?
        }
        MapFormat::Brinkhoff { node, edge } => brinkhoff::read(&node, &edge, progress)?,
        MapFormat::Csv(files) => csv_map::read(&files, options.origin, progress)?,
        MapFormat::GraphMl(file) => graphml::read(Input::begin(&file, "reading", progress)?)?,
        MapFormat::GeoJson(file) => geojson_map::read(Input::begin(&file, "reading", progress)?)?,
        MapFormat::Shapefile(files) => shapefile_map::read(&files, progress)?,
        MapFormat::Prepared(file) => return open_prepared(&file, options, progress),
    };
    finish(draft, name, options, progress)
}

/// Adds the points of interest of the options and builds the map.
fn finish(
    mut draft: Draft,
    name: &Path,
    options: &Options,
    progress: &dyn Progress,
) -> Result<Imported, ImportError> {
    if let Some(pois) = &options.pois {
        csv_map::add_pois(pois, options.origin, &mut draft.builder, progress)?;
    }
    progress.begin("building the map", 0);
    draft.finish(name, options)
}

/// Opens a prepared map; rebuilds it only if the options add or remove something.
fn open_prepared(
    file: &Path,
    options: &Options,
    progress: &dyn Progress,
) -> Result<Imported, ImportError> {
    let opened = File::open(file).map_err(|error| FileLocation::File.of(file, error))?;
    let decoded =
        prepared::open(&opened).map_err(|problem| FileLocation::File.of(file, problem))?;
    let Prepared { imported, extent } = decoded;
    let imported = Imported { prepared: Some(extent), ..imported };
    let is_unchanged = options.extent == Extent::Whole || extent == Extent::LargestPart;
    if is_unchanged && options.pois.is_none() && options.origin.is_none() {
        return Ok(imported);
    }
    let mut builder = MapBuilder::from_map(&imported.map);
    if let Some(origin) = options.origin {
        if builder.frame().is_some() {
            return Err(FileLocation::File.of(file, Problem::HasFrame));
        }
        builder.set_frame(Frame::at(origin));
    }
    if let Some(pois) = &options.pois {
        csv_map::add_pois(pois, None, &mut builder, progress)?;
    }
    let extent = if is_unchanged { Extent::Whole } else { Extent::LargestPart };
    let built = builder.build(extent).map_err(|error| FileLocation::File.of(file, error))?;
    let dropped = if is_unchanged { imported.dropped } else { built.dropped };
    Ok(Imported { map: built.map, dropped, ..imported })
}
