//! A scheme that breaks its promise, for tests.

use super::Promise;
use crate::history::Horizon;
use crate::map::StreetId;
use crate::published::Published;
#[cfg(test)] // the order of modules does not hold for tests
use crate::scheme::{Description, Observer, Pace, RegionDependence, Scheme, State};
use crate::units::Time;
use std::time::Duration;

/// Proposes fixed sets, whatever it promises.
pub(super) struct Faulty {
    pub(super) promise: Promise,
    /// Members, as waiting indices, and region of each set.
    pub(super) sets: Vec<(Vec<usize>, Vec<StreetId>)>,
    /// Waiting index and set of each served query.
    pub(super) served: Vec<(u32, u32)>,
    pub(super) published: Published,
}

impl Scheme for Faulty {
    fn name(&self) -> &'static str {
        "faulty"
    }

    fn describe(&self) -> Description {
        Description::unlisted(Pace::Batch, RegionDependence::Fixed)
    }

    fn history_horizon(&self) -> Option<Horizon> {
        Some(Duration::from_secs(600).into())
    }

    fn promise(&self) -> Option<Promise> {
        Some(self.promise.clone())
    }

    fn cloak(&mut self, state: &State, _: Time, _: &mut dyn Observer) -> &mut Published {
        let Faulty { sets, served, published, .. } = self;
        published.clear();
        for (members, region) in sets {
            let ids = members.iter().map(|&index| state.waiting[index].id);
            published.add_mesh(ids, |mesh| mesh.extend_from_slice(region));
        }
        for &(index, set) in &*served {
            published.serve(index, set);
        }
        published
    }
}
