//! `make results-check`: the files in `results/` come from code that gives the same answers, name
//! their commit and crates, and have reports without dead links that were built from them.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

use evaluation::neighbours::MeasureRow;
use evaluation::report::{Data, HtmlReport};
use evaluation::result_file::ResultFile;
use evaluation::results::{self, CostRow, PrivacyRow, SkippedRow};
use evaluation::sample::{FILES, Sample, differences};
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../results")
}

/// Folders with results.
fn folders() -> Vec<PathBuf> {
    let mut all = vec![root()];
    let below = fs::read_dir(root()).unwrap().map(|entry| entry.unwrap().path());
    all.extend(below.filter(|path| path.is_dir() && !path.ends_with("plots")));
    all.retain(|folder| folder.join("provenance.toml").is_file());
    assert!(all.iter().any(|folder| folder.ends_with("paper")), "results/paper is missing");
    all
}

#[test]
fn the_code_gives_the_answers_of_the_committed_results() {
    let computed = Sample::compute().unwrap();
    assert!(computed.runs.len() > 40 && computed.attacks.len() > 60, "the sample is not empty");
    for folder in folders() {
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
    for folder in folders() {
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
        let text = fs::read_to_string(folder.join("provenance.toml")).unwrap();
        let provenance: toml::Table = toml::from_str(&text).unwrap();
        let named = provenance["file"].as_array().unwrap();
        for file in fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()) {
            let name = file.file_name().unwrap().to_str().unwrap();
            if !name.ends_with(".csv") {
                continue;
            }
            let row = named.iter().find(|row| row["name"].as_str() == Some(name));
            let has = |row: &toml::Value, list: &str| {
                row[list].as_array().is_some_and(|values| !values.is_empty())
            };
            let is_stated = row.is_some_and(|row| has(row, "commits") && has(row, "crates"));
            // Some rows state their commit each; drawings belong to such rows.
            let states_own = match name {
                "privacy.csv" => {
                    let rows: Vec<PrivacyRow> = results::read(&file).unwrap();
                    rows.iter().all(|row| !row.commit.is_empty())
                }
                "skipped.csv" => {
                    let rows: Vec<SkippedRow> = results::read(&file).unwrap();
                    rows.iter().all(|row| !row.commit.is_empty())
                }
                "costs.csv" => {
                    let rows: Vec<CostRow> = results::read(&file).unwrap();
                    rows.iter().all(|row| !row.commit.is_empty())
                }
                "neighbours.csv" => {
                    let rows: Vec<MeasureRow> = results::read(&file).unwrap();
                    rows.iter().all(|row| !row.commit.is_empty())
                }
                "victim.csv" => folder.join("privacy.csv").is_file(),
                "neighbours-drawings.csv" => folder.join("neighbours.csv").is_file(),
                _ => false,
            };
            assert!(is_stated || states_own, "{}: commit and crates are unknown", file.display());
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
