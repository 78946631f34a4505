//! Maps of an experiment: counterparts of the paper's five maps, other maps by name or path, and the
//! built-in city.

use crate::provenance::Machine;
use crate::results::MapRow;
use import::{ImportError, Imported, MapSource, Options};
use meshcloak::distance::Atlas;
use meshcloak::map::Extent;
use meshcloak::units::Length;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

/// Counterparts of the maps of the paper.
pub const PAPER: [&str; 5] = ["oldenburg", "stockton", "paris", "porto", "porto-alegre"];

/// Names of known maps with their paths in the map folder.
pub const NAMES: [(&str, &str); 8] = [
    ("oldenburg", "oldenburg/oldenburgGen.node"),
    ("stockton", "stockton/stockton.node"),
    ("paris", "paris/paris.nodes.csv.gz"),
    ("porto", "porto/porto-city.osm.pbf"),
    ("porto-alegre", "porto-alegre/porto-alegre.osm.pbf"),
    ("porto-region", "porto/porto_portugal.osm.pbf"),
    ("baltimore", "baltimore/baltimore.osm.pbf"),
    ("bad-hersfeld", "bad-hersfeld/bad-hersfeld.osm.xml.gz"),
];

/// Largest distance constraint, in metres.
pub const DC_MAX: f64 = 2000.0;

/// Suffix of the name of an OSM map of which every node is a terminal, as in Table II of the paper.
pub const EVERY_NODE: &str = "@every-node";

/// Name and source of a map.
#[derive(Clone, Debug, PartialEq)]
pub struct MapPlan {
    /// Name in tables.
    pub name: String,
    /// File or generated city.
    pub source: MapSource,
    /// Whether every node of an OSM map is a terminal.
    pub every_node: bool,
    /// Additional points of interest, CSV.
    pub pois: Option<PathBuf>,
}

impl MapPlan {
    /// Resolves the text of an experiment: a known name, a path or a city. `+FILE.csv` behind it adds
    /// points of interest; relative paths of these files start at the map folder. Without a map
    /// folder a known name stands for the built-in city, without additions.
    pub fn of(text: &str, folder: Option<&Path>) -> Result<MapPlan, ImportError> {
        let (text, pois) = match text.rsplit_once('+') {
            Some((map, file)) if is_table(file) => (map, Some(file)),
            _ => (text, None),
        };
        let (text, every_node) = match text.strip_suffix(EVERY_NODE) {
            Some(name) => (name, true),
            None => (text, false),
        };
        let known = NAMES.iter().find(|(name, _)| *name == text);
        let source = match (known, folder) {
            (Some((_, path)), Some(folder)) => MapSource::File(folder.join(path)),
            (Some(_), None) => MapSource::default(),
            (None, _) => text.parse()?,
        };
        let name = match (&source, known) {
            (MapSource::City(_), Some(_)) => "city".to_owned(),
            (MapSource::City(_), None) | (_, Some(_)) => text.to_owned(),
            (MapSource::File(path), None) => stem(path),
        };
        // A city is drawn with junctions only.
        let every_node = every_node && matches!(source, MapSource::File(_));
        let mut name = name + if every_node { EVERY_NODE } else { "" };
        let is_replaced = matches!(source, MapSource::City(_)) && known.is_some();
        let pois =
            pois.filter(|_| !is_replaced).map(|file| folder.unwrap_or(Path::new("")).join(file));
        if let Some(file) = &pois {
            name = format!("{name}+{}", stem(file));
        }
        Ok(MapPlan { name, source, every_node, pois })
    }

    /// Returns what distinguishes maps of one name: the parameters of a city, or name and size of
    /// the files.
    pub fn fingerprint(&self) -> String {
        let of_file = |path: &Path| {
            let size = std::fs::metadata(path).map_or(0, |file| file.len());
            format!("{} {size}", path.file_name().unwrap_or_default().to_string_lossy())
        };
        let source = match &self.source {
            MapSource::City(_) => self.source.to_string(),
            MapSource::File(path) => of_file(path) + if self.every_node { EVERY_NODE } else { "" },
        };
        self.pois.as_ref().map_or(source.clone(), |pois| format!("{source} {}", of_file(pois)))
    }

    /// Reads the largest strongly connected component of the map.
    pub fn read(&self) -> Result<Imported, ImportError> {
        self.read_extent(Extent::LargestPart)
    }

    /// Reads the map with all streets that the file has.
    pub fn read_whole(&self) -> Result<Imported, ImportError> {
        self.read_extent(Extent::Whole)
    }

    fn read_extent(&self, extent: Extent) -> Result<Imported, ImportError> {
        let mut options = Options { extent, ..Options::default() };
        options.osm.every_node = self.every_node;
        options.pois.clone_from(&self.pois);
        import::read_map(&self.source, &options, &())
    }

    /// Reads the map and computes its distances.
    pub fn prepare(&self) -> Result<(Arc<Atlas>, MapRow), ImportError> {
        let Imported { map, provenance, .. } = self.read()?;
        let begun = Instant::now();
        let max_bytes = Machine::detect().max_row_bytes();
        let atlas = Arc::new(Atlas::with_max_bytes(map, Length::metres(DC_MAX), max_bytes));
        // In advance, so that the times of batches do not include it.
        atlas.fill();
        let matrix_ms = begun.elapsed().as_secs_f64() * 1000.0;
        let row = MapRow {
            map: self.name.clone(),
            nodes: provenance.nodes,
            edges: provenance.edges,
            width_km: rounded(provenance.width / 1000.0),
            height_km: rounded(provenance.height / 1000.0),
            area_km2: rounded(provenance.width * provenance.height / 1e6),
            street_km: rounded(provenance.metres / 1000.0),
            matrix_ms: rounded(matrix_ms),
        };
        Ok((atlas, row))
    }
}

/// Whether a path names a CSV file.
fn is_table(path: &str) -> bool {
    path.ends_with(".csv") || path.ends_with(".csv.gz")
}

/// Name of a file without folder and extensions.
fn stem(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.split('.').next().unwrap_or_default().to_owned()
}

/// Rounds to three decimals.
fn rounded(number: f64) -> f64 {
    (number * 1000.0).round() / 1000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maps_are_found_by_name_path_or_city_parameters() {
        let name = |text, folder: Option<&str>| {
            let plan = MapPlan::of(text, folder.map(Path::new)).unwrap();
            (plan.name, plan.source.to_string())
        };
        let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
        let known = pair("porto", "/maps/porto/porto-city.osm.pbf");
        assert_eq!(name("porto", Some("/maps")), known.clone());
        assert_eq!(name("porto", None).0, "city");
        assert_eq!(name("porto@every-node", Some("/maps")), pair("porto@every-node", &known.1));
        assert_eq!(name("porto@every-node", None).0, "city");
        assert_eq!(name("city:500:7", None), pair("city:500:7", "city:500:7"));
        assert_eq!(name("own/my-town.osm.pbf", None), pair("my-town", "own/my-town.osm.pbf"));
        assert!(MapPlan::of("city:3", None).is_err());
    }

    #[test]
    fn points_of_interest_are_added_to_any_map_and_change_its_name() {
        let plan = |text, folder: Option<&str>| MapPlan::of(text, folder.map(Path::new)).unwrap();
        let porto = plan("porto+porto/PORTO_POIs.csv", Some("/maps"));
        assert_eq!(porto.name, "porto+PORTO_POIs");
        assert_eq!(porto.pois.as_deref(), Some(Path::new("/maps/porto/PORTO_POIs.csv")));
        assert_eq!(porto.source.to_string(), "/maps/porto/porto-city.osm.pbf");
        let replaced = plan("porto+porto/PORTO_POIs.csv", None);
        assert_eq!((replaced.name.as_str(), &replaced.pois), ("city", &None));
        let file = plan("a+b.osm.pbf", None);
        assert_eq!((file.source.to_string().as_str(), &file.pois), ("a+b.osm.pbf", &None));
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("more.csv"), "x,y,category\n10,10,observatory\n")
            .unwrap();
        let city = MapPlan::of("city:500:7+more.csv", Some(folder.path())).unwrap();
        let plain = MapPlan::of("city:500:7", None).unwrap();
        let categories = |plan: &MapPlan| {
            let map = plan.read().unwrap().map;
            map.pois().filter(|&poi| map.category(poi) == "observatory").count()
        };
        assert_eq!((categories(&plain), categories(&city)), (0, 1));
        assert_ne!(plain.fingerprint(), city.fingerprint());
        let missing = MapPlan::of("city:500:7+none.csv", Some(folder.path())).unwrap();
        assert!(missing.read().unwrap_err().to_string().contains("none.csv: no such file"));
    }

    #[test]
    fn the_row_of_a_city_holds_its_size() {
        let (atlas, row) = MapPlan::of("city:500:7", None).unwrap().prepare().unwrap();
        assert!(atlas.map().street_count() > 400);
        assert!(row.nodes > 100 && row.street_km > 1.0 && row.area_km2 > 0.1);
    }
}
