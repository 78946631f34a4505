//! Why something is refused: a word for programs, a sentence for people, a status for HTTP.
//!
//! What is said outside names the rule and never the position. What the operator sees is a count
//! by word.

use axum::http::StatusCode;
use meshcloak::units::Length;
use std::time::Duration;

/// Why a request is refused. Nothing was accepted, and nothing is sent to the service.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Refusal {
    /// It cannot be read.
    #[error("{0}")]
    Malformed(String),
    /// It has no key, or one that is not known.
    #[error("a known key is needed: `Authorization: Bearer KEY`")]
    Key,
    /// There is no such query.
    #[error("no query of that ticket is known; results are kept for a while only")]
    Unknown,
    /// There is no such place.
    #[error("there is nothing here; see /v1/openapi.json")]
    NoSuchPath,
    /// The place is there, but not for that.
    #[error("this path does not take that method")]
    Method,
    /// It took too long to arrive.
    #[error("the request did not arrive in time")]
    TooSlow,
    /// The ticket is that of another query.
    #[error("the ticket belongs to a query that said something else")]
    TicketTaken,
    /// It is too large.
    #[error("the request is larger than {0} bytes")]
    TooLarge(usize),
    /// It is not JSON, or not NDJSON.
    #[error("expected content of type {0}")]
    ContentType(&'static str),
    /// k is out of bounds.
    #[error("k must be from 2 to {0}")]
    K(u32),
    /// dt is out of bounds.
    #[error("dt must be from 0 to {} seconds", .0.as_secs_f64())]
    Dt(Duration),
    /// dc is out of bounds.
    #[error("dc, or speed times interval, must be from {} to {} metres", .0.as_metres(), .1.as_metres())]
    Dc(Length, Length),
    /// A speed is needed.
    #[error("speed (metres per second) is needed")]
    Speed,
    /// The question cannot be asked.
    #[error("{0}")]
    Question(String),
    /// The position is not on the map.
    #[error("the position is off the map")]
    OffMap,
    /// She cannot have come here since she last asked, as fast as she says she is.
    #[error("farther from the last query than the declared speed allows")]
    FasterThanDeclared,
    /// She is at a place from which she wants nothing sent.
    #[error("this is one of your places from which nothing leaves; the service was not asked")]
    Never,
    /// A place of a person's settings is not one.
    #[error("{0}")]
    Zone(String),
    /// The person has no settings.
    #[error("this person has no settings: PUT /v1/people/PERSON/settings")]
    NoSettings,
    /// The report is an old one.
    #[error("the report is older than those before it")]
    Late,
    /// What was to be kept cannot be written.
    #[error("the change could not be kept, and was not made")]
    NotKept,
    /// The account asks too often.
    #[error("the account asks more often than it may")]
    Rate,
    /// The person asks too often.
    #[error("this person asks more often than is allowed")]
    PersonRate,
    /// More is under way than can be dealt with.
    #[error("too much is under way; come back in a moment")]
    Busy,
    /// The gateway is about to end.
    #[error("the gateway is stopping")]
    Stopping,
}

impl Refusal {
    /// A word for programs and for counting.
    pub fn word(&self) -> &'static str {
        match self {
            Refusal::Malformed(_) => "malformed",
            Refusal::Key => "key",
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
            Refusal::Speed => "speed",
            Refusal::Question(_) => "question",
            Refusal::OffMap => "off-map",
            Refusal::FasterThanDeclared => "faster-than-declared",
            Refusal::Never => "never",
            Refusal::Zone(_) => "zone",
            Refusal::NoSettings => "settings",
            Refusal::Late => "late",
            Refusal::NotKept => "not-kept",
            Refusal::Rate => "rate",
            Refusal::PersonRate => "person-rate",
            Refusal::Busy => "busy",
            Refusal::Stopping => "stopping",
        }
    }

    /// The status of a response that says so.
    pub fn status(&self) -> StatusCode {
        match self {
            Refusal::Malformed(_) => StatusCode::BAD_REQUEST,
            Refusal::Key => StatusCode::UNAUTHORIZED,
            Refusal::Unknown | Refusal::NoSuchPath | Refusal::NoSettings => StatusCode::NOT_FOUND,
            Refusal::Method => StatusCode::METHOD_NOT_ALLOWED,
            Refusal::TooSlow => StatusCode::REQUEST_TIMEOUT,
            Refusal::TicketTaken => StatusCode::CONFLICT,
            Refusal::TooLarge(_) => StatusCode::PAYLOAD_TOO_LARGE,
            Refusal::ContentType(_) => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Refusal::Rate | Refusal::PersonRate => StatusCode::TOO_MANY_REQUESTS,
            Refusal::Busy | Refusal::Stopping | Refusal::NotKept => StatusCode::SERVICE_UNAVAILABLE,
            _ => StatusCode::UNPROCESSABLE_ENTITY,
        }
    }

    /// Seconds after which it is worth trying again, if it is.
    pub fn retry_after(&self) -> Option<u32> {
        match self {
            Refusal::Rate | Refusal::Busy => Some(1),
            Refusal::PersonRate => Some(5),
            Refusal::Stopping | Refusal::NotKept => Some(10),
            _ => None,
        }
    }
}
