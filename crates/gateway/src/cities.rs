//! All cities of a gateway.

use crate::city::{City, CityId, CityParts};
use crate::city_map::{CityMaps, Located};
use crate::config::Config;
use crate::error::Refusal;
use crate::question::Category;
use crate::service::{RequestQueue, ServiceError};
use meshcloak::guarantee::{Admission, Guarantee};
use meshcloak::query::QueryId;
use meshcloak::units::{LonLat, Point};
use std::sync::Arc;

/// The cities of a gateway, at least one.
#[derive(Debug)]
pub struct Cities {
    cities: Vec<Arc<City>>,
    maps: CityMaps,
}

impl Cities {
    /// Builds the cities of a gateway.
    ///
    /// # Panics
    /// If there is no city.
    pub(crate) fn new(parts: Vec<CityParts>, config: &Config) -> Cities {
        let (named, services): (Vec<_>, Vec<_>) =
            parts.into_iter().map(|city| ((city.name, city.walker), city.service)).unzip();
        let maps = CityMaps::new(named, config.map.snap);
        let engine = &config.engine;
        // In a cluster the engines check the declared speed.
        let checks_travel =
            engine.guarantee == Guarantee::History && config.cluster.servers.is_empty();
        let open = |(map, service)| {
            let admission =
                checks_travel.then(|| Admission::new(engine.history_clock, engine.horizon_rule()));
            let requests = RequestQueue::before(service, &config.service);
            Arc::new(City::new(Arc::clone(map), admission, requests))
        };
        Cities { cities: maps.iter().zip(services).map(open).collect(), maps }
    }

    /// The first city, the only one of most gateways.
    pub fn first(&self) -> &Arc<City> {
        self.cities.first().expect("there is at least one city")
    }

    /// Whether there are several cities.
    pub fn are_several(&self) -> bool {
        self.cities.len() > 1
    }

    /// All cities, in order of their ids.
    pub fn iter(&self) -> std::slice::Iter<'_, Arc<City>> {
        self.cities.iter()
    }

    /// Their maps.
    pub fn maps(&self) -> &CityMaps {
        &self.maps
    }

    /// Returns a city by its id.
    ///
    /// # Panics
    /// If the id is that of another gateway.
    pub fn get(&self, id: CityId) -> &Arc<City> {
        self.cities.get(usize::from(id.0)).expect("ids come from the cities of the same gateway")
    }

    /// Returns the city of a query.
    pub fn of_query(&self, query: QueryId) -> &Arc<City> {
        self.get(CityId::of(query))
    }

    /// Finds the city with the nearest street, and the position on it.
    ///
    /// # Errors
    /// [`Refusal::OffMap`] if no street is within `map.snap` metres.
    pub fn locate(&self, lon: f64, lat: f64) -> Result<Located, Refusal> {
        let lon_lat = LonLat::new(lon, lat).ok_or(Refusal::OffMap)?;
        self.maps.locate(lon_lat).ok_or(Refusal::OffMap)
    }

    /// Returns a located point and its snapped position in the plane of a city, to be compared with
    /// zones there; `None` on the far side of the Earth.
    pub fn zone_points(&self, located: &Located, city: CityId) -> Option<[Point; 2]> {
        let map = self.get(located.city).map();
        let snapped = map.point(*located.position.expose());
        if city == located.city {
            return Some([*located.point.expose(), snapped]);
        }
        let target = self.maps.get(city);
        let snapped = map.frame()?.lon_lat(snapped);
        Some([target.project(*located.lon_lat.expose())?, target.project(snapped)?])
    }

    /// Fetches the categories of the services of all cities.
    ///
    /// # Errors
    /// That of the first service that does not list them.
    pub async fn refresh_categories(&self) -> Result<(), ServiceError> {
        for city in &self.cities {
            city.refresh_categories().await?;
        }
        Ok(())
    }

    /// Returns the category with this name in any city.
    ///
    /// # Errors
    /// [`Refusal::Question`] if it is unknown in all cities, [`Refusal::Busy`] if it is in those
    /// whose categories are known.
    pub fn category(&self, name: &str) -> Result<Category, Refusal> {
        let mut refused = None;
        for city in &self.cities {
            match city.category(name) {
                Ok(category) => return Ok(category),
                Err(Refusal::Busy) => refused = Some(Refusal::Busy),
                Err(other) => refused = refused.or(Some(other)),
            }
        }
        Err(refused.unwrap_or(Refusal::Busy))
    }
}
