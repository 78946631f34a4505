//! The files in `experiments/` are valid and share their common cells.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

use evaluation::experiment::Experiment;
use evaluation::grid;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Cell keys by file name.
fn all() -> BTreeMap<String, Vec<String>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../experiments");
    let files = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    let files = files.filter(|file| file.extension().is_some_and(|extension| extension == "toml"));
    let read = |file: PathBuf| {
        let text = std::fs::read_to_string(&file).unwrap();
        let experiment = Experiment::from_toml(&file, &text).unwrap_or_else(|e| panic!("{e}"));
        let cells = grid::cells(&experiment, Some(Path::new("maps"))).unwrap();
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        (name, cells.iter().map(grid::GridCell::key).collect())
    };
    files.map(read).collect()
}

#[test]
fn every_table_and_figure_has_an_experiment() {
    let names: Vec<String> = all().into_keys().collect();
    let expected = [
        "density.toml",
        "everything.toml",
        "fig-mesh-length.toml",
        "fig-relative-dt.toml",
        "fig-relative-k.toml",
        "fig-success-rate.toml",
        "fig-time.toml",
        "fig-volume.toml",
        "guarantees.toml",
        "presence.toml",
        "schemes.toml",
        "tab-2-maps.toml",
        "tab-4-sequential.toml",
        "taxis.toml",
    ];
    assert_eq!(names, expected);
}

#[test]
fn the_figures_of_the_paper_share_their_runs() {
    let all = all();
    let rates = &all["fig-success-rate.toml"];
    assert_eq!(rates.len(), 14 * 5 * 3);
    for figure in ["fig-mesh-length.toml", "fig-relative-dt.toml", "fig-relative-k.toml"] {
        assert_eq!(all[figure], *rates, "{figure}");
    }
    for figure in ["fig-time.toml", "fig-volume.toml"] {
        assert!(all[figure].iter().all(|cell| rates.contains(cell)), "{figure}");
    }
    assert_eq!(all["tab-2-maps.toml"], Vec::<String>::new());
}
