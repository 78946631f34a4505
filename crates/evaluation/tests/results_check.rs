//! `make results-check`: the files in `results/` come from code that gives the same answers, name
//! their commit and crates, and have reports without dead links that were built from them.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

use evaluation::report::{Data, HtmlReport};
use evaluation::result_file::ResultFile;
use evaluation::results::{self, PrivacyRow};
use evaluation::sample::{FILES, Sample, differences};
use evaluation::stated_commits::stated_files;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../results")
}

/// Folders whose answers no sample guards, with the reason. An entry that has a sample fails.
const UNGUARDED: [(&str, &str); 1] = [("rivals", "rows of f9e0e7c have no sample")];

/// Names of the CSV files of a folder.
fn csv_files(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
    let names = entries.map(|name| name.into_string().unwrap());
    names.filter(|name| name.ends_with(".csv")).collect()
}

/// Folders with results: those with a CSV file or a provenance.
fn folders() -> Vec<PathBuf> {
    let mut all = vec![root()];
    let below = fs::read_dir(root()).unwrap().map(|entry| entry.unwrap().path());
    all.extend(below.filter(|path| path.is_dir() && !path.ends_with("plots")));
    all.retain(|path| path.join("provenance.toml").is_file() || !csv_files(path).is_empty());
    assert!(all.iter().any(|folder| folder.ends_with("paper")), "results/paper is missing");
    all
}

/// Folders with a sample.
fn guarded_folders() -> Vec<PathBuf> {
    let mut all = folders();
    all.retain(|folder| {
        let listed = UNGUARDED.iter().find(|(name, _)| folder.ends_with(name));
        let has_sample = FILES.iter().all(|name| folder.join(name).is_file());
        let name = folder.display();
        match listed {
            Some((_, reason)) => assert!(!has_sample, "{name} has a sample, not: {reason}"),
            None => assert!(has_sample, "{name} has no sample: run its command with --sample"),
        }
        has_sample
    });
    all
}

#[test]
fn the_code_gives_the_answers_of_the_committed_results() {
    let computed = Sample::compute().unwrap();
    assert!(computed.runs.len() > 40 && computed.attacks.len() > 60, "the sample is not empty");
    for folder in guarded_folders() {
        let stored = Sample::read(&folder).unwrap();
        let found = differences(&stored, &computed);
        assert!(
            found.is_empty(),
            "{} is out of date: the code gives other answers than the code that wrote it. Run its \
             evaluation again (results/README.md).\n{}",
            folder.display(),
            found.join("\n")
        );
    }
}

/// A sample stands for the commits in its entry, so rows of other commits would not be checked.
#[test]
fn the_sample_stands_for_the_commits_of_all_rows() {
    for folder in guarded_folders() {
        let entries = ResultFile::read_all(&folder).unwrap();
        let covered = ResultFile::commits_of(&entries, FILES[0]);
        let privacy = folder.join("privacy.csv");
        let attacks: Vec<PrivacyRow> =
            if privacy.is_file() { results::read(&privacy).unwrap() } else { Vec::new() };
        let runs = ResultFile::commits_of(&entries, "runs.csv");
        for commit in runs.into_iter().chain(attacks.into_iter().map(|row| row.commit)) {
            assert!(
                covered.contains(&commit),
                "{}: the sample stands for {covered:?}, not for rows of commit {commit}; run the \
                 command of the rows again with --sample (results/README.md)",
                folder.display()
            );
        }
    }
}

#[test]
fn every_result_file_names_its_commit_and_crates() {
    for folder in folders() {
        let entries = ResultFile::read_all(&folder).unwrap();
        for name in csv_files(&folder) {
            let entry = entries.iter().find(|entry| entry.name == name);
            let is_stated =
                entry.is_some_and(|file| !file.commits.is_empty() && !file.crates.is_empty());
            assert!(
                is_stated,
                "{}: provenance.toml does not state commits and crates of {name}; `meshcloak report \
                 {}` does if its rows name their commits",
                folder.display(),
                folder.display()
            );
        }
    }
}

/// An entry without the commit of a row would leave that row unchecked.
#[test]
fn provenance_names_the_commits_that_rows_state() {
    for folder in folders() {
        let entries = ResultFile::read_all(&folder).unwrap();
        for stated in stated_files(&folder).unwrap() {
            let named = ResultFile::commits_of(&entries, &stated.name);
            for commit in stated.commits {
                assert!(
                    named.contains(&commit),
                    "{}: {} has rows of {commit}, which provenance.toml does not name",
                    folder.display(),
                    stated.name
                );
            }
        }
    }
}

#[test]
fn committed_reports_are_built_from_the_committed_results() {
    for folder in folders() {
        let built = HtmlReport::new(&Data::read(&folder).unwrap()).unwrap();
        let remedy = format!("run `meshcloak report {}`", folder.display());
        let is_same = |name: &str, text: &str| {
            let committed = fs::read_to_string(folder.join(name)).unwrap_or_default();
            assert!(committed == text, "{name} is out of date: {remedy}");
        };
        is_same("report.html", &built.html);
        if let Some(claims) = &built.claims {
            is_same("claims.md", claims);
        }
        for plot in &built.plots {
            is_same(&format!("plots/{}.svg", plot.name()), plot.svg());
            if let Some(csv) = plot.csv() {
                is_same(&format!("plots/{}.csv", plot.name()), csv);
            }
        }
    }
}

#[test]
fn links_of_committed_reports_lead_to_files() {
    let mut checked = 0;
    for folder in folders() {
        let html = fs::read_to_string(folder.join("report.html")).unwrap();
        for target in html.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next()) {
            let id = target.strip_prefix('#').map(|id| format!("id=\"{id}\""));
            let leads = id.map_or_else(|| folder.join(target).is_file(), |id| html.contains(&id));
            assert!(leads, "{}: the link {target} leads nowhere", folder.display());
            checked += 1;
        }
    }
    assert!(checked > 20, "only {checked} links found");
}
