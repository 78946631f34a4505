//! Schemes that cannot run on a map, as rows of a results folder.

use baselines::SchemeError;
use evaluation::results::SkippedRow;

/// Returns the row of a scheme that a command leaves out.
pub fn skipped_row(command: &str, map: &str, scheme: &str, problem: &SchemeError) -> SkippedRow {
    SkippedRow {
        command: command.to_owned(),
        map: map.to_owned(),
        scheme: scheme.to_owned(),
        reason: problem.to_string(),
        commit: env!("MESHCLOAK_COMMIT").to_owned(),
    }
}
