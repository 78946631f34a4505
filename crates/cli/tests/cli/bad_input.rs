//! Bad input: each file that cannot be a map gives exit code 1 and one sentence that names the
//! file, the place in it, what is wrong, and what was expected.

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

    /// A CSV map of these nodes and streets.
    fn csv(&self, nodes: &str, streets: &str) -> PathBuf {
        self.write("m.nodes.csv", nodes);
        self.write("m.streets.csv", streets);
        self.path("m")
    }
}

/// What the program says of a map that it must refuse.
#[track_caller]
fn refusal(map: &std::path::Path) -> String {
    let run = meshcloak(&["map", "info", map.to_str().unwrap()]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(1), ""), "{run:?}");
    let name = map.file_name().unwrap().to_str().unwrap();
    assert!(run.stderr.starts_with("meshcloak: ") && run.stderr.contains(name), "{}", run.stderr);
    assert!(!run.stderr.contains("panicked"), "{}", run.stderr);
    run.stderr
}

#[track_caller]
fn says(map: &std::path::Path, parts: &[&str]) {
    let message = refusal(map);
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
fn a_missing_file_a_directory_and_one_that_may_not_be_read() {
    let folder = Folder::new();
    says(&folder.path("nowhere.osm.pbf"), &["no such file"]);
    says(folder.0.path(), &["is a directory"]);
    let file = folder.write("secret.osm", "<osm/>");
    fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(0o000)).unwrap();
    // Who may read everything (root) sees what is in it instead.
    if fs::read(&file).is_err() {
        says(&file, &["permission denied"]);
    } else {
        says(&file, &["no drivable street"]);
    }
}

#[test]
fn unknown_and_repeated_ids() {
    let folder = Folder::new();
    let unknown = folder.csv(NODES, "id,from,to\n1,a,b\n2,b,zz\n");
    says(&unknown, &["m.streets.csv, line 3", "field `to` refers to unknown node `zz`"]);
    let twice = folder.csv("id,x,y\na,0,0\nb,9,0\na,5,5\n", STREETS);
    says(&twice, &["m.nodes.csv, line 4", "duplicate terminal id `a`"]);
    let twice = folder.csv(NODES, "id,from,to\n1,a,b\n1,b,a\n");
    says(&twice, &["m.streets.csv, line 3", "duplicate street id `1`"]);
}

#[test]
fn coordinates_that_are_no_place() {
    let folder = Folder::new();
    for (x, expected) in [("NaN", "NaN"), ("inf", "inf"), ("5e9", "5"), ("here", "here")] {
        let map = folder.csv(&format!("id,x,y\na,0,0\nb,{x},0\n"), STREETS);
        says(&map, &["m.nodes.csv, line 3", expected, "expected"]);
    }
    let map = folder.csv("id,lon,lat\na,8,50\nb,8,95\n", STREETS);
    says(&map, &["m.nodes.csv, line 3", "lat", "95", "expected"]);
    let osm = "<osm><node id='1' lat='95' lon='8'/><node id='2' lat='50' lon='8'/>\
               <way id='7'><nd ref='1'/><nd ref='2'/><tag k='highway' v='service'/></way></osm>";
    says(&folder.write("pole.osm", osm), &["node 1", "95", "expected"]);
}

#[test]
fn lengths_that_are_none() {
    let folder = Folder::new();
    for metres in ["-5", "0", "NaN", "long"] {
        let map = folder.csv(NODES, &format!("id,from,to,length\n1,a,b,{metres}\n"));
        says(&map, &["m.streets.csv, line 2", "length", metres, "expected"]);
    }
    let shorter = folder.csv(NODES, "id,from,to,length\n1,a,b,40\n");
    let run = meshcloak(&["map", "info", "--json", shorter.to_str().unwrap()]).json();
    assert_eq!(run["repairs"]["lengthened"], 1);
}

#[test]
fn maps_of_nothing() {
    let folder = Folder::new();
    says(&folder.csv("id,x,y\n", "id,from,to\n"), &["m.nodes.csv", "expected nodes"]);
    says(&folder.csv(NODES, "id,from,to\n"), &["m.streets.csv", "expected streets"]);
    says(&folder.csv("", STREETS), &["m.nodes.csv"]);
    says(&folder.write("empty.osm", ""), &["the file is empty"]);
    says(&folder.write("none.osm", "<osm></osm>"), &["no drivable street"]);
    let path = "<osm><node id='1' lat='50' lon='8'/><node id='2' lat='50.001' lon='8'/>\
                <way id='7'><nd ref='1'/><nd ref='2'/><tag k='highway' v='footway'/></way></osm>";
    let file = folder.write("path.osm", path);
    says(&file, &["no drivable street"]);
    meshcloak(&["map", "info", "--highways", "all", file.to_str().unwrap()]).done();
    let single = "<osm><node id='1' lat='50' lon='8'/>\
                  <way id='7'><nd ref='1'/><tag k='highway' v='service'/></way></osm>";
    says(&folder.write("single.osm", single), &["street"]);
}

#[test]
fn files_that_end_early() {
    let folder = Folder::new();
    folder.write("m.streets.csv", STREETS);
    let mut packed = gzipped(NODES.as_bytes());
    packed.truncate(packed.len() - 9);
    says(&folder.write("m.nodes.csv.gz", packed), &["m.nodes.csv.gz", "unexpected end of file"]);
    let cut = "<osm><node id='1' lat='50' lon='8'/><node id='2' lat='50.0";
    says(&folder.write("cut.osm", cut), &["byte", "unexpected end of file"]);
    meshcloak(&["map", "convert", "city:500", folder.path("c.meshmap").to_str().unwrap()]).done();
    let whole = fs::read(folder.path("c.meshmap")).unwrap();
    says(&folder.write("d.meshmap", &whole[..whole.len() / 2]), &["unexpected end of file after"]);
    let mut flipped = whole.clone();
    flipped[whole.len() / 3] ^= 4;
    says(
        &folder.write("e.meshmap", flipped),
        &["damaged: the checksum of a section does not match"],
    );
    let mut newer = whole;
    newer[8] = 200;
    says(&folder.write("f.meshmap", newer), &["format version 200; expected 1"]);
}

#[test]
fn a_length_field_of_three_gigabytes_in_a_kilobyte() {
    let folder = Folder::new();
    // A blob header that announces three gigabytes; a Brinkhoff name longer than its file.
    let mut pbf = vec![0, 0, 0, 17, 0x0a, 9];
    pbf.extend_from_slice(b"OSMHeader\x18");
    pbf.extend_from_slice(&[0x80, 0xbc, 0xc1, 0x96, 0x0b]);
    pbf.resize(1024, 0);
    says(&folder.write("big.osm.pbf", pbf), &["byte 0"]);
    folder.write("b.edge", [0; 40]);
    says(&folder.write("b.node", [250, 1, 2, 3]), &["b.node", "byte 0", "unexpected end of file"]);
}

#[test]
fn options_that_do_not_fit_the_map() {
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
    assert!(run.stderr.contains("x.bmp: expected an ending .png or .svg"), "{}", run.stderr);
    let run = meshcloak(&["map", "draw", map, "x.png", "--width", "9"]);
    assert_eq!(run.code, Some(1));
    assert!(run.stderr.contains("200") && run.stderr.contains("8000"), "{}", run.stderr);
}
