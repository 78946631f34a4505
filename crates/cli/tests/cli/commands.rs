//! Help, exit codes, `--quiet`, tables and files of the commands.

use crate::program::meshcloak;
use std::fs;

#[test]
fn help_has_examples_and_invalid_commands_exit_with_2() {
    for command in [&[][..], &["map"], &["simulate"], &["traces"]] {
        let help = meshcloak(&[command, &["--help"]].concat()).done().stdout;
        assert!(help.contains("Examples:"), "{help}");
    }
    for command in ["info", "convert", "draw"] {
        let help = meshcloak(&["map", command, "--help"]).done().stdout;
        assert!(help.contains("Examples:") && help.contains("--whole-map"), "{help}");
    }
    assert_eq!(meshcloak(&["map", "inform"]).code, Some(2));
    assert_eq!(meshcloak(&["map", "info", "--origin", "9"]).code, Some(2));
    assert_eq!(meshcloak(&["map", "info", "city:12"]).code, Some(2));
    assert_eq!(meshcloak(&["map", "convert", "city:500", "x.docx"]).code, Some(2));
}

#[test]
fn the_built_in_city_is_the_default_map() {
    let run = meshcloak(&["map", "info"]).done();
    for part in ["nodes", "total street length", "one-way share", "Points of interest", "pharmacy"]
    {
        assert!(run.stdout.contains(part), "no `{part}` in\n{}", run.stdout);
    }
    let values = run.stdout.lines().filter(|line| line.starts_with("  "));
    let widths: Vec<usize> = values.map(|line| line.chars().count()).collect();
    assert!(widths.iter().all(|width| *width == widths[0]), "does not align:\n{}", run.stdout);
}

#[test]
fn notes_go_to_standard_error_and_quiet_silences_them() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name).display().to_string();
    fs::write(file("t.nodes.csv"), "id,x,y\na,0,0\nb,9,0\nc,20,0\n").unwrap();
    fs::write(file("t.streets.csv"), "id,from,to,length,oneway\n1,a,b,3,0\n2,b,c,,1\n").unwrap();
    let run = meshcloak(&["map", "info", &file("t")]).done();
    assert!(run.stderr.contains("1 stated length shorter than the shape"), "{}", run.stderr);
    let dropped = "1 street and 1 terminal outside the largest strongly connected component";
    assert!(run.stderr.contains(dropped), "{}", run.stderr);
    assert_eq!(meshcloak(&["map", "info", "--quiet", &file("t")]).done().stderr, "");
}

#[test]
fn a_converted_map_does_not_replace_the_map_that_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name).display().to_string();
    let nodes = "id,x,y\na,0,0\nb,9,0\n";
    fs::write(file("t.nodes.csv"), nodes).unwrap();
    fs::write(file("t.streets.csv"), "id,from,to\n1,a,b\n").unwrap();
    for from in ["t", "t.nodes.csv", "t.streets.csv"] {
        let run = meshcloak(&["map", "convert", &file(from), &file("t.csv")]);
        assert_eq!(run.code, Some(1), "{run:?}");
        assert!(run.stderr.contains("would overwrite the file of the map"), "{run:?}");
    }
    assert_eq!(fs::read_to_string(file("t.nodes.csv")).unwrap(), nodes);
    meshcloak(&["map", "convert", &file("t"), &file("t.node")]).done();
    assert_eq!(meshcloak(&["map", "convert", &file("t.node"), &file("t.edge")]).code, Some(1));
    meshcloak(&["map", "convert", &file("t"), &file("t.csv.gz")]).done();
}

#[test]
fn a_prepared_whole_map_also_opens_as_its_largest_component() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name).display().to_string();
    fs::write(file("t.nodes.csv"), "id,x,y\na,0,0\nb,9,0\nc,20,0\n").unwrap();
    fs::write(file("t.streets.csv"), "id,from,to,oneway\n1,a,b,0\n2,b,c,1\n").unwrap();
    let (whole, part) = (file("whole.meshmap"), file("part.meshmap"));
    meshcloak(&["map", "convert", "--whole-map", &file("t"), &whole]).done();
    meshcloak(&["map", "convert", &file("t"), &part]).done();
    let info = |map: &str, flags: &[&str]| {
        let info = meshcloak(&[&["map", "info", "--json", map], flags].concat()).json();
        [info["streets"].clone(), info["dropped"]["streets"].clone(), info["nodes"].clone()]
    };
    for flags in [&[][..], &["--whole-map"]] {
        assert_eq!(info(&whole, flags), info(&file("t"), flags));
    }
    assert_eq!(info(&part, &[]), info(&file("t"), &[]));
    // Streets dropped by the preparation cannot be restored; a note says so.
    for flags in [&[][..], &["--whole-map"]] {
        let run = meshcloak(&[&["map", "info", &part], flags].concat()).done();
        assert!(run.stderr.contains("prepare it again with `--whole-map`"), "{}", run.stderr);
    }
    let run = meshcloak(&["map", "info", &whole]).done();
    assert!(run.stderr.contains("`--whole-map` keeps them"), "{}", run.stderr);
}

#[test]
fn options_without_effect_on_a_format_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let prepared = folder.path().join("city.meshmap").display().to_string();
    meshcloak(&["map", "convert", "city:500:1", &prepared]).done();
    let csv = folder.path().join("t.nodes.csv").display().to_string();
    fs::write(&csv, "id,x,y\n0,0,0\n1,100,0\n").unwrap();
    fs::write(csv.replace("nodes", "streets"), "id,from,to,oneway\n0,0,1,0\n").unwrap();
    let maps = [("city:500:1", "built-in city"), (&prepared, "a prepared map"), (&csv, "CSV")];
    for (map, format) in maps {
        let run = meshcloak(&["map", "info", map, "--every-node", "--longest", "500"]).done();
        let note = format!(
            "--every-node, --longest has no effect: it applies to OSM files, not to {format}"
        );
        assert!(run.stderr.contains(&note), "{}", run.stderr);
        assert_eq!(meshcloak(&["map", "info", map]).done().stderr, "");
    }
}

#[test]
fn a_closed_pipe_and_a_full_disk_do_not_panic() {
    let program = || std::process::Command::new(env!("CARGO_BIN_EXE_meshcloak"));
    let mut child = program()
        .args(["map", "info", "city:500", "--json"])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr), (Some(0), Vec::new()));
    if let Ok(full) = fs::File::options().write(true).open("/dev/full") {
        let run = program().args(["map", "info", "city:500"]).stdout(full).output().unwrap();
        let message = String::from_utf8(run.stderr).unwrap();
        assert_eq!(run.status.code(), Some(1));
        assert!(message.starts_with("meshcloak: standard output: No space left"), "{message}");
    }
}

#[test]
fn no_progress_bar_is_drawn_without_a_terminal() {
    let run = meshcloak(&["map", "info", "city:20000"]).done();
    assert_eq!(run.stderr, "");
}

#[test]
fn a_failed_conversion_leaves_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    fs::write(path("t.nodes.csv"), "id,x,y\na,0,0\nb,100,0\n").unwrap();
    fs::write(path("t.streets.csv"), "id,from,to\n1,a,b\n").unwrap();
    let run = meshcloak(&["map", "convert", &path("t"), &path("out.geojson")]);
    assert_eq!(run.code, Some(1));
    assert!(run.stderr.contains("--origin"), "{}", run.stderr);
    let run = meshcloak(&["map", "convert", &path("t"), &path("nowhere/out.meshmap")]);
    assert_eq!(run.code, Some(1));
    assert!(run.stderr.contains("nowhere"), "{}", run.stderr);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2, "only the two files of the map");
}

#[test]
fn csv_survives_a_round_trip_through_a_prepared_map() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    meshcloak(&["map", "convert", "city:500:3", &path("a.csv")]).done();
    meshcloak(&["map", "convert", &path("a"), &path("b.meshmap")]).done();
    meshcloak(&["map", "convert", &path("b.meshmap"), &path("c.csv")]).done();
    for part in ["streets", "pois", "nodes"] {
        let [a, c] = ["a", "c"].map(|name| fs::read_to_string(path(&format!("{name}.{part}.csv"))));
        let (a, c) = (a.unwrap(), c.unwrap());
        assert!(a.lines().count() > 30, "{part}");
        // Lon/lat of a map with x,y come from a fitted frame, accurate to a millimetre.
        let exact = |text: &str| -> Vec<String> {
            text.lines().map(|line| line.split(',').take(3).collect::<Vec<_>>().join(",")).collect()
        };
        if part == "streets" { assert_eq!(a, c) } else { assert_eq!(exact(&a), exact(&c)) }
    }
}

#[test]
fn converted_maps_do_not_depend_on_the_number_of_threads() {
    let folder = tempfile::tempdir().unwrap();
    let write = |threads: &str, ending: &str| {
        let path = folder.path().join(format!("{threads}.{ending}"));
        let status = std::process::Command::new(env!("CARGO_BIN_EXE_meshcloak"))
            .args(["map", "convert", "city:2000:5", path.to_str().unwrap()])
            .env("RAYON_NUM_THREADS", threads)
            .status();
        assert!(status.unwrap().success());
        fs::read(path).unwrap()
    };
    for ending in ["meshmap", "geojson.gz"] {
        let one = write("1", ending);
        assert!(one.len() > 10_000);
        assert_eq!(one, write("2", ending));
        assert_eq!(one, write("8", ending));
    }
}
