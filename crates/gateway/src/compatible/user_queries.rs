//! Queries of the user of a token: validated together, submitted together, and awaited.

use super::asker::Asker;
use crate::api::{QueryRequest, QuestionBody};
use crate::error::Refusal;
use crate::gateway::Gateway;
use crate::intake::{CheckedQuery, check_query};
use crate::outcome::Finished;
use crate::submit::{cancel_abandoned, submit_together};
use crate::tickets::Route;
use crate::trackers::{Motion, TrackerReport, query_of, reachable_distance};
use meshcloak::private::Private;
use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::oneshot;

/// Shortest interval between two requests that counts for the distance constraint: an app may send
/// several at once.
const MIN_INTERVAL: Duration = Duration::from_secs(30);

/// A position in degrees. Has no `Debug`.
#[derive(Clone, Copy)]
pub(crate) struct Here {
    pub lon: f64,
    pub lat: f64,
}

/// A question with the user's choice of k and dt; those of the settings if `None`.
#[derive(Debug)]
pub(crate) struct UserQuestion {
    pub question: QuestionBody,
    pub k: Option<u64>,
    pub dt: Option<f64>,
}

impl From<QuestionBody> for UserQuestion {
    fn from(question: QuestionBody) -> UserQuestion {
        UserQuestion { question, k: None, dt: None }
    }
}

/// Asks questions of a user at one position, and waits until all have ended.
///
/// # Errors
/// The first refusal. Nothing is sent if one of the questions is refused.
pub(crate) async fn ask_all(
    gateway: &Gateway,
    asker: &Asker,
    here: Here,
    questions: Vec<UserQuestion>,
) -> Result<Vec<Finished>, Refusal> {
    let queries = check(gateway, asker, here, questions);
    let queries = queries.inspect_err(|refusal| forget(gateway, asker, refusal))?;
    let _connection = asker.account.connect().ok_or(Refusal::Connections)?;
    let results = submit_all(gateway, asker, queries).await?;
    asker.check_again(gateway)?;
    Ok(results)
}

/// Validates the queries of a request. All have the same position and motion.
fn check(
    gateway: &Gateway,
    asker: &Asker,
    here: Here,
    questions: Vec<UserQuestion>,
) -> Result<Vec<CheckedQuery>, Refusal> {
    let Here { lon, lat } = here;
    let report = TrackerReport { lon, lat, tracker_millis: None, speed: None };
    let (base, interval) = query_of(gateway, asker.tracker(), &report)?;
    let speed = base.speed.unwrap_or_default();
    let motion = Motion { speed, interval: interval.max(MIN_INTERVAL) };
    let query = |UserQuestion { question, k, dt }| {
        let request = QueryRequest {
            ticket: Private::new(Cow::Owned(gateway.new_ticket())),
            person: Cow::Borrowed(&*asker.user.name).into(),
            lon: lon.into(),
            lat: lat.into(),
            k: k.unwrap_or(base.k),
            dt: dt.unwrap_or(base.dt),
            dc: Some(reachable_distance(&asker.account, motion)),
            speed: base.speed,
            interval: None,
            question: Some(question),
        };
        check_query(gateway, &asker.account, &request)
    };
    questions.into_iter().map(query).collect()
}

/// Deletes the motion of a user in a `never` zone, as for phones.
fn forget(gateway: &Gateway, asker: &Asker, refusal: &Refusal) {
    if *refusal == Refusal::Never {
        let device = gateway.user_ids().digest(asker.tracker().device);
        asker.user.recent_reports().delete_track(device);
    }
}

/// Submits queries together and waits until all have ended.
async fn submit_all(
    gateway: &Gateway,
    asker: &Asker,
    queries: Vec<CheckedQuery>,
) -> Result<Vec<Finished>, Refusal> {
    let tickets: Vec<Arc<str>> =
        queries.iter().map(|query| Arc::clone(query.ticket.expose())).collect();
    let (senders, receivers): (Vec<_>, Vec<_>) = queries.iter().map(|_| oneshot::channel()).unzip();
    let mut senders = senders.into_iter();
    let route = || Route::One(senders.next().unwrap_or_else(|| oneshot::channel().0));
    submit_together(gateway, &asker.account, queries, route)?;
    let ended = async {
        let mut results = Vec::with_capacity(receivers.len());
        for receiver in receivers {
            results.push(receiver.await.map_err(|_| Refusal::Stopping)?);
        }
        Ok(results)
    };
    tokio::select! {
        results = ended => results,
        refusal = revoked(gateway, asker) => {
            // The receivers are gone, so that the queries have no other route.
            cancel_abandoned(gateway, &asker.account, &tickets);
            Err(refusal)
        }
    }
}

/// Time between two checks that the token of a waiting request is valid.
const CHECK_INTERVAL: Duration = Duration::from_millis(100);

/// Waits until the token is deleted or the last key of its account is revoked.
async fn revoked(gateway: &Gateway, asker: &Asker) -> Refusal {
    loop {
        tokio::time::sleep(CHECK_INTERVAL).await;
        if let Err(refusal) = asker.check_again(gateway) {
            return refusal;
        }
    }
}
