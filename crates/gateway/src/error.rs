//! Refusals: a code for programs, a message for humans, and an HTTP status.
//!
//! A message names the violated rule and never a position. The operator sees counts by code.

use axum::http::StatusCode;
use meshcloak::units::Length;
use std::time::Duration;

/// Reason why a request is refused. Nothing was accepted, and nothing is sent to the service.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Refusal {
    /// The request cannot be parsed.
    #[error("{0}")]
    Malformed(String),
    /// The key is missing or unknown.
    #[error("missing or unknown key; send the header `Authorization: Bearer KEY`")]
    Key,
    /// The key was revoked while its stream was open.
    #[error("the key was revoked")]
    Revoked,
    /// The ticket is unknown.
    #[error("unknown ticket; results are kept for a limited time")]
    Unknown,
    /// The path is unknown.
    #[error("unknown path; see /v1/openapi.json")]
    NoSuchPath,
    /// The path does not support the method.
    #[error("this path does not support the method; see /v1/openapi.json")]
    Method,
    /// The body took too long to arrive.
    #[error("the request did not arrive in time")]
    TooSlow,
    /// The ticket belongs to a different query.
    #[error("the ticket was already used with a different query")]
    TicketTaken,
    /// The body is too large.
    #[error("the request is larger than {0} bytes")]
    TooLarge(usize),
    /// The content type is wrong.
    #[error("wrong content type, expected {0}")]
    ContentType(&'static str),
    /// k is out of range.
    #[error("k must be from 2 to {0}, or 1 without a question")]
    K(u32),
    /// dt is out of range.
    #[error("dt must be from 0 to {} seconds", .0.as_secs_f64())]
    Dt(Duration),
    /// dc is out of range.
    #[error("dc, or speed times interval, must be from {} to {} metres", .0.as_metres(), .1.as_metres())]
    Dc(Length, Length),
    /// The speed is missing or not positive.
    #[error("`speed` in metres per second, above 0, is required")]
    Speed,
    /// The declared speed exceeds the limit.
    #[error("`speed` must be at most {0} metres per second")]
    TooFast(f64),
    /// The question is invalid.
    #[error("{0}")]
    Question(String),
    /// The position is too far from every street.
    #[error("the position is off the map: no street is near enough")]
    OffMap,
    /// The user cannot have moved here since the previous query at the declared speed.
    #[error("the distance from the previous query is larger than the declared speed allows")]
    FasterThanDeclared,
    /// Under `history`: the user's last query was in another city. Seconds left.
    #[error("the last query was in another city and cannot be compared; retry in {0} s")]
    OtherCity(u32),
    /// The gateway has started and does not know the user's previous position. Seconds left.
    #[error("the gateway has just started and does not know the previous position; retry in {0} s")]
    AfterStart(u32),
    /// The position is in a zone of the user with the rule `never`.
    #[error("the position is in a zone with the rule `never`; the service was not asked")]
    Never,
    /// A zone of the user's settings is invalid, or the user has too many tokens.
    #[error("{0}")]
    Zone(String),
    /// The user has no settings.
    #[error("this user has no settings; create them with PUT /v1/people/PERSON/settings")]
    NoSettings,
    /// The report is older than the previous one.
    #[error("the report is older than the previous one")]
    Late,
    /// The settings file cannot be written, or the system has no randomness.
    #[error("the change could not be stored and was not made")]
    NotKept,
    /// The account exceeds its rate limit.
    #[error("the rate limit of the account is exceeded")]
    Rate,
    /// The user exceeds the rate limit (`limits.person_rate`).
    #[error("the rate limit of the user is exceeded")]
    UserRate,
    /// The user has too many queries in progress.
    #[error("the user has {0} queries in progress, the limit; wait for an answer or cancel one")]
    UserBusy(u32),
    /// The account has named too many users within an hour (`limits.people`).
    #[error("the account has reached its number of users per hour")]
    Users,
    /// The account has too many open connections (`limits.connections`).
    #[error("the account has too many open connections")]
    Connections,
    /// A capacity is exhausted (queue, sessions, users), or the service has not listed its
    /// categories yet.
    #[error("too many queries are in progress; retry in a moment")]
    Busy,
    /// The client has not read earlier results of the account (`limits.unread_mb`).
    #[error("the account has too many results that were not read; repeat the request for this one")]
    Unread,
    /// The service cannot answer in time: the expected wait before it is too long.
    #[error("the service has too many requests to answer in time; retry in a moment")]
    ServiceBusy {
        /// Expected time until the wait is short enough.
        retry_after: Duration,
    },
    /// The gateway is stopping.
    #[error("the gateway is stopping")]
    Stopping,
}

impl Refusal {
    /// All codes, in the order of [`Refusal::code`].
    pub const CODES: [&'static str; 32] = [
        "malformed",
        "key",
        "revoked",
        "unknown",
        "path",
        "method",
        "too-slow",
        "duplicate-id",
        "too-large",
        "content-type",
        "k",
        "dt",
        "dc",
        "speed",
        "question",
        "off-map",
        "faster-than-declared",
        "other-city",
        "after-start",
        "never",
        "zone",
        "settings",
        "late",
        "not-kept",
        "rate",
        "person-rate",
        "person-busy",
        "people",
        "connections",
        "unread",
        "busy",
        "stopping",
    ];

    /// Returns the code, for programs and metrics.
    pub fn code(&self) -> &'static str {
        match self {
            Refusal::Malformed(_) => "malformed",
            Refusal::Key => "key",
            Refusal::Revoked => "revoked",
            Refusal::Unknown => "unknown",
            Refusal::NoSuchPath => "path",
            Refusal::Method => "method",
            Refusal::TooSlow => "too-slow",
            Refusal::TicketTaken => "duplicate-id",
            Refusal::TooLarge(_) => "too-large",
            Refusal::ContentType(_) => "content-type",
            Refusal::K(_) => "k",
            Refusal::Dt(_) => "dt",
            Refusal::Dc(..) => "dc",
            Refusal::Speed | Refusal::TooFast(_) => "speed",
            Refusal::Question(_) => "question",
            Refusal::OffMap => "off-map",
            Refusal::FasterThanDeclared => "faster-than-declared",
            Refusal::OtherCity(_) => "other-city",
            Refusal::AfterStart(_) => "after-start",
            Refusal::Never => "never",
            Refusal::Zone(_) => "zone",
            Refusal::NoSettings => "settings",
            Refusal::Late => "late",
            Refusal::NotKept => "not-kept",
            Refusal::Rate => "rate",
            Refusal::UserRate => "person-rate",
            Refusal::UserBusy(_) => "person-busy",
            Refusal::Users => "people",
            Refusal::Connections => "connections",
            Refusal::Unread => "unread",
            Refusal::Busy | Refusal::ServiceBusy { .. } => "busy",
            Refusal::Stopping => "stopping",
        }
    }

    /// Returns the HTTP status.
    pub fn status(&self) -> StatusCode {
        match self {
            Refusal::Malformed(_) => StatusCode::BAD_REQUEST,
            Refusal::Key | Refusal::Revoked => StatusCode::UNAUTHORIZED,
            Refusal::Unknown | Refusal::NoSuchPath | Refusal::NoSettings => StatusCode::NOT_FOUND,
            Refusal::Method => StatusCode::METHOD_NOT_ALLOWED,
            Refusal::TooSlow => StatusCode::REQUEST_TIMEOUT,
            Refusal::TicketTaken => StatusCode::CONFLICT,
            Refusal::TooLarge(_) => StatusCode::PAYLOAD_TOO_LARGE,
            Refusal::ContentType(_) => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Refusal::Rate
            | Refusal::UserRate
            | Refusal::UserBusy(_)
            | Refusal::Users
            | Refusal::Connections => StatusCode::TOO_MANY_REQUESTS,
            Refusal::Busy
            | Refusal::Unread
            | Refusal::ServiceBusy { .. }
            | Refusal::Stopping
            | Refusal::NotKept
            | Refusal::OtherCity(_)
            | Refusal::AfterStart(_) => StatusCode::SERVICE_UNAVAILABLE,
            _ => StatusCode::UNPROCESSABLE_ENTITY,
        }
    }

    /// Returns the seconds after which a retry can succeed; `None` if it cannot.
    pub fn retry_after(&self) -> Option<u32> {
        match self {
            Refusal::Rate | Refusal::Busy | Refusal::Unread => Some(1),
            // Whole seconds up to a minute: no finer measure of the load.
            Refusal::ServiceBusy { retry_after } => {
                Some(retry_after.as_secs().saturating_add(1).min(60) as u32)
            }
            Refusal::UserRate | Refusal::UserBusy(_) | Refusal::Connections => Some(5),
            Refusal::Users => Some(60),
            Refusal::AfterStart(seconds) | Refusal::OtherCity(seconds) => Some(*seconds),
            Refusal::Stopping | Refusal::NotKept => Some(10),
            _ => None,
        }
    }
}
