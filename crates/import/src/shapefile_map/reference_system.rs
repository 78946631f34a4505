//! Unit of the coordinates, from the reference system (`.prj`, well-known text).

use crate::error::{FileLocation, ImportError, Problem};
use crate::line_network::LineUnit;
use std::fs::File;
use std::io::Read as _;
use std::path::Path;

/// Longest text of a reference system, in bytes.
const MAX_BYTES: u64 = 1 << 16;

/// Reads the text of a reference system.
pub(super) fn read_file(path: &Path) -> Result<String, ImportError> {
    let problem = |error| FileLocation::File.of(path, error);
    let mut bytes = Vec::new();
    File::open(path).map_err(problem)?.take(MAX_BYTES).read_to_end(&mut bytes).map_err(problem)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Returns the unit of the coordinates, and a note if it is guessed. `corners` are those of the map.
///
/// # Errors
/// If the reference system is neither geographic in degrees from Greenwich nor a plane in metres.
pub(super) fn unit(
    text: Option<&str>,
    corners: [(f64, f64); 2],
) -> Result<(LineUnit, Option<&'static str>), Problem> {
    let Some(text) = text.map(str::trim).filter(|text| !text.is_empty()) else {
        let fits = corners.iter().all(|(x, y)| x.abs() <= 180.0 && y.abs() <= 90.0);
        return Ok(match fits {
            true => (LineUnit::Degrees, Some("no .prj file: coordinates are taken as lon/lat")),
            false => (LineUnit::Metres, Some("no .prj file: coordinates are taken as metres")),
        });
    };
    let upper = text.to_ascii_uppercase();
    let factor = last_factor(&upper, "UNIT[");
    if ["GEOGCS[", "GEOGCRS[", "GEODCRS["].iter().any(|start| upper.starts_with(start)) {
        let is_degree = factor.is_some_and(|f| (f / 1.0_f64.to_radians() - 1.0).abs() < 1e-6);
        let is_greenwich = last_factor(&upper, "PRIMEM[").is_none_or(|lon| lon == 0.0);
        return match is_degree && is_greenwich {
            true => Ok((LineUnit::Degrees, None)),
            false => Err(unsupported(text, "degrees from Greenwich")),
        };
    }
    let is_plane = upper.starts_with("PROJCS[") || upper.starts_with("PROJCRS[");
    let is_web = ["AUXILIARY_SPHERE", "PSEUDO-MERCATOR", "POPULAR VISUALISATION"];
    let is_metric = factor == Some(1.0) && !is_web.iter().any(|name| upper.contains(name));
    match is_plane && is_metric {
        true => Ok((LineUnit::Metres, None)),
        false => Err(unsupported(text, "lon/lat or a plane in metres that keeps distances")),
    }
}

fn unsupported(text: &str, expected: &str) -> Problem {
    let name = text.split('"').nth(1).unwrap_or(text);
    let name: String = name.chars().take(80).collect();
    Problem::Unsupported(format!(
        "reference system `{name}`; expected {expected}; convert the layer with `ogr2ogr -t_srs \
         EPSG:4326`"
    ))
}

/// Number after the name in the last `KEY["name",number`.
fn last_factor(text: &str, key: &str) -> Option<f64> {
    let (_, rest) = text.rsplit_once(key)?;
    let (_, rest) = rest.split_once(',')?;
    let end = rest.find([',', ']']).unwrap_or(rest.len());
    rest.get(..end)?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const CITY: [(f64, f64); 2] = [(8.1, 53.0), (8.3, 53.2)];
    const PLANE: [(f64, f64); 2] = [(440_000.0, 5_880_000.0), (450_000.0, 5_890_000.0)];
    const WGS84: &str = r#"GEOGCS["GCS_WGS_1984",DATUM["D_WGS_1984",SPHEROID["WGS_1984",6378137.0,298.257223563]],PRIMEM["Greenwich",0.0],UNIT["Degree",0.0174532925199433]]"#;

    fn plane(projection: &str, unit: &str) -> String {
        format!(r#"PROJCS["WGS_1984_UTM_Zone_32N",{WGS84},PROJECTION["{projection}"],{unit}]"#)
    }

    #[test]
    fn the_unit_is_that_of_the_reference_system() {
        assert_eq!(unit(Some(WGS84), CITY).unwrap(), (LineUnit::Degrees, None));
        let metric = plane("Transverse_Mercator", r#"UNIT["Meter",1.0]"#);
        assert_eq!(unit(Some(&metric), PLANE).unwrap(), (LineUnit::Metres, None));
        let epsg = plane("Transverse_Mercator", r#"UNIT["metre",1,AUTHORITY["EPSG","9001"]]"#);
        assert_eq!(unit(Some(&epsg), PLANE).unwrap(), (LineUnit::Metres, None));
        assert_eq!(unit(None, CITY).unwrap().0, LineUnit::Degrees);
        assert_eq!(unit(Some(" "), PLANE).unwrap().0, LineUnit::Metres);
    }

    #[test]
    fn other_reference_systems_are_refused_by_name() {
        let feet = plane("Lambert_Conformal_Conic", r#"UNIT["Foot_US",0.3048006096012192]"#);
        let web = plane("Mercator_Auxiliary_Sphere", r#"UNIT["Meter",1.0]"#);
        let paris = WGS84.replace("\"Greenwich\",0.0", "\"Paris\",2.33722917");
        for text in [&feet, &web, &paris, "LOCAL_CS[\"x\",UNIT[\"Meter\",1.0]]", "nonsense"] {
            let message = unit(Some(text), CITY).unwrap_err().to_string();
            assert!(message.contains("reference system `"), "{text}: {message}");
            assert!(message.contains("ogr2ogr"), "{message}");
        }
        let message = unit(Some(&feet), CITY).unwrap_err().to_string();
        assert!(message.contains("`WGS_1984_UTM_Zone_32N`"), "{message}");
    }
}
