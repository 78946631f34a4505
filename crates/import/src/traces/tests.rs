//! Trace formats, their defects and their errors.

use super::*;
use flate2::Compression;
use flate2::write::GzEncoder;
use meshcloak::units::{LonLat, Point};
use std::io::Write as _;
use std::path::PathBuf;

fn read_files(files: &[(&str, &[u8])]) -> Result<Trips, String> {
    let folder = tempfile::tempdir().unwrap();
    let paths: Vec<PathBuf> = files
        .iter()
        .map(|(name, bytes)| {
            let path = folder.path().join(name);
            std::fs::write(&path, bytes).unwrap();
            path
        })
        .collect();
    let place = format!("{}/", folder.path().display());
    read_traces(&paths, &()).map_err(|error| error.to_string().replace(&place, ""))
}

fn read(text: &str) -> Result<Trips, String> {
    read_files(&[("t", text.as_bytes())])
}

fn gzipped(bytes: &[u8]) -> Vec<u8> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(bytes).unwrap();
    packed.finish().unwrap()
}

fn metres(at: i64, x: f64, y: f64) -> TripPoint {
    TripPoint { at, coordinates: Coordinates::Metres(Point::new(x, y)), speed: Some(9.0), k: None }
}

fn degrees(at: i64, lon: f64, lat: f64) -> TripPoint {
    TripPoint { at, coordinates: Coordinates::Degrees(LonLat { lon, lat }), speed: None, k: None }
}

const BRINKHOFF: &str = "newpoint\t7\t1\t0\t0\t10.0\t20.0\t9.0\t11\t21\n\
                         newpoint\t8\t1\t0\t0\t5\t5\t9\t1\t1\n\
                         point\t7\t2\t0\t1\t13.5\t20\t9.0\t11\t21\n\
                         disappearpoint\t7\t3\t0\t2\t14\t20\t9\t14\t20\n";
const POLYLINE: &str = "TRIP_ID,TIMESTAMP,MISSING_DATA,POLYLINE\n\
                        a,1372636858,False,\"[[-8.6,41.1],[-8.5,41.2]]\"\n";
const SHAPE: &str = "shape,timestamps,TRIP_ID\n\
                     \"LINESTRING (-8.6 41.1, -8.5 41.2)\",\"1408039037, 1408039052.5\",T1\n";
const GPX: &str = "<?xml version=\"1.0\"?>\n<gpx version=\"1.1\" xmlns=\"http://www.topografix.com/\
                   GPX/1/1\">\n<metadata><time>2020-01-01T00:00:00Z</time></metadata>\n<trk><name>x\
                   </name><trkseg>\n<trkpt lat=\"41.1\" lon=\"-8.6\"><ele>7</ele><time>\
                   2013-07-01T00:00:58Z</time></trkpt>\n<trkpt lat=\"41.2\" lon=\"-8.5\"><time>\
                   2013-07-01T00:01:13Z</time></trkpt>\n</trkseg></trk></gpx>\n";

#[test]
fn a_brinkhoff_trace_becomes_a_trip_per_object() {
    let trips = read(BRINKHOFF).unwrap();
    assert_eq!(trips.kind, TraceKind::Brinkhoff);
    let seven = [metres(0, 10.0, 20.0), metres(1000, 13.5, 20.0), metres(2000, 14.0, 20.0)];
    assert_eq!(trips.trips[0], Trip { id: "7".into(), points: seven.into() });
    assert_eq!(trips.trips[1].points, [metres(0, 5.0, 5.0)]);
    assert_eq!(trips.skips, SkipCounts::default());
}

#[test]
fn files_of_a_brinkhoff_trace_are_joined_in_any_order() {
    let first = b"new\t1\t1\t0\t0\t0\t0\t9\t1\t1\t4\t0.001\t3\n";
    let second = b"poi\t1\t2\t0\t1\t5\t0\t9\t1\t1\t2\t0.001\t3\n";
    let trips = read_files(&[("b", second), ("a", &gzipped(first))]).unwrap();
    assert_eq!(trips.trips.len(), 1);
    let of = |point: &TripPoint| (point.at, point.k);
    assert_eq!(
        trips.trips[0].points.iter().map(of).collect::<Vec<_>>(),
        [(0, Some(4)), (1000, Some(2))]
    );
}

#[test]
fn taxi_trips_and_gpx_give_the_same_points() {
    let points = [degrees(1_372_636_858_000, -8.6, 41.1), degrees(1_372_636_873_000, -8.5, 41.2)];
    let polyline = read(POLYLINE).unwrap();
    assert_eq!((polyline.kind, &polyline.trips[0].id[..]), (TraceKind::TaxiPolyline, "a"));
    assert_eq!(polyline.trips[0].points, points);
    let gpx = read_files(&[("walk.gpx.gz", &gzipped(GPX.as_bytes()))]).unwrap();
    assert_eq!((gpx.kind, &gpx.trips[0].id[..]), (TraceKind::Gpx, "walk"));
    assert_eq!(gpx.trips[0].points, points);
    let shape = read(SHAPE).unwrap();
    assert_eq!((shape.kind, &shape.trips[0].id[..]), (TraceKind::TaxiShape, "T1"));
    let points = [degrees(1_408_039_037_000, -8.6, 41.1), degrees(1_408_039_052_500, -8.5, 41.2)];
    assert_eq!(shape.trips[0].points, points);
}

#[test]
fn segments_of_one_file_get_distinct_ids() {
    let double = GPX.replace("</trkseg>", "</trkseg><trkseg/>").replace("</gpx>", "");
    let again = &GPX[GPX.find("<trk>").unwrap()..];
    let trips = read_files(&[("w.gpx", format!("{double}{again}").as_bytes())]).unwrap();
    let ids: Vec<&str> = trips.trips.iter().map(|trip| &trip.id[..]).collect();
    assert_eq!(ids, ["w", "w/2"]);
    assert_eq!(trips.skips.empty, 1);
}

#[test]
fn defects_are_skipped_and_counted() {
    let rows =
        "b,1,False,[]\nc,1,False,\"[[-8.6,41.1]]\"\nd,1,True,\"[[-8.6,41.1],[-8.5,41.2]]\"\n";
    let skips = read(&format!("{POLYLINE}{rows}")).unwrap().skips;
    assert_eq!(
        skips,
        SkipCounts { empty: 1, one_point: 1, missing_data: 1, ..SkipCounts::default() }
    );
    assert_eq!(skips.notes().len(), 3);

    let rows = "\"LINESTRING (1 2, 3 4, 5 6)\",\"100,99,101\",T2\nLINESTRING (1 2),7,T3\n\
                LINESTRING EMPTY,,T4\n";
    let trips = read(&format!("{SHAPE}{rows}")).unwrap();
    let expected = SkipCounts { backwards: 1, one_point: 1, empty: 1, ..SkipCounts::default() };
    assert_eq!((trips.skips, trips.trips[1].points.len()), (expected, 2));

    let back = "point\t7\t4\t0\t1\t14\t20\t9\t14\t20\n";
    assert_eq!(read(&format!("{BRINKHOFF}{back}")).unwrap().skips.backwards, 1);

    let untimed = GPX.replace("</trkseg>", "<trkpt lat=\"1\" lon=\"2\"/></trkseg>");
    assert_eq!(read(&untimed).unwrap().skips.untimed, 1);
}

#[test]
fn a_trace_without_usable_trips_states_the_reason() {
    let rows = "TRIP_ID,TIMESTAMP,POLYLINE\nb,1,[]\n";
    assert_eq!(read(rows).unwrap_err(), "t: no usable trip: 1 trips without points skipped");
    assert_eq!(read("<gpx/>").unwrap_err(), "t: no usable trip: the file has no trips");
}

/// Asserts that reading each text fails with a message that begins as given.
#[track_caller]
fn assert_errors(cases: &[(String, &str)]) {
    for (text, expected) in cases {
        let message = read(text).unwrap_err();
        assert!(message.starts_with(expected), "{message}\nexpected {expected}");
    }
}

#[test]
fn errors_in_brinkhoff_traces_state_line_field_value_and_expected_value() {
    let line = |text: &str| format!("{BRINKHOFF}{text}\n");
    let cases = [
        (
            line("walk\t7\t4\t0\t3\t1\t2\t9\t1\t1"),
            "t, line 5: field `kind` is `walk`; expected newpoint",
        ),
        (
            line("point\t7\t4\t0\t3\tNaN\t2\t9\t1\t1"),
            "t, line 5: field `x` is `NaN`; expected metres",
        ),
        (
            line("point\t7\t4\t0\t3\t1\tinf\t9\t1\t1"),
            "t, line 5: field `y` is `inf`; expected metres",
        ),
        (line("point\t7\t4\t0\t-3\t1\t2\t9\t1\t1"), "t, line 5: field `time` is `-3`; expected"),
        (line("point\t7\t4\t0\t3\t1\t2\t-9\t1\t1"), "t, line 5: field `speed` is `-9`; expected"),
        (
            line("point\t7\t4\t0\t3\t1\t2\t9\t1\t1\tmany"),
            "t, line 5: field `k` is `many`; expected",
        ),
        (line("point\t7\t4"), "t, line 5: field `line` is `point\t7\t4`; expected kind, object"),
        (
            line("point\t\t4\t0\t3\t1\t2\t9\t1\t1"),
            "t, line 5: field `object` is ``; expected an id",
        ),
    ];
    assert_errors(&cases);
}

#[test]
fn errors_in_other_traces_state_line_field_value_and_expected_value() {
    let cases = [
        (
            POLYLINE.replace("[-8.5,", "[NaN,"),
            "t, line 2: field `polyline` is `[[-8.6,41.1],[NaN,41.2]]`; expected a JSON",
        ),
        (POLYLINE.replace("41.2]", "95.0]"), "t, line 2: field `polyline` is"),
        (
            POLYLINE.replace("1372636858", "noon"),
            "t, line 2: field `timestamp` is `noon`; expected seconds",
        ),
        (
            POLYLINE.replace("False", "maybe"),
            "t, line 2: field `missing_data` is `maybe`; expected",
        ),
        (POLYLINE.replace("TIMESTAMP", "WHEN"), "t, line 1: column `timestamp` is missing"),
        (
            SHAPE.replace(", 1408039052.5", ""),
            "t, line 2: field `timestamps` is `1408039037`; expected as many",
        ),
        (SHAPE.replace("LINESTRING", "POINT"), "t, line 2: field `shape` is"),
        (SHAPE.replace("-8.5 41.2", "-8.5 nan"), "t, line 2: field `shape` is"),
        (
            GPX.replace("41.2", "NaN"),
            "t, line 6: field `lat` is `NaN`; expected degrees from -90 to 90",
        ),
        (GPX.replace("lon=\"-8.5\"", ""), "t, line 6: field `lon` is ``; expected degrees"),
        (
            GPX.replace("00:01:13Z", "soon"),
            "t, line 6: field `time` is `2013-07-01Tsoon`; expected date",
        ),
        (GPX[..300].to_owned(), "t, line 6: unexpected end of file"),
        ("<osm></osm>".into(), "t, line 1: damaged: expected `<gpx>`, found `<osm>`"),
        ("x,y\n1,2\n".into(), "t: unknown trace format; expected Brinkhoff"),
        (String::new(), "t: unknown trace format; expected Brinkhoff"),
    ];
    assert_errors(&cases);
}

#[test]
fn truncated_missing_and_mixed_files_are_rejected() {
    for text in [BRINKHOFF, POLYLINE, SHAPE, GPX] {
        let mut long = text.to_owned();
        if let Some(row) = text.lines().nth(1).filter(|_| !text.starts_with('<')) {
            (0..600).for_each(|n| {
                long.push_str(&format!("{}\n", row.replace("41.1", &format!("41.{n}"))));
            });
        }
        let packed = gzipped(long.as_bytes());
        let message = read_files(&[("t.gz", &packed[..packed.len() * 2 / 3])]).unwrap_err();
        assert!(message.contains("unexpected end of file"), "{message}");
    }
    let nothing = read_traces(&[Path::new("/nowhere/t")], &()).unwrap_err().to_string();
    assert_eq!(nothing, "/nowhere/t: no such file");
    assert!(read_traces::<&Path>(&[], &()).is_err());
    let mixed = read_files(&[("a", GPX.as_bytes()), ("b", BRINKHOFF.as_bytes())]).unwrap_err();
    assert_eq!(
        mixed,
        "b: the trace format differs from that of the files before; convert them separately"
    );
}

#[test]
fn random_changes_never_panic() {
    let mut state = 1_u64;
    let mut random = move |below: usize| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let path = tempfile::NamedTempFile::new().unwrap().into_temp_path();
    let [mut good, mut bad] = [0, 0];
    for text in [BRINKHOFF, POLYLINE, SHAPE, GPX] {
        for round in 0..200 {
            let mut bytes = text.as_bytes().to_vec();
            if round % 4 == 0 {
                bytes = gzipped(&bytes);
            }
            for _ in 0..1 + round % 3 {
                let (at, length) = (random(bytes.len()), bytes.len());
                match random(8) {
                    0..5 => bytes[at] = random(256) as u8,
                    5 => bytes.truncate(at.max(1)),
                    6 => bytes.insert(at, b"\t,\"[<-9eN\n\0"[random(11)]),
                    _ => bytes.extend_from_within(at..length.min(at + 20)),
                }
            }
            std::fs::write(&path, &bytes).unwrap();
            match read_traces(&[&path], &()) {
                Ok(_) => good += 1,
                Err(_) => bad += 1,
            }
        }
    }
    assert!(good > 20 && bad > 50, "{good} accepted, {bad} rejected");
}

#[test]
fn a_line_without_end_is_refused_before_it_fills_the_memory() {
    let long = format!("{BRINKHOFF}point\t7\t4\t0\t3\t1\t1\t9\t{}", "1".repeat(70_000));
    let message = read(&long).unwrap_err();
    assert!(message.contains("line 5") && message.contains("longer than 65536 bytes"), "{message}");
    let comment = GPX.replace("<trkseg>", &format!("<trkseg><!--{}-->", "a".repeat(1 << 20)));
    let message = read(&comment).unwrap_err();
    let limit = "an element or text is longer than 1048576 bytes";
    assert!(comment != GPX && message.contains(limit), "{message}");
}
