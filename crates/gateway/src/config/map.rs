//! Settings of the street map.

use super::parse::{Expected, lon_lat, path, snap};
use super::setting::Setting;
use super::settings::setting;
use crate::city::{DEFAULT_NAME, is_city_name};
use import::MapSource;
use meshcloak::units::LonLat;
use std::path::PathBuf;

/// Street maps.
#[derive(Clone, Debug, PartialEq)]
pub struct MapConfig {
    /// Name of the only city.
    pub name: String,
    /// File or built-in map of the only city.
    pub source: MapSource,
    /// Several cities instead; empty if there is one.
    pub several: Vec<CityConfig>,
    /// File of additional points of interest, CSV.
    pub pois: Option<PathBuf>,
    /// Lon/lat of the origin of a map in metres.
    pub origin: Option<LonLat>,
    /// Largest snapping distance in metres; `None` means unlimited.
    pub snap: Option<f64>,
}

/// A city.
#[derive(Clone, Debug, PartialEq)]
pub struct CityConfig {
    /// Name.
    pub name: String,
    /// File or built-in map.
    pub source: MapSource,
    /// Lon/lat of the origin of a map in metres.
    pub origin: Option<LonLat>,
}

impl Default for MapConfig {
    fn default() -> MapConfig {
        MapConfig {
            name: DEFAULT_NAME.into(),
            source: MapSource::default(),
            several: Vec::new(),
            pois: None,
            origin: None,
            snap: Some(50.0),
        }
    }
}

impl MapConfig {
    /// Returns all cities, at least one.
    pub fn cities(&self) -> Vec<CityConfig> {
        let MapConfig { name, source, several, origin, .. } = self;
        if several.is_empty() {
            let (name, source) = (name.clone(), source.clone());
            return vec![CityConfig { name, source, origin: *origin }];
        }
        several.clone()
    }

    /// Map of the first city.
    pub fn first_source(&self) -> &MapSource {
        self.several.first().map_or(&self.source, |city| &city.source)
    }
}

/// Parses cities, NAME=SOURCE or NAME=SOURCE@LON,LAT, separated by semicolons.
fn cities(text: &str) -> Result<Vec<CityConfig>, Expected> {
    let mut cities: Vec<CityConfig> = Vec::new();
    for entry in text.split(';').map(str::trim).filter(|entry| !entry.is_empty()) {
        let city = city(entry).ok_or(
            "NAME=SOURCE or NAME=SOURCE@LON,LAT in each entry, as in porto=porto.meshmap; names \
             have 1 to 32 of a-z, 0-9 and -",
        )?;
        if cities.iter().any(|known| known.name == city.name) {
            return Err(format!("distinct names; `{}` occurs twice", city.name));
        }
        cities.push(city);
    }
    Ok(cities)
}

fn city(entry: &str) -> Option<CityConfig> {
    let (name, source) = entry.split_once('=')?;
    // A path may hold an `@` as well.
    let placed = source.rsplit_once('@');
    let placed = placed.and_then(|(source, at)| Some((source, lon_lat(at).ok()??)));
    let (source, origin) = placed.map_or((source, None), |(source, at)| (source, Some(at)));
    let (name, source) = (name.trim(), source.trim());
    let source = (!source.is_empty()).then(|| source.parse().ok())??;
    is_city_name(name).then(|| CityConfig { name: name.into(), source, origin })
}

/// Settings of this section.
pub(super) const SETTINGS: &[Setting] = &[
    setting!(
        "map.source",
        "\"city\"",
        "Street map: a file that `meshcloak map` reads, or the built-in city (city:STREETS:SEED).",
        |c, text| {
            c.map.source = text.parse().map_err(|_| "a map, as in porto.osm.pbf or city:7000:1")?;
        }
    ),
    setting!(
        "map.name",
        "\"city\"",
        "Name of the city of `map.source`, 1 to 32 of a-z, 0-9 and -.",
        |c, text| {
            let valid = is_city_name(text).then(|| text.to_owned());
            c.map.name = valid.ok_or("a name of 1 to 32 of a-z, 0-9 and -")?;
        }
    ),
    setting!(
        "map.cities",
        "[]",
        "Several cities instead of `map.source`: a list of NAME=SOURCE or NAME=SOURCE@LON,LAT; [] for one city.",
        |c, text| c.map.several = cities(text)?
    ),
    setting!(
        "map.pois",
        "\"\"",
        "File of additional points of interest, CSV; \"\" adds none.",
        |c, text| c.map.pois = path(text)
    ),
    setting!(
        "map.origin",
        "\"\"",
        "LON,LAT of the origin of a map in metres, in degrees; \"\" if the map has lon/lat.",
        |c, text| c.map.origin = lon_lat(text)?
    ),
    setting!(
        "map.snap",
        "50",
        "Largest snapping distance to a street in metres, 0 to 1000000; 0 disables the limit.",
        |c, text| c.map.snap = snap(text)?
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cities_have_distinct_names_and_an_origin_if_given() {
        let parsed = cities("porto = a=b@c.meshmap; b=city:500:7@8.2,-53.1 ;").unwrap();
        let names: Vec<&str> = parsed.iter().map(|city| &*city.name).collect();
        assert_eq!(names, ["porto", "b"]);
        assert_eq!(parsed[0].source, MapSource::File("a=b@c.meshmap".into()));
        assert_eq!(parsed[0].origin, None);
        assert_eq!(parsed[1].source, "city:500:7".parse().unwrap());
        assert_eq!(parsed[1].origin, Some(LonLat { lon: 8.2, lat: -53.1 }));
        for bad in ["porto", "=a", "a=", "A=b", "a=city:9", "a=@8,50", "a=b;;c"] {
            assert!(cities(bad).unwrap_err().contains("NAME=SOURCE"), "{bad}");
        }
        assert!(cities("a=b;a=c").unwrap_err().contains("`a` occurs twice"));
        assert_eq!(cities(""), Ok(Vec::new()));
    }

    #[test]
    fn without_a_list_the_source_is_the_only_city() {
        let mut config = MapConfig { name: "porto".into(), ..MapConfig::default() };
        let only = config.cities();
        assert_eq!((only.len(), &*only[0].name, &only[0].source), (1, "porto", &config.source));
        config.several = cities("a=x;b=y").unwrap();
        assert_eq!(config.cities().len(), 2);
        assert_eq!(config.first_source(), &MapSource::File("x".into()));
    }
}
