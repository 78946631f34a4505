//! From a report to a query, with the person's own settings and what her phone tells of how she
//! moves.

use super::track::{Fix, Pace, When};
use crate::accounts::Account;
use crate::api::QueryRequest;
use crate::error::Refusal;
use crate::gateway::Gateway;
use crate::intake::{check_query, locate};
use crate::outcome::Finished;
use crate::people::Person;
use crate::stream::refusal_json;
use crate::submit::{Submission, submit};
use crate::tickets::{ResultListener, Route};
use meshcloak::map::Position;
use meshcloak::private::Private;
use meshcloak::units::{Length, Speed};
use std::borrow::Cow;
use std::sync::Arc;

/// Where somebody is, as her phone says it.
pub struct Report {
    /// Degrees east.
    pub lon: f64,
    /// Degrees north.
    pub lat: f64,
    /// When, in milliseconds since 1970 by the phone's clock.
    pub made: Option<u64>,
    /// How fast, in metres per second.
    pub speed: Option<f64>,
}

/// Where somebody is never gets printed.
impl std::fmt::Debug for Report {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Report(…)")
    }
}

/// Hears how a report ended.
struct Ear {
    gateway: Arc<Gateway>,
    person: Arc<Person>,
    report: u64,
}

impl std::fmt::Debug for Ear {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Ear(…)")
    }
}

impl ResultListener for Ear {
    fn on_result(self: Box<Ear>, finished: &Finished) {
        let now = self.gateway.clock().now();
        self.person.recent().ended(self.report, now, finished);
    }
}

impl Gateway {
    /// A report of one of somebody's phones is a query. How it ends can be fetched; so can why it
    /// was refused.
    pub fn report(
        self: &Arc<Gateway>,
        account: &Arc<Account>,
        person: &Arc<Person>,
        phone: &str,
        report: &Report,
    ) -> Result<(), Refusal> {
        let number = person.recent().report();
        let asked = self.asks(account, person, phone, report).and_then(|request| {
            let ask = check_query(self, account, &request)?;
            let mut heard = Ok(());
            let ear =
                || Ear { gateway: Arc::clone(self), person: Arc::clone(person), report: number };
            let route = || Route::Listener(Box::new(ear()));
            submit(self, account, [ask], route, |_, verdict| {
                if let Submission::Refused(refusal) = verdict {
                    heard = Err(refusal);
                }
            });
            heard
        });
        asked.inspect_err(|refusal| {
            if !matches!(refusal, Refusal::Busy | Refusal::Stopping) {
                self.metrics().refused(refusal);
            }
            let body = refusal_json(None, refusal).into();
            let mut recent = person.recent();
            recent.refused(number, self.clock().now(), body);
            if *refusal == Refusal::Never {
                recent.lose_track(self.user_ids().digest(phone));
            }
        })
    }

    /// What a report asks.
    fn asks<'a>(
        &self,
        account: &Account,
        person: &'a Person,
        phone: &str,
        report: &Report,
    ) -> Result<QueryRequest<'a>, Refusal> {
        let located = locate(self, report.lon, report.lat)?;
        let (point, position) = (*located.point.expose(), *located.position.expose());
        let (now, unix) = (self.clock().now(), self.clock().unix_millis());
        let skew = self.config().people.skew;
        let pace = {
            let mut recent = person.recent();
            let track = recent.track(self.user_ids().digest(phone));
            let made = match track.when(report.made, unix, now, skew) {
                When::Made(made) => Some(made),
                When::Arrived => None,
                When::Late => return Err(Refusal::Late),
            };
            let fix = Fix { arrived: now, made, point, position, speed: report.speed };
            track.add(fix, |from, to| self.way(from, to))
        };
        let settings = &person.settings.body;
        Ok(QueryRequest {
            ticket: Private::new(Cow::Owned(self.ticket())),
            person: Cow::Borrowed(&*person.name).into(),
            lon: report.lon.into(),
            lat: report.lat.into(),
            k: settings.k,
            dt: settings.dt,
            dc: Some(reach(account, pace)),
            speed: Some(pace.speed),
            interval: None,
            question: settings.question.as_ref().map(|question| question.body()),
        })
    }

    /// Metres along streets, where they are known.
    pub(crate) fn way(&self, from: Position, to: Position) -> Option<f64> {
        self.atlas().distance(from, to).map(Length::as_metres)
    }

    /// A ticket of which nobody else can have thought.
    pub(crate) fn ticket(&self) -> String {
        let number = self.sessions().count();
        format!("~{number}.{:x}", self.user_ids().digest(("ticket", number)))
    }
}

/// How far somebody can move from one report to the next, within what her account allows.
pub(crate) fn reach(account: &Account, pace: Pace) -> f64 {
    let limits = account.limits();
    let reach = Speed::metres_per_second(pace.speed) * pace.interval;
    reach.min(limits.dc_max).max(limits.dc_min).as_metres()
}
