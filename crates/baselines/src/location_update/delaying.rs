//! Delaying: a query waits until every point of its region can be reached from the last region of
//! its user. It expires if that takes longer than its tolerance.

use super::{OF, WrappedScheme, travel_range};
use crate::registry::{SchemeEntry, SchemeError, ThreatModel};
use meshcloak::history::Horizon;
use meshcloak::map::StreetMap;
use meshcloak::query::Query;
use meshcloak::region::Region;
use meshcloak::scheme::{
    Description, Observer, Published, Requirement, Scheme, Stage, State, Stats,
};
use meshcloak::units::Time;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Row in the table of schemes.
pub(crate) const ENTRY: SchemeEntry = SchemeEntry {
    name: "delaying",
    parameters: &[OF],
    threat_model: ThreatModel::MOVEMENT,
    build: |atlas, arguments| {
        let wrapped = WrappedScheme::build(atlas, arguments)?;
        let delaying = Delaying { wrapped, published: Published::default() };
        Ok::<Box<dyn Scheme>, SchemeError>(Box::new(delaying))
    },
};

/// The wrapper.
pub struct Delaying {
    wrapped: WrappedScheme,
    published: Published,
}

impl Delaying {
    /// Whether the region of a query can be reached completely by now.
    fn is_due(&mut self, state: &State, query: &Query, now: Time, new: &Region<'_>) -> bool {
        self.wrapped.last(state, query.user).is_none_or(|last| {
            let range = travel_range(query, now - last.at);
            self.wrapped.reach.covers(&last.region, new, range)
        })
    }
}

impl Scheme for Delaying {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn describe(&self) -> Description {
        self.wrapped.describe("Delaying", "A scheme whose regions wait until they can be reached.")
    }

    fn history_horizon(&self) -> Option<Horizon> {
        Some(self.wrapped.horizon())
    }

    fn requirement(&self, map: &StreetMap, query: &Query, region: &Region<'_>) -> Requirement {
        self.wrapped.scheme.requirement(map, query, region)
    }

    fn cloak(&mut self, state: &State, now: Time, observer: &mut dyn Observer) -> &mut Published {
        let proposal = self.wrapped.propose(state, now, observer);
        observer.stage(Stage::Mesh);
        self.published.clear();
        let mut sets: BTreeMap<u32, (u32, Arc<Region<'static>>)> = BTreeMap::new();
        for served in proposal.served() {
            let query = &state.waiting[served.index as usize];
            let set = proposal.set(served.set);
            if !query.asks || !self.is_due(state, query, now, &set.region) {
                continue;
            }
            let published = &mut self.published;
            let (number, region) = sets.entry(served.set).or_insert_with(|| {
                let number = published.add(set.members.iter().copied(), &set.region);
                (number, Arc::new(set.region.into_owned()))
            });
            published.serve(served.index, *number);
            self.wrapped.remember(published, query, now, Arc::clone(region));
        }
        let (nodes, cliques) = (state.waiting.len(), self.published.set_count());
        self.published.stats = Stats { nodes, cliques, ..Stats::default() };
        &mut self.published
    }
}
