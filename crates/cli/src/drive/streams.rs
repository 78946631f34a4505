//! Many queries on few connections: lines are sent in chunks when they are due, and each connection
//! receives the responses to its own queries.

use super::clients::ClientQuery;
use super::reference::Reference;
use super::statistics::LoadStatistics;
use super::{GatewayClient, receive_seconds};
use anyhow::{Context as _, Result, ensure};
use bytes::{Bytes, BytesMut};
use futures_util::StreamExt as _;
use parking_lot::Mutex;
use rustc_hash::FxHashMap;
use std::convert::Infallible;
use std::io::BufRead as _;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::Instant;

/// Queries due within the same interval of this many milliseconds are sent together.
const SEND_INTERVAL_MS: u64 = 10;

/// A query without a response, and the time at which it was sent.
struct SentQuery {
    query: ClientQuery,
    sent: Instant,
}

/// Queries of a connection without a response, by number.
type Waiting = Arc<Mutex<FxHashMap<u32, SentQuery>>>;

/// Sending half of a connection.
struct SendingConnection {
    sender: mpsc::UnboundedSender<Bytes>,
    waiting: Waiting,
    buffer: BytesMut,
}

/// Sends queries on `streams` connections when they are due; returns when all have closed.
pub async fn drive(
    gateway: &GatewayClient,
    clients: impl Iterator<Item = Vec<ClientQuery>> + Send + 'static,
    streams: usize,
    reference: Option<Arc<Reference>>,
) -> Result<LoadStatistics> {
    let mut connections = Vec::new();
    let mut receivers = JoinSet::new();
    for _ in 0..streams {
        let waiting = Waiting::default();
        let (sender, lines) = mpsc::unbounded_channel::<Bytes>();
        let lines = futures_util::stream::unfold(lines, |mut lines| async {
            lines.recv().await.map(|line| (Ok::<_, Infallible>(line), lines))
        });
        let request = gateway.post("/v1/queries/stream", "application/x-ndjson");
        let response = request.body(reqwest::Body::wrap_stream(lines)).send();
        receivers.spawn(receive(response, Arc::clone(&waiting), reference.clone()));
        connections.push(SendingConnection { sender, waiting, buffer: BytesMut::new() });
    }
    let mut seconds = receive_seconds(clients);
    let start = Instant::now();
    while let Some(second) = seconds.recv().await {
        for due in second.chunk_by(|a, b| a.at / SEND_INTERVAL_MS == b.at / SEND_INTERVAL_MS) {
            tokio::time::sleep_until(start + Duration::from_millis(due[0].at)).await;
            send(due, &mut connections, reference.as_deref());
        }
    }
    drop(connections);
    let mut statistics = LoadStatistics::default();
    while let Some(received) = receivers.join_next().await {
        statistics.add(received??);
    }
    Ok(statistics)
}

/// Sends the queries that are due, one chunk per connection. All queries of a user use the same
/// connection.
fn send(due: &[ClientQuery], connections: &mut [SendingConnection], reference: Option<&Reference>) {
    if let Some(reference) = reference {
        due.iter().for_each(|query| reference.note_sent(query));
    }
    let now = Instant::now();
    let count = connections.len();
    for (index, connection) in connections.iter_mut().enumerate() {
        let mut waiting = connection.waiting.lock();
        for query in due.iter().filter(|query| query.user as usize % count == index) {
            connection.buffer.extend_from_slice(&query.body);
            connection.buffer.extend_from_slice(b"\n");
            // The body is not needed any more; keeping it would retain its memory.
            let sent = ClientQuery { body: Bytes::new(), ..*query };
            waiting.insert(query.number, SentQuery { query: sent, sent: now });
        }
        drop(waiting);
        if !connection.buffer.is_empty() {
            // A closed connection is reported by its receiver.
            connection.sender.send(connection.buffer.split().freeze()).ok();
        }
    }
}

/// Receives the responses of a connection until it closes.
async fn receive(
    response: impl Future<Output = reqwest::Result<reqwest::Response>>,
    waiting: Waiting,
    reference: Option<Arc<Reference>>,
) -> Result<LoadStatistics> {
    let response = response.await.context("the gateway does not respond")?;
    ensure!(response.status().is_success(), "the gateway responds with {}", response.status());
    let mut chunks = response.bytes_stream();
    let mut statistics = LoadStatistics::default();
    let mut rest = BytesMut::new();
    while let Some(chunk) = chunks.next().await {
        let chunk = chunk.context("the connection to the gateway broke")?;
        let now = Instant::now();
        let mut waiting = waiting.lock();
        let mut record = |line: &[u8]| {
            let answered = ticket_number(line).and_then(|number| waiting.remove(&number));
            if let Some(SentQuery { query, sent }) = answered {
                statistics.record(line, &query, now - sent, reference.as_deref());
            }
        };
        // Only a line that is divided between chunks is copied.
        let mut unread = &chunk[..];
        if !rest.is_empty()
            && let Some(end) = next_line(&mut unread)
        {
            rest.extend_from_slice(end);
            record(&rest);
            rest.clear();
        }
        while let Some(line) = next_line(&mut unread) {
            record(line);
        }
        rest.extend_from_slice(unread);
    }
    let lost = waiting.lock().len();
    statistics.record_lost(lost as u64);
    Ok(statistics)
}

/// Removes the next complete line from `unread`.
fn next_line<'a>(unread: &mut &'a [u8]) -> Option<&'a [u8]> {
    let mut after = *unread;
    // Reading from memory does not fail. An incomplete line stays in `unread`.
    let length = after.skip_until(b'\n').ok()?;
    let line = unread[..length].ends_with(b"\n").then(|| &unread[..length])?;
    *unread = after;
    Some(line)
}

/// Parses the query number at the start of the ticket, which is the first field of a line.
fn ticket_number(line: &[u8]) -> Option<u32> {
    let text = line.strip_prefix(b"{\"ticket\":\"")?;
    // Does not parse the whole line: the CPU time would be taken from the gateway.
    let end = text.iter().take(11).position(|&byte| byte == b'-')?;
    std::str::from_utf8(&text[..end]).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn complete_lines_are_removed_and_the_rest_stays() {
        let mut unread = &b"one\n\nthree\nfo"[..];
        let lines: Vec<&[u8]> = std::iter::from_fn(|| next_line(&mut unread)).collect();
        assert_eq!(lines, [&b"one\n"[..], b"\n", b"three\n"]);
        assert_eq!(unread, b"fo");
    }
}
