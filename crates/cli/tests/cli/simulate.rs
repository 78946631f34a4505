//! `meshcloak simulate`: output files, reproducibility, errors.

use crate::program::meshcloak;
use std::fs;
use std::path::Path;

fn simulate(folder: &Path, arguments: &[&str]) -> crate::program::Run {
    let mut all = vec!["simulate", "city:500:3", "--users", "50"];
    let paths: Vec<String> = arguments
        .iter()
        .map(|&argument| match argument.strip_prefix('@') {
            Some(name) => folder.join(name).display().to_string(),
            None => argument.to_owned(),
        })
        .collect();
    all.extend(paths.iter().map(String::as_str));
    meshcloak(&all)
}

#[test]
fn queries_are_in_order_and_reproducible() {
    let folder = tempfile::tempdir().unwrap();
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
    for (name, seed) in [("a.csv", "1"), ("b.csv", "1"), ("c.csv", "2")] {
        let run = simulate(folder.path(), &["--seed", seed, "--out", &format!("@{name}")]).done();
        let row = run.stdout.lines().find(|line| line.trim().starts_with("queries"));
        assert!(row.is_some_and(|row| row.ends_with(" 550")), "{}", run.stdout);
    }
    let text = read("a.csv");
    assert_eq!(text, read("b.csv"));
    assert_ne!(text, read("c.csv"));
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("query,user,t,x,y,k,dt,dc,speed,interval"));
    let times: Vec<f64> =
        lines.map(|line| line.split(',').nth(2).unwrap().parse().unwrap()).collect();
    assert_eq!(times.len(), 50 * 11);
    assert!(times.is_sorted());
}

#[test]
fn all_requested_files_are_written() {
    let folder = tempfile::tempdir().unwrap();
    let run = simulate(
        folder.path(),
        &[
            "--out",
            "@q.ndjson.gz",
            "--trace",
            "@t.csv",
            "--trace-every",
            "10",
            "--per-second",
            "@s.csv",
            "--draw",
            "@at.png",
            "--at",
            "20",
            "--draw-use",
            "@use.svg",
        ],
    );
    run.done();
    let start = |name: &str| fs::read(folder.path().join(name)).unwrap()[..4].to_vec();
    assert_eq!(start("q.ndjson.gz")[..2], [0x1f, 0x8b]);
    assert_eq!(start("at.png"), b"\x89PNG");
    assert_eq!(start("use.svg"), b"<svg");
    let trace = fs::read_to_string(folder.path().join("t.csv")).unwrap();
    assert!(trace.starts_with("user,t,x,y,street,offset,moving\n"));
    assert!(trace.lines().skip(1).all(|line| line.split(',').nth(1).unwrap().ends_with('0')));
    let seconds = fs::read_to_string(folder.path().join("s.csv")).unwrap();
    let new: usize = seconds
        .lines()
        .skip(1)
        .map(|l| l.split(',').nth(1).unwrap().parse::<usize>().unwrap())
        .sum();
    assert_eq!(new, 50 * 11);
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    let folder = tempfile::tempdir().unwrap();
    let read = |name: &str| fs::read(folder.path().join(name)).unwrap();
    for (threads, queries, plot) in [("1", "@1.csv", "@1.svg"), ("3", "@3.csv", "@3.svg")] {
        let run = simulate(
            folder.path(),
            &["--json", "--threads", threads, "--out", queries, "--plot", plot, "--beside", "p2"],
        );
        let summary = run.json();
        assert_eq!(summary["queries"], 550);
        assert_eq!(summary["profile"], "p1");
        assert!(summary["new_per_second"]["most"].as_u64().unwrap() > 5);
        assert!(summary["mean_speed"].as_f64().unwrap() > 10.0);
    }
    assert_eq!(read("1.csv"), read("3.csv"));
    assert_eq!(read("1.svg"), read("3.svg"));
    let plot = String::from_utf8(read("1.svg")).unwrap();
    assert!(plot.contains(">p1</text>") && plot.contains(">p2</text>"), "{plot}");
}

#[test]
fn errors_name_the_problem_and_leave_no_file() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("bad.toml"), "queries = 3\nspeeed = 4\n").unwrap();
    let cases: [(&[&str], i32, &str); 10] = [
        (&["--profile", "p9"], 1, "no such profile; expected p1, p2, city or a file"),
        (&["--profile", "@bad.toml"], 1, "unknown field `speeed`"),
        (&["--draw", "@x.bmp"], 1, "expected the extension .png or .svg"),
        (
            &["--draw", "@x.png", "--at", "99999", "--out", "@q.csv"],
            1,
            "the simulation ends at second",
        ),
        (&["--out", "@nowhere/q.csv"], 1, "the folder does not exist"),
        (&["--plot", "@x.txt"], 1, "expected the extension .png or .svg"),
        (&["--plot", "@x.svg", "--beside", "p9"], 1, "no such profile"),
        (&["--beside", "p2"], 2, "--plot"),
        (&["--threads", "0"], 2, "--threads"),
        (&["--k", "5-2"], 2, "expected MIN-MAX"),
    ];
    for (arguments, code, message) in cases {
        let run = simulate(folder.path(), arguments);
        assert_eq!(run.code, Some(code), "{run:?}");
        assert!(run.stderr.contains(message), "{run:?}");
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "only the bad profile");
}

#[test]
fn an_output_of_a_simulation_does_not_replace_an_input_or_another_output() {
    let folder = tempfile::tempdir().unwrap();
    let profile = folder.path().join("p.toml");
    let text = include_str!("../../../traffic/profiles/p1.toml");
    fs::write(&profile, text).unwrap();
    let cases: [(&[&str], &str); 4] = [
        (&["--profile", "@p.toml", "--out", "@p.toml"], "the profile"),
        (&["--plot", "@p.svg", "--beside", "@p.toml", "--per-second", "@p.toml"], "the profile"),
        (&["--out", "@q.csv", "--trace", "@q.csv"], "--out"),
        (&["--draw", "@a.png", "--draw-use", "@./a.png"], "--draw"),
    ];
    for (arguments, named) in cases {
        let run = simulate(folder.path(), arguments);
        let message = format!("would overwrite the file of {named}; choose another name");
        assert!(run.code == Some(1) && run.stderr.contains(&message), "{run:?}");
    }
    assert_eq!(fs::read_to_string(profile).unwrap(), text);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    let map = folder.path().join("city.meshmap").display().to_string();
    meshcloak(&["map", "convert", "city:500:3", &map]).done();
    let run = meshcloak(&["simulate", &map, "--users", "50", "--out", &map]);
    assert!(run.stderr.contains("would overwrite the file of the map"), "{run:?}");
}
