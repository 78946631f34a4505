//! Errors of `meshcloak cloak`: each names the problem and leaves no file.

use crate::cloak::DAY;
use crate::town::TownFixture;
use std::fs;

#[test]
fn the_first_malformed_rows_are_named_with_their_errors() {
    let rows = "a,1,1.0005,10,0,2,9,50\nb,2,2,10,0,2,9,50\n".to_owned();
    let rows = rows + &(0..9).map(|n| format!("c{n},2,x,10,0,2,9,50\n")).collect::<String>();
    let run = TownFixture::new(&format!("query,user,t,x,y,k,dt,dc\n{rows}")).run(&[]).done();
    let notes = [
        "line 2: field `t` is `1.0005`; expected seconds from 0 with at most three decimals",
        "line 4: field `t` is `x`; expected a number",
        "line 7: field `t` is `x`; expected a number",
        "10 malformed rows are refused, the first 5 as above; the outcomes list all",
    ];
    assert!(notes.iter().all(|note| run.stderr.contains(note)), "{}", run.stderr);
    assert!(!run.stderr.contains("line 8:"), "{}", run.stderr);
}

#[test]
fn an_output_does_not_replace_an_input_or_another_output() {
    let town = TownFixture::new(DAY);
    let queries = town.path("q");
    let run = town.run(&["--disclosures", &queries]);
    assert!(run.stderr.contains("would overwrite the file of --queries"), "{run:?}");
    let run = town.run(&["--disclosures", &town.path("d"), "--per-batch", &town.path("d")]);
    assert!(run.stderr.contains("would overwrite the file of --disclosures"), "{run:?}");
    let map = town.path("t");
    let run = crate::program::meshcloak(&["cloak", &map, "--queries", &queries, "--out", &queries]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(1), ""), "{run:?}");
    assert_eq!(fs::read_to_string(queries).unwrap(), DAY);
    assert_eq!(town.left_behind(), Vec::<String>::new());
}

/// Rows of which the first `far` are off the map.
fn far_rows(count: usize, far: usize) -> String {
    let y = |n: usize| if n < far { 9_000 } else { 0 };
    let row = |n: usize| format!("q{n},u{n},{n},10,{},2,9,50\n", y(n));
    "query,user,t,x,y,k,dt,dc\n".to_owned() + &(0..count).map(row).collect::<String>()
}

#[test]
fn a_wrong_map_is_refused_or_noted() {
    let town = TownFixture::new(&far_rows(30, 20));
    let run = town.run(&[]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(1), ""), "{run:?}");
    assert!(run.stderr.contains("20 of 30 queries are off the map"), "{run:?}");
    assert_eq!(town.left_behind(), Vec::<String>::new());
    let noted = town.run(&["--allow-off-map"]).done().stderr;
    assert!(noted.contains("20 of 30 queries are off the map"), "{noted}");
    let half = TownFixture::new(&far_rows(30, 15)).run(&[]).done().stderr;
    assert!(half.contains("15 of 30 queries are off the map; is it the right map?"), "{half}");
    // More than 5 % are noted.
    assert_eq!(TownFixture::new(&far_rows(100, 5)).run(&[]).done().stderr, "");
    let few = TownFixture::new(&far_rows(100, 6)).run(&[]).done().stderr;
    assert!(few.contains("6 of 100 queries are off the map"), "{few}");
    // More than half are refused.
    let most = TownFixture::new(&far_rows(100, 51)).run(&[]);
    assert_eq!((most.code, most.stdout.as_str()), (Some(1), ""), "{most:?}");
}

#[test]
fn an_unsorted_file_is_noted_and_can_be_sorted() {
    let (head, rows) = DAY.split_once('\n').unwrap();
    let sorted = "a,1,1,10,0,2,9,50,,\nb,2,2,10,0,2,9,50,,\nc,3,3,10,0,2,9,50,,\n";
    let reversed: String = sorted.lines().rev().map(|row| format!("{row}\n")).collect();
    let town = TownFixture::new(&format!("{head}\n{reversed}"));
    let run = town.run(&[]).done();
    assert!(run.stderr.contains("2 of 3 rows are refused because `t` is before"), "{run:?}");
    let expected = TownFixture::new(&format!("{head}\n{sorted}")).outcomes(&[]);
    assert_eq!(town.outcomes(&["--sort", "--strict"]), expected);
    // Rows in order are not moved, also those without a time.
    let day =
        TownFixture::new(&format!("{head}\n{}", rows.replace("late,u9,6.499", "late,u9,6.5")));
    assert_eq!(day.outcomes(&["--sort"]), day.outcomes(&[]));
}

#[test]
fn queries_are_read_from_standard_input() {
    let town = TownFixture::new(DAY);
    let expected = town.outcomes(&[]);
    let input = fs::File::open(town.path("q")).unwrap();
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_meshcloak"))
        .args(["cloak", &town.path("t"), "--queries", "-", "--out", &town.path("o2")])
        .stdin(input)
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    assert_eq!(fs::read_to_string(town.path("o2")).unwrap(), expected);
}

#[test]
fn strict_aborts_at_the_bad_line_and_leaves_no_file() {
    let head = "query,user,t,x,y,k,dt,dc\na,1,1,10,0,2,9,50\n";
    let cases = [
        ("b,2,1,10,0,two,9,50", "line 3: field `k` is `two`; expected a number"),
        ("a,2,1,10,0,2,9,50", "line 3: query `a` has the id of an earlier query"),
        ("b,2,0.5,10,0,2,9,50", "line 3: query `b` has a time before that of an earlier query"),
    ];
    for (row, message) in cases {
        let town = TownFixture::new(&format!("{head}{row}\n"));
        let run = town.run(&["--strict", "--disclosures", &town.path("d")]);
        assert_eq!((run.code, run.stdout.as_str()), (Some(1), ""), "{run:?}");
        assert!(run.stderr.contains(message), "no `{message}` in {}", run.stderr);
        assert_eq!(town.left_behind(), Vec::<String>::new());
        town.run(&[]).done();
    }
    // Queries outside the limits are refused, not malformed.
    TownFixture::new(&format!("{head}b,2,1,10,0,1,9,50\nc,2,1,10,90,2,9,50\n"))
        .run(&["--strict"])
        .done();
}

#[test]
fn errors_name_the_problem_and_leave_no_file() {
    let town = TownFixture::new("query,user,t,lon,lat,k,dt,dc\na,1,1,8,53,2,9,50\n");
    let run = town.run(&[]);
    assert_eq!(run.code, Some(1));
    assert!(run.stderr.contains("line 2: a query in degrees requires lon/lat"), "{}", run.stderr);
    let far = town.outcomes(&["--origin", "8,53.1"]);
    assert!(far.contains("off-map"), "{far}");
    assert!(town.outcomes(&["--origin", "8,53"]).contains("expired"));
    fs::remove_file(town.path("o")).unwrap();
    fs::write(town.path("q"), "query,user,t,x,y,k,dt\n").unwrap();
    assert!(town.run(&[]).stderr.contains("`dc`, or `speed` and `interval`"));
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut packed, DAY.as_bytes()).unwrap();
    let packed = packed.finish().unwrap();
    fs::write(town.path("q"), &packed[..packed.len() - 9]).unwrap();
    let run = town.run(&["--per-batch", &town.path("b")]);
    assert!(run.code == Some(1) && run.stderr.contains("unexpected end of file"), "{run:?}");
    let nowhere = town.path("nowhere/d");
    assert!(town.run(&["--disclosures", &nowhere]).stderr.contains("the folder does not exist"));
    assert_eq!(town.left_behind(), Vec::<String>::new());
    for bad in [["--batch", "0"], ["--dc-max", "2048"], ["--snap", "-1"], ["--threads", "0"]] {
        assert_eq!(town.run(&bad).code, Some(2), "{bad:?}");
    }
    for guarantee in ["reciprocal", "history"] {
        let run = town.run(&["--guarantee", guarantee, "--pipeline", "printed"]);
        assert!(run.code == Some(1) && run.stderr.contains("supports only"), "{run:?}");
    }
}

#[test]
fn an_interrupted_run_leaves_no_file() {
    let town = TownFixture::new("");
    fs::remove_file(town.path("q")).unwrap();
    let tool = |name: &str, arguments: &[&str]| {
        let status = std::process::Command::new(name).args(arguments).status();
        assert!(status.unwrap().success(), "{name}");
    };
    // A named pipe: the program waits for rows that never arrive.
    tool("mkfifo", &[&town.path("q")]);
    let mut run = std::process::Command::new(env!("CARGO_BIN_EXE_meshcloak"))
        .args(["cloak", &town.path("t"), "--queries", &town.path("q"), "--out", &town.path("o")])
        .spawn()
        .unwrap();
    let mut pipe = fs::OpenOptions::new().write(true).open(town.path("q")).unwrap();
    std::io::Write::write_all(&mut pipe, DAY.as_bytes()).unwrap();
    while town.left_behind().is_empty() {
        assert!(run.try_wait().unwrap().is_none(), "ended by itself");
        std::thread::yield_now();
    }
    tool("kill", &["-INT", &run.id().to_string()]);
    assert_eq!(run.wait().unwrap().code(), Some(130));
    drop(pipe);
    assert_eq!(town.left_behind(), Vec::<String>::new());
}
