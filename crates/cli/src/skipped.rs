//! Schemes that cannot run on a map, as rows of a results folder.

use evaluation::results::SkippedRow;
use std::fmt::Display;

/// Returns the row of a scheme that a command leaves out.
pub fn skipped_row(command: &str, map: &str, scheme: &str, problem: &impl Display) -> SkippedRow {
    SkippedRow {
        command: command.to_owned(),
        map: map.to_owned(),
        scheme: scheme.to_owned(),
        reason: problem.to_string(),
        commit: env!("MESHCLOAK_COMMIT").to_owned(),
    }
}
