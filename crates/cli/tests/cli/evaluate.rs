//! `meshcloak evaluate` on small populations: result files, resumption after a kill, errors.

use crate::program::{Run, meshcloak};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use tempfile::TempDir;

pub const TINY: &str = "
title = \"Tiny\"
maps = \"city:500:7\"
users = 200
profiles = \"p1\"
k = \"2-5\"
dt = [3, 5]
schemes = [\"meshcloak/paper\", \"meshcloak-printed\"]
volume = true
";

pub struct EvaluationFixture(TempDir);

impl EvaluationFixture {
    pub fn new(experiment: &str) -> EvaluationFixture {
        let fixture = EvaluationFixture(tempfile::tempdir().unwrap());
        fs::write(fixture.path("e.toml"), experiment).unwrap();
        fixture
    }

    pub fn path(&self, name: &str) -> String {
        self.0.path().join(name).display().to_string()
    }

    pub fn run(&self, out: &str, more: &[&str]) -> Run {
        let (experiment, out) = (self.path("e.toml"), self.path(out));
        let mut all = vec!["evaluate", &experiment, "--out", &out];
        all.extend(more);
        meshcloak(&all)
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// Returns the rows of a result file as columns, without the last `without` columns.
    fn rows(&self, name: &str, without: usize) -> Vec<Vec<String>> {
        let split = |line: &str| {
            let cells: Vec<String> = line.split(',').map(str::to_owned).collect();
            cells[..cells.len() - without].to_vec()
        };
        self.read(name).lines().map(split).collect()
    }

    /// Returns one column of `runs.csv`.
    fn column(&self, out: &str, column: &str) -> Vec<String> {
        let rows = self.rows(&format!("{out}/runs.csv"), 0);
        let index = rows[0].iter().position(|name| name == column).unwrap();
        rows[1..].iter().map(|row| row[index].clone()).collect()
    }
}

/// Columns of `runs.csv` that depend on the clock.
const TIMING: usize = 13;

#[test]
fn all_files_are_written_and_a_second_evaluation_runs_nothing() {
    let fixture = EvaluationFixture::new(TINY);
    let run = fixture.run("out", &[]).done();
    assert!(run.stdout.contains("runs") && run.stdout.contains("runs.csv"), "{run:?}");
    let configurations = ["P1-3-5", "P1-3-5", "P1-5-5", "P1-5-5"];
    assert_eq!(fixture.column("out", "configuration"), configurations);
    let succeeded = fixture.column("out", "succeeded");
    assert_eq!(succeeded[0], succeeded[1], "both pipelines give the same answer");
    assert_eq!(fixture.column("out", "queries"), ["2200"; 4]);
    let lines = |name: &str| fixture.read(name).lines().count();
    assert_eq!((lines("out/maps.csv"), lines("out/schemes.csv")), (2, 3));
    assert!(lines("out/volume.csv") > 4 * 60);
    assert!(fixture.read("out/provenance.toml").contains("region = \"reach\""));
    let before = fixture.read("out/runs.csv");
    let again = fixture.run("out", &[]).done();
    assert!(again.stdout.lines().any(|line| line.split_whitespace().eq(["reused", "4"])));
    assert_eq!(fixture.read("out/runs.csv"), before);
}

#[test]
fn a_scheme_name_means_the_same_in_evaluate_and_in_cloak() {
    let fixture = EvaluationFixture::new(TINY);
    let (queries, outcomes) = (fixture.path("q.csv"), fixture.path("o.ndjson"));
    let simulate = ["simulate", "city:500:7", "--users", "200", "--profile", "p1", "--places"];
    meshcloak(&[&simulate[..], &["uniform", "--dt", "5", "--out", &queries]].concat()).done();
    let cloak = ["cloak", "city:500:7", "--queries", &queries, "--out", &outcomes, "--json"];
    let names = [
        ("succeeded", "succeeded"),
        ("success_rate", "success_rate"),
        ("printed_success_rate", "printed_success_rate"),
        ("region_metres", "mesh_length"),
        ("region_metres_per_member", "mesh_length_per_member"),
        ("relative_k", "relative_k"),
        ("relative_dt", "relative_dt"),
    ];
    let cases: [(&str, &[&str]); 2] =
        [("meshcloak", &[]), ("meshcloak/paper", &["--guarantee", "paper"])];
    for (scheme, guarantee) in cases {
        fixture.run("out", &["--schemes", scheme]).done();
        let summary = meshcloak(&[&cloak[..], guarantee].concat()).json();
        // The evaluation counts replaced queries as expired (docs/SPEC.md §6).
        let unserved = ["expired", "replaced"].map(|name| summary[name].as_u64().unwrap());
        let expired: u64 = fixture.column("out", "expired")[1].parse().unwrap();
        assert_eq!(expired, unserved.iter().sum::<u64>(), "{scheme}: {summary}");
        for (column, name) in names {
            let ours: f64 = fixture.column("out", column)[1].parse().unwrap();
            let difference = (ours - summary[name].as_f64().unwrap()).abs();
            assert!(difference < 1e-6, "{scheme}, {column}: {summary}");
        }
    }
}

#[test]
fn guarantee_and_region_can_be_chosen_by_flags_or_by_the_name_of_a_scheme() {
    let fixture =
        EvaluationFixture::new(&TINY.replace("meshcloak-printed", "meshcloak/history/cells-600"));
    fixture.run("out", &["--guarantee", "reciprocal", "--region", "cells"]).done();
    let schemes = fixture.column("out", "scheme");
    assert_eq!(
        schemes[..2],
        ["meshcloak/reciprocal/cells-1200", "meshcloak/history/cells-600"].map(str::to_owned)
    );
    let run = fixture.run("out", &["--schemes", "meshcloak/cells-none"]);
    assert!(run.stderr.contains("cells-METRES"), "{}", run.stderr);
}

#[test]
fn a_killed_evaluation_resumes_to_the_same_results() {
    let more = "users = [300, 400]\nseeds = 4\n";
    let fixture = EvaluationFixture::new(&TINY.replace("users = 200\n", more));
    fixture.run("whole", &["--jobs", "2"]).done();
    let out = fixture.path("killed");
    let mut child = Command::new(env!("CARGO_BIN_EXE_meshcloak"))
        .args(["evaluate", &fixture.path("e.toml"), "--out", &out])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let cells = Path::new(&out).join("cells");
    let done = || {
        fs::read_dir(&cells).map_or(0, |files| {
            let names = files.map(|file| file.unwrap().file_name().into_string().unwrap());
            names.filter(|name| name.ends_with(".json")).count()
        })
    };
    while done() < 3 && child.try_wait().unwrap().is_none() {
        std::thread::yield_now();
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let survived = done();
    assert!((3..32).contains(&survived), "killed in the middle: {survived} of 32");
    assert!(!Path::new(&out).join("runs.csv").exists());
    fs::write(cells.join(".writing-half"), "{").unwrap();
    fixture.run("killed", &[]).done();
    assert_eq!(fixture.rows("killed/runs.csv", TIMING), fixture.rows("whole/runs.csv", TIMING));
    assert_eq!(fixture.read("killed/volume.csv"), fixture.read("whole/volume.csv"));
    assert_eq!(fixture.read("killed/schemes.csv"), fixture.read("whole/schemes.csv"));
    assert_eq!(fixture.rows("killed/maps.csv", 1), fixture.rows("whole/maps.csv", 1));
    assert_eq!(done(), 32);
    assert!(!cells.join(".writing-half").exists(), "temporary files are removed");
}

#[test]
fn shards_on_several_machines_merge_by_copying_to_the_whole() {
    let fixture = EvaluationFixture::new(&TINY.replace("dt = [3, 5]", "dt = [3, 4, 5]"));
    fixture.run("whole", &[]).done();
    for (shard, part) in [("1/2", "part-1"), ("2/2", "part-2")] {
        fixture.run(part, &["--shard", shard]).done();
        for folder in ["cells", "maps"] {
            fs::create_dir_all(fixture.path(&format!("merged/{folder}"))).unwrap();
            for file in fs::read_dir(fixture.path(&format!("{part}/{folder}"))).unwrap() {
                let file = file.unwrap();
                let name = file.file_name().into_string().unwrap();
                let target = fixture.path(&format!("merged/{folder}/{name}"));
                assert!(folder == "maps" || !Path::new(&target).exists(), "{name} ran twice");
                fs::copy(file.path(), target).unwrap();
            }
        }
    }
    let merged = fixture.run("merged", &[]).done();
    assert!(merged.stdout.contains("reused          6"), "{}", merged.stdout);
    assert_eq!(fixture.rows("merged/runs.csv", TIMING), fixture.rows("whole/runs.csv", TIMING));
    assert_eq!(fixture.read("merged/volume.csv"), fixture.read("whole/volume.csv"));
    let run = fixture.run("out", &["--shard", "3/2"]);
    assert!(run.stderr.contains("expected INDEX/COUNT"), "{}", run.stderr);
}

#[test]
fn the_real_time_view_replays_recorded_costs() {
    let views = "views = [\"unlimited\", \"realtime\"]\ndt = 0.002\n";
    let fixture = EvaluationFixture::new(&TINY.replace("dt = [3, 5]\n", views));
    fixture.run("first", &[]).done();
    let costs = fixture.path("first");
    fixture.run("second", &["--costs", &costs]).done();
    assert_eq!(fixture.rows("first/runs.csv", TIMING), fixture.rows("second/runs.csv", TIMING));
    assert_eq!(fixture.read("first/volume.csv"), fixture.read("second/volume.csv"));
    let views = ["unlimited", "realtime", "unlimited", "realtime"];
    assert_eq!(fixture.column("first", "view"), views);
    assert_eq!(fs::read_dir(fixture.path("second/costs")).unwrap().count(), 2);
}

#[test]
fn experiments_that_share_a_folder_share_cells() {
    let fixture = EvaluationFixture::new(TINY);
    fixture.run("out", &[]).done();
    let more = TINY.replace("[3, 5]", "[5, 4]");
    fs::write(fixture.path("e.toml"), more).unwrap();
    let run = fixture.run("out", &["--schemes", "meshcloak/paper"]).done();
    assert!(run.stdout.lines().any(|line| line.split_whitespace().eq(["reused", "1"])));
    assert_eq!(fixture.column("out", "configuration"), ["P1-5-5", "P1-4-5"]);
}

#[test]
fn errors_name_the_problem_and_leave_no_file() {
    let fixture = EvaluationFixture::new("users = 10\n\nkay = 3");
    let message = |run: Run| {
        assert_eq!(run.code, Some(1), "{run:?}");
        run.stderr
    };
    let stderr = message(fixture.run("out", &[]));
    assert!(stderr.contains("e.toml, line 3: unknown field `kay` = 3; expected "), "{stderr}");
    assert!(!Path::new(&fixture.path("out")).exists());
    fs::write(fixture.path("e.toml"), TINY).unwrap();
    fs::write(fixture.path("taken"), "").unwrap();
    let stderr = message(fixture.run("taken", &[]));
    assert!(stderr.contains("taken/cells: "), "{stderr}");
    let stderr = message(fixture.run("out", &["--maps", "nowhere.osm.pbf"]));
    assert!(stderr.contains("nowhere.osm.pbf"), "{stderr}");
    let stderr = message(fixture.run("out", &["--costs", "nowhere"]));
    assert!(stderr.contains("--costs nowhere: no such folder"), "{stderr}");
    assert_eq!(fixture.run("out", &["--schemes", "magic"]).code, Some(2));
    assert_eq!(meshcloak(&["evaluate"]).code, Some(2));
    assert_eq!(meshcloak(&["evaluate", "--paper", &fixture.path("e.toml")]).code, Some(2));
    let stderr = message(meshcloak(&["evaluate", &fixture.path("none.toml")]));
    assert!(stderr.contains("none.toml"), "{stderr}");
}

#[test]
fn a_damaged_cell_is_named() {
    let fixture = EvaluationFixture::new(TINY);
    fixture.run("out", &[]).done();
    let cell = fs::read_dir(fixture.path("out/cells")).unwrap().next().unwrap().unwrap().path();
    fs::write(&cell, "{").unwrap();
    let run = fixture.run("out", &[]);
    assert_eq!(run.code, Some(1));
    let name = cell.file_name().unwrap().to_str().unwrap();
    assert!(run.stderr.contains(name) && run.stderr.contains("remove the file"), "{run:?}");
}

#[cfg(unix)]
#[test]
fn a_full_disk_leaves_no_partial_result() {
    // A file size limit of 4 KiB, less than a cell, simulates a full disk.
    let fixture = EvaluationFixture::new(TINY);
    let script = "trap '' XFSZ; ulimit -f 8; exec \"$0\" \"$@\"";
    let out = fixture.path("out");
    let output = Command::new("sh")
        .args(["-c", script, env!("CARGO_BIN_EXE_meshcloak")])
        .args(["evaluate", &fixture.path("e.toml"), "--out", &out])
        .output()
        .unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    assert!(stderr.contains("out/cells/city-500-7_200_P1-3-5_meshcloak"), "{stderr}");
    assert_eq!(fs::read_dir(fixture.path("out/cells")).unwrap().count(), 0);
    assert!(!Path::new(&out).join("runs.csv").exists());
    fixture.run("out", &[]).done();
    assert_eq!(fixture.column("out", "configuration").len(), 4);
}

#[cfg(unix)]
#[test]
fn a_read_only_folder_is_named_and_not_changed() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    use std::os::unix::process::CommandExt;
    let fixture = EvaluationFixture::new(TINY);
    let out = fixture.path("out");
    fs::create_dir(&out).unwrap();
    let program = fixture.path("meshcloak");
    fs::copy(env!("CARGO_BIN_EXE_meshcloak"), &program).unwrap();
    for (path, mode) in [(&out, 0o555), (&fixture.path(""), 0o755)] {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }
    let mut command = Command::new(&program);
    if fs::metadata("/proc/self").unwrap().uid() == 0 {
        command.uid(65534).gid(65534); // root can write everywhere
    }
    let output =
        command.args(["evaluate", &fixture.path("e.toml"), "--out", &out]).output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    assert_eq!(stderr.matches("out/cells: Permission denied").count(), 1, "{stderr}");
    assert_eq!(stderr.matches("Permission denied").count(), 1, "{stderr}");
    assert_eq!(fs::read_dir(&out).unwrap().count(), 0);
}
