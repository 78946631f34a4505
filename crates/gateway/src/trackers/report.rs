//! Converts a tracker report into a query, with the user's settings and estimated motion.

use super::motion::{Fix, FixTime, Motion, ReportTime};
use crate::accounts::Account;
use crate::api::QueryRequest;
use crate::desk::Verdict;
use crate::error::Refusal;
use crate::gateway::Gateway;
use crate::outcome::Finished;
use crate::stream::refusal_json;
use crate::tickets::{Hear, Route};
use crate::users::UserProfile;
use meshcloak::map::Position;
use meshcloak::units::{Length, Speed};
use std::borrow::Cow;
use std::sync::Arc;

/// A position as reported by a tracker.
pub struct TrackerReport {
    /// Longitude in degrees.
    pub lon: f64,
    /// Latitude in degrees.
    pub lat: f64,
    /// Unix time in milliseconds by the tracker's clock.
    pub made: Option<u64>,
    /// Speed in metres per second.
    pub speed: Option<f64>,
}

/// Prints no position.
impl std::fmt::Debug for TrackerReport {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Report(…)")
    }
}

/// A parsed request of a tracker.
#[derive(Debug)]
pub(super) struct ParsedReport {
    /// The report; `None` if the request holds no position.
    pub report: Option<TrackerReport>,
    /// Id of the tracker, chosen by the app; empty if missing.
    pub device: String,
}

/// A tracker of a user.
#[derive(Clone, Copy)]
pub struct Tracker<'a> {
    /// Account of the user.
    pub account: &'a Arc<Account>,
    /// The user.
    pub user: &'a Arc<UserProfile>,
    /// Id that distinguishes the trackers of one user.
    pub device: &'a str,
}

/// Prints neither user nor device.
impl std::fmt::Debug for Tracker<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Tracker(…)")
    }
}

/// Records how the query of a report ended.
struct ReportListener {
    gateway: Arc<Gateway>,
    user: Arc<UserProfile>,
    report: u64,
}

impl std::fmt::Debug for ReportListener {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ReportListener(…)")
    }
}

impl Hear for ReportListener {
    fn hear(self: Box<ReportListener>, finished: &Finished) {
        let now = self.gateway.clock().now();
        self.user.recent_reports().record_finished(self.report, now, finished);
    }
}

impl Gateway {
    /// Submits a report as a query. The outcome or refusal is kept for
    /// `GET /v1/people/{person}/answer`.
    pub fn submit_report(
        self: &Arc<Gateway>,
        tracker: Tracker<'_>,
        report: &TrackerReport,
    ) -> Result<(), Refusal> {
        let Tracker { account, user, device } = tracker;
        let number = user.recent_reports().next_report();
        let submitted = self.query_of(tracker, report).and_then(|request| {
            let ask = self.look(account, &request)?;
            let mut accepted = Ok(());
            let listener = || ReportListener {
                gateway: Arc::clone(self),
                user: Arc::clone(user),
                report: number,
            };
            let route = || Route::To(Box::new(listener()));
            self.submit(account, [ask], route, |_, verdict| {
                if let Verdict::Refused(refusal) = verdict {
                    accepted = Err(refusal);
                }
            });
            accepted
        });
        submitted.inspect_err(|refusal| {
            if !matches!(refusal, Refusal::Busy | Refusal::Stopping) {
                self.metrics().refused(refusal);
            }
            let body = refusal_json(None, refusal).into();
            let mut recent = user.recent_reports();
            recent.record_refused(number, self.clock().now(), body);
            if *refusal == Refusal::Never {
                recent.delete_track(self.numbers().digest(device));
            }
        })
    }

    /// Builds the query of a report and updates the motion of the tracker.
    fn query_of<'a>(
        &self,
        tracker: Tracker<'a>,
        report: &TrackerReport,
    ) -> Result<QueryRequest<'a>, Refusal> {
        let Tracker { account, user, device } = tracker;
        let (point, position) = self.place(report.lon, report.lat)?;
        let now = self.clock().now();
        let time = ReportTime { made: report.made, unix: self.clock().unix_millis(), now };
        let motion = {
            let mut recent = user.recent_reports();
            let track = recent.track(self.numbers().digest(device));
            let made = match track.classify(time, self.config().people.skew) {
                FixTime::Made(made) => Some(made),
                FixTime::Arrived => None,
                FixTime::Late => return Err(Refusal::Late),
            };
            let fix = Fix { arrived: now, made, point, position, speed: report.speed };
            track.add(fix, |from, to| self.street_metres(from, to))
        };
        let settings = &user.settings.body;
        Ok(QueryRequest {
            ticket: Cow::Owned(self.new_ticket()),
            person: Cow::Borrowed(&user.name),
            lon: report.lon,
            lat: report.lat,
            k: settings.k,
            dt: settings.dt,
            dc: Some(reachable_distance(account, motion)),
            speed: Some(motion.speed),
            interval: None,
            question: settings.question.as_ref().map(|question| question.body()),
        })
    }

    /// Returns the street distance in metres; `None` beyond the range of the atlas.
    pub(crate) fn street_metres(&self, from: Position, to: Position) -> Option<f64> {
        self.atlas().distance(from, to).map(Length::as_metres)
    }

    /// Creates an unguessable, unique ticket.
    pub(crate) fn new_ticket(&self) -> String {
        let number = self.sessions().next_number();
        format!("~{number}.{:x}", self.numbers().digest(("ticket", number)))
    }
}

/// Returns `dc = speed × interval` in metres, clamped to the limits of the account.
pub(crate) fn reachable_distance(account: &Account, motion: Motion) -> f64 {
    let limits = account.limits();
    let distance = Speed::metres_per_second(motion.speed) * motion.interval;
    distance.min(limits.dc_max).max(limits.dc_min).as_metres()
}
