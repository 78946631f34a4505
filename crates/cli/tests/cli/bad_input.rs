//! Invalid maps: exit code 1 and one message that names the file, the location in it, the problem,
//! and what was expected.

use crate::program::meshcloak;
use flate2::{Compression, write::GzEncoder};
use std::fs;
use std::io::Write as _;
use std::path::PathBuf;

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Folder {
        Folder(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        fs::write(self.path(name), content).unwrap();
        self.path(name)
    }

    /// Writes a CSV map.
    fn csv(&self, nodes: &str, streets: &str) -> PathBuf {
        self.write("m.nodes.csv", nodes);
        self.write("m.streets.csv", streets);
        self.path("m")
    }
}

/// Returns the error message for an invalid map.
#[track_caller]
fn error(map: &std::path::Path) -> String {
    let run = meshcloak(&["map", "info", map.to_str().unwrap()]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(1), ""), "{run:?}");
    let name = map.file_name().unwrap().to_str().unwrap();
    assert!(run.stderr.starts_with("meshcloak: ") && run.stderr.contains(name), "{}", run.stderr);
    assert!(!run.stderr.contains("panicked"), "{}", run.stderr);
    run.stderr
}

#[track_caller]
fn assert_error(map: &std::path::Path, parts: &[&str]) {
    let message = error(map);
    for part in parts {
        assert!(message.contains(part), "no `{part}` in: {message}");
    }
}

const NODES: &str = "id,x,y\na,0,0\nb,100,0\n";
const STREETS: &str = "id,from,to\n1,a,b\n";

fn gzipped(content: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn missing_files_directories_and_unreadable_files_are_rejected() {
    let folder = Folder::new();
    assert_error(&folder.path("nowhere.osm.pbf"), &["no such file"]);
    assert_error(folder.0.path(), &["is a directory"]);
    let file = folder.write("secret.osm", "<osm/>");
    fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(0o000)).unwrap();
    // Root can read the file and gets the error of its content.
    if fs::read(&file).is_err() {
        assert_error(&file, &["permission denied"]);
    } else {
        assert_error(&file, &["no drivable street"]);
    }
}

#[test]
fn unknown_and_duplicate_ids_are_rejected() {
    let folder = Folder::new();
    let unknown = folder.csv(NODES, "id,from,to\n1,a,b\n2,b,zz\n");
    assert_error(&unknown, &["m.streets.csv, line 3", "field `to` refers to unknown node `zz`"]);
    let twice = folder.csv("id,x,y\na,0,0\nb,9,0\na,5,5\n", STREETS);
    assert_error(&twice, &["m.nodes.csv, line 4", "duplicate terminal id `a`"]);
    let twice = folder.csv(NODES, "id,from,to\n1,a,b\n1,b,a\n");
    assert_error(&twice, &["m.streets.csv, line 3", "duplicate street id `1`"]);
}

#[test]
fn coordinates_out_of_range_are_rejected() {
    let folder = Folder::new();
    for (x, expected) in [("NaN", "NaN"), ("inf", "inf"), ("5e9", "5"), ("here", "here")] {
        let map = folder.csv(&format!("id,x,y\na,0,0\nb,{x},0\n"), STREETS);
        assert_error(&map, &["m.nodes.csv, line 3", expected, "expected"]);
    }
    let map = folder.csv("id,lon,lat\na,8,50\nb,8,95\n", STREETS);
    assert_error(&map, &["m.nodes.csv, line 3", "lat", "95", "expected"]);
    let osm = "<osm><node id='1' lat='95' lon='8'/><node id='2' lat='50' lon='8'/>\
               <way id='7'><nd ref='1'/><nd ref='2'/><tag k='highway' v='service'/></way></osm>";
    assert_error(&folder.write("pole.osm", osm), &["node 1", "95", "expected"]);
}

#[test]
fn invalid_lengths_are_rejected() {
    let folder = Folder::new();
    for metres in ["-5", "0", "NaN", "long"] {
        let map = folder.csv(NODES, &format!("id,from,to,length\n1,a,b,{metres}\n"));
        assert_error(&map, &["m.streets.csv, line 2", "length", metres, "expected"]);
    }
    let shorter = folder.csv(NODES, "id,from,to,length\n1,a,b,40\n");
    let run = meshcloak(&["map", "info", "--json", shorter.to_str().unwrap()]).json();
    assert_eq!(run["repairs"]["lengthened"], 1);
}

#[test]
fn empty_maps_are_rejected() {
    let folder = Folder::new();
    assert_error(&folder.csv("id,x,y\n", "id,from,to\n"), &["m.nodes.csv", "expected nodes"]);
    assert_error(&folder.csv(NODES, "id,from,to\n"), &["m.streets.csv", "expected streets"]);
    assert_error(&folder.csv("", STREETS), &["m.nodes.csv"]);
    assert_error(&folder.write("empty.osm", ""), &["the file is empty"]);
    assert_error(&folder.write("none.osm", "<osm></osm>"), &["no drivable street"]);
    let path = "<osm><node id='1' lat='50' lon='8'/><node id='2' lat='50.001' lon='8'/>\
                <way id='7'><nd ref='1'/><nd ref='2'/><tag k='highway' v='footway'/></way></osm>";
    let file = folder.write("path.osm", path);
    assert_error(&file, &["no drivable street"]);
    meshcloak(&["map", "info", "--highways", "all", file.to_str().unwrap()]).done();
    let single = "<osm><node id='1' lat='50' lon='8'/>\
                  <way id='7'><nd ref='1'/><tag k='highway' v='service'/></way></osm>";
    assert_error(&folder.write("single.osm", single), &["street"]);
}

#[test]
fn truncated_and_damaged_files_are_rejected() {
    let folder = Folder::new();
    folder.write("m.streets.csv", STREETS);
    let mut packed = gzipped(NODES.as_bytes());
    packed.truncate(packed.len() - 9);
    assert_error(
        &folder.write("m.nodes.csv.gz", packed),
        &["m.nodes.csv.gz", "unexpected end of file"],
    );
    let cut = "<osm><node id='1' lat='50' lon='8'/><node id='2' lat='50.0";
    assert_error(&folder.write("cut.osm", cut), &["byte", "unexpected end of file"]);
    meshcloak(&["map", "convert", "city:500", folder.path("c.meshmap").to_str().unwrap()]).done();
    let whole = fs::read(folder.path("c.meshmap")).unwrap();
    assert_error(
        &folder.write("d.meshmap", &whole[..whole.len() / 2]),
        &["unexpected end of file after"],
    );
    let mut flipped = whole.clone();
    flipped[whole.len() / 3] ^= 4;
    assert_error(
        &folder.write("e.meshmap", flipped),
        &["damaged: the checksum of a section does not match"],
    );
    let mut newer = whole;
    newer[8] = 200;
    assert_error(&folder.write("f.meshmap", newer), &["format version 200; expected 1"]);
}

#[test]
fn length_fields_beyond_the_end_of_the_file_are_rejected() {
    let folder = Folder::new();
    // A blob header that announces three gigabytes; a Brinkhoff name longer than its file.
    let mut pbf = vec![0, 0, 0, 17, 0x0a, 9];
    pbf.extend_from_slice(b"OSMHeader\x18");
    pbf.extend_from_slice(&[0x80, 0xbc, 0xc1, 0x96, 0x0b]);
    pbf.resize(1024, 0);
    assert_error(&folder.write("big.osm.pbf", pbf), &["byte 0"]);
    folder.write("b.edge", [0; 40]);
    assert_error(
        &folder.write("b.node", [250, 1, 2, 3]),
        &["b.node", "byte 0", "unexpected end of file"],
    );
}

#[test]
fn options_that_do_not_apply_are_rejected() {
    let folder = Folder::new();
    let map = folder.csv("id,lon,lat\na,8,50\nb,8,50.001\n", STREETS);
    let map = map.to_str().unwrap();
    let run = meshcloak(&["map", "info", map, "--origin", "8,50"]);
    assert_eq!(run.code, Some(1));
    assert!(run.stderr.contains("`--origin` applies only to maps in metres"), "{}", run.stderr);
    let pois = folder.write("p.csv", "lon,lat,cat\n8,50,cafe\n8,99,bar\n");
    let run = meshcloak(&["map", "info", map, "--pois", pois.to_str().unwrap()]);
    assert_eq!(run.code, Some(1));
    assert!(run.stderr.contains("p.csv, line 3") && run.stderr.contains("99"), "{}", run.stderr);
    let run = meshcloak(&["map", "draw", map, "x.bmp"]);
    assert_eq!(run.code, Some(1));
    assert!(run.stderr.contains("x.bmp: expected the extension .png or .svg"), "{}", run.stderr);
    let run = meshcloak(&["map", "draw", map, "x.png", "--width", "9"]);
    assert_eq!(run.code, Some(1));
    assert!(run.stderr.contains("200") && run.stderr.contains("8000"), "{}", run.stderr);
}
