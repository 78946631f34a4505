//! The job script for Slurm runs every part of a grid, without Slurm.

use crate::evaluate::{EvaluationFixture, TINY};
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/slurm/evaluate.sbatch");

/// Runs the script as a task of two; `maps` is the folder of maps.
fn task(fixture: &EvaluationFixture, number: usize, maps: Option<&str>) -> Output {
    let program = Path::new(env!("CARGO_BIN_EXE_meshcloak")).parent().unwrap();
    let path = std::env::var("PATH").unwrap_or_default();
    let mut command = Command::new("sh");
    command
        .args([SCRIPT, "e.toml"])
        .current_dir(fixture.path(""))
        .env("PATH", format!("{}:{path}", program.display()))
        .env("SLURM_ARRAY_TASK_ID", number.to_string())
        .env("SLURM_CPUS_PER_TASK", "1")
        .env("PARTS", "2");
    match maps {
        Some(maps) => command.env("MESHCLOAK_MAPS", maps),
        None => command.env_remove("MESHCLOAK_MAPS"),
    };
    command.output().unwrap()
}

#[test]
fn the_tasks_of_an_array_job_are_the_whole_grid() {
    let fixture = EvaluationFixture::new(TINY);
    let mut cells = Vec::new();
    for number in [1, 2] {
        let output = task(&fixture, number, Some("maps"));
        assert!(output.status.success(), "{output:?}");
        for cell in fs::read_dir(fixture.path(&format!("part-{number}/cells"))).unwrap() {
            cells.push(cell.unwrap().file_name());
        }
    }
    cells.sort();
    cells.dedup();
    assert_eq!(cells.len(), 4);
    let output = task(&fixture, 1, None);
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success() && stderr.contains("MESHCLOAK_MAPS"), "{stderr}");
}
