//! Street maps of the cities, and which of them a position is on.

use crate::city::CityId;
use crate::spherical_cap::{SpherePoint, SphericalCap};
use crate::walk::Walker;
use meshcloak::map::{Position, StreetMap};
use meshcloak::private::Private;
use meshcloak::units::{LonLat, Point};
use std::sync::{Arc, OnceLock};

/// Street map of a city.
pub struct CityMap {
    id: CityId,
    name: Box<str>,
    walker: Arc<Walker>,
    /// Holds every position that snaps to the map.
    cap: SphericalCap,
    digest: OnceLock<u64>,
}

/// A point on Earth, projected and snapped to the map of a city.
#[derive(Clone, Copy, Debug)]
pub struct Located {
    /// City with the nearest street.
    pub city: CityId,
    /// The point on Earth.
    pub lon_lat: Private<LonLat>,
    /// The point in the plane of the map.
    pub point: Private<Point>,
    /// The nearest position on a street.
    pub position: Private<Position>,
}

/// Maps of all cities of a gateway, at least one.
#[derive(Clone, Debug)]
pub struct CityMaps {
    maps: Vec<Arc<CityMap>>,
    /// Largest snapping distance in metres; `None` means unlimited.
    snap: Option<f64>,
}

impl CityMap {
    /// Number of the city.
    pub fn id(&self) -> CityId {
        self.id
    }

    /// Name of the city.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Searches for objects along streets.
    pub fn walker(&self) -> &Arc<Walker> {
        &self.walker
    }

    /// The map.
    pub fn map(&self) -> &StreetMap {
        self.walker.map()
    }

    /// Hash of the map's tables, equal in all processes that have the same map. Computed by the
    /// first call, which encodes the map.
    pub fn digest(&self) -> u64 {
        *self.digest.get_or_init(|| import::prepared::digest(self.map()))
    }

    /// Projects a point; `None` without lon/lat or on the far side of the Earth.
    pub fn project(&self, lon_lat: LonLat) -> Option<Point> {
        let point = self.map().frame()?.point(lon_lat);
        (point.x.is_finite() && point.y.is_finite()).then_some(point)
    }

    /// Returns the nearest position within `limit` metres, and its distance.
    fn locate(&self, lon_lat: LonLat, limit: Option<f64>) -> Option<(f64, Located)> {
        let point = self.project(lon_lat)?;
        let snapped = self.map().snap(point, limit)?;
        let (point, position) = (point.into(), snapped.position.into());
        let located = Located { city: self.id, lon_lat: lon_lat.into(), point, position };
        Some((snapped.distance, located))
    }
}

/// Prints the name only.
impl std::fmt::Debug for CityMap {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "CityMap({})", self.name)
    }
}

impl CityMaps {
    /// Creates the list from names and maps. `snap` is the largest snapping distance in metres.
    ///
    /// # Panics
    /// If there is no map.
    pub fn new(
        maps: impl IntoIterator<Item = (String, Arc<Walker>)>,
        snap: Option<f64>,
    ) -> CityMaps {
        let map = |(id, (name, walker)): (u16, (String, Arc<Walker>))| {
            let frame = walker.map().frame();
            let around = |frame| SphericalCap::around(frame, walker.map().bounds(), snap);
            let cap = frame.map_or_else(SphericalCap::everywhere, around);
            let (id, name) = (CityId(id), name.into());
            Arc::new(CityMap { id, name, walker, cap, digest: OnceLock::new() })
        };
        let maps: Vec<Arc<CityMap>> = (0..).zip(maps).map(map).collect();
        assert!(!maps.is_empty(), "a gateway has at least one city");
        CityMaps { maps, snap }
    }

    /// All maps, in order of their ids.
    pub fn iter(&self) -> std::slice::Iter<'_, Arc<CityMap>> {
        self.maps.iter()
    }

    /// Returns the map of a city.
    ///
    /// # Panics
    /// If the id is that of another gateway.
    pub fn get(&self, id: CityId) -> &Arc<CityMap> {
        self.maps.get(usize::from(id.0)).expect("ids come from the cities of the same gateway")
    }

    /// Finds the city with the nearest street within the snapping distance; ties go to the first
    /// city. `None` off all maps. Only maps whose cap holds the point are projected.
    pub fn locate(&self, lon_lat: LonLat) -> Option<Located> {
        if let [only] = &self.maps[..] {
            return only.locate(lon_lat, self.snap).map(|(_, located)| located);
        }
        let point = SpherePoint::new(lon_lat);
        nearest(lon_lat, self.maps.iter().filter(|map| map.cap.contains(point)), self.snap)
    }

    /// Returns the city that a zone with this centre is in: the one with the nearest street among
    /// those whose cap holds the centre, else the one with the nearest cap.
    pub fn city_of_zone(&self, centre: LonLat) -> &Arc<CityMap> {
        let point = SpherePoint::new(centre);
        let around = self.maps.iter().filter(|map| map.cap.contains(point));
        if let Some(located) = nearest(centre, around, None) {
            return self.get(located.city);
        }
        let distance = |map: &&Arc<CityMap>| map.cap.distance(point);
        let nearest = self.maps.iter().min_by(|a, b| distance(a).total_cmp(&distance(b)));
        nearest.expect("there is at least one map")
    }
}

/// Returns the nearest position within `limit` metres on some of the maps; ties go to the first.
fn nearest<'a>(
    lon_lat: LonLat,
    maps: impl Iterator<Item = &'a Arc<CityMap>>,
    limit: Option<f64>,
) -> Option<Located> {
    let found = maps.filter_map(|map| map.locate(lon_lat, limit));
    let nearest = found.reduce(|best, next| if next.0 < best.0 { next } else { best });
    nearest.map(|(_, located)| located)
}

#[cfg(test)]
mod tests;
