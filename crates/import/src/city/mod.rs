//! The built-in city: a believable city from a seed and a size, the same on every machine.
//!
//! Great roads are laid over river and motorway land ([`skeleton`]); the faces between them are
//! cut into blocks until there are as many streets as asked for ([`blocks`]). New streets only
//! ever divide a face, so none can cross another or the river; only motorways lie above.

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
mod random;
mod river;
mod road_network;
mod roundabouts;
mod skeleton;
mod vector;
mod zone;

#[cfg(test)]
mod tests;

pub(crate) use drawing::build;

/// Which city is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CityPlan {
    seed: u64,
    streets: usize,
}

/// A size that no city is built in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a city of {0} streets cannot be built; expected 500 to 200,000")]
pub struct CitySizeError(pub usize);

impl CityPlan {
    /// The fewest streets a city has.
    pub const MIN_STREETS: usize = 500;
    /// The most streets a city has.
    pub const MAX_STREETS: usize = 200_000;

    /// The city of that seed with about that many streets (within 5 %).
    pub fn new(seed: u64, streets: usize) -> Result<CityPlan, CitySizeError> {
        if (CityPlan::MIN_STREETS..=CityPlan::MAX_STREETS).contains(&streets) {
            Ok(CityPlan { seed, streets })
        } else {
            Err(CitySizeError(streets))
        }
    }

    /// What chance starts from.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// About how many streets there will be.
    pub fn streets(&self) -> usize {
        self.streets
    }
}

impl Default for CityPlan {
    /// The city every command uses when no map is given: 7,000 streets, 25 km across.
    fn default() -> CityPlan {
        CityPlan { seed: 1, streets: 7000 }
    }
}
