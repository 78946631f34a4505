//! What was left out of a trace, counted by reason.

use std::fmt;

/// How much of a trace was left out, and why.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SkipCounts {
    /// Trips without a point.
    pub empty: usize,
    /// Trips of one point: they lead nowhere.
    pub one_point: usize,
    /// Trips that the trace itself calls incomplete (`MISSING_DATA`).
    pub missing_data: usize,
    /// Points that are not later than the point before.
    pub backwards: usize,
    /// Points without a time (GPX).
    pub untimed: usize,
}

impl SkipCounts {
    /// Sentences about what was left out; none if nothing was.
    pub fn notes(&self) -> Vec<String> {
        let notes = [
            (self.empty, "trips have no point; left out"),
            (self.one_point, "trips have one point and lead nowhere; left out"),
            (self.missing_data, "trips are marked MISSING_DATA; left out"),
            (self.backwards, "points are not later than the one before; left out"),
            (self.untimed, "points have no time; left out"),
        ];
        let counted = notes.into_iter().filter(|&(count, _)| count > 0);
        counted.map(|(count, note)| format!("{count} {note}")).collect()
    }
}

impl fmt::Display for SkipCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let notes = self.notes();
        f.write_str(if notes.is_empty() { "it is empty" } else { "" })?;
        f.write_str(&notes.join("; "))
    }
}
