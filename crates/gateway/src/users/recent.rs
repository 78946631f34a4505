//! Recent reports of a user's trackers: their motion and how the reports ended. Kept in memory
//! only, for [`RETENTION`].

use crate::outcome::{Finished, Outcome};
use crate::trackers::MotionTrack;
use bytes::Bytes;
use meshcloak::units::Time;
use std::time::Duration;

/// How long motion and outcomes are kept.
pub const RETENTION: Duration = Duration::from_secs(600);

/// Largest number of trackers of one user whose motion is followed separately.
const MAX_TRACKS: usize = 4;

/// Recent motion and report outcomes of one user.
#[derive(Default)]
pub struct RecentReports {
    /// By digest of the tracker id, least recently used first.
    tracks: Vec<(u64, MotionTrack)>,
    report_count: u64,
    latest: Option<ReportOutcome>,
    answered: Option<ReportOutcome>,
}

/// How one report ended.
#[derive(Clone)]
pub struct ReportOutcome {
    report: u64,
    /// When it ended.
    pub at: Time,
    /// One JSON object: a result or a refusal.
    pub body: Bytes,
}

/// Prints no motion and no answers.
impl std::fmt::Debug for RecentReports {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("RecentReports(…)")
    }
}

impl std::fmt::Debug for ReportOutcome {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ReportOutcome(…)")
    }
}

impl RecentReports {
    /// Assigns the number of the next report.
    pub fn next_report(&mut self) -> u64 {
        self.report_count = self.report_count.wrapping_add(1);
        self.report_count
    }

    /// Returns the track of one tracker; evicts the least recently used one beyond
    /// `MAX_TRACKS`.
    #[expect(
        clippy::indexing_slicing,
        clippy::arithmetic_side_effects,
        reason = "the last track was pushed before"
    )]
    pub fn track(&mut self, tracker: u64) -> &mut MotionTrack {
        let known = self.tracks.iter().position(|(known, _)| *known == tracker);
        let track = match known {
            Some(index) => self.tracks.remove(index),
            None => (tracker, MotionTrack::default()),
        };
        if self.tracks.len() >= MAX_TRACKS {
            self.tracks.remove(0);
        }
        self.tracks.push(track);
        let last = self.tracks.len() - 1;
        &mut self.tracks[last].1
    }

    /// Deletes the track of one tracker.
    pub fn delete_track(&mut self, tracker: u64) {
        self.tracks.retain(|(known, _)| *known != tracker);
    }

    /// Records how a report ended. Outcomes of older reports do not replace those of newer ones.
    pub fn record_finished(&mut self, report: u64, at: Time, finished: &Finished) {
        let outcome = ReportOutcome { report, at, body: finished.body.clone() };
        if finished.outcome == Outcome::Answered && is_newer(report, self.answered.as_ref()) {
            self.answered = Some(outcome.clone());
        }
        self.record(outcome);
    }

    /// Records that a report was refused; the body holds the reason.
    pub fn record_refused(&mut self, report: u64, at: Time, body: Bytes) {
        self.record(ReportOutcome { report, at, body });
    }

    fn record(&mut self, outcome: ReportOutcome) {
        if is_newer(outcome.report, self.latest.as_ref()) {
            self.latest = Some(outcome);
        }
    }

    /// Returns the outcome of the newest report that has ended.
    pub fn latest(&self, now: Time) -> Option<&ReportOutcome> {
        self.latest.as_ref().filter(|outcome| is_fresh(outcome, now))
    }

    /// Returns the outcome of the newest report that was answered.
    pub fn answered(&self, now: Time) -> Option<&ReportOutcome> {
        self.answered.as_ref().filter(|outcome| is_fresh(outcome, now))
    }

    /// Drops everything older than `RETENTION`.
    #[expect(clippy::arithmetic_side_effects, reason = "times saturate")]
    pub fn remove_expired(&mut self, now: Time) {
        self.tracks
            .retain(|(_, track)| track.last_seen().is_some_and(|seen| seen + RETENTION >= now));
        self.latest.take_if(|outcome| !is_fresh(outcome, now));
        self.answered.take_if(|outcome| !is_fresh(outcome, now));
    }
}

#[expect(clippy::arithmetic_side_effects, reason = "times saturate")]
fn is_fresh(outcome: &ReportOutcome, now: Time) -> bool {
    outcome.at + RETENTION >= now
}

fn is_newer(report: u64, than: Option<&ReportOutcome>) -> bool {
    than.is_none_or(|known| known.report < report)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outcomes_of_older_reports_are_ignored_and_all_outcomes_expire() {
        let mut recent = RecentReports::default();
        let [first, second] = [recent.next_report(), recent.next_report()];
        let finished = |outcome, body: &'static str| Finished { outcome, body: body.into() };
        let at = Time::from_millis;
        recent.record_finished(second, at(1), &finished(Outcome::Answered, "new"));
        recent.record_finished(first, at(2), &finished(Outcome::Answered, "old"));
        let third = recent.next_report();
        recent.record_finished(third, at(3), &finished(Outcome::Expired, "expired"));
        assert_eq!(&*recent.answered(at(3)).unwrap().body, b"new");
        assert_eq!(&*recent.latest(at(3)).unwrap().body, b"expired");
        assert!(recent.answered(at(600_002)).is_none());
        recent.remove_expired(at(600_002));
        assert!(recent.answered.is_none() && recent.latest.is_some());
    }
}
