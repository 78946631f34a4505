//! Source of a map: a file, a set of files, or the built-in city.

#![cfg_attr(
    not(test),
    deny(clippy::indexing_slicing, clippy::string_slice, clippy::arithmetic_side_effects)
)]

use crate::city::CityPlan;
use crate::detect::{MapFormat, detect};
use crate::error::{FileLocation, ImportError, Problem};
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// Source of a map.
#[derive(Clone, Debug, PartialEq)]
pub enum MapSource {
    /// The built-in city: `city`, `city:STREETS` or `city:STREETS:SEED`.
    City(CityPlan),
    /// A file, any file of a set, or the common stem of a set.
    File(PathBuf),
}

impl MapSource {
    /// Returns the files of the map in a format that can also be written; none if there is no such
    /// map.
    pub fn writable_files(&self) -> Vec<PathBuf> {
        match self {
            MapSource::City(_) => Vec::new(),
            MapSource::File(path) => {
                detect(path).map(MapFormat::writable_files).unwrap_or_default()
            }
        }
    }
}

impl Default for MapSource {
    fn default() -> MapSource {
        MapSource::City(CityPlan::default())
    }
}

impl FromStr for MapSource {
    type Err = ImportError;

    fn from_str(text: &str) -> Result<MapSource, ImportError> {
        let plan = match text.split_once(':') {
            None if text == "city" => Some(CityPlan::default()),
            Some(("city", rest)) => Some(city_plan(text, rest)?),
            _ => None,
        };
        Ok(plan.map_or_else(|| MapSource::File(PathBuf::from(text)), MapSource::City))
    }
}

fn city_plan(text: &str, rest: &str) -> Result<CityPlan, ImportError> {
    let bad = |field: &'static str, value: &str, expected: &'static str| {
        FileLocation::File
            .of(Path::new(text), Problem::BadField { field, value: value.into(), expected })
    };
    let (streets, seed) = rest.split_once(':').unwrap_or((rest, ""));
    let sizes = "a number of streets from 500 to 200000, as in `city:7000:1`";
    let count = streets.parse().map_err(|_| bad("streets", streets, sizes))?;
    let seed = match seed {
        "" => CityPlan::default().seed(),
        digits => digits.parse().map_err(|_| bad("seed", digits, "a whole number from 0"))?,
    };
    CityPlan::new(seed, count).map_err(|_| bad("streets", streets, sizes))
}

impl fmt::Display for MapSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MapSource::City(plan) => write!(f, "city:{}:{}", plan.streets(), plan.seed()),
            MapSource::File(path) => write!(f, "{}", path.display()),
        }
    }
}
