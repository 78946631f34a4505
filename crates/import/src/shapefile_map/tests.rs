use super::*;
use crate::csv_map::{self, CsvFiles};
use crate::testing::whole;
use dbase::{FieldName, FieldValue, Record, TableWriterBuilder};
use meshcloak::map::{Extent, Frame, MapBuilder, RawStreet, StreetId, StreetMap};
use meshcloak::town::Town;
use meshcloak::units::{LonLat, Point};
use rand::RngExt as _;
use shapefile::{Polyline, ShapeWriter};
use std::collections::BTreeSet;
use std::io::Cursor;

const WGS84: &str = r#"GEOGCS["GCS_WGS_1984",DATUM["D_WGS_1984",SPHEROID["WGS_1984",6378137.0,298.257223563]],PRIMEM["Greenwich",0.0],UNIT["Degree",0.0174532925199433]]"#;

/// A line of a file: parts, and the fields id, oneway, name and highway.
type Row = (Vec<Vec<(f64, f64)>>, [String; 4]);

/// Main file and attribute table.
pub(crate) fn written(rows: &[Row]) -> (Vec<u8>, Vec<u8>) {
    let mut shapes = Cursor::new(Vec::new());
    let mut writer = ShapeWriter::new(&mut shapes);
    for (parts, _) in rows {
        let point = |&(x, y): &(f64, f64)| shapefile::Point::new(x, y);
        let parts = parts.iter().map(|part| part.iter().map(point).collect()).collect();
        writer.write_shape(&Polyline::with_parts(parts)).unwrap();
    }
    drop(writer);
    let mut table = Cursor::new(Vec::new());
    let field = |name: &str| FieldName::try_from(name).unwrap();
    const FIELDS: [&str; 4] = ["OSM_ID", "OneWay", "name", "highway"];
    let mut builder = TableWriterBuilder::new();
    for name in FIELDS {
        builder = builder.add_character_field(field(name), 40);
    }
    let mut writer = builder.build_with_dest(&mut table);
    for (_, texts) in rows {
        let mut record = Record::default();
        for (name, text) in FIELDS.iter().zip(texts) {
            let value = Some(text.clone()).filter(|text| !text.is_empty());
            record.insert((*name).to_owned(), FieldValue::Character(value));
        }
        writer.write_record(&record).unwrap();
    }
    writer.finalize().unwrap();
    drop(writer);
    (shapes.into_inner(), table.into_inner())
}

fn read_bytes(
    (shapes, attributes): (Vec<u8>, Vec<u8>),
    reference_system: Option<&str>,
) -> Result<Draft, PartProblem> {
    assert!(is_shapefile(&shapes));
    let reference_system = reference_system.map(str::to_owned);
    let (shapes, attributes) = (Cursor::new(shapes), Cursor::new(attributes));
    Sources { shapes, attributes, reference_system }.read(&())
}

/// A town with bends in millimetres, names and classes; lengths are those of the shapes.
fn bent_town(seed: u64) -> StreetMap {
    let town = Town::random(seed).map;
    let mut random = Town::generator(seed);
    let mut builder = MapBuilder::new();
    for terminal in town.terminals() {
        builder.terminal(town.terminal_label(terminal), town.terminal(terminal)).unwrap();
    }
    for id in town.streets() {
        let street = town.street(id);
        // A line without extent is not a street.
        let is_loop = town.terminal(street.from) == town.terminal(street.to);
        let min_bends = if is_loop { 2 } else { 0 };
        let mut side = || (random.random_range(-9e5..9e5_f64)).round() / 1000.0;
        let bends: Vec<Point> =
            (0..min_bends + id.0 % 3).map(|_| Point::new(side(), side())).collect();
        let raw = RawStreet {
            one_way: street.one_way,
            bends: &bends,
            name: ["", "Weiße Straße", "a,b"][id.0 as usize % 3],
            class: ["", "service"][id.0 as usize % 2],
            ..RawStreet::new(town.street_label(id), street.from, street.to)
        };
        builder.street(raw).unwrap();
    }
    builder.build(Extent::Whole).unwrap().map
}

/// Rows of a map. Every other one-way street is drawn against its direction.
fn rows(map: &StreetMap, place: impl Fn(Point) -> (f64, f64)) -> Vec<Row> {
    let row = |id: StreetId| {
        let mut line: Vec<(f64, f64)> = map.shape(id).iter().map(|&point| place(point)).collect();
        let is_reversed = map.street(id).one_way && id.0.is_multiple_of(2);
        if is_reversed {
            line.reverse();
        }
        let direction = match (map.street(id).one_way, is_reversed) {
            (false, _) => ["", "no", "B"][id.0 as usize % 3],
            (true, false) => ["yes", "F", "1"][id.0 as usize % 3],
            (true, true) => ["-1", "T", "TF"][id.0 as usize % 3],
        };
        let [name, class] = [map.street_name(id), map.class(id)].map(Option::unwrap_or_default);
        let texts = [map.street_label(id), direction, name, class].map(str::to_owned);
        (vec![line], texts)
    };
    map.streets().map(row).collect()
}

/// What both formats keep of a street.
type Kept = (String, bool, Vec<Point>, f64, Option<String>, Option<String>);

fn kept(map: &StreetMap) -> Vec<Kept> {
    let texts = |text: Option<&str>| text.map(str::to_owned);
    let street = |id: StreetId| {
        let shape = map.shape(id).to_vec();
        let (name, class) = (texts(map.street_name(id)), texts(map.class(id)));
        let label = map.street_label(id).to_owned();
        (label, map.street(id).one_way, shape, map.metres(id), name, class)
    };
    map.streets().map(street).collect()
}

#[test]
fn a_town_is_the_same_from_a_shapefile_and_from_csv() {
    let folder = tempfile::tempdir().unwrap();
    let mut streets = 0;
    for seed in 0..500 {
        let map = bent_town(seed);
        let files = CsvFiles::of_stem(&folder.path().join("m"), "");
        csv_map::write(&map, &files).unwrap();
        let files = CsvFiles { pois: None, ..files };
        let csv = whole(csv_map::read(&files, None, &()).unwrap());
        let draft = read_bytes(written(&rows(&map, |p| (p.x, p.y))), Some(PLANE)).unwrap();
        let shapes = whole(draft);
        assert_eq!(kept(&shapes), kept(&csv), "seed {seed}");
        // Terminals at the same place are one terminal of lines.
        let ends = |id: StreetId| [csv.street(id).from, csv.street(id).to];
        let places = csv.streets().flat_map(ends).map(|end| csv.terminal(end));
        let places: BTreeSet<[u64; 2]> = places.map(|p| [p.x.to_bits(), p.y.to_bits()]).collect();
        assert_eq!(shapes.terminal_count(), places.len(), "seed {seed}");
        streets += map.street_count();
    }
    assert!(streets > 2_000, "{streets}");
}

const PLANE: &str = r#"PROJCS["P",GEOGCS["G",UNIT["Degree",0.0174532925199433]],PROJECTION["Transverse_Mercator"],UNIT["Meter",1.0]]"#;

#[test]
fn degrees_are_projected() {
    let map = bent_town(7);
    let frame = Frame::at(LonLat { lon: 8.2, lat: 53.1 });
    let place = |point: Point| {
        let LonLat { lon, lat } = frame.lon_lat(point);
        (lon, lat)
    };
    let read = whole(read_bytes(written(&rows(&map, place)), Some(WGS84)).unwrap());
    assert!(read.frame().is_some());
    for (mine, expected) in kept(&read).iter().zip(kept(&map)) {
        assert_eq!(mine.0, expected.0);
        assert!((mine.3 / expected.3 - 1.0).abs() < 2e-3, "{} and {}", mine.3, expected.3);
    }
}

fn row(line: &[(f64, f64)], id: &str) -> Row {
    (vec![line.to_vec()], [id, "", "", ""].map(str::to_owned))
}

#[test]
fn parts_are_lines_and_lines_meet_at_common_vertices() {
    let across = row(&[(2.0, 48.0), (2.01, 48.0), (2.02, 48.0)], "a");
    let parts = vec![vec![(2.01, 48.0), (2.01, 48.01)], vec![(2.03, 48.0), (2.03, 48.0)]];
    let two = (parts, ["b", "", "", ""].map(str::to_owned));
    let draft = read_bytes(written(&[across, two]), None).unwrap();
    let notes = ["no .prj file: coordinates are taken as lon/lat", "1 records that are not lines"];
    assert_eq!(draft.notes, notes);
    let map = whole(draft);
    let labels: Vec<&str> = map.streets().map(|street| map.street_label(street)).collect();
    assert_eq!(labels, ["a", "a#2", "b"]);
}

#[test]
fn problems_name_file_and_record() {
    let rows =
        |x: f64| [row(&[(2.0, 48.0), (2.1, 48.0)], "1"), row(&[(2.0, 48.0), (x, 48.1)], "2")];
    let message = |bytes, system| {
        let (part, found) = read_bytes(bytes, system).unwrap_err();
        (part, found.of(Path::new("f")).to_string())
    };
    let (part, text) = message(written(&rows(200.0)), Some(WGS84));
    assert_eq!(part, Part::Shapes);
    assert!(text.starts_with("f, row 2: field `coordinates` is `200,48.1`"), "{text}");
    let (shapes, table) = written(&rows(2.2));
    let (part, text) = message((shapes[..shapes.len() - 3].to_vec(), table.clone()), None);
    assert_eq!(part, Part::Shapes);
    assert!(text.starts_with("f, row 2: unexpected end of file"), "{text}");
    let (_, other) = written(&rows(2.2)[..1]);
    let (part, text) = message((shapes.clone(), other), None);
    assert_eq!(part, Part::Attributes);
    assert!(text.starts_with("f, row 2: damaged: 1 records; expected one for each"), "{text}");
    let (one, _) = written(&rows(2.2)[..1]);
    let (part, text) = message((one, table.clone()), None);
    assert_eq!(
        (part, &*text),
        (Part::Attributes, "f: damaged: 2 records for 1 shapes of the .shp file")
    );
    let mut deleted = table;
    let length = deleted.len();
    // A record is a flag and four fields of 40 bytes; the file ends with one byte.
    deleted[length - 162] = b'*';
    assert!(message((shapes, deleted), None).1.contains("row 2: not supported: a deleted record"));
}

#[test]
fn a_record_that_declares_more_points_than_the_file_has_is_refused() {
    let (mut shapes, table) = written(&[row(&[(2.0, 48.0), (2.1, 48.0)], "1")]);
    // Record header at 100: number, length in words (big-endian); number of points at 148.
    let points = 100_000_000_u32;
    let words = (44 + 4 + points * 16) / 2;
    shapes[104..108].copy_from_slice(&words.to_be_bytes());
    shapes[148..152].copy_from_slice(&points.to_le_bytes());
    let (part, found) = read_bytes((shapes, table), None).unwrap_err();
    assert_eq!(part, Part::Shapes);
    assert!(found.of(Path::new("f")).to_string().starts_with("f, row 1: "));
}

#[test]
fn a_map_is_found_by_any_of_its_files() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let (shapes, table) = written(&[row(&[(2.0, 48.0), (2.1, 48.0)], "1")]);
    std::fs::write(path("m.shp"), &shapes).unwrap();
    let missing = crate::detect::detect(&path("m.shp")).unwrap_err().to_string();
    assert!(missing.ends_with("m.dbf` is missing"), "{missing}");
    std::fs::write(path("m.shx"), &shapes[..100]).unwrap();
    std::fs::write(path("m.dbf"), table).unwrap();
    std::fs::write(path("m.prj"), WGS84).unwrap();
    for name in ["m", "m.shp", "m.shx", "m.dbf"] {
        let source = crate::MapSource::File(path(name));
        let options = crate::Options { extent: Extent::Whole, ..crate::Options::default() };
        let read = crate::read_map(&source, &options, &()).unwrap();
        assert_eq!(read.provenance.format, "Shapefile", "{name}");
        assert_eq!(read.map.street_count(), 1, "{name}");
        assert!(read.notes.is_empty(), "{:?}", read.notes);
    }
}
