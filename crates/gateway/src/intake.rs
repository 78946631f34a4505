//! Validation of queries: JSON to [`CheckedQuery`], or the first [`Refusal`] that applies.
//!
//! Order of the checks: account rate, JSON, k, dt, dc, speed, question (its category in any city),
//! position on a map, category in its city, zone of the user, user rate. [`crate::submit`] then
//! checks the ticket, the number of queries in progress and, under `history`, the declared speed
//! and the city.

use crate::accounts::Account;
use crate::api::{QueryRequest, QuestionBody};
use crate::city::CityId;
use crate::error::Refusal;
use crate::gateway::Gateway;
use crate::held_arrivals::StandingQuestion;
use crate::json_error::json_error;
use crate::query_json::parse_usual;
use crate::question::{Category, Find, Operation, Question};
use meshcloak::guarantee::Guarantee;
use meshcloak::map::Position;
use meshcloak::private::Private;
use meshcloak::query::UserId;
use meshcloak::units::{Length, Speed};
use std::sync::Arc;
use std::time::Duration;

/// A validated query that has not been submitted.
#[derive(Debug)]
pub struct CheckedQuery {
    /// Ticket chosen by the client.
    pub ticket: Private<Arc<str>>,
    /// Salted hash of the query: the same ticket with another digest is another query.
    pub digest: u64,
    /// User, distinct over all accounts.
    pub user: Private<UserId>,
    /// City of the position.
    pub city: CityId,
    /// Position on the map of the city.
    pub position: Private<Position>,
    /// Requested size of the anonymity set; at least 2, or 1 without a question.
    pub k: u32,
    /// Temporal tolerance; without a question the patience of presence reports.
    pub dt: Duration,
    /// Distance constraint.
    pub dc: Length,
    /// Top speed of the user.
    pub speed: Option<Speed>,
    /// Question for the service; `None` if the user only adds to the sets of others.
    pub question: Private<Option<Question>>,
    /// Set if the query is held before it reaches the engine.
    pub standing: Option<StandingQuestion>,
}

/// A query that failed validation.
#[derive(Debug)]
pub struct RefusedQuery {
    /// Ticket of the query, if the JSON could be read.
    pub ticket: Option<Private<String>>,
    /// Reason.
    pub refusal: Refusal,
}

/// Longest ticket and longest user name, in bytes.
const MAX_NAME_LEN: usize = 64;

/// Parses and validates one query.
///
/// # Errors
/// The first check that failed.
pub fn parse_query(
    gateway: &Gateway,
    account: &Account,
    json: &[u8],
) -> Result<CheckedQuery, RefusedQuery> {
    let usual = parse_usual(json).map(Ok);
    let request = usual.unwrap_or_else(|| serde_json::from_slice(json)).map_err(|error| {
        // Malformed input counts against the rate limit as well.
        let malformed = Refusal::Malformed(json_error(&error));
        let refusal = if account.allow_query() { malformed } else { Refusal::Rate };
        RefusedQuery { ticket: None, refusal }
    })?;
    check_query(gateway, account, &request).map_err(|refusal| {
        let ticket = Some(Private::new(request.ticket.into_exposed().into_owned()));
        RefusedQuery { ticket, refusal }
    })
}

/// Validates one parsed query.
pub(crate) fn check_query(
    gateway: &Gateway,
    account: &Account,
    request: &QueryRequest<'_>,
) -> Result<CheckedQuery, Refusal> {
    if !account.allow_query() {
        return Err(Refusal::Rate);
    }
    let (ticket, user_name) = (request.ticket.expose(), request.person.expose());
    check_name(ticket, "ticket")?;
    check_name(user_name, "person")?;
    let Requirement { k, dt, dc, speed } = check_requirement(gateway, account, request)?;
    let mut question = request.question.as_ref().map(|body| question(gateway, body)).transpose()?;
    let cities = gateway.cities();
    let located = cities.locate(*request.lon.expose(), *request.lat.expose())?;
    let (city, position) = (cities.get(located.city), located.position.into_exposed());
    if cities.are_several()
        && let Some((question, body)) = question.as_mut().zip(request.question.as_ref())
    {
        question.category = category(body, |name| city.category(name))?;
    }
    let user = gateway.user_ids().user(account, user_name);
    let points = |city| cities.zone_points(&located, city);
    let minimum = gateway.users().zone_minimum(user, gateway.clock(), points)?;
    if !account.allow_user(user) {
        return Err(Refusal::UserRate);
    }
    if !account.allow_new_user(user, gateway.clock().now()) {
        return Err(Refusal::Users);
    }
    let exact = question.as_ref().map(|question| (question.kind(), exact_number(question)));
    let digest =
        gateway.user_ids().digest((city.name(), user.0, position, k, dt, dc, speed, exact));
    let (k, dt) = match question {
        Some(_) => (k.max(minimum.k), dt.max(minimum.dt)),
        None => (k.max(minimum.k), gateway.config().presence.patience),
    };
    Ok(CheckedQuery {
        ticket: Private::new(Arc::from(&**ticket)),
        digest,
        user: user.into(),
        city: city.id(),
        position: position.into(),
        k,
        dt,
        dc,
        speed,
        question: question.into(),
        standing: None,
    })
}

/// Requested privacy and movement, within the limits of the account.
struct Requirement {
    k: u32,
    dt: Duration,
    dc: Length,
    speed: Option<Speed>,
}

/// Validates k, dt, dc and speed.
fn check_requirement(
    gateway: &Gateway,
    account: &Account,
    request: &QueryRequest<'_>,
) -> Result<Requirement, Refusal> {
    let limits = account.limits();
    let min = if request.question.is_some() { 2 } else { 1 };
    let k = u32::try_from(request.k).ok().filter(|k| (min..=limits.k_max).contains(k));
    let k = k.ok_or(Refusal::K(limits.k_max))?;
    let dt = seconds(request.dt).filter(|dt| *dt <= limits.dt_max);
    let dt = dt.ok_or(Refusal::Dt(limits.dt_max))?;
    let (dc, speed) = movement(request)?;
    if dc < limits.dc_min || limits.dc_max < dc {
        return Err(Refusal::Dc(limits.dc_min, limits.dc_max));
    }
    if speed.is_some_and(|speed| speed > limits.speed_max) {
        return Err(Refusal::TooFast(limits.speed_max.as_metres_per_second()));
    }
    if speed.is_none() && gateway.guarantee() == Guarantee::History {
        return Err(Refusal::Speed);
    }
    Ok(Requirement { k, dt, dc, speed })
}

/// Returns the category of a question. `find` finds a category by its name.
fn category(
    body: &QuestionBody,
    find: impl FnOnce(&str) -> Result<Category, Refusal>,
) -> Result<Category, Refusal> {
    body.category.as_deref().map_or(Ok(Category::Any), find)
}

/// Validates a question from the wire. Its category may be that of any city.
pub(crate) fn question(gateway: &Gateway, body: &QuestionBody) -> Result<Question, Refusal> {
    let wrong = |text: &str| Refusal::Question(text.to_owned());
    let along = body.along;
    let operation = match (body.find, body.radius, body.count) {
        (Find::Within, Some(radius), None) => {
            Operation::Within { radius: Length::metres_down(radius), along }
        }
        (Find::Nearest, None, Some(count)) => Operation::Nearest { count, along },
        (Find::Within, ..) => return Err(wrong("`within` needs `radius` and no `count`")),
        (Find::Nearest, ..) => return Err(wrong("`nearest` needs `count` and no `radius`")),
    };
    let category = category(body, |name| gateway.cities().category(name))?;
    let question = Question { operation, category };
    question.rung().map_err(|error| Refusal::Question(error.to_string()))?;
    Ok(question)
}

/// Checks the length and characters of a ticket or user name. `field` is its JSON name.
pub(crate) fn check_name(text: &str, field: &str) -> Result<(), Refusal> {
    let valid = !text.is_empty() && text.len() <= MAX_NAME_LEN && !text.contains(char::is_control);
    if valid {
        return Ok(());
    }
    let rule = format!("`{field}` must have 1 to {MAX_NAME_LEN} bytes and no control characters");
    Err(Refusal::Malformed(rule))
}

/// Converts 0 to 1,000,000 seconds to a duration in whole milliseconds.
pub(crate) fn seconds(seconds: f64) -> Option<Duration> {
    let valid = (0.0..=1e6).contains(&seconds);
    valid.then(|| Duration::from_millis((seconds * 1000.0).round() as u64))
}

/// Returns dc and speed; dc is given, or speed times interval.
#[expect(clippy::arithmetic_side_effects, reason = "the product saturates")]
fn movement(request: &QueryRequest<'_>) -> Result<(Length, Option<Speed>), Refusal> {
    let positive = |value: f64| (value > 0.0 && value.is_finite()).then_some(value);
    let speed = match request.speed {
        Some(speed) => Some(Speed::metres_per_second(positive(speed).ok_or(Refusal::Speed)?)),
        None => None,
    };
    let dc = match (request.dc, speed, request.interval) {
        (Some(dc), _, _) => Length::metres_down(positive(dc).unwrap_or(0.0)),
        (None, Some(speed), Some(interval)) => speed * seconds(interval).unwrap_or_default(),
        (None, None, Some(_)) => return Err(Refusal::Speed),
        (None, _, None) => {
            return Err(Refusal::Malformed("`dc`, or `speed` and `interval`, is missing".into()));
        }
    };
    Ok((dc, speed))
}

/// Returns the radius or count before rounding.
fn exact_number(question: &Question) -> u32 {
    match question.operation {
        Operation::Within { radius, .. } => radius.units(),
        Operation::Nearest { count, .. } => count,
    }
}
