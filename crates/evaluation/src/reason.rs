//! Reasons for refusing a query (docs/SPEC.md §8).

use import::Problem;

/// Why a query is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    /// Farther from every street than the snapping limit.
    OffMap,
    /// k below 2.
    K,
    /// Negative temporal tolerance.
    Dt,
    /// Distance constraint of 0 or above the limit.
    Dc,
    /// Negative speed, or no speed although the guarantee needs one.
    Speed,
    /// Id of an earlier row.
    DuplicateId,
    /// Time before that of an earlier row.
    OutOfOrder,
    /// Row that is not a query.
    Malformed,
    /// Farther from the user's last position than the declared speed allows.
    FasterThanDeclared,
}

impl Reason {
    /// All reasons, in the order of the specification.
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

    /// Name in files.
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

    /// Predicate for error messages: `query X …`.
    pub fn sentence(self) -> &'static str {
        match self {
            Reason::DuplicateId => "has the id of an earlier query",
            Reason::OutOfOrder => {
                "has a time before that of an earlier query; expected ascending `t`"
            }
            _ => "is invalid",
        }
    }

    /// Returns the reason for a number out of range; `None` for other problems, which make the row
    /// malformed.
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
