//! What a person's phone did of late: how it moves, and how its reports ended. In memory alone,
//! for ten minutes.

use crate::outcome::{Finished, Outcome};
use crate::phones::Track;
use bytes::Bytes;
use meshcloak::units::Time;
use std::time::Duration;

/// For how long.
pub const KEPT: Duration = Duration::from_secs(600);

/// Phones of one person that are told apart.
const MOST_TRACKS: usize = 4;

/// What a person's phone did of late.
#[derive(Default)]
pub struct Recent {
    tracks: Vec<(u64, Track)>,
    reports: u64,
    latest: Option<Said>,
    answered: Option<Said>,
}

/// What was said of a report.
#[derive(Clone)]
pub struct Said {
    report: u64,
    /// When.
    pub at: Time,
    /// One JSON object: a result or a refusal.
    pub body: Bytes,
}

/// What a phone did never gets printed.
impl std::fmt::Debug for Recent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Recent(…)")
    }
}

impl std::fmt::Debug for Said {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Said(…)")
    }
}

impl Recent {
    /// The number of the next report.
    pub fn report(&mut self) -> u64 {
        self.reports += 1;
        self.reports
    }

    /// How one of her phones moves. Where there are too many, the one that has been silent for
    /// longest is forgotten.
    pub fn track(&mut self, phone: u64) -> &mut Track {
        let known = self.tracks.iter().position(|(known, _)| *known == phone);
        let track = match known {
            Some(place) => self.tracks.remove(place),
            None => (phone, Track::default()),
        };
        if self.tracks.len() >= MOST_TRACKS {
            self.tracks.remove(0);
        }
        self.tracks.push(track);
        let last = self.tracks.len() - 1;
        &mut self.tracks[last].1
    }

    /// Forgets how one of her phones moves.
    pub fn lose_track(&mut self, phone: u64) {
        self.tracks.retain(|(known, _)| *known != phone);
    }

    /// A report has ended.
    pub fn ended(&mut self, report: u64, at: Time, finished: &Finished) {
        let said = Said { report, at, body: finished.body.clone() };
        if finished.outcome == Outcome::Answered && newer(report, self.answered.as_ref()) {
            self.answered = Some(said.clone());
        }
        self.say(said);
    }

    /// A report was refused; the body says why.
    pub fn refused(&mut self, report: u64, at: Time, body: Bytes) {
        self.say(Said { report, at, body });
    }

    fn say(&mut self, said: Said) {
        if newer(said.report, self.latest.as_ref()) {
            self.latest = Some(said);
        }
    }

    /// What was said of the newest report of which anything was said.
    pub fn latest(&self, now: Time) -> Option<&Said> {
        self.latest.as_ref().filter(|said| fresh(said, now))
    }

    /// The answer to the newest report that was answered.
    pub fn answered(&self, now: Time) -> Option<&Said> {
        self.answered.as_ref().filter(|said| fresh(said, now))
    }

    /// Forgets what is too old.
    pub fn forget(&mut self, now: Time) {
        self.tracks.retain(|(_, track)| track.seen().is_some_and(|seen| seen + KEPT >= now));
        self.latest.take_if(|said| !fresh(said, now));
        self.answered.take_if(|said| !fresh(said, now));
    }
}

fn fresh(said: &Said, now: Time) -> bool {
    said.at + KEPT >= now
}

fn newer(report: u64, than: Option<&Said>) -> bool {
    than.is_none_or(|said| said.report < report)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_older_report_that_ends_later_changes_nothing_and_all_is_forgotten() {
        let mut recent = Recent::default();
        let [first, second] = [recent.report(), recent.report()];
        let finished = |outcome, body: &'static str| Finished { outcome, body: body.into() };
        let at = Time::from_millis;
        recent.ended(second, at(1), &finished(Outcome::Answered, "new"));
        recent.ended(first, at(2), &finished(Outcome::Answered, "old"));
        let third = recent.report();
        recent.ended(third, at(3), &finished(Outcome::Expired, "nobody"));
        assert_eq!(&*recent.answered(at(3)).unwrap().body, b"new");
        assert_eq!(&*recent.latest(at(3)).unwrap().body, b"nobody");
        assert!(recent.answered(at(600_002)).is_none());
        recent.forget(at(600_002));
        assert!(recent.answered.is_none() && recent.latest.is_some());
    }
}
