//! JSON messages of a WebSocket; each is an object with a `type`.

use crate::answers::json;
use crate::api::QuestionBody;
use serde::{Deserialize, Deserializer, Serialize};
use utoipa::ToSchema;

/// A message of the client.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub(super) enum ClientMessage {
    Hello(HelloMessage),
    Ask(AskMessage),
    Position(PositionMessage),
}

/// The first message: user and standing query. Missing values come from the user's settings.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct HelloMessage {
    /// Name of the user within the account.
    pub person: String,
    /// The `resume` value of an earlier `welcome`; missed messages are sent again.
    pub resume: Option<String>,
    /// Last `seq` that the client has received; later messages are sent again.
    pub after: Option<u64>,
    /// Standing query.
    #[serde(default)]
    pub ask: AskMessage,
}

/// Prints neither user nor session ticket.
impl std::fmt::Debug for HelloMessage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("HelloMessage(…)")
    }
}

/// Changes the standing query. Missing values stay unchanged.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AskMessage {
    /// Size of the anonymity set, the user included.
    pub k: Option<u64>,
    /// Temporal tolerance: longest waiting time in seconds.
    pub dt: Option<f64>,
    /// Question of each position; `null`: none, the user is a present member of anonymity sets.
    #[serde(default, deserialize_with = "null_or_value")]
    #[schema(value_type = Option<QuestionBody>)]
    pub question: Option<Option<QuestionBody>>,
}

/// A position of the user: one query with the standing question.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PositionMessage {
    /// Ticket chosen by the client, unique within the account; generated if missing.
    pub ticket: Option<String>,
    /// Longitude in degrees.
    pub lon: f64,
    /// Latitude in degrees.
    pub lat: f64,
    /// Largest distance between two positions in metres. Estimated from earlier positions if `dc`
    /// and `interval` are both missing.
    pub dc: Option<f64>,
    /// Top speed in metres per second.
    pub speed: Option<f64>,
    /// Time between two positions in seconds.
    pub interval: Option<f64>,
}

/// Prints no position.
impl std::fmt::Debug for PositionMessage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("PositionMessage(…)")
    }
}

/// Distinguishes `null` from a missing field.
fn null_or_value<'de, D: Deserializer<'de>>(
    text: D,
) -> Result<Option<Option<QuestionBody>>, D::Error> {
    Option::deserialize(text).map(Some)
}

/// The answer to `hello`.
#[derive(Serialize)]
struct WelcomeMessage<'a> {
    r#type: &'static str,
    resume: &'a str,
    resumed: bool,
    seq: u64,
}

/// Whether a connection started a session or resumed one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SessionStart {
    New,
    Resumed,
}

pub(super) fn welcome(resume: &str, start: SessionStart, seq: u64) -> String {
    text(&WelcomeMessage {
        r#type: "welcome",
        resume,
        resumed: start == SessionStart::Resumed,
        seq,
    })
}

pub(super) fn skipped(count: u64) -> String {
    format!("{{\"type\":\"skipped\",\"count\":{count}}}")
}

/// Wraps a result or refusal, which is JSON; `kind` is `error` for a refusal without a query.
pub(super) fn numbered(kind: &str, seq: u64, body: &[u8]) -> String {
    let body = String::from_utf8_lossy(body);
    format!("{{\"type\":\"{kind}\",\"seq\":{seq},\"{kind}\":{body}}}")
}

fn text(body: &impl Serialize) -> String {
    String::from_utf8_lossy(&json(body)).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_null_question_differs_from_a_missing_one() {
        let ask = |text: &str| match serde_json::from_str(text).unwrap() {
            ClientMessage::Ask(ask) => ask.question,
            _ => panic!("not ask"),
        };
        assert!(ask(r#"{"type":"ask","k":3}"#).is_none());
        assert!(ask(r#"{"type":"ask","question":null}"#).unwrap().is_none());
        let asked = ask(r#"{"type":"ask","question":{"find":"nearest","count":2}}"#);
        assert_eq!(asked.unwrap().unwrap().count, Some(2));
        for bad in [
            "{}",
            "[]",
            r#"{"type":"shout"}"#,
            r#"{"type":"ask","z":1}"#,
            r#"{"type":"position","lon":1}"#,
            r#"{"type":"position","lon":1,"lat":NaN}"#,
            r#"{"type":"hello"}"#,
        ] {
            assert!(serde_json::from_str::<ClientMessage>(bad).is_err(), "{bad}");
        }
    }
}
