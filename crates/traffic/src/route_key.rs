//! Keys of route tables: agents with equal keys share a table.

use crate::avoided_streets::AvoidedStreets;
use crate::profile::Profile;

/// Properties that determine an agent's routes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct RouteKey {
    /// Top speed if some street is slower; otherwise the fastest route is the shortest.
    pub speed: Option<u32>,
    pub avoided: AvoidedStreets,
}

impl RouteKey {
    pub(crate) fn new(profile: &Profile, speed: u32, avoided: AvoidedStreets) -> RouteKey {
        let slowest =
            profile.limits.map_or(u32::MAX, |limits| limits.into_iter().min().unwrap_or(0));
        RouteKey { speed: Some(speed).filter(|&speed| speed > slowest), avoided }
    }

    /// All route keys of a profile, sorted.
    pub(crate) fn all(profile: &Profile, avoided: &[AvoidedStreets]) -> Vec<RouteKey> {
        let classes = profile.class_table.iter().zip(avoided);
        let mut keys: Vec<RouteKey> = classes
            .flat_map(|(class, &avoided)| {
                class
                    .speeds
                    .values()
                    .iter()
                    .map(move |&speed| RouteKey::new(profile, speed, avoided))
            })
            .collect();
        keys.sort_unstable();
        keys.dedup();
        keys
    }
}
