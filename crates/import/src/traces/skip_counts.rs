//! Skipped data of a trace, counted by reason.

use std::fmt;

/// Counts of skipped trips and points, by reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SkipCounts {
    /// Trips without a point.
    pub empty: usize,
    /// Trips of one point.
    pub one_point: usize,
    /// Trips marked as incomplete in the trace (`MISSING_DATA`).
    pub missing_data: usize,
    /// Points that are not later than the point before.
    pub backwards: usize,
    /// Points without a time (GPX).
    pub untimed: usize,
}

impl SkipCounts {
    /// Returns one note per reason; none if nothing was skipped.
    pub fn notes(&self) -> Vec<String> {
        let notes = [
            (self.empty, "trips without points skipped"),
            (self.one_point, "trips with one point skipped"),
            (self.missing_data, "trips marked MISSING_DATA skipped"),
            (self.backwards, "points not later than the previous point skipped"),
            (self.untimed, "points without a time skipped"),
        ];
        let counted = notes.into_iter().filter(|&(count, _)| count > 0);
        counted.map(|(count, note)| format!("{count} {note}")).collect()
    }
}

impl fmt::Display for SkipCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let notes = self.notes();
        f.write_str(if notes.is_empty() { "the file has no trips" } else { "" })?;
        f.write_str(&notes.join("; "))
    }
}
