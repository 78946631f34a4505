//! What is said on a socket, as JSON: an object with a `type` in every message.

use crate::answers::json;
use crate::people::StandingQuestion;
use serde::{Deserialize, Deserializer, Serialize};
use utoipa::ToSchema;

/// Whatever a client may say.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub(super) enum FromClient {
    Hello(HelloMessage),
    Ask(AskMessage),
    Position(PositionMessage),
}

/// The first message: who asks, and how. What is not given is as in the person's settings.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct HelloMessage {
    /// Who asks, within the account.
    pub person: String,
    /// The `resume` of the `welcome` of a socket that has ended: what was missed comes again.
    pub resume: Option<String>,
    /// The last `seq` that was seen; what came later is said again, once.
    pub after: Option<u64>,
    /// How she asks.
    #[serde(default)]
    pub ask: AskMessage,
}

/// Who it is, and what her session is resumed by, never gets printed.
impl std::fmt::Debug for HelloMessage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("HelloMessage(…)")
    }
}

/// How somebody asks from now on. What is not given stays as it is.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AskMessage {
    /// Among how many people she wants to be hidden.
    pub k: Option<u64>,
    /// How long she is willing to wait, in seconds.
    pub dt: Option<f64>,
    /// What each position asks; `null`: nothing, she is there for others to hide among.
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Option<StandingQuestion>)]
    pub question: Option<Option<StandingQuestion>>,
}

/// Where somebody is: a query, under the standing question.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PositionMessage {
    /// Chosen by the client, unique within the account; one is made up if it is not given.
    pub ticket: Option<String>,
    /// Degrees east.
    pub lon: f64,
    /// Degrees north.
    pub lat: f64,
    /// How far she can move between two positions, in metres. Without it and without `interval`
    /// it is estimated from the positions.
    pub dc: Option<f64>,
    /// Her top speed, in metres per second.
    pub speed: Option<f64>,
    /// Between two positions, in seconds.
    pub interval: Option<f64>,
}

/// Where somebody is never gets printed.
impl std::fmt::Debug for PositionMessage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("PositionMessage(…)")
    }
}

/// Tells `null` from what is not there.
fn given<'de, D: Deserializer<'de>>(text: D) -> Result<Option<Option<StandingQuestion>>, D::Error> {
    Option::deserialize(text).map(Some)
}

/// The answer to `hello`.
#[derive(Serialize)]
struct Welcome<'a> {
    r#type: &'static str,
    resume: &'a str,
    resumed: bool,
    seq: u64,
}

/// Whether a socket goes on where another has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Begin {
    Anew,
    Again,
}

pub(super) fn welcome(resume: &str, begin: Begin, seq: u64) -> String {
    text(&Welcome { r#type: "welcome", resume, resumed: begin == Begin::Again, seq })
}

pub(super) fn skipped(count: u64) -> String {
    format!("{{\"type\":\"skipped\",\"count\":{count}}}")
}

/// A result, or a refusal (`error` if it is of no query), which is JSON already.
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
    fn a_question_can_be_taken_back_or_left_alone() {
        let ask = |text: &str| match serde_json::from_str(text).unwrap() {
            FromClient::Ask(ask) => ask.question,
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
            assert!(serde_json::from_str::<FromClient>(bad).is_err(), "{bad}");
        }
    }
}
