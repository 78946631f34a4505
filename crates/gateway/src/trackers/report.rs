//! Converts a tracker report into a query, with the user's settings and estimated motion.

use super::motion::{Fix, FixTime, Motion, ReportTime};
use crate::accounts::Account;
use crate::api::QueryRequest;
use crate::city_map::Located;
use crate::error::Refusal;
use crate::gateway::Gateway;
use crate::intake::check_query;
use crate::outcome::Finished;
use crate::standing_wait::mark_standing;
use crate::stream::refusal_json;
use crate::submit::{Submission, submit};
use crate::tickets::{ResultListener, Route};
use crate::users::UserProfile;
use meshcloak::private::Private;
use meshcloak::units::Speed;
use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

/// A position as reported by a tracker.
pub struct TrackerReport {
    /// Longitude in degrees.
    pub lon: f64,
    /// Latitude in degrees.
    pub lat: f64,
    /// Unix time in milliseconds by the tracker's clock.
    pub tracker_millis: Option<u64>,
    /// Speed in metres per second.
    pub speed: Option<f64>,
}

/// Prints no position.
impl std::fmt::Debug for TrackerReport {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("TrackerReport(…)")
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

impl ResultListener for ReportListener {
    fn on_result(self: Box<ReportListener>, finished: &Finished) {
        let now = self.gateway.clock().now();
        self.user.recent_reports().record_finished(self.report, now, finished);
    }
}

/// Submits a report as a query. The outcome or refusal is kept for
/// `GET /v1/people/{person}/answer`.
pub fn submit_report(
    gateway: &Arc<Gateway>,
    tracker: Tracker<'_>,
    report: &TrackerReport,
) -> Result<(), Refusal> {
    let Tracker { account, user, device } = tracker;
    let number = user.recent_reports().next_report();
    let submitted = query_of(gateway, tracker, report).and_then(|(request, interval)| {
        let mut query = check_query(gateway, account, &request)?;
        mark_standing(gateway, &mut query, interval);
        let mut accepted = Ok(());
        let listener = || ReportListener {
            gateway: Arc::clone(gateway),
            user: Arc::clone(user),
            report: number,
        };
        let route = || Route::Listener(Box::new(listener()));
        submit(gateway, account, [query], route, |_, submission| {
            if let Submission::Refused(refusal) = submission {
                accepted = Err(refusal);
            }
        });
        accepted
    });
    submitted.inspect_err(|refusal| {
        if !matches!(refusal, Refusal::Busy | Refusal::ServiceBusy { .. } | Refusal::Stopping) {
            gateway.metrics().refused(refusal);
        }
        let body = refusal_json(None, refusal).into();
        let mut recent = user.recent_reports();
        recent.record_refused(number, gateway.clock().now(), body);
        if *refusal == Refusal::Never {
            recent.delete_track(gateway.user_ids().digest(device));
        }
    })
}

/// Builds the query of a report and updates the motion of the tracker. Returns its reporting interval,
/// too.
pub(crate) fn query_of<'a>(
    gateway: &Gateway,
    tracker: Tracker<'a>,
    report: &TrackerReport,
) -> Result<(QueryRequest<'a>, Duration), Refusal> {
    let Tracker { account, user, device } = tracker;
    let Located { city, point, position, .. } = gateway.cities().locate(report.lon, report.lat)?;
    let (point, position) = (point.into_exposed(), position.into_exposed());
    let now = gateway.clock().now();
    let time = ReportTime {
        tracker_millis: report.tracker_millis,
        unix: gateway.clock().unix_millis(),
        now,
    };
    let motion = {
        let mut recent = user.recent_reports();
        let track = recent.track(gateway.user_ids().digest(device));
        let tracker_millis = match track.classify(time, gateway.config().users.skew) {
            FixTime::Tracker(tracker_millis) => Some(tracker_millis),
            FixTime::Arrival => None,
            FixTime::Late => return Err(Refusal::Late),
        };
        let fix = Fix { arrived: now, tracker_millis, city, point, position, speed: report.speed };
        track.add(fix, |from, to| gateway.cities().get(city).street_metres(from, to))
    };
    let settings = &user.settings.body;
    let request = QueryRequest {
        ticket: Private::new(Cow::Owned(gateway.new_ticket())),
        person: Cow::Borrowed(&*user.name).into(),
        lon: report.lon.into(),
        lat: report.lat.into(),
        k: settings.k,
        dt: settings.dt,
        dc: Some(reachable_distance(account, motion)),
        speed: Some(motion.speed),
        interval: None,
        question: settings.question.clone(),
    };
    Ok((request, motion.interval))
}

/// Returns `dc = speed × interval` in metres, clamped to the limits of the account.
#[expect(clippy::arithmetic_side_effects, reason = "the product saturates")]
pub(crate) fn reachable_distance(account: &Account, motion: Motion) -> f64 {
    let limits = account.limits();
    let distance = Speed::metres_per_second(motion.speed) * motion.interval;
    distance.min(limits.dc_max).max(limits.dc_min).as_metres()
}
