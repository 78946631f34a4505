//! This program under callgrind, which counts instructions.

use crate::ledger::Count;
use crate::stages;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Counts the instructions of every stage in a run of this program with `child` in its environment.
pub fn count(child: &str) -> Result<Vec<Count>, String> {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("gates");
    // What an earlier run left would be taken for ours.
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let sizes = run(child, &folder)?;
    let totals = totals(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let stages = stages::ALL.iter().zip(sizes);
    stages
        .map(|(&(stage, unit), size)| {
            let seen = totals.iter().find(|(function, _)| *function == function_of(stage));
            let &(_, total) =
                seen.ok_or(format!("callgrind did not see {}", function_of(stage)))?;
            let each = total as f64 / size as f64;
            Ok(Count { stage: stage.into(), size, unit: unit.into(), each })
        })
        .collect()
}

fn function_of(stage: &str) -> String {
    format!("gates::stages::{stage}")
}

/// Runs this program; each stage leaves a file in `folder`. Gives the size of each.
fn run(child: &str, folder: &Path) -> Result<Vec<usize>, String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["--quiet", "--tool=callgrind", "--callgrind-out-file=counts"]);
    for function in stages::ALL.map(|(stage, _)| function_of(stage)) {
        valgrind.arg(format!("--dump-before={function}"));
        valgrind.arg(format!("--dump-after={function}"));
    }
    valgrind.arg(program).env(child, "1").current_dir(folder).stderr(Stdio::inherit());
    let output = valgrind
        .output()
        .map_err(|error| format!("valgrind: {error}; `make gates` installs it"))?;
    if !output.status.success() {
        return Err(format!("valgrind: {}", output.status));
    }
    let sizes = String::from_utf8_lossy(&output.stdout);
    let sizes: Option<Vec<usize>> =
        sizes.split_whitespace().map(|size| size.parse().ok()).collect();
    let sizes = sizes.filter(|sizes| sizes.len() == stages::ALL.len());
    sizes.ok_or("the workload did not say how much it did".into())
}

/// The instructions of each function at whose end callgrind wrote a file.
fn totals(folder: &Path) -> std::io::Result<Vec<(String, u64)>> {
    let mut totals = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let text = std::fs::read_to_string(entry?.path())?;
        let field = |name: &str| text.lines().find_map(|line| line.strip_prefix(name));
        let function = field("desc: Trigger: --dump-after=");
        let total = field("totals: ").and_then(|total| total.trim().parse().ok());
        totals.extend(function.map(str::to_owned).zip(total));
    }
    Ok(totals)
}
