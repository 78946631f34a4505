//! Choosing a setting: what each guarantee, clock, presence and region costs, and what it leaves to
//! each adversary.

mod case;
mod columns;
mod what_to_run;

use super::super::page::ReportSection;
use super::super::plot::Plot;
use crate::results::PrivacyRow;
use case::Case;
use picture::PictureError;

/// Explains the columns.
const COLUMNS: &str = "Below k: publications after which fewer than k candidates remain, for an adversary who knows all \
     positions; also everyone’s past and when each user asked, or only when sets are published; \
     the target’s last position and the next region; or only what the service has (L1): the \
     target’s regions, linked, when it asked, its dc and its top speed. The error of the service is \
     that of one guess, near the centre of what it cannot exclude; the error can be larger where k \
     is missed more often, as with consecutive cells of one user. The tracker (K) knows where the \
     target was once and follows it: ticks in which it names the street, and time until the \
     target’s street has more than one bit of entropy. Ages (P): sets of which an observer of \
     users’ lines knows the asker for sure. Questions (M): probability that the adversary gives to \
     a sensitive question of a member who asked it.";

/// Adds a table and a picture for each map with several settings of MeshCloak, and what an operator
/// should run. Times of the engine are left out of the paper's results, which have a timing pass.
pub(super) fn add(
    section: &mut ReportSection,
    rows: &[PrivacyRow],
    is_paper: bool,
) -> Result<(), PictureError> {
    let cases = Case::all(rows);
    let advice = what_to_run::sentences(&cases);
    if !advice.is_empty() {
        section.heading("Choosing: what an operator should run");
        section.paragraph(what_to_run::RULE);
        section.list(advice);
    }
    if !cases.is_empty() {
        section.paragraph(COLUMNS);
    }
    for (number, case) in cases.iter().enumerate() {
        let title = case.title();
        section.heading(&format!("Choosing: {title}"));
        let (dots, bands) = columns::dots(case, !is_paper);
        let plot = Plot::dots_in_bands(&format!("choosing-{number}"), &dots, &bands)?;
        section.figure(plot, &title);
        if case.seeds() > 1 {
            section.paragraph("After ±: the largest distance of a seed from the mean.");
        }
        section.table(&columns::table(case, !is_paper));
    }
    Ok(())
}

#[cfg(test)]
mod tests;
