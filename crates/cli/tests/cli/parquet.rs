//! Parquet files and partitioned folders: equal outcomes for equal queries in any format.

use crate::cloak::DAY;
use crate::program::{Run, meshcloak};
use crate::town::TownFixture;
use std::fs::{self, File};
use std::io::Write as _;
use std::process::{Command, Stdio};
use tempfile::TempDir;

struct Folder(TempDir);

impl Folder {
    fn path(&self, name: &str) -> String {
        self.0.path().join(name).display().to_string()
    }

    fn run(&self, command: &str, options: &[(&str, &str)]) -> Run {
        let mut all = vec![command.to_owned(), "city:500:1".to_owned()];
        for (option, value) in options {
            all.push((*option).to_owned());
            let value = value.strip_prefix('@').map_or((*value).to_owned(), |name| self.path(name));
            all.push(value);
        }
        meshcloak(&all)
    }
}

const FORMATS: [&str; 4] = ["csv", "csv.gz", "ndjson", "parquet"];

/// The outcomes as NDJSON, for each format of the queries and the outcomes.
#[test]
fn equal_queries_in_any_format_give_equal_outcomes_scores_and_attacks() {
    let folder = Folder(tempfile::tempdir().unwrap());
    let (mut outcomes, mut scores, mut attacks) = (Vec::new(), Vec::new(), Vec::new());
    for format in FORMATS {
        let queries = format!("@q.{format}");
        folder.run("simulate", &[("--users", "400"), ("--out", &queries)]).done();
        folder.run("cloak", &[("--queries", &queries), ("--out", "@o.ndjson")]).done();
        folder.run("cloak", &[("--queries", &queries), ("--out", "@o.parquet")]).done();
        outcomes.push(fs::read(folder.path("o.ndjson")).unwrap());
        for written in ["@o.ndjson", "@o.parquet"] {
            let files = [("--queries", queries.as_str()), ("--outcomes", written)];
            scores.push(folder.run("score", &files).done().stdout);
            let attack = [&files[..], &[("--attacks", "D,known-point")]].concat();
            let table = folder.run("attack", &attack).done().stdout;
            attacks.push(without_times(&table));
        }
    }
    assert!(outcomes[0].len() > 10_000);
    assert!(scores.iter().all(|text| *text == scores[0]), "{scores:?}");
    assert!(attacks.iter().all(|rows| *rows == attacks[0]), "{attacks:?}");
    assert!(outcomes.iter().all(|text| *text == outcomes[0]));
}

/// The last column of the table of attacks is a time.
fn without_times(table: &str) -> Vec<String> {
    let rows = table.lines().map(str::trim_end);
    rows.map(|row| row.rsplit_once(' ').map_or(row, |(rest, _)| rest).trim().to_owned()).collect()
}

#[test]
fn errors_name_the_row() {
    let town = TownFixture::new(DAY);
    let path = town.path("q.parquet");
    let folder = Folder(tempfile::tempdir().unwrap());
    folder.run("simulate", &[("--users", "20"), ("--out", &path)]).done();
    // Most of the city's users are off the map of the town: refused, not an error.
    let (map, out) = (town.path("t"), town.path("o.parquet"));
    let all = ["cloak", &map, "--queries", &path, "--out", &out, "--json", "--allow-off-map"];
    let run = meshcloak(&all).json();
    let count = |name: &str| run[name].as_u64().unwrap();
    assert!(2 * count("refused") > count("queries"), "{run}");
    let run = meshcloak(&["score", "--queries", &town.path("q"), "--outcomes", &out]);
    assert_eq!(run.code, Some(1));
    let expected = "o.parquet, row 1: query `";
    assert!(run.stderr.contains(expected), "{run:?}");
    let bytes = fs::read(&path).unwrap();
    fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
    let run = meshcloak(&["cloak", &map, "--queries", &path, "--out", &out]);
    assert_eq!(run.code, Some(1));
    assert!(run.stderr.contains("q.parquet: damaged: "), "{run:?}");
}

#[test]
fn gzipped_parquet_is_refused_with_the_reason() {
    let folder = Folder(tempfile::tempdir().unwrap());
    let run = folder.run("simulate", &[("--users", "5"), ("--out", "@q.parquet.gz")]);
    assert!(run.stderr.contains("gzipped Parquet; leave out `.gz`"), "{run:?}");
    folder.run("simulate", &[("--users", "5"), ("--out", "@q.csv")]).done();
    let run = folder.run("cloak", &[("--queries", "@q.csv"), ("--out", "@o.parquet.gz")]);
    assert!(run.stderr.contains("gzipped Parquet; leave out `.gz`"), "{run:?}");
}

#[test]
fn parquet_on_standard_input_is_a_file_and_not_a_pipe() {
    let folder = Folder(tempfile::tempdir().unwrap());
    folder.run("simulate", &[("--users", "60"), ("--out", "@q.parquet")]).done();
    folder.run("cloak", &[("--queries", "@q.parquet"), ("--out", "@o.ndjson")]).done();
    let out = folder.path("stdin.ndjson");
    let cloak = |input: Stdio| {
        let arguments = ["cloak", "city:500:1", "--queries", "-", "--out", &out];
        let program = env!("CARGO_BIN_EXE_meshcloak");
        Command::new(program).args(arguments).stdin(input).output().unwrap()
    };
    let queries = File::open(folder.path("q.parquet")).unwrap();
    assert!(cloak(queries.into()).status.success());
    assert_eq!(fs::read(&out).unwrap(), fs::read(folder.path("o.ndjson")).unwrap());
    fs::remove_file(&out).unwrap();
    let (reader, mut writer) = std::io::pipe().unwrap();
    let bytes = fs::read(folder.path("q.parquet")).unwrap();
    // The command reads the beginning only, so that the rest cannot be written.
    let written = std::thread::spawn(move || writer.write_all(&bytes).is_ok());
    let piped = cloak(reader.into());
    written.join().unwrap();
    let message = String::from_utf8(piped.stderr).unwrap();
    assert!(message.contains("not supported: Parquet from a pipe; name a file"), "{message}");
    assert!(piped.status.code() == Some(1) && !fs::exists(&out).unwrap());
}

/// Writes the positions of simulated users as a trace of Brinkhoff's generator.
fn trace(folder: &Folder) -> String {
    folder.run("simulate", &[("--users", "60"), ("--out", "@simulated.csv")]).done();
    let text = fs::read_to_string(folder.path("simulated.csv")).unwrap();
    let mut lines = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let header = lines.next().unwrap();
    let column = |name| header.iter().position(|column| *column == name).unwrap();
    let [user, t, x, y] = ["user", "t", "x", "y"].map(column);
    let point = |row: Vec<&str>| {
        let seconds = row[t].parse::<f64>().unwrap().round();
        format!("point\t{}\t1\t0\t{seconds}\t{}\t{}\t9\t0\t0\n", row[user], row[x], row[y])
    };
    let path = folder.path("trace.txt");
    fs::write(&path, lines.map(point).collect::<String>()).unwrap();
    path
}

#[test]
fn traces_are_written_in_every_format() {
    let folder = Folder(tempfile::tempdir().unwrap());
    let trace = trace(&folder);
    let outcomes = FORMATS.map(|format| {
        let (queries, out) = (folder.path(&format!("t.{format}")), folder.path("o.ndjson"));
        let all = ["traces", "--map", "city:500:1", &trace, "--interval", "5", "--out", &queries];
        meshcloak(&all).done();
        meshcloak(&["cloak", "city:500:1", "--queries", &queries, "--out", &out]).done();
        fs::read_to_string(out).unwrap()
    });
    assert!(outcomes[0].lines().count() > 200, "{}", outcomes[0].lines().count());
    assert!(outcomes.iter().all(|text| *text == outcomes[0]));
    assert!(fs::read(folder.path("t.parquet")).unwrap().starts_with(b"PAR1"));
}

/// City and day of the partition in Parquet.
const PARQUET: (&str, &str) = ("500", "2");

/// Two cities with two days each; the second city has its queries in two files, and the second day of
/// the first one is Parquet.
fn partitions(folder: &Folder) {
    for city in ["500", "600"] {
        let map = folder.path(&format!("{city}.meshmap"));
        meshcloak(&["map", "convert", &format!("city:{city}:1"), &map]).done();
        for day in ["1", "2"] {
            let part = folder.path(&format!("in/city={city}/day={day}"));
            fs::create_dir_all(&part).unwrap();
            let format = if (city, day) == PARQUET { "parquet" } else { "csv" };
            let out = format!("{part}/a.{format}");
            meshcloak(&["simulate", &map, "--users", "150", "--seed", day, "--out", &out]).done();
            if city == "600" {
                let text = fs::read_to_string(&out).unwrap();
                let lines: Vec<&str> = text.lines().collect();
                let (first, rest) = lines.split_at(lines.len() / 2);
                fs::write(&out, first.join("\n")).unwrap();
                fs::write(format!("{part}/b.csv"), [&[lines[0]], rest].concat().join("\n"))
                    .unwrap();
            }
            fs::write(format!("{part}/_SUCCESS"), "").unwrap();
        }
    }
}

#[test]
fn a_partitioned_folder_is_cloaked_part_by_part() {
    let folder = Folder(tempfile::tempdir().unwrap());
    partitions(&folder);
    let (maps, queries, out) =
        (folder.path("{city}.meshmap"), folder.path("in"), folder.path("out"));
    let all = ["cloak", &maps, "--queries", &queries, "--out", &out];
    let run = meshcloak(&[&all[..], &["--json"]].concat()).json();
    let parts: Vec<&str> = run["partitions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|p| p["partition"].as_str().unwrap())
        .collect();
    let expected = ["city=500/day=1", "city=500/day=2", "city=600/day=1", "city=600/day=2"];
    assert_eq!(parts, expected);
    for city in ["500", "600"] {
        for day in ["1", "2"] {
            let (map, alone) = (folder.path(&format!("{city}.meshmap")), folder.path("q.csv"));
            meshcloak(&["simulate", &map, "--users", "150", "--seed", day, "--out", &alone]).done();
            // Outcomes have the format of their queries.
            let format = if (city, day) == PARQUET { "parquet" } else { "ndjson" };
            let single = folder.path(&format!("o.{format}"));
            meshcloak(&["cloak", &map, "--queries", &alone, "--out", &single]).done();
            let part = folder.path(&format!("out/city={city}/day={day}/outcomes.{format}"));
            assert_eq!(fs::read(part).unwrap(), fs::read(single).unwrap(), "{city} {day}");
        }
    }
    let table = folder.path("o.csv");
    let run = meshcloak(
        &[&["cloak", "city:500:1", "--queries", &folder.path("q.csv")], &["--out", &table[..]][..]]
            .concat(),
    );
    assert!(run.stderr.contains("outcomes as CSV; use .ndjson or .parquet"), "{run:?}");
    assert!(!fs::exists(&table).unwrap());
    let again = meshcloak(&all);
    assert!(again.stderr.contains("the folder is not empty; expected a new one"), "{again:?}");
    let inside = folder.path("in/sub");
    let run = meshcloak(&[&all[..4], &["--out", &inside]].concat());
    assert!(run.stderr.contains("is inside that of --queries"), "{run:?}");
    assert!(!fs::exists(&inside).unwrap());
    // A run that fails leaves no file, so that it can be repeated.
    let stray = folder.path("in/city=500/day=1/readme.txt");
    let repeated = folder.path("repeated");
    let repeated = [&all[..4], &["--out", &repeated]].concat();
    fs::write(&stray, "words").unwrap();
    assert!(meshcloak(&repeated).stderr.contains("partition city=500/day=1"));
    fs::remove_file(&stray).unwrap();
    meshcloak(&repeated).done();
    let (one, other) = (folder.path("x"), folder.path("y"));
    let files = [&all[..4], &["--out", &one, "--per-batch", "b.csv"]].concat();
    assert!(meshcloak(&files).stderr.contains("need --queries to be a file"));
    fs::create_dir(folder.path("in/plain")).unwrap();
    let named = [&all[..4], &["--out", &other]].concat();
    assert!(meshcloak(&named).stderr.contains("plain: expected a folder name KEY=VALUE"));
}
