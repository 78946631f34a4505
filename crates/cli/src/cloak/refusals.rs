//! Counts of refused rows that suggest a wrong map or a file that is not sorted.

use crate::table::grouped;
use anyhow::{Result, bail};
use evaluation::reason::Reason;
use import::ImportError;
use std::path::Path;

/// Rows from which on shares are judged; fewer prove nothing.
const MIN_ROWS: u64 = 20;
/// Share of rows off the map above which the run is refused.
const MAX_OFF_MAP: f64 = 0.5;
/// Share of rows off the map above which a note is printed.
const NOTED_OFF_MAP: f64 = 0.05;

/// Counts of refused rows.
#[derive(Debug, Default)]
pub struct Refusals {
    rows: u64,
    malformed: u64,
    off_map: u64,
    out_of_order: u64,
}

impl Refusals {
    /// Counts a row.
    pub fn count<T>(&mut self, verdict: &Result<T, Reason>) {
        self.rows += 1;
        match verdict {
            Err(Reason::OffMap) => self.off_map += 1,
            Err(Reason::OutOfOrder) => self.out_of_order += 1,
            Err(Reason::Malformed) => self.malformed += 1,
            _ => {}
        }
    }

    /// Refuses a file that does not belong to the map.
    pub fn check_map(&self, file: &Path) -> Result<()> {
        if self.rows >= MIN_ROWS && self.off_map_share() > MAX_OFF_MAP {
            bail!(
                "{}: {} of {} queries are off the map, farther from every street than --snap; is it \
                 the right map? --allow-off-map accepts the file",
                file.display(),
                grouped(self.off_map),
                grouped(self.rows)
            );
        }
        Ok(())
    }

    fn off_map_share(&self) -> f64 {
        self.off_map as f64 / self.rows.max(1) as f64
    }

    /// Describes what the user should know; `first` are the errors of the first malformed rows.
    pub fn notes(&self, first: &[ImportError]) -> Vec<String> {
        let mut notes: Vec<String> = first.iter().map(ToString::to_string).collect();
        if self.malformed > 0 {
            let (count, shown) = (grouped(self.malformed), first.len());
            notes.push(format!(
                "{count} malformed rows are refused, the first {shown} as above; the outcomes list all \
                 with the reason `malformed`, and --strict stops at the first"
            ));
        }
        if self.out_of_order > 0 {
            notes.push(format!(
                "{} of {} rows are refused because `t` is before that of an earlier row; --sort sorts \
                 the file in memory",
                grouped(self.out_of_order),
                grouped(self.rows)
            ));
        }
        if self.rows >= MIN_ROWS && self.off_map_share() > NOTED_OFF_MAP {
            notes.push(format!(
                "{} of {} queries are off the map; is it the right map?",
                grouped(self.off_map),
                grouped(self.rows)
            ));
        }
        notes
    }
}
