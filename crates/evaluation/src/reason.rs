//! Why a query is refused (SPEC §8).

use import::Problem;

/// Why a query is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    /// Farther from every street than the limit.
    OffMap,
    /// Fewer than two people.
    K,
    /// Patience of less than nothing.
    Dt,
    /// A distance constraint of nothing, or above the largest.
    Dc,
    /// A speed of less than nothing, or none where the guarantee needs one.
    Speed,
    /// An id that an earlier row has.
    DuplicateId,
    /// Asked before an earlier row.
    OutOfOrder,
    /// No query at all.
    Malformed,
    /// Too far from where its user last asked, for the speed it gives.
    FasterThanDeclared,
}

impl Reason {
    /// All of them, in the order of the specification.
    pub const ALL: [Reason; 9] = [
        Reason::OffMap,
        Reason::K,
        Reason::Dt,
        Reason::Dc,
        Reason::Speed,
        Reason::DuplicateId,
        Reason::OutOfOrder,
        Reason::Malformed,
        Reason::FasterThanDeclared,
    ];

    /// As in files.
    pub fn name(self) -> &'static str {
        match self {
            Reason::OffMap => "off-map",
            Reason::K => "k",
            Reason::Dt => "dt",
            Reason::Dc => "dc",
            Reason::Speed => "speed",
            Reason::DuplicateId => "duplicate-id",
            Reason::OutOfOrder => "out-of-order",
            Reason::Malformed => "malformed",
            Reason::FasterThanDeclared => "faster-than-declared",
        }
    }

    /// For an error: what is wrong with a query.
    pub fn sentence(self) -> &'static str {
        match self {
            Reason::DuplicateId => "has the id of an earlier one",
            Reason::OutOfOrder => "was asked before an earlier one; expected ascending `t`",
            _ => "is not as it should be",
        }
    }

    /// The reason if all that is wrong is a number out of its range; `None` if the row is no query.
    pub fn of_range(problem: &Problem) -> Option<Reason> {
        let Problem::BadField { field, value, .. } = problem else { return None };
        let number: f64 = value.trim().parse().ok()?;
        match *field {
            "k" if number.is_finite() && number.fract() == 0.0 => Some(Reason::K),
            "dt" if number < 0.0 => Some(Reason::Dt),
            "interval" if number < 0.0 => Some(Reason::Dc),
            "speed" if number < 0.0 => Some(Reason::Speed),
            _ => None,
        }
    }
}
