//! The commands as people use them: help, exit codes, quiet, tables, files that come and go.

use crate::program::meshcloak;
use std::fs;

#[test]
fn help_shows_examples_and_a_misspelt_command_exits_with_2() {
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
fn without_a_map_the_built_in_city_is_shown() {
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
    assert!(run.stderr.contains("1 written length shorter than the shape"), "{}", run.stderr);
    let left_out = "1 street and 1 terminal outside the largest strongly connected part";
    assert!(run.stderr.contains(left_out), "{}", run.stderr);
    assert_eq!(meshcloak(&["map", "info", "--quiet", &file("t")]).done().stderr, "");
}

#[test]
fn a_prepared_map_of_everything_opens_as_its_largest_part_too() {
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
    // What was left out on preparing cannot come back, and that is said.
    let run = meshcloak(&["map", "info", "--whole-map", &part]).done();
    assert!(run.stderr.contains("prepare it again with `--whole-map`"), "{}", run.stderr);
}

#[test]
fn a_reader_that_goes_away_and_a_full_disk_are_no_panic() {
    let program = || std::process::Command::new(env!("CARGO_BIN_EXE_meshcloak"));
    let mut child = program()
        .args(["map", "info", "city:500", "--json"])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let gone = child.wait_with_output().unwrap();
    assert_eq!((gone.status.code(), gone.stderr), (Some(0), Vec::new()));
    if let Ok(full) = fs::File::options().write(true).open("/dev/full") {
        let run = program().args(["map", "info", "city:500"]).stdout(full).output().unwrap();
        let message = String::from_utf8(run.stderr).unwrap();
        assert_eq!(run.status.code(), Some(1));
        assert!(message.starts_with("meshcloak: standard output: No space left"), "{message}");
    }
}

#[test]
fn no_bar_is_drawn_where_nobody_sees_it() {
    let run = meshcloak(&["map", "info", "city:20000"]).done();
    assert_eq!(run.stderr, "");
}

#[test]
fn a_failed_conversion_leaves_nothing_behind() {
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
fn csv_comes_back_from_a_prepared_map_with_the_same_numbers() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    meshcloak(&["map", "convert", "city:500:3", &path("a.csv")]).done();
    meshcloak(&["map", "convert", &path("a"), &path("b.meshmap")]).done();
    meshcloak(&["map", "convert", &path("b.meshmap"), &path("c.csv")]).done();
    for part in ["streets", "pois", "nodes"] {
        let [a, c] = ["a", "c"].map(|name| fs::read_to_string(path(&format!("{name}.{part}.csv"))));
        let (a, c) = (a.unwrap(), c.unwrap());
        assert!(a.lines().count() > 30, "{part}");
        // Lon/lat of a map that also has x,y come from a fitted frame, true to a millimetre.
        let exact = |text: &str| -> Vec<String> {
            text.lines().map(|line| line.split(',').take(3).collect::<Vec<_>>().join(",")).collect()
        };
        if part == "streets" { assert_eq!(a, c) } else { assert_eq!(exact(&a), exact(&c)) }
    }
}

#[test]
fn the_same_command_writes_the_same_bytes_with_any_number_of_threads() {
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
