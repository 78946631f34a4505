//! Provenance of result folders that several commands fill.

use crate::program::meshcloak;
use evaluation::result_file::ResultFile;
use std::fs;
use std::path::Path;

/// Names, commits and crates in the provenance of a folder, by name.
fn entries(folder: &Path) -> Vec<ResultFile> {
    let mut entries = ResultFile::read_all(folder).unwrap();
    entries.sort_by(|a, b| a.name.cmp(&b.name));
    entries
}

#[test]
fn attacks_costs_and_other_architectures_state_the_commits_of_their_files() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().display().to_string();
    let run = |arguments: &[&str]| meshcloak(&[arguments, &["--out", &out]].concat()).done();
    run(&["neighbours", "mobimix", "city:500:1", "--users", "600", "--seconds", "600"]);
    let names = |of: &Path| entries(of).into_iter().map(|file| file.name).collect::<Vec<_>>();
    assert_eq!(names(folder.path()), ["neighbours-drawings.csv", "neighbours.csv"]);
    let costs = ["costs", "city:500:7", "--users", "300", "--seconds", "3", "--after", "20"];
    run(&[&costs[..], &["--schemes", "casper"]].concat());
    let attack = ["attack", "city:500:7", "--users", "300", "--victims", "20", "--attacks", "D,A"];
    run(&[&attack[..], &["--scheme", "meshcloak/paper,semantics"]].concat());
    let all = entries(folder.path());
    let expected =
        ["costs.csv", "neighbours-drawings.csv", "neighbours.csv", "privacy.csv", "victim.csv"];
    assert_eq!(names(folder.path()), expected);
    let commit = &all[0].commits;
    assert!(all.iter().all(|file| file.commits == *commit && !commit[0].is_empty()), "{all:?}");
    assert!(all.iter().all(|file| file.crates.contains(&"evaluation".to_owned())), "{all:?}");

    let file = folder.path().join("provenance.toml");
    let text = fs::read_to_string(&file).unwrap();
    let is_named = |line: &str| line.starts_with("command = \"meshcloak ");
    assert!(text.lines().any(is_named), "the program without its folder: {text}");

    // A report completes a provenance that does not name a file, or is missing.
    fs::remove_file(&file).unwrap();
    meshcloak(&["report", &out]).done();
    assert_eq!(entries(folder.path()), all);
    let html = fs::read_to_string(folder.path().join("report.html")).unwrap();
    for text in ["<td>costs.csv</td>", "<td>attacks: users</td><td>300</td>"] {
        assert!(html.contains(text), "{text}");
    }
    assert!(!html.contains("<td>runs</td>"), "no evaluation ran");
    // A report elsewhere leaves the folder of the results alone.
    fs::remove_file(&file).unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    let page = elsewhere.path().join("r.html").display().to_string();
    meshcloak(&["report", &out, "--out", &page]).done();
    assert!(!file.exists());
}
