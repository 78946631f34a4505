//! A city: one street map with its own queue of queries, engine, service and caches. A set never
//! holds users of two cities.

use crate::city_map::CityMap;
use crate::error::Refusal;
use crate::lon_lat_cache::LonLatCache;
use crate::mailbox::Mailbox;
use crate::question::Category;
use crate::service::{RequestQueue, Service, ServiceError};
use crate::walk::Walker;
use arc_swap::ArcSwapOption;
use meshcloak::distance::Atlas;
use meshcloak::guarantee::Admission;
use meshcloak::map::{Position, StreetMap};
use meshcloak::query::QueryId;
use meshcloak::units::Length;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Number of a city: its index in the list of cities.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CityId(pub u16);

/// Lower bits of a query's id, which count the queries of its city. The upper bits are the city, so
/// that ids are unique over all cities.
const COUNTER_BITS: u32 = 48;

impl CityId {
    /// Returns the city of a query.
    pub fn of(query: QueryId) -> CityId {
        CityId((query.0 >> COUNTER_BITS) as u16)
    }

    /// Returns the first id of the city's queries.
    pub fn first_query(self) -> QueryId {
        QueryId((u64::from(self.0) << COUNTER_BITS) | 1)
    }
}

/// Parts from which a city is built.
pub struct CityParts {
    /// Name: 1 to 32 of a–z, 0–9 and `-`.
    pub name: String,
    /// Map and its search structures.
    pub walker: Arc<Walker>,
    /// Location-based service.
    pub service: Box<dyn Service>,
}

impl CityParts {
    /// Parts of the only city of a gateway, named `city`.
    pub fn only(walker: Arc<Walker>, service: Box<dyn Service>) -> CityParts {
        CityParts { name: DEFAULT_NAME.into(), walker, service }
    }
}

/// Name of the only city of a gateway, unless `map.name` is set.
pub const DEFAULT_NAME: &str = "city";

/// A city.
pub struct City {
    map: Arc<CityMap>,
    mailbox: Mailbox,
    under_way: AtomicUsize,
    requests: Arc<RequestQueue>,
    lon_lats: LonLatCache,
    /// Whether an engine takes queries; always true without a cluster.
    is_available: AtomicBool,
    /// Categories of the service by name; `None` until the service has listed them.
    categories: ArcSwapOption<BTreeMap<String, Category>>,
}

impl City {
    /// Creates a city without waiting queries. `admission` is the check of the `history` guarantee.
    pub(crate) fn new(
        map: Arc<CityMap>,
        admission: Option<Admission>,
        requests: RequestQueue,
    ) -> City {
        City {
            mailbox: Mailbox::new(admission, map.id().first_query()),
            map,
            under_way: AtomicUsize::new(0),
            requests: Arc::new(requests),
            lon_lats: LonLatCache::default(),
            is_available: AtomicBool::new(true),
            categories: ArcSwapOption::empty(),
        }
    }

    /// Number of the city.
    pub fn id(&self) -> CityId {
        self.map.id()
    }

    /// Name of the city.
    pub fn name(&self) -> &str {
        self.map.name()
    }

    /// Street map.
    pub fn map(&self) -> &StreetMap {
        self.map.map()
    }

    /// Map with prepared distances.
    pub fn atlas(&self) -> &Arc<Atlas> {
        self.walker().atlas()
    }

    /// Searches for objects along streets.
    pub fn walker(&self) -> &Arc<Walker> {
        self.map.walker()
    }

    /// Hash of the map's tables, equal in all processes that have the same map.
    pub fn digest(&self) -> u64 {
        self.map.digest()
    }

    /// Whether an engine takes queries.
    pub fn is_available(&self) -> bool {
        self.is_available.load(Ordering::Relaxed)
    }

    /// Notes whether an engine takes queries. Without one they are refused as busy.
    pub fn set_available(&self, is_available: bool) {
        self.is_available.store(is_available, Ordering::Relaxed);
    }

    /// Queue between submission and engine.
    pub fn mailbox(&self) -> &Mailbox {
        &self.mailbox
    }

    /// Number of accepted queries in this city that have not ended.
    pub fn under_way(&self) -> &AtomicUsize {
        &self.under_way
    }

    /// Queue of requests to the service.
    pub fn requests(&self) -> &Arc<RequestQueue> {
        &self.requests
    }

    /// Cache of projected points.
    pub fn lon_lats(&self) -> &LonLatCache {
        &self.lon_lats
    }

    /// Returns the street distance in metres; `None` beyond the range of the atlas.
    pub(crate) fn street_metres(&self, from: Position, to: Position) -> Option<f64> {
        self.atlas().distance(from, to).map(Length::as_metres)
    }

    /// Fetches the categories of the service. Questions for other categories are refused, because
    /// an unusual word is a fingerprint.
    pub async fn refresh_categories(&self) -> Result<(), ServiceError> {
        let names = self.requests.categories().await?.into_iter();
        let known = names.filter_map(|name| Some((Category::named(&name).ok()?, name)));
        let known = known.map(|(category, name)| (name, category)).collect();
        self.categories.store(Some(Arc::new(known)));
        Ok(())
    }

    /// Returns the names of the categories, ascending; none until they are known.
    pub fn category_names(&self) -> Vec<String> {
        self.categories.load().iter().flat_map(|known| known.keys().cloned()).collect()
    }

    /// Returns the category with this name.
    ///
    /// # Errors
    /// [`Refusal::Busy`] until the categories are known, [`Refusal::Question`] for an unknown name.
    pub fn category(&self, name: &str) -> Result<Category, Refusal> {
        let known = self.categories.load();
        let known = known.as_ref().ok_or(Refusal::Busy)?;
        let unknown = || Refusal::Question("`category` is not one of the service's".into());
        known.get(name).cloned().ok_or_else(unknown)
    }
}

/// Prints the name only: the other fields hold private data.
impl std::fmt::Debug for City {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "City({})", self.name())
    }
}

/// Whether a name consists of 1 to 32 of a–z, 0–9 and `-`.
pub fn is_city_name(name: &str) -> bool {
    let is_valid = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    (1..=32).contains(&name.len()) && name.bytes().all(is_valid)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_of_queries_name_their_city() {
        for city in [0, 1, 7, u16::MAX].map(CityId) {
            let QueryId(first) = city.first_query();
            let last = first + ((1 << COUNTER_BITS) - 2);
            assert!([first, first + 1, last].iter().all(|id| CityId::of(QueryId(*id)) == city));
        }
        assert_eq!(CityId(0).first_query(), QueryId(1));
    }

    #[test]
    fn names_have_up_to_32_lower_case_letters_digits_and_hyphens() {
        for name in ["city", "a", "porto-2", &"x".repeat(32)] {
            assert!(is_city_name(name), "{name}");
        }
        for name in ["", "Porto", "a b", "a.b", "são", "a_b", "*", &"x".repeat(33)] {
            assert!(!is_city_name(name), "{name}");
        }
    }
}
