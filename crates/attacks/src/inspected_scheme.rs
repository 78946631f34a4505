//! Access to the batches of a scheme that runs elsewhere.

use meshcloak::guard::Promise;
use meshcloak::history::Horizon;
use meshcloak::map::StreetMap;
use meshcloak::query::Query;
use meshcloak::region::Region;
use meshcloak::scheme::{Description, Observer, Published, Requirement, Scheme, State};
use meshcloak::units::Time;

/// A scheme that calls `inspect` with input, time and result of every batch.
pub struct InspectedScheme<F> {
    /// The scheme.
    pub scheme: Box<dyn Scheme>,
    /// Called after each batch, before the guard checks the result.
    pub inspect: F,
}

impl<F: FnMut(&State, Time, &Published) + Send> Scheme for InspectedScheme<F> {
    fn name(&self) -> &'static str {
        self.scheme.name()
    }

    fn describe(&self) -> Description {
        self.scheme.describe()
    }

    fn history_horizon(&self) -> Option<Horizon> {
        self.scheme.history_horizon()
    }

    fn promise(&self) -> Option<Promise> {
        self.scheme.promise()
    }

    fn requirement(&self, map: &StreetMap, query: &Query, region: &Region<'_>) -> Requirement {
        self.scheme.requirement(map, query, region)
    }

    fn cloak(&mut self, state: &State, now: Time, observer: &mut dyn Observer) -> &mut Published {
        let published = self.scheme.cloak(state, now, observer);
        (self.inspect)(state, now, published);
        published
    }
}
