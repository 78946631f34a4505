//! Many people on a few connections: lines are sent when they are due, in chunks, and each
//! connection hears what its own people are told.

use super::Target;
use super::crowd::Post;
use super::tally::Tally;
use super::truth::Truth;
use anyhow::{Context as _, Result, ensure};
use bytes::{Buf as _, Bytes, BytesMut};
use futures_util::StreamExt as _;
use rustc_hash::FxHashMap;
use std::convert::Infallible;
use std::io::BufRead as _;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::Instant;

/// How often lines that are due are sent.
const BEAT: Duration = Duration::from_millis(10);

/// Those who wait on a connection, and since when.
type Waiting = Arc<Mutex<FxHashMap<u32, (Post, Instant)>>>;

/// Drives by streams. Everyone who is asked for is told before it is over.
pub async fn drive(
    target: &Target,
    crowd: impl Iterator<Item = Vec<Post>> + Send + 'static,
    streams: usize,
    truth: Option<Arc<Truth>>,
) -> Result<Tally> {
    let mut senders = Vec::new();
    let mut hearing = JoinSet::new();
    for _ in 0..streams {
        let waiting = Waiting::default();
        let (sender, lines) = mpsc::unbounded_channel::<Bytes>();
        let lines = futures_util::stream::unfold(lines, |mut lines| async {
            lines.recv().await.map(|line| (Ok::<_, Infallible>(line), lines))
        });
        let request = target.post("/v1/queries/stream", "application/x-ndjson");
        let sent = request.body(reqwest::Body::wrap_stream(lines)).send();
        hearing.spawn(hear(sent, Arc::clone(&waiting), truth.clone()));
        senders.push((sender, waiting, BytesMut::new()));
    }
    let (ahead, mut seconds) = mpsc::channel(2);
    tokio::task::spawn_blocking(move || {
        for second in crowd {
            if ahead.blocking_send(second).is_err() {
                break;
            }
        }
    });
    let start = Instant::now();
    while let Some(second) = seconds.recv().await {
        for due in second.chunk_by(|a, b| a.at / 10 == b.at / 10) {
            tokio::time::sleep_until(start + Duration::from_millis(due[0].at)).await;
            send(due, &mut senders);
        }
    }
    drop(senders);
    let mut tally = Tally::default();
    while let Some(heard) = hearing.join_next().await {
        tally.add(heard??);
    }
    Ok(tally)
}

/// Sends lines that are due, those of one connection at once.
fn send(due: &[Post], senders: &mut [(mpsc::UnboundedSender<Bytes>, Waiting, BytesMut)]) {
    let now = Instant::now();
    let count = senders.len();
    for (place, (sender, waiting, buffer)) in senders.iter_mut().enumerate() {
        let mut waiting = waiting.lock().unwrap_or_else(PoisonError::into_inner);
        for post in due.iter().filter(|post| post.user as usize % count == place) {
            buffer.extend_from_slice(&post.body);
            buffer.extend_from_slice(b"\n");
            // Whoever hears has no use for the body, and would have to give it back.
            waiting.insert(post.number, (Post { body: Bytes::new(), ..*post }, now));
        }
        drop(waiting);
        if !buffer.is_empty() {
            // A connection that has ended says so where it is heard.
            sender.send(buffer.split().freeze()).ok();
        }
    }
    debug_assert!(BEAT.as_millis() == 10, "chunks are those of one beat");
}

/// Hears what the people of a connection are told.
async fn hear(
    sent: impl Future<Output = reqwest::Result<reqwest::Response>>,
    waiting: Waiting,
    truth: Option<Arc<Truth>>,
) -> Result<Tally> {
    let response = sent.await.context("the gateway does not answer")?;
    ensure!(response.status().is_success(), "the gateway says {}", response.status());
    let mut chunks = response.bytes_stream();
    let mut tally = Tally::default();
    let mut rest = BytesMut::new();
    while let Some(chunk) = chunks.next().await {
        rest.extend_from_slice(&chunk.context("the connection broke")?);
        let now = Instant::now();
        let mut unread = &rest[..];
        while let Some(line) = next_line(&mut unread) {
            let whose = ticket(line).and_then(|number| {
                waiting.lock().unwrap_or_else(PoisonError::into_inner).remove(&number)
            });
            if let Some((post, since)) = whose {
                tally.hear(line, &post, now - since, truth.as_deref());
            }
        }
        let read = rest.len() - unread.len();
        rest.advance(read);
    }
    let left = waiting.lock().unwrap_or_else(PoisonError::into_inner).len();
    tally.lose(left as u64);
    Ok(tally)
}

/// Takes the next whole line off what is unread.
fn next_line<'a>(unread: &mut &'a [u8]) -> Option<&'a [u8]> {
    let mut after = *unread;
    // Reading from memory does not fail; of a line without an end, none is taken.
    let length = after.skip_until(b'\n').ok()?;
    let line = unread[..length].ends_with(b"\n").then(|| &unread[..length])?;
    *unread = after;
    Some(line)
}

/// The number that a line is about: it comes first.
fn ticket(line: &[u8]) -> Option<u32> {
    let text = line.strip_prefix(b"{\"ticket\":\"")?;
    // Of a long answer nothing else is looked at: time spent here is taken from the gateway.
    let end = text.iter().take(11).position(|&byte| byte == b'-')?;
    std::str::from_utf8(&text[..end]).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_lines_are_taken_and_the_rest_is_left() {
        let mut unread = &b"one\n\nthree\nfo"[..];
        let lines: Vec<&[u8]> = std::iter::from_fn(|| next_line(&mut unread)).collect();
        assert_eq!(lines, [&b"one\n"[..], b"\n", b"three\n"]);
        assert_eq!(unread, b"fo");
    }
}
