//! Section "Claims of the paper": each claim with the number measured in these results.

mod costs;
mod pairs;
mod quality;

use super::data::Data;
use super::page::{HtmlTable, ReportSection};

/// Verdict on a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Confirmed,
    Partly,
    Refuted,
}

impl Verdict {
    fn when(holds: bool) -> Verdict {
        if holds { Verdict::Confirmed } else { Verdict::Refuted }
    }

    /// Verdict on a claim that holds in `held` of `total` cases.
    fn of_share(held: usize, total: usize) -> Verdict {
        match held {
            _ if held == total => Verdict::Confirmed,
            0 => Verdict::Refuted,
            _ => Verdict::Partly,
        }
    }

    fn label(self) -> &'static str {
        match self {
            Verdict::Confirmed => "Confirmed.",
            Verdict::Partly => "Partly confirmed.",
            Verdict::Refuted => "Not confirmed.",
        }
    }
}

/// Measured value and verdict.
#[derive(Clone, Debug, PartialEq)]
struct Finding {
    measured: String,
    verdict: Verdict,
}

/// A claim of the paper and the finding on it.
struct Claim {
    claim: &'static str,
    paper: &'static str,
    finding: Option<Finding>,
    /// Comparison method or reason of a difference.
    remark: &'static str,
}

/// Builds the section.
pub(super) fn section(data: &Data) -> ReportSection {
    let mut section = ReportSection::new("claims", "Claims of the paper");
    section.paragraph(
        "Each claim with the number printed in the paper, if any, and the number measured here. \
         Values are means over seeds, for the user count with the most configurations.",
    );
    let mut table = HtmlTable::new(["claim", "paper", "measured", "verdict", "remark"]);
    for claim in quality::claims(data).into_iter().chain(costs::claims(data)) {
        let (measured, verdict) = match claim.finding {
            Some(finding) => (finding.measured, finding.verdict.label()),
            None => ("not measured in this run".to_owned(), ""),
        };
        table.row([claim.claim, claim.paper, &measured, verdict, claim.remark]);
    }
    section.table(&table);
    section
}
