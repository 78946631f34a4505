//! The paper's claims, each beside our number, computed from the results.

mod costs;
mod pairs;
mod quality;

use super::data::Data;
use super::page::{Section, Table};

/// Whether a claim holds here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Holds {
    Yes,
    InPart,
    No,
}

impl Holds {
    fn when(holds: bool) -> Holds {
        if holds { Holds::Yes } else { Holds::No }
    }

    fn word(self) -> &'static str {
        match self {
            Holds::Yes => "Confirmed.",
            Holds::InPart => "In part.",
            Holds::No => "Not here.",
        }
    }
}

/// What we found.
#[derive(Clone, Debug, PartialEq)]
struct Finding {
    ours: String,
    holds: Holds,
}

/// A claim of the paper.
struct Claim {
    claim: &'static str,
    paper: &'static str,
    finding: Option<Finding>,
    /// On the difference.
    remark: &'static str,
}

/// The section.
pub(super) fn section(data: &Data) -> Section {
    let mut section = Section::new("claims", "The paper’s claims");
    section.say(
        "Each claim with the number that the paper prints, if it prints one, and with ours from \
         these results. Means over seeds; figures of §V are from the number of people with the \
         most configurations.",
    );
    let mut table = Table::new(["claim", "paper", "ours", "", "difference"]);
    for claim in quality::claims(data).into_iter().chain(costs::claims(data)) {
        let (ours, word) = match claim.finding {
            Some(finding) => (finding.ours, finding.holds.word()),
            None => ("not measured in this run".to_owned(), ""),
        };
        table.row([claim.claim, claim.paper, &ours, word, claim.remark]);
    }
    section.table(&table);
    section
}
