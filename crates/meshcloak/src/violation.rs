//! Reasons for which the guard rejects a proposed set, and their counts.

/// The check of the guard that a proposed set fails; the first one in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Violation {
    /// A member is not waiting or is not served by the set, or a served query is no member.
    NotOneRegion,
    /// Two members belong to the same user.
    DuplicateUser,
    /// No member has a question.
    NoQuestion,
    /// Fewer members than the `k` of a query that the set serves count towards it.
    TooSmall,
    /// A member's position lies outside the region.
    OutsideRegion,
    /// Region `cell`: members lie in different cells, or the region is not their cell.
    NotOneCell,
    /// Two members are not within each other's distance constraint.
    NotClique,
    /// A member can be at fewer than `k` places of the set, or not at its own, if everyone's previous
    /// position is known and places are assigned one to one.
    History,
    /// A member's `k` is not met without the members of one other account.
    Accounts,
    /// The user of a member is in another set of the batch.
    UserInTwoSets,
    /// A later query of a member's user has left before.
    Overtaken,
}

impl Violation {
    /// All violations, in the order of the checks.
    pub const ALL: [Violation; 11] = [
        Violation::NotOneRegion,
        Violation::DuplicateUser,
        Violation::NoQuestion,
        Violation::TooSmall,
        Violation::OutsideRegion,
        Violation::NotOneCell,
        Violation::NotClique,
        Violation::History,
        Violation::Accounts,
        Violation::UserInTwoSets,
        Violation::Overtaken,
    ];

    /// Returns the name in metrics, logs and files.
    pub fn name(self) -> &'static str {
        match self {
            Violation::NotOneRegion => "not_one_region",
            Violation::DuplicateUser => "duplicate_user",
            Violation::NoQuestion => "no_question",
            Violation::TooSmall => "too_small",
            Violation::OutsideRegion => "outside_region",
            Violation::NotOneCell => "not_one_cell",
            Violation::NotClique => "not_clique",
            Violation::History => "history",
            Violation::Accounts => "accounts",
            Violation::UserInTwoSets => "user_in_two_sets",
            Violation::Overtaken => "overtaken",
        }
    }
}

/// Number of rejected sets by violation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rejections([u32; Violation::ALL.len()]);

impl Rejections {
    /// Returns the number of rejected sets.
    pub fn total(self) -> usize {
        self.0.iter().map(|&count| count as usize).sum()
    }

    /// Returns the number of sets that were rejected for one violation.
    pub fn count(self, violation: Violation) -> usize {
        self.0[violation as usize] as usize
    }

    /// Counts one rejected set.
    pub(crate) fn add(&mut self, violation: Violation) {
        self.0[violation as usize] += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_violation_has_its_own_count() {
        let mut rejections = Rejections::default();
        for (number, violation) in Violation::ALL.into_iter().enumerate() {
            (0..=number).for_each(|_| rejections.add(violation));
        }
        let counts = Violation::ALL.map(|violation| rejections.count(violation));
        assert_eq!((counts, rejections.total()), ([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11], 66));
    }
}
