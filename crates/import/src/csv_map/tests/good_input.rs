//! Accepted variants of CSV maps.

use super::{NODES, STREETS, read, read_bytes};
use crate::csv_map::{CsvFiles, TableKind, add_pois, detect_table};
use crate::testing::{assert_same_map, plain_street, real_map, whole};
use meshcloak::map::{MapBuilder, PoiId, StreetId, TerminalId};
use meshcloak::units::{LonLat, Point};
use std::io::Write as _;

#[test]
fn columns_may_be_in_any_order_with_unknown_ones_between() {
    let plain = whole(read(NODES, STREETS, None).unwrap());
    let nodes =
        "\u{feff}Y,note, ID ,x\r\n0,\"a, b\",A,0\r\n\r\n0,,B,100\r\n75,\"two\nlines\",C,100";
    let streets = "to,from,id\r\nB,A,s1\r\nC,B,s2\r\n";
    assert_same_map(&whole(read(nodes, streets, None).unwrap()), &plain, &"shuffled");
}

#[test]
fn ids_are_text() {
    let nodes = "id,x,y\n007,0,0\n7,5,5\n\"a,\"\"b\"\"\", 1 , 2 \n";
    let map = whole(read(nodes, "id,from,to\n1,007,7\n01,7,\"a,\"\"b\"\"\"\n", None).unwrap());
    assert_eq!(map.terminal_label(TerminalId(2)), "a,\"b\"");
    assert_eq!(map.terminal(TerminalId(2)), Point::new(1.0, 2.0));
    assert_eq!(map.street_label(StreetId(1)), "01");
}

#[test]
fn all_spellings_of_booleans_are_accepted() {
    for (word, one_way) in [
        ("1", true),
        ("TRUE", true),
        ("Yes", true),
        (" yes ", true),
        ("0", false),
        ("False", false),
        ("NO", false),
        ("", false),
    ] {
        let streets = format!("id,from,to,oneway\ns,A,B,{word}\n");
        let map = whole(read(NODES, &streets, None).unwrap());
        assert_eq!(map.street(StreetId(0)).one_way, one_way, "{word}");
    }
}

#[test]
fn shape_name_class_and_length_of_a_street_are_read() {
    let streets = "id,from,to,length,oneway,shape,name,class\n\
                   s1,A,B,250.5,yes,\"LINESTRING (0.5 0.5, 50 60, 99.2 0)\",Weiße Gasse,service\n\
                   s2,B,C,,,,,\n\
                   s3,C,A,3,,,,\n";
    let draft = read(NODES, streets, None).unwrap();
    assert_eq!((draft.nodes, draft.edges), (3, 3));
    let built = draft.builder.build(meshcloak::map::Extent::Whole).unwrap();
    let (map, first) = (built.map, StreetId(0));
    assert_eq!(map.metres(first), 250.5);
    assert_eq!(
        map.shape(first),
        [(0.0, 0.0), (50.0, 60.0), (100.0, 0.0)].map(|(x, y)| Point::new(x, y))
    );
    assert_eq!((map.street_name(first), map.class(first)), (Some("Weiße Gasse"), Some("service")));
    assert_eq!(map.metres(StreetId(1)), 75.0);
    assert_eq!(map.metres(StreetId(2)), 125.0);
    assert_eq!(built.repairs.lengthened, 1);
}

#[test]
fn nodes_shapes_and_points_of_interest_in_lon_lat_are_projected() {
    let nodes = "id,lon,lat\nA,2.30,48.80\nB,2.31,48.80\nC,2.30,48.81\n";
    let streets = "id,from,to,shape\n\
                   s,A,B,\"LINESTRING (2.300001 48.8, 2.305 48.801, 2.31 48.8)\"\nt,B,C,\n";
    let pois = "lon,lat,cat,name\n2.305,48.801,cafe,Chez Élise\n";
    let map = whole(read(nodes, streets, Some(pois)).unwrap());
    let frame = map.frame().unwrap();
    let bend = frame.point(LonLat { lon: 2.305, lat: 48.801 });
    assert_eq!(map.shape(StreetId(0))[1], bend);
    assert_eq!(map.poi(PoiId(0)).point, bend);
    assert_eq!(map.poi_name(PoiId(0)), Some("Chez Élise"));
    assert!((map.terminal(TerminalId(2)).y - map.terminal(TerminalId(0)).y - 1112.0).abs() < 1.0);
}

#[test]
fn collinear_nodes_give_a_note_and_no_frame() {
    let nodes = "id,x,y,lon,lat\nA,0,0,2.3,48.8\nB,100,0,2.3014,48.8\n";
    let draft = read(nodes, "id,from,to\ns,A,B\n", None).unwrap();
    assert!(draft.notes[0].contains("collinear"), "{:?}", draft.notes);
    assert!(draft.builder.frame().is_none());
}

#[test]
fn points_of_interest_in_lon_lat_use_the_origin_of_a_map_in_metres() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pois.csv");
    std::fs::write(&path, "lon,lat,cat\n8.2,53.1,cafe\n").unwrap();
    let origin = Some(LonLat { lon: 8.2, lat: 53.1 });
    let mut draft = read(NODES, STREETS, None).unwrap();
    add_pois(&path, origin, &mut draft.builder, &()).unwrap();
    assert!(draft.builder.frame().is_none(), "the frame is set when the draft is finished");
    assert!(whole(draft).poi(PoiId(0)).point.distance(Point::default()) < 1e-6);
}

#[test]
fn a_table_is_detected_by_its_header() {
    let cases = [
        ("id,x,y\n1,2,3\n", Some(TableKind::Nodes)),
        ("\u{feff}\"lat\", LON ,extra,Id\r\n", Some(TableKind::Nodes)),
        ("id,from,to", Some(TableKind::Streets)),
        ("to,from,length,id,x,y\n", Some(TableKind::Streets)),
        ("lon,lat,cat\n", Some(TableKind::Pois)),
        ("id,x,y,category,name\n", Some(TableKind::Pois)),
        ("query,user,t,x,y,k,dt,dc\n", None),
        ("id,lon\n", None),
        ("7442\t2096 11964 *\r\n", None),
        ("", None),
    ];
    for (header, kind) in cases {
        assert_eq!(detect_table(header.as_bytes()), kind, "{header}");
    }
}

#[test]
fn gzipped_tables_are_read() {
    let packed = |text: &str| {
        let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packer.write_all(text.as_bytes()).unwrap();
        packer.finish().unwrap()
    };
    let map = whole(read_bytes(&packed(NODES), &packed(STREETS), None).unwrap());
    assert_same_map(&map, &whole(read(NODES, STREETS, None).unwrap()), &"gzipped");
}

#[test]
fn paris_has_the_documented_counts() {
    let Some(nodes) = real_map("paris/paris.nodes.csv.gz") else { return };
    let streets = real_map("paris/paris.streets.csv.gz").unwrap();
    let draft = crate::csv_map::read(&CsvFiles { nodes, streets, pois: None }, None, &()).unwrap();
    assert_eq!((draft.nodes, draft.edges), (11_348, 17_958));
    let bounds = draft.builder.bounds().unwrap();
    assert_eq!(format!("{:.1} {:.1}", bounds.width() / 1e3, bounds.height() / 1e3), "12.0 9.5");
    // Documented as 1,513 km; the x,y of the file give 1,511.9 km.
    assert_eq!(format!("{:.1}", draft.builder.total_metres() / 1e3), "1511.9");
    let map = whole(draft);
    let one_way = map.streets().filter(|&street| map.street(street).one_way).count();
    assert_eq!(one_way * 100 / map.street_count(), 72);
    assert!(map.frame().is_some());
}

#[test]
fn porto_has_all_points_of_interest() {
    let Some(path) = real_map("porto/PORTO_POIs.csv") else { return };
    let mut builder = MapBuilder::new();
    let origin = LonLat { lon: -8.6, lat: 41.15 };
    let ends = [(0.0, 0.0), (1000.0, 0.0)].map(|(x, y)| Point::new(x, y));
    let [a, b] = ends.map(|point| builder.terminal(&point.x.to_string(), point).unwrap());
    builder.street(plain_street("s", a, b)).unwrap();
    add_pois(&path, Some(origin), &mut builder, &()).unwrap();
    let map = builder.build(meshcloak::map::Extent::Whole).unwrap().map;
    assert_eq!(map.pois().len(), 683);
    assert_eq!(map.category(PoiId(0)), "guest_house");
}
