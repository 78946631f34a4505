//! Reading a map, whatever it is named by and whatever its format.

use crate::city;
use crate::detect::{MapFormat, detect};
use crate::draft::{Draft, Imported};
use crate::error::{FileLocation, ImportError, Problem};
use crate::input::Input;
use crate::options::Options;
use crate::prepared::{self, Prepared};
use crate::progress::Progress;
use crate::source::MapSource;
use crate::{brinkhoff, csv_map, osm};
use meshcloak::map::{Extent, Frame, MapBuilder};
use std::fs::File;
use std::path::Path;

/// Reads the map that `source` names, as `options` ask; `progress` hears how far it has come.
pub fn read_map(
    source: &MapSource,
    options: &Options,
    progress: &dyn Progress,
) -> Result<Imported, ImportError> {
    let name = source.to_string();
    let name = Path::new(&name);
    let path = match source {
        MapSource::City(plan) => {
            return finish(city::build(*plan, progress), name, options, progress);
        }
        MapSource::File(path) => path,
    };
    let draft = match detect(path)? {
        MapFormat::Osm(file, kind) => {
            osm::read(Input::open(&file, progress)?, kind, &options.osm, progress)?
        }
        MapFormat::Brinkhoff { node, edge } => brinkhoff::read(&node, &edge, progress)?,
        MapFormat::Csv(files) => csv_map::read(&files, options.origin, progress)?,
        MapFormat::Prepared(file) => return open_prepared(&file, options, progress),
    };
    finish(draft, name, options, progress)
}

/// Adds what the options add, and builds the map.
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

/// A prepared map is ready as it is, unless something is to be added to it or left out of it.
fn open_prepared(
    file: &Path,
    options: &Options,
    progress: &dyn Progress,
) -> Result<Imported, ImportError> {
    let opened = File::open(file).map_err(|error| FileLocation::File.of(file, error))?;
    let decoded =
        prepared::open(&opened).map_err(|problem| FileLocation::File.of(file, problem))?;
    let Prepared { imported, extent } = decoded;
    let as_it_is = options.extent == Extent::Whole || extent == Extent::LargestPart;
    if as_it_is && options.pois.is_none() && options.origin.is_none() {
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
    let extent = if as_it_is { Extent::Whole } else { Extent::LargestPart };
    let built = builder.build(extent).map_err(|error| FileLocation::File.of(file, error))?;
    let dropped = if as_it_is { imported.dropped } else { built.dropped };
    Ok(Imported { map: built.map, dropped, ..imported })
}
