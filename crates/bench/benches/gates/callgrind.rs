//! Runs the workload under callgrind and reads its counts.

use crate::counts::Count;
use crate::meter::{BOUNDARY, UNCOUNTED};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Suffix of the sum of all segments of a guarantee's turns: `history_turn` adds up `history_*`.
const TURN: &str = "_turn";

/// Counts the instructions of each stage in a run of this program with `child` in its environment.
pub fn count(child: &str) -> Result<Vec<Count>, String> {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("gates");
    // Dumps of an earlier run would be counted again.
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let output = run(child, &folder)?;
    let dumps = dumps(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let lines: Vec<&str> = output.lines().collect();
    let (segments, work) = lines.split_last().ok_or("the workload printed nothing")?;
    let segments: Vec<&str> = segments.split_whitespace().collect();
    if segments.len() != dumps.len() {
        let (wanted, found) = (segments.len(), dumps.len());
        return Err(format!(
            "callgrind wrote {found} dumps, expected one for each of {wanted} segments"
        ));
    }
    let total = |stage: &str| -> u64 {
        let counts = |segment: &str| match stage.strip_suffix(TURN) {
            Some(guarantee) => segment.starts_with(guarantee),
            None => segment == stage,
        };
        let counted = segments.iter().zip(dumps.values()).filter(|(segment, _)| counts(segment));
        counted.map(|(_, instructions)| instructions).sum()
    };
    work.iter()
        .map(|line| {
            let parts: Vec<&str> = line.split_whitespace().collect();
            let &[stage, size, unit] = &parts[..] else {
                return Err(format!("workload: {line:?} is not STAGE SIZE UNIT"));
            };
            let size = size.parse().map_err(|error| format!("workload: {line:?}: {error}"))?;
            let each = total(stage) as f64 / size as f64;
            debug_assert_ne!(stage, UNCOUNTED);
            Ok(Count { stage: stage.into(), size, unit: unit.into(), each })
        })
        .collect()
}

/// Runs this program under callgrind, which writes its dumps to `folder`; returns its output.
fn run(child: &str, folder: &Path) -> Result<String, String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let output = Command::new("valgrind")
        .args(["--quiet", "--tool=callgrind", "--callgrind-out-file=counts"])
        .arg(format!("--dump-before={BOUNDARY}"))
        .arg(program)
        .env(child, "1")
        .current_dir(folder)
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| format!("cannot run valgrind: {error}; `make gates` installs it"))?;
    if !output.status.success() {
        return Err(format!("valgrind: {}", output.status));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Instructions of each segment by the number of its dump.
fn dumps(folder: &Path) -> std::io::Result<BTreeMap<u32, u64>> {
    let mut dumps = BTreeMap::new();
    for entry in std::fs::read_dir(folder)? {
        let text = std::fs::read_to_string(entry?.path())?;
        let field = |name: &str| text.lines().find_map(|line| line.strip_prefix(name));
        let number = |name: &str| field(name).and_then(|value| value.trim().parse::<u64>().ok());
        let ends_at_boundary = field("desc: Trigger: --dump-before=").is_some();
        if let (true, Some(part), Some(total)) =
            (ends_at_boundary, number("part: "), number("totals: "))
        {
            dumps.insert(part as u32, total);
        }
    }
    Ok(dumps)
}
