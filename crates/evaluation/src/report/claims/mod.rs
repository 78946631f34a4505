//! The claims of the paper: what it says, what these results show, and why.
//!
//! Each claim is judged on all seeds together and on each seed alone. If the verdicts differ, the
//! claim is undecided: another seed would change the verdict.

mod growth;
mod markdown;
mod meshes;
mod pairs;
mod quality;
mod times;
mod volumes;

pub(super) use markdown::to_markdown;
pub(super) use meshes::divisors;

use super::data::Data;
use super::page::{HtmlTable, ReportSection};
use crate::distinct::sorted_distinct;

/// Verdict on a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Confirmed,
    Partly,
    Refuted,
    /// The seeds disagree.
    Undecided,
}

/// Share of cases from which a claim about all cases counts as confirmed.
const CONFIRMED_SHARE: f64 = 0.95;

impl Verdict {
    fn when(holds: bool) -> Verdict {
        if holds { Verdict::Confirmed } else { Verdict::Refuted }
    }

    /// Verdict on a claim that holds as `stated`, or at least `otherwise`, in another reading.
    fn in_readings(stated: bool, otherwise: bool) -> Verdict {
        match (stated, otherwise) {
            (true, _) => Verdict::Confirmed,
            (false, true) => Verdict::Partly,
            (false, false) => Verdict::Refuted,
        }
    }

    /// Verdict on a claim that holds in `held` of `total` cases.
    fn of_share(held: usize, total: usize) -> Verdict {
        let share = held as f64 / total.max(1) as f64;
        Verdict::in_readings(share >= CONFIRMED_SHARE, share > 0.5)
    }

    fn label(self) -> &'static str {
        match self {
            Verdict::Confirmed => "confirmed",
            Verdict::Partly => "partly",
            Verdict::Refuted => "not confirmed",
            Verdict::Undecided => "undecided: seeds disagree",
        }
    }
}

/// Measured value and verdict.
#[derive(Clone, Debug, PartialEq)]
struct Finding {
    measured: String,
    verdict: Verdict,
}

/// A claim of the paper and how to judge it.
struct Claim {
    /// What the paper says, and where.
    says: &'static str,
    find: fn(&Data) -> Option<Finding>,
    /// Reason of the verdict: if the claim is confirmed, and otherwise.
    why: [&'static str; 2],
}

/// A judged claim.
pub(super) struct JudgedClaim {
    says: &'static str,
    finding: Option<Finding>,
    why: &'static str,
}

impl JudgedClaim {
    /// Cells of its row: what the paper says, what we find, verdict, why.
    fn cells(&self) -> [&str; 4] {
        match &self.finding {
            Some(found) => [self.says, &found.measured, found.verdict.label(), self.why],
            None => [self.says, "not measured", "–", "The runs for it are not in these results."],
        }
    }
}

/// Judges all claims, in the order of the paper.
pub(super) fn judge(data: &Data) -> Vec<JudgedClaim> {
    let seeds = sorted_distinct(data.runs.iter().map(|run| run.seed));
    let by_seed: Vec<Data> = seeds.iter().map(|&seed| data.of_seed(seed)).collect();
    let claims: [&[Claim]; 5] =
        [&quality::CLAIMS, &volumes::CLAIMS, &meshes::CLAIMS, &times::CLAIMS, &growth::CLAIMS];
    claims.into_iter().flatten().map(|claim| judge_one(claim, data, &by_seed)).collect()
}

fn judge_one(claim: &Claim, data: &Data, by_seed: &[Data]) -> JudgedClaim {
    let mut finding = (claim.find)(data);
    if let Some(found) = &mut finding {
        let verdicts: Vec<Verdict> =
            by_seed.iter().filter_map(claim.find).map(|found| found.verdict).collect();
        if verdicts.iter().any(|verdict| *verdict != found.verdict) {
            found.verdict = Verdict::Undecided;
        }
        if verdicts.len() == 1 {
            found.measured += " (one seed)";
        }
    }
    let confirmed = finding.as_ref().is_some_and(|found| found.verdict == Verdict::Confirmed);
    JudgedClaim { says: claim.says, finding, why: claim.why[usize::from(!confirmed)] }
}

/// Columns of the table.
const COLUMNS: [&str; 4] = ["paper says", "we find", "verdict", "why"];

/// Builds the section.
pub(super) fn section(claims: &[JudgedClaim]) -> ReportSection {
    let mut section = ReportSection::new("claims", "What the paper says, and what we find");
    section.paragraph(
        "Values are means over the seeds, with the number of users of the figures below. A verdict \
         is given only if every seed alone gives the same; one that rests on a single seed says so.",
    );
    let mut table = HtmlTable::new(COLUMNS);
    for claim in claims {
        table.row(claim.cells());
    }
    section.table(&table);
    section
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::RunRow;

    const RATE: Claim = Claim {
        says: "Most are served",
        find: |data| {
            let rates = || data.runs.iter().filter_map(|run| run.success_rate);
            let mean = rates().sum::<f64>() / rates().count().max(1) as f64;
            Some(Finding { measured: String::new(), verdict: Verdict::when(mean > 0.5) })
        },
        why: ["yes", "no"],
    };

    fn judged(rates: &[f64]) -> (Verdict, &'static str) {
        let run = |(seed, &rate): (usize, &f64)| RunRow {
            seed: seed as u64,
            success_rate: Some(rate),
            ..RunRow::default()
        };
        let data = Data { runs: rates.iter().enumerate().map(run).collect(), ..Data::default() };
        let by_seed: Vec<Data> = (0..rates.len() as u64).map(|seed| data.of_seed(seed)).collect();
        let claim = judge_one(&RATE, &data, &by_seed);
        let found = claim.finding.unwrap();
        assert_eq!(found.measured.contains("one seed"), rates.len() == 1);
        (found.verdict, claim.why)
    }

    #[test]
    fn a_verdict_that_one_seed_would_change_is_undecided() {
        assert_eq!(judged(&[0.6, 0.7, 0.8]), (Verdict::Confirmed, "yes"));
        assert_eq!(judged(&[0.1, 0.2, 0.3]), (Verdict::Refuted, "no"));
        assert_eq!(judged(&[0.4, 0.7, 0.8]), (Verdict::Undecided, "no"));
        assert_eq!(judged(&[0.6]), (Verdict::Confirmed, "yes"));
    }

    #[test]
    fn the_table_has_at_most_twenty_five_rows_and_a_reason_for_each() {
        let claims = judge(&Data::default());
        assert!(claims.len() <= 25, "{}", claims.len());
        assert!(claims.iter().all(|claim| !claim.why.is_empty() && claim.finding.is_none()));
    }
}
