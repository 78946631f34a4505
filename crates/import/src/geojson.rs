//! GeoJSON writer: streets as lines, points of interest as points, lon/lat with seven decimals
//! (1 cm). One feature per line, streamed.

use crate::error::{FileLocation, ImportError, Problem};
use crate::lon_lat::LonLatConverter;
use crate::output::Output;
use meshcloak::map::{PoiId, StreetId, StreetMap};
use meshcloak::units::{LonLat, Point};
use std::io::{self, Write};
use std::path::Path;

/// Writes a map that has a geographic frame.
pub(crate) fn write(map: &StreetMap, path: &Path) -> Result<(), ImportError> {
    if map.frame().is_none() {
        return Err(FileLocation::File.of(path, Problem::NoFrame("GeoJSON")));
    }
    let lon_lats = LonLatConverter::of(map).map_err(|error| FileLocation::File.of(path, error))?;
    let mut output = Output::new();
    output.file(path, |out| write_collection(map, &lon_lats, out))?;
    output.commit()
}

fn write_collection(
    map: &StreetMap,
    lon_lats: &LonLatConverter,
    out: &mut dyn Write,
) -> io::Result<()> {
    out.write_all(b"{\"type\":\"FeatureCollection\",\"features\":[")?;
    for street in map.streets() {
        out.write_all(if street.0 == 0 { b"\n" } else { b",\n" })?;
        write_street(map, lon_lats, street, out)?;
    }
    for poi in map.pois() {
        out.write_all(b",\n")?;
        write_poi(map, lon_lats, poi, out)?;
    }
    out.write_all(b"\n]}\n")
}

fn write_street(
    map: &StreetMap,
    lon_lats: &LonLatConverter,
    id: StreetId,
    out: &mut dyn Write,
) -> io::Result<()> {
    let street = map.street(id);
    out.write_all(
        b"{\"type\":\"Feature\",\"geometry\":{\"type\":\"LineString\",\"coordinates\":[",
    )?;
    for (index, &point) in map.shape(id).iter().enumerate() {
        if index > 0 {
            out.write_all(b",")?;
        }
        write_point(lon_lats, point, out)?;
    }
    out.write_all(b"]},\"properties\":{\"kind\":\"street\"")?;
    write_text("id", Some(map.street_label(id)), out)?;
    write_text("from", Some(map.terminal_label(street.from)), out)?;
    write_text("to", Some(map.terminal_label(street.to)), out)?;
    write!(out, ",\"length\":{},\"oneway\":{}", map.metres(id), street.one_way)?;
    write_text("name", map.street_name(id), out)?;
    write_text("class", map.class(id), out)?;
    out.write_all(b"}}")
}

fn write_poi(
    map: &StreetMap,
    lon_lats: &LonLatConverter,
    id: PoiId,
    out: &mut dyn Write,
) -> io::Result<()> {
    out.write_all(b"{\"type\":\"Feature\",\"geometry\":{\"type\":\"Point\",\"coordinates\":")?;
    write_point(lon_lats, map.poi(id).point, out)?;
    out.write_all(b"},\"properties\":{\"kind\":\"poi\"")?;
    write_text("id", map.poi_label(id), out)?;
    write_text("category", Some(map.category(id)), out)?;
    write_text("name", map.poi_name(id), out)?;
    out.write_all(b"}}")
}

fn write_point(lon_lats: &LonLatConverter, point: Point, out: &mut dyn Write) -> io::Result<()> {
    let LonLat { lon, lat } = lon_lats.at(point).ok_or(io::ErrorKind::InvalidInput)?;
    write!(out, "[{lon:.7},{lat:.7}]")
}

/// Writes a property, if it has a value.
fn write_text(property: &str, text: Option<&str>, out: &mut dyn Write) -> io::Result<()> {
    let Some(text) = text else { return Ok(()) };
    write!(out, ",\"{property}\":")?;
    serde_json::to_writer(out, text).map_err(io::Error::from)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::plain_street;
    use meshcloak::map::{Extent, Frame, MapBuilder, RawPoi, RawStreet};
    use meshcloak::town::town;

    fn two_streets() -> StreetMap {
        let mut builder = MapBuilder::new();
        builder.set_frame(Frame::at(LonLat { lon: 2.3, lat: 48.8 }));
        let a = builder.terminal("A", Point::new(0.0, 0.0)).unwrap();
        let b = builder.terminal("B \"b\"", Point::new(100.0, 0.0)).unwrap();
        let bends = [Point::new(50.0, 60.0)];
        let plain = plain_street("s1", a, b);
        let straight =
            RawStreet { one_way: true, name: "Weiße\nGasse", class: "service", ..plain };
        builder.street(straight).unwrap();
        let bent = RawStreet { label: "s2", bends: &bends, one_way: false, ..straight };
        builder.street(RawStreet { name: "", class: "", ..bent }).unwrap();
        let (label, category, name) = ("n7", "cafe", "Chez \\ Élise");
        builder.poi(RawPoi { label, point: Point::new(3.0, 4.0), category, name }).unwrap();
        builder.build(Extent::Whole).unwrap().map
    }

    #[test]
    fn streets_and_points_of_interest_become_features() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("m.geojson");
        write(&two_streets(), &path).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        let json: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(json["type"], "FeatureCollection");
        let features = json["features"].as_array().unwrap();
        assert_eq!(features.len(), 3);
        let expected = serde_json::json!({
            "kind": "street", "id": "s1", "from": "A", "to": "B \"b\"", "length": 100,
            "oneway": true, "name": "Weiße\nGasse", "class": "service",
        });
        assert_eq!(features[0]["properties"], expected);
        assert_eq!(features[0]["geometry"]["type"], "LineString");
        assert_eq!(features[0]["geometry"]["coordinates"][0], serde_json::json!([2.3, 48.8]));
        assert_eq!(features[1]["geometry"]["coordinates"].as_array().unwrap().len(), 3);
        assert!(features[1]["properties"].get("name").is_none());
        let expected = serde_json::json!({
            "kind": "poi", "id": "n7", "category": "cafe", "name": "Chez \\ Élise",
        });
        assert_eq!(features[2]["properties"], expected);
        assert_eq!(features[2]["geometry"]["coordinates"][0], 2.300_040_8);
        write(&two_streets(), &path).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text, "same map, same bytes");
    }

    #[test]
    fn a_map_without_a_frame_is_rejected() {
        let map = town("A 0,0  B 100,0 | A-B").map;
        let error = write(&map, Path::new("m.geojson")).unwrap_err();
        let expected = "m.geojson: GeoJSON requires lon/lat but the map has only metres; \
                        set `--origin LON,LAT`";
        assert_eq!(error.to_string(), expected);
    }

    #[test]
    fn a_point_without_lon_lat_is_named_and_nothing_is_written() {
        let mut builder = MapBuilder::new();
        builder.set_frame(Frame::at(LonLat { lon: 2.3, lat: 48.8 }));
        let a = builder.terminal("A", Point::new(0.0, 0.0)).unwrap();
        let b = builder.terminal("B", Point::new(3.9e7, 3.9e7)).unwrap();
        builder.street(plain_street("s", a, b)).unwrap();
        let map = builder.build(Extent::Whole).unwrap().map;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("m.geojson");
        let error = write(&map, &path).unwrap_err().to_string();
        assert!(error.contains("m.geojson: `B` at 39000000, 39000000 is too far"), "{error}");
        assert!(std::fs::read_dir(folder.path()).unwrap().next().is_none());
    }
}
