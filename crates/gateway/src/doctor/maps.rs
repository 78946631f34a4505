//! Street maps: whether they can be read, and whether they hold what the service needs.

use super::Finding;
use crate::city_map::CityMaps;
use crate::config::{CityConfig, Config};
use crate::prepare::read_walker;
use crate::users::Users;
use crate::walk::Walker;
use import::Progress;
use std::sync::Arc;

/// A map that was read.
pub(super) struct ExaminedMap {
    pub name: String,
    pub walker: Arc<Walker>,
}

/// Reads all maps, and the settings of users, which are bound to them.
pub(super) fn examine(
    config: &Config,
    progress: &dyn Progress,
) -> (Vec<ExaminedMap>, Vec<Finding>) {
    let (mut maps, mut findings) = (Vec::new(), Vec::new());
    for city in config.map.cities() {
        match read_walker(config, &city, progress) {
            Ok(walker) => {
                findings.extend(judge(config, &city, &walker));
                maps.push(ExaminedMap { name: city.name, walker });
            }
            Err(error) => findings.push(Finding::problem(
                "map",
                format!("{}: {error}", city.name),
                "`meshcloak map info FILE` reads a map alone; set `map.source` to an OpenStreetMap \
                 extract (.osm.pbf) or a file of `meshcloak map convert`",
            )),
        }
    }
    if let Some(path) = config.users.file.as_deref().filter(|_| !maps.is_empty()) {
        let named = maps.iter().map(|map| (map.name.clone(), Arc::clone(&map.walker)));
        let users = Users::check(path, &CityMaps::new(named, config.map.snap));
        let advice = "restore the file from a copy, or move it away: users then have no settings";
        findings
            .extend(users.err().map(|error| Finding::problem("files", error.to_string(), advice)));
    }
    (maps, findings)
}

fn judge(config: &Config, city: &CityConfig, walker: &Walker) -> Vec<Finding> {
    let map = walker.map();
    let (streets, pois) = (map.street_count(), map.pois().count());
    let mut findings = vec![Finding::ok(
        "map",
        format!("{}: {streets} streets, {pois} points of interest", city.name),
    )];
    if pois == 0 && config.service.source == "built-in" {
        findings.push(Finding::problem(
            "map",
            format!("{}: the built-in service has no points of interest", city.name),
            "add them with `map.pois`, or set `service.source` to a database or service",
        ));
    }
    let source = city.source.to_string();
    if source.ends_with(".osm.pbf") || source.ends_with(".osm") {
        findings.push(Finding::warning(
            "map",
            format!("{}: an OpenStreetMap file is read anew at each start", city.name),
            format!("`meshcloak map convert {source} {}.meshmap` opens in milliseconds", city.name),
        ));
    }
    if config.map.snap.is_none() {
        findings.push(Finding::warning(
            "map",
            "`map.snap` = 0: positions on the other side of the Earth are moved to a street",
            "set `map.snap` to 50",
        ));
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::Severity;

    fn found(config: &Config) -> Vec<(Severity, String)> {
        let findings = examine(config, &()).1.into_iter();
        findings.map(|finding| (finding.severity, finding.message)).collect()
    }

    fn config(source: &str) -> Config {
        let mut config = Config::default();
        config.map.source = source.parse().unwrap();
        config
    }

    #[test]
    fn a_good_map_is_described() {
        let found = found(&config("city:500:7"));
        let [(Severity::Ok, message)] = &found[..] else { panic!("{found:?}") };
        assert!(message.contains("streets") && message.contains("points of interest"), "{message}");
    }

    #[test]
    fn a_map_that_is_missing_or_useless_is_a_problem() {
        let (severity, message) = &found(&config("missing.osm.pbf"))[0];
        assert_eq!(*severity, Severity::Problem, "{message}");

        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("empty.osm");
        let xml = "<osm><node id=\"1\" lat=\"48\" lon=\"9\"/><node id=\"2\" lat=\"48\" lon=\"9.01\"/>\
                   <way id=\"3\"><nd ref=\"1\"/><nd ref=\"2\"/><tag k=\"highway\" v=\"residential\"/>\
                   </way></osm>";
        std::fs::write(&path, xml).unwrap();
        let mut config = config(path.to_str().unwrap());
        config.map.snap = None;
        let found = found(&config);
        let has = |severity, word: &str| {
            found.iter().any(|(found, text)| *found == severity && text.contains(word))
        };
        assert!(has(Severity::Problem, "no points of interest"), "{found:?}");
        assert!(has(Severity::Warning, "read anew"), "{found:?}");
        assert!(has(Severity::Warning, "`map.snap`"), "{found:?}");
    }

    #[test]
    fn broken_settings_of_users_are_a_problem() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("users.json");
        std::fs::write(&path, "{\"broken").unwrap();
        let mut config = config("city:500:7");
        config.users.file = Some(path);
        assert!(found(&config).iter().any(|(severity, _)| *severity == Severity::Problem));
    }
}
