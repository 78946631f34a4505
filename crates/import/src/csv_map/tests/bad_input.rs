//! Invalid CSV maps: messages state file, line, field, value and expected value.

use super::{NODES, STREETS, read, read_bytes};
use crate::csv_map::{CsvFiles, add_pois, read as read_files};
use crate::draft::Draft;
use crate::error::ImportError;
use std::io::Write as _;

fn message(result: Result<Draft, ImportError>) -> String {
    result.map(|draft| draft.builder.street_count()).unwrap_err().to_string()
}

fn of_nodes(nodes: &str) -> String {
    message(read(nodes, STREETS, None))
}

fn of_streets(streets: &str) -> String {
    message(read(NODES, streets, None))
}

fn of_pois(pois: &str) -> String {
    message(read(NODES, STREETS, Some(pois)))
}

#[test]
fn a_table_without_a_header_or_rows_is_rejected() {
    assert_eq!(of_nodes(""), "t.nodes.csv: no content; expected a header");
    assert_eq!(of_nodes("\r\n\n"), "t.nodes.csv: no content; expected a header");
    assert_eq!(of_nodes("id,x,y\n"), "t.nodes.csv: no content; expected nodes below the header");
    let in_degrees = of_nodes("id,lon,lat\n");
    assert_eq!(in_degrees, "t.nodes.csv: no content; expected nodes below the header");
    let streets = of_streets("id,from,to\n");
    assert_eq!(streets, "t.streets.csv: no content; expected streets below the header");
}

#[test]
fn a_row_is_bounded_and_many_rows_are_not() {
    let long = "longer than 16777216 bytes";
    assert!(of_nodes(&format!("id,x,y\nA,0,{}\n", "1".repeat(17 << 20))).contains(long));
    assert!(of_nodes(&format!("id,x,y\nA,0,\"{}", "1\n".repeat(9 << 20))).contains(long));
    let long_name = "x".repeat(100_000);
    let rows: String = (0..200).map(|id| format!("{id},0,0,{long_name}\n")).collect();
    let last = "t.nodes.csv, line 202: field `x` is `?`; expected metres within ±40,000 km";
    assert_eq!(of_nodes(&format!("id,x,y,name\n{rows}Z,?,0,\n")), last);
}

#[test]
fn a_missing_column_is_named_with_the_header() {
    let place =
        "t.nodes.csv, line 1: column `x`,`y` or `lon`,`lat` is missing; found header `id,a`";
    assert_eq!(of_nodes("id,a\n1,2\n"), place);
    let half = "t.nodes.csv, line 2: column `y` is missing; found header `id,x,lon,lat`";
    assert_eq!(of_nodes("\nid,x,lon,lat\n"), half);
    let to = "t.streets.csv, line 1: column `to` is missing; found header `id,from`";
    assert_eq!(of_streets("id,from\ns,A\n"), to);
    let category = "t.pois.csv, line 1: column `category` or `cat` is missing; found header `x,y`";
    assert_eq!(of_pois("x,y\n"), category);
    let twice = "t.nodes.csv, line 1: damaged: duplicate column `x`";
    assert_eq!(of_nodes("id,x,y,x\n"), twice);
}

#[test]
fn line_numbers_match_those_of_an_editor() {
    let last = "t.nodes.csv, line 6: field `x` is `?`; expected metres within ±40,000 km";
    assert_eq!(of_nodes("id,x,y\nA,0,0\n\"B\n\n\",1,0\nC,?,75\n"), last);
    assert_eq!(of_nodes("id,x,y\r\nA,0,0\r\n\"B\r\n\",1,0\r\n\r\nC,?,75\r\n"), last);
    assert_eq!(of_nodes("id,x,y\n\n\n\nA,0,0\nC,?,75"), last);
    assert_eq!(of_nodes("\u{feff}id,x,y\r\n\r\n\n\nA,0,0\nC,?,75"), last);
}

#[test]
fn a_row_with_a_different_number_of_fields_is_rejected() {
    let short = "t.nodes.csv, line 3: row has 2 fields; expected 3 as in the header";
    assert_eq!(of_nodes("id,x,y\nA,0,0\nB,1\n"), short);
    let long = "t.streets.csv, line 2: row has 4 fields; expected 3 as in the header";
    assert_eq!(of_streets("id,from,to\ns,A,B,C\n"), long);
}

#[test]
fn an_unclosed_quotation_is_reported_where_it_begins() {
    let open = "t.streets.csv, line 2: damaged: a quoted field is not closed";
    assert_eq!(of_streets("id,from,to,name\ns1,A,B,\"High St\ns2,B,C,\nx,A,C,"), open);
    assert_eq!(of_streets("id,from,to,name\ns1,A,B,\"High St\ns2,B,C,\n\n"), open);
    assert_eq!(of_streets("\u{feff}id,from,to,name\r\n\"s1,A,B,"), open);
    let closed = "id,from,to,name\ns1,A,B,\"High St\n\n\"";
    assert!(read(NODES, closed, None).is_ok());
}

#[test]
fn invalid_coordinates_are_rejected() {
    for value in ["NaN", "inf", "-inf", "1e300", "4.1e7", "", "12m"] {
        let expected = format!(
            "t.nodes.csv, line 3: field `y` is `{value}`; expected metres within ±40,000 km"
        );
        assert_eq!(of_nodes(&format!("id,x,y\nA,0,0\nB,5,{value}\n")), expected);
    }
    let lat = "t.nodes.csv, line 2: field `lat` is `95`; expected degrees from -90 to 90";
    assert_eq!(of_nodes("id,lon,lat\nA,2,95\n"), lat);
    let lon = "t.nodes.csv, line 2: field `lon` is `nan`; expected degrees from -180 to 180";
    assert_eq!(of_nodes("id,x,y,lon,lat\nA,0,0,nan,5\n"), lon);
    let poi = "t.pois.csv, line 2: field `x` is `inf`; expected metres within ±40,000 km";
    assert_eq!(of_pois("x,y,cat\ninf,0,cafe\n"), poi);
}

#[test]
fn inconsistent_metres_and_degrees_are_reported_at_the_worst_line() {
    let mut nodes = "id,x,y,lon,lat\n".to_owned();
    for n in 0..16 {
        let (column, row) = (n % 4, n / 4);
        let lon = if n == 6 { 2.2 } else { 2.0 + 0.01 * f64::from(column) };
        let (x, y, lat) = (column * 745, row * 1112, 48.0 + 0.01 * f64::from(row));
        nodes += &format!("{n},{x},{y},{lon},{lat}\n");
    }
    let error = of_nodes(&nodes);
    assert!(error.starts_with("t.nodes.csv, line 8: x,y and lon,lat disagree by "), "{error}");
    let nodes = "id,x,y,lon,lat\nA,0,0,2,48\nB,745,0,2.01,48\nC,0,1112,2,48.01\n";
    let pois = "x,y,lon,lat,cat\n0,0,2,48,cafe\n500,0,2,48,cafe\n";
    let error = message(read(nodes, STREETS, Some(pois)));
    assert_eq!(error, "t.pois.csv, line 3: x,y and lon,lat disagree by 500 m at point 1");
}

#[test]
fn duplicate_and_missing_ids_are_rejected() {
    let node = "t.nodes.csv, line 4: duplicate terminal id `A`";
    assert_eq!(of_nodes("id,x,y\nA,0,0\nB,1,0\nA,2,0\n"), node);
    assert_eq!(of_nodes("id,lon,lat\nA,0,0\nB,1,0\nA,2,0\n"), node);
    let street = "t.streets.csv, line 3: duplicate street id `s`";
    assert_eq!(of_streets("id,from,to\ns,A,B\ns,B,C\n"), street);
    let none = "t.streets.csv, line 2: field `id` is ``; expected an id";
    assert_eq!(of_streets("id,from,to\n,A,B\n"), none);
}

#[test]
fn an_unknown_node_is_named() {
    let from = "t.streets.csv, line 3: field `from` refers to unknown node `X`";
    assert_eq!(of_streets("id,from,to\ns,A,B\nt,X,B\n"), from);
    let to = "t.streets.csv, line 2: field `to` refers to unknown node ` B`";
    assert_eq!(of_streets("id,from,to\ns,A, B\n"), to);
}

#[test]
fn a_length_must_be_above_zero() {
    for value in ["0", "-3", "nan", "inf", "1e999", "5 m"] {
        let expected =
            format!("t.streets.csv, line 2: field `length` is `{value}`; expected metres above 0");
        assert_eq!(of_streets(&format!("id,from,to,length\ns,A,B,{value}\n")), expected);
    }
    let error = of_streets("id,from,to,length\ns,A,B,1e12\n");
    assert!(error.starts_with("t.streets.csv, line 2: street `s` is 1000000000000 m"), "{error}");
}

#[test]
fn a_boolean_is_one_of_six_words() {
    let expected = "t.streets.csv, line 2: field `oneway` is `-1`; \
                    expected 1/0, true/false or yes/no";
    assert_eq!(of_streets("id,from,to,oneway\ns,A,B,-1\n"), expected);
}

#[test]
fn text_must_be_utf_8_unless_its_column_is_ignored() {
    let streets = b"id,from,to,name\ns,A,B,Gr\xe4ber\n";
    let error = message(read_bytes(NODES.as_bytes(), streets, None));
    let expected = "t.streets.csv, line 2: field `name` is `Gr\u{fffd}ber`; expected UTF-8 text";
    assert_eq!(error, expected);
    let ignored = b"id,from,to,comment\ns,A,B,Gr\xe4ber\n";
    assert!(read_bytes(NODES.as_bytes(), ignored, None).is_ok());
}

#[test]
fn a_shape_is_a_line_string_between_the_ends_of_its_street() {
    let of_shape = |shape: &str| of_streets(&format!("id,from,to,shape\ns,A,B,\"{shape}\"\n"));
    let open = "t.streets.csv, line 2: field `shape` is `LINESTRING (0 0, 9 9`; \
                expected a `)` at the end";
    assert_eq!(of_shape("LINESTRING (0 0, 9 9"), open);
    let loose = "t.streets.csv, line 2: field `shape` ends at 100 1.5 but the street ends at \
                 node `B` at 100 0; expected a distance of at most 1 m";
    assert_eq!(of_shape("LINESTRING (0 0.9, 50 9, 100 1.5)"), loose);
    let far = "t.streets.csv, line 2: `s` is at 50000000, 0; \
               expected finite metres within ±40,000 km";
    assert_eq!(of_shape("LINESTRING (0 0, 5e7 0, 100 0)"), far);
    let nodes = "id,lon,lat\nA,2,48\nB,2.01,48\n";
    let of_degrees =
        |shape: &str| message(read(nodes, &format!("id,from,to,shape\ns,A,B,\"{shape}\"\n"), None));
    let swapped = "t.streets.csv, line 2: field `shape` is `LINESTRING (2 48, 2 95, 2.01 48)`; \
                   expected lon from -180 to 180 and lat from -90 to 90 in each point";
    assert_eq!(of_degrees("LINESTRING (2 48, 2 95, 2.01 48)"), swapped);
    let loose = "t.streets.csv, line 2: field `shape` begins at 2.001 48 but the street begins \
                 at node `A` at 2.0000000 48.0000000; expected a distance of at most 1 m";
    assert_eq!(of_degrees("LINESTRING (2.001 48, 2.01 48)"), loose);
}

#[test]
fn points_of_interest_in_lon_lat_require_a_frame() {
    let frame = "t.pois.csv: a table of lon,lat requires lon/lat but the map has only metres; \
                 set `--origin LON,LAT`";
    assert_eq!(of_pois("lon,lat,cat\n0,0,cafe\n"), frame);
}

#[test]
fn truncated_and_damaged_gzip_is_rejected() {
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packer.write_all(NODES.as_bytes()).unwrap();
    let packed = packer.finish().unwrap();
    let error = message(read_bytes(&packed[..packed.len() - 9], STREETS.as_bytes(), None));
    assert!(error.starts_with("t.nodes.csv, line "), "{error}");
    assert!(error.ends_with(": unexpected end of file in the middle of the data"), "{error}");
    let mut damaged = packed.clone();
    let checksum = damaged.len() - 6;
    damaged[checksum] ^= 1;
    let error = message(read_bytes(&damaged, STREETS.as_bytes(), None));
    assert!(error.contains("line ") && error.contains(": damaged: corrupt gzip"), "{error}");
}

#[test]
fn files_that_cannot_be_opened_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let files = CsvFiles::of_stem(&folder.path().join("x"), "");
    let error = message(read_files(&files, None, &()));
    assert_eq!(error, format!("{}: no such file", files.nodes.display()));
    std::fs::write(&files.nodes, NODES).unwrap();
    std::fs::create_dir(&files.streets).unwrap();
    let error = message(read_files(&files, None, &()));
    assert_eq!(error, format!("{}: is a directory; expected a file", files.streets.display()));
    let mut draft = read(NODES, STREETS, None).unwrap();
    let error = add_pois(&folder.path().join("p"), None, &mut draft.builder, &()).unwrap_err();
    assert_eq!(error.to_string(), format!("{}: no such file", folder.path().join("p").display()));
}
