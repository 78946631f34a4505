//! The built-in city: a synthetic street map generated from a seed and a size, bit-identical on
//! every machine.
//!
//! ```text
//! CityPlan ─► Layout ─► Skeleton ─► Blocks ─► RoadNetwork ─► Drawing ─► Draft
//!            (radii)   (main roads) (blocks)  (streets)     (+ names, POIs)
//! ```
//!
//! Main roads are laid over the river and the motorway corridors ([`skeleton`]). The faces between
//! them are then cut into blocks until the requested number of streets is reached ([`blocks`]).
//! A new street only divides a face, so no street crosses another street or the river; only
//! motorways are grade-separated.

mod blocks;
mod build_street;
mod chord;
mod crossings;
mod density;
mod drawing;
mod face;
mod lay;
mod layout;
mod lines;
mod motorway;
mod names;
mod plane;
mod pois;
mod quarter;
mod random;
mod river;
mod road_network;
mod roundabouts;
mod skeleton;
mod vector;

#[cfg(test)]
mod tests;

pub(crate) use drawing::build;

/// The seed and the size of a generated city.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CityPlan {
    seed: u64,
    streets: usize,
}

/// A number of streets outside the supported range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a city cannot have {0} streets; expected 500 to 200,000")]
pub struct CitySizeError(pub usize);

impl CityPlan {
    /// Smallest supported number of streets.
    pub const MIN_STREETS: usize = 500;
    /// Largest supported number of streets.
    pub const MAX_STREETS: usize = 200_000;

    /// Returns the plan of a city with about `streets` streets (within 5 %).
    ///
    /// # Errors
    /// [`CitySizeError`] if `streets` is not in `MIN_STREETS..=MAX_STREETS`.
    pub fn new(seed: u64, streets: usize) -> Result<CityPlan, CitySizeError> {
        if (CityPlan::MIN_STREETS..=CityPlan::MAX_STREETS).contains(&streets) {
            Ok(CityPlan { seed, streets })
        } else {
            Err(CitySizeError(streets))
        }
    }

    /// Random seed.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// Requested number of streets.
    pub fn streets(&self) -> usize {
        self.streets
    }
}

impl Default for CityPlan {
    /// The default map of all commands: 7,000 streets, 25 km across.
    fn default() -> CityPlan {
        CityPlan { seed: 1, streets: 7000 }
    }
}
