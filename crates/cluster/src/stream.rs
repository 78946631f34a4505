//! One JetStream stream: creation, conditional writes and reads from its leader.
//!
//! A write has four results, because "no answer" is none of "yes" and "no". Reads go to the leader
//! (`STREAM.MSG.GET`), not to a replica; still, nothing relies on a read being fresh.

use crate::connection::Cluster;
use crate::error::ClusterError;
use async_nats::jetstream::stream::{Config, Info, RawMessage};
use async_nats::{HeaderMap, Request, RequestErrorKind};
use bytes::Bytes;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// Header with the sequence of the last message of the subject that a write follows.
const EXPECTED: &str = "Nats-Expected-Last-Subject-Sequence";
/// Header with the time to live of a message.
const TTL: &str = "Nats-TTL";
/// Error codes of the server: a write that does not follow the named sequence.
const WRONG_SEQUENCE: [u64; 2] = [10_071, 10_164];
/// Error codes of the server: no such message, no such stream.
const NO_MESSAGE: u64 = 10_037;
const NO_STREAM: u64 = 10_059;

/// Bytes of headers that a write adds to its payload, at most.
pub(crate) const MAX_HEADERS: usize = 256;

/// Result of a conditional write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Written {
    /// Stored under this sequence.
    Stored(u64),
    /// Not stored: the subject's last sequence is another, which the server names or does not.
    WrongSequence(Option<u64>),
    /// Not stored, for another reason.
    Refused(String),
    /// Stored or not, or stored later.
    Unknown(String),
}

/// A stored message. It may hold positions, so it is not printable.
pub(crate) struct Stored {
    pub subject: String,
    pub sequence: u64,
    /// Unix time at which the server stored it, in milliseconds.
    pub server_ms: u64,
    pub headers: HeaderMap,
    pub payload: Bytes,
}

/// Condition and lifetime of a write.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Terms<'a> {
    /// Sequence of the subject's last message; 0 if there must be none.
    pub expected: u64,
    /// Value of the header `Nats-TTL`.
    pub ttl: Option<&'a str>,
    /// A further header.
    pub header: Option<(&'a str, &'a str)>,
}

#[derive(Deserialize)]
struct Acknowledgement {
    error: Option<Failure>,
    seq: Option<u64>,
}

#[derive(Deserialize)]
struct Outcome {
    error: Option<Failure>,
}

#[derive(Deserialize)]
struct Failure {
    #[serde(default)]
    code: u64,
    #[serde(default)]
    err_code: u64,
    #[serde(default)]
    description: String,
}

#[derive(Deserialize)]
struct Got {
    message: RawMessage,
}

/// A stream by name.
#[derive(Clone, Debug)]
pub(crate) struct Stream {
    cluster: Cluster,
    name: String,
}

impl Stream {
    /// Creates the stream if it is missing and returns its state.
    pub async fn open(cluster: &Cluster, config: &Config) -> Result<(Stream, Info), ClusterError> {
        let stream = Stream { cluster: cluster.clone(), name: config.name.clone() };
        if let Some(info) = stream.info().await? {
            return Ok((stream, info));
        }
        let body =
            serde_json::to_value(config).map_err(|error| stream.damaged(&error.to_string()))?;
        match stream.call::<Info>("STREAM.CREATE", Some(body)).await? {
            Ok(info) => Ok((stream, info)),
            // Another process was faster.
            Err(failure) => match stream.info().await? {
                Some(info) => Ok((stream, info)),
                None => Err(stream.refused("create the stream", failure.description)),
            },
        }
    }

    /// Finds a stream that exists.
    pub async fn find(cluster: &Cluster, name: &str) -> Result<Stream, ClusterError> {
        let stream = Stream { cluster: cluster.clone(), name: name.to_owned() };
        match stream.info().await? {
            Some(_) => Ok(stream),
            None => Err(stream.refused("find the stream", "there is no such stream".into())),
        }
    }

    /// Returns the stream's state; `None` if there is no such stream.
    pub async fn info(&self) -> Result<Option<Info>, ClusterError> {
        match self.call::<Info>("STREAM.INFO", None).await? {
            Ok(info) => Ok(Some(info)),
            Err(failure) if failure.err_code == NO_STREAM => Ok(None),
            Err(failure) => Err(self.refused("look up the stream", failure.description)),
        }
    }

    /// Returns the subjects that have messages, among those of `filter`.
    pub async fn subjects(&self, filter: &str) -> Result<Vec<String>, ClusterError> {
        #[derive(Deserialize)]
        struct Reply {
            state: State,
        }
        #[derive(Deserialize)]
        struct State {
            #[serde(default)]
            subjects: std::collections::BTreeMap<String, u64>,
        }
        match self.call::<Reply>("STREAM.INFO", Some(json!({ "subjects_filter": filter }))).await? {
            Ok(reply) => Ok(reply.state.subjects.into_keys().collect()),
            Err(failure) => Err(self.refused("list the stream", failure.description)),
        }
    }

    /// Returns the last message of a subject.
    pub async fn last(&self, subject: &str) -> Result<Option<Stored>, ClusterError> {
        self.get(json!({ "last_by_subj": subject })).await
    }

    /// Returns the first message of a subject (which may have wildcards) at `sequence` or later.
    pub async fn next(&self, subject: &str, sequence: u64) -> Result<Option<Stored>, ClusterError> {
        self.get(json!({ "seq": sequence, "next_by_subj": subject })).await
    }

    async fn get(&self, request: Value) -> Result<Option<Stored>, ClusterError> {
        match self.call::<Got>("STREAM.MSG.GET", Some(request)).await? {
            Ok(Got { message }) => self.decode(message).map(Some),
            Err(failure) if failure.err_code == NO_MESSAGE => Ok(None),
            Err(failure) => Err(self.refused("read the stream", failure.description)),
        }
    }

    fn decode(&self, raw: RawMessage) -> Result<Stored, ClusterError> {
        let message = async_nats::jetstream::message::StreamMessage::try_from(raw);
        let message = message.map_err(|error| self.damaged(&error.to_string()))?;
        let server_ms = message.time.unix_timestamp_nanos() / 1_000_000;
        Ok(Stored {
            subject: message.subject.to_string(),
            sequence: message.sequence,
            server_ms: u64::try_from(server_ms).unwrap_or(0),
            headers: message.headers,
            payload: message.payload,
        })
    }

    /// Writes a message if the subject's last sequence is the expected one.
    pub async fn write(&self, subject: &str, payload: Bytes, terms: Terms<'_>) -> Written {
        let mut headers = HeaderMap::new();
        headers.insert(EXPECTED, terms.expected.to_string());
        if let Some(ttl) = terms.ttl {
            headers.insert(TTL, ttl);
        }
        if let Some((name, value)) = terms.header {
            headers.insert(name, value);
        }
        let timeout = self.cluster.timeout();
        let request = Request::new().headers(headers).payload(payload).timeout(Some(timeout));
        let sent = self.cluster.client().send_request(subject.to_owned(), request);
        match self.cluster.within(|| format!("write to {}", self.name), sent).await {
            Ok(Ok(reply)) => judge(&reply.payload),
            Ok(Err(error)) if error.kind() == RequestErrorKind::MaxPayloadExceeded => {
                Written::Refused(error.to_string())
            }
            Ok(Err(error)) => Written::Unknown(error.kind().to_string()),
            Err(error) => Written::Unknown(error.to_string()),
        }
    }

    /// Calls the API of the server: `Ok(Err(_))` is an answer that refuses. The request is sent
    /// without the client's own JetStream layer, which logs whole answers.
    async fn call<T: DeserializeOwned>(
        &self,
        method: &str,
        request: Option<Value>,
    ) -> Result<Result<T, Failure>, ClusterError> {
        let action = || format!("{method} {}", self.name);
        let unavailable = |problem: String| ClusterError::Unavailable { action: action(), problem };
        let body = request.map_or_else(Bytes::new, |request| request.to_string().into());
        let subject = format!("$JS.API.{method}.{}", self.name);
        let reply = self.cluster.client().request(subject, body);
        let reply = match self.cluster.within(action, reply).await? {
            Ok(reply) => reply,
            Err(error) if error.kind() == RequestErrorKind::NoResponders => {
                return Err(unavailable("JetStream is off or not permitted".into()));
            }
            Err(error) => return Err(unavailable(error.kind().to_string())),
        };
        let unreadable = |_| self.damaged(&format!("unreadable answer of {method}"));
        let outcome: Outcome = serde_json::from_slice(&reply.payload).map_err(unreadable)?;
        match outcome.error {
            Some(failure) if failure.code == 503 => Err(unavailable(failure.description)),
            Some(failure) => Ok(Err(failure)),
            None => serde_json::from_slice(&reply.payload).map(Ok).map_err(unreadable),
        }
    }

    /// Returns the error of an operation that the server refused.
    pub fn refused(&self, action: &str, problem: String) -> ClusterError {
        ClusterError::Refused { action: format!("{action} {}", self.name), problem }
    }

    fn damaged(&self, problem: &str) -> ClusterError {
        ClusterError::Damaged { place: format!("stream {}", self.name), problem: problem.into() }
    }
}

fn judge(reply: &[u8]) -> Written {
    let Ok(reply) = serde_json::from_slice::<Acknowledgement>(reply) else {
        return Written::Unknown("unreadable acknowledgement".into());
    };
    match (reply.error, reply.seq) {
        (None, Some(sequence)) if sequence > 0 => Written::Stored(sequence),
        (None, _) => Written::Unknown("acknowledgement without sequence".into()),
        (Some(failure), _) if WRONG_SEQUENCE.contains(&failure.err_code) => {
            let (_, last) = failure.description.rsplit_once(": ").unwrap_or_default();
            Written::WrongSequence(last.parse().ok())
        }
        // Errors of the request and of limits come before a message is proposed to the replicas.
        (Some(failure), _) if failure.code / 100 == 4 => Written::Refused(failure.description),
        (Some(failure), _) => Written::Unknown(failure.description),
    }
}
