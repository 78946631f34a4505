//! Tests of order, limits and delivery.

use super::*;
use crate::accounts::Directory;
use crate::config::{Config, ResultsConfig};
use crate::outcome::Outcome;
use crate::tickets::{AcceptedQuery, Route};
use futures_util::FutureExt as _;
use meshcloak::query::{QueryId, UserId};
use meshcloak::units::Time;

const NOW: Time = Time::from_millis(0);

struct Stream {
    account: Arc<Account>,
    outbox: Arc<Outbox>,
}

impl Stream {
    fn new(unread: &Arc<UnreadBytes>) -> Stream {
        let directory = Directory::open_to_all(Config::default().limits);
        let account = Arc::clone(directory.named("demo").unwrap());
        let outbox = Arc::new(Outbox::new(Arc::clone(&account), unread));
        Stream { account, outbox }
    }

    /// Ends a query of this stream with a result of `bytes` bytes.
    fn finish(&self, ticket: &str, bytes: usize) {
        let ticket: Arc<str> = ticket.into();
        let body = vec![b'x'; bytes].into();
        let finished = Finished { outcome: Outcome::Answered, body };
        let mut tickets = self.account.tickets().lock();
        let route = Route::Stream(Arc::clone(&self.outbox));
        let (id, user) = (QueryId(0), UserId(0).into());
        tickets.insert(Arc::clone(&ticket), AcceptedQuery { id, user, digest: 0 }, route);
        self.outbox.expect([&ticket]);
        tickets.finish(&ticket, &finished, NOW);
    }

    async fn read_all(&self) -> Vec<usize> {
        self.outbox.end_of_input();
        let mut text = Vec::new();
        while let Some(chunk) = self.outbox.next().await {
            text.extend_from_slice(&chunk);
        }
        let lines = text.split(|&byte| byte == b'\n');
        lines.map(<[u8]>::len).filter(|&len| len > 0).collect()
    }
}

#[tokio::test]
async fn lines_are_taken_together_and_the_output_ends_after_the_last_result() {
    let stream = Stream::new(&Arc::default());
    let Stream { outbox, .. } = &stream;
    outbox.push_line(b"hello");
    stream.finish("1", 3);
    assert_eq!(outbox.next().await.as_deref(), Some(&b"hello\nxxx\n"[..]));
    outbox.expect([&"2".into()]);
    outbox.end_of_input();
    assert!(!outbox.is_idle());
    stream.finish("2", 1);
    assert!(!outbox.is_idle(), "two routes of one ticket");
    outbox.push_result(&"2".into(), &Finished { outcome: Outcome::Answered, body: "y".into() });
    assert_eq!(outbox.next().await.as_deref(), Some(&b"x\ny\n"[..]));
    assert_eq!(outbox.next().await, None);
}

#[tokio::test]
async fn nothing_is_buffered_after_the_reader_is_gone() {
    let unread = Arc::default();
    let stream = Stream::new(&unread);
    stream.outbox.expect([&"waits".into()]);
    for number in 0..9 {
        stream.finish(&number.to_string(), MAX_BUFFERED / 4);
    }
    assert!(unread.used() > MAX_BUFFERED / 2);
    assert_eq!(stream.outbox.abandon(), ["waits".into()]);
    stream.outbox.has_space().await;
    stream.finish("more", 9);
    assert_eq!(unread.used(), 0);
    assert!(stream.outbox.lock().entries.expose().is_empty());
}

#[tokio::test]
async fn unread_results_are_bounded_by_stream_and_over_all_and_all_are_delivered() {
    const ANSWER: usize = 30_000;
    let unread = UnreadBytes::new(2 * MAX_BUFFERED);
    let streams = [(); 3].map(|()| Stream::new(&unread));
    for number in 0..1_000 {
        streams.iter().for_each(|stream| stream.finish(&number.to_string(), ANSWER));
        assert!(unread.used() <= 2 * MAX_BUFFERED);
    }
    for stream in &streams {
        assert!(stream.outbox.lock().bytes <= MAX_BUFFERED);
        let space = tokio::time::timeout(std::time::Duration::ZERO, stream.outbox.has_space());
        assert!(space.await.is_err(), "no input is read");
    }
    for stream in &streams {
        assert_eq!(stream.read_all().await, [ANSWER; 1_000]);
    }
    assert_eq!(unread.used(), 0);
}

#[tokio::test]
async fn a_result_that_was_removed_is_announced_and_dropped_lines_are_counted() {
    let unread = UnreadBytes::new(1_000);
    let other = UnreadShare::new(Arc::clone(&unread), Arc::default()).charge(900);
    let stream = Stream::new(&unread);
    stream.finish("kept", 200);
    stream.finish("removed", 300);
    (0..3).for_each(|_| stream.outbox.push_line(&[b'y'; 90]));
    drop(other);
    let max_bytes = 350;
    let limits = ResultsConfig { max_bytes, ..Config::default().results };
    stream.account.tickets().lock().purge(NOW, limits);
    stream.outbox.end_of_input();
    let mut text = String::new();
    while let Some(chunk) = stream.outbox.next().await {
        text.push_str(std::str::from_utf8(&chunk).unwrap());
    }
    assert!(text.contains(r#""ticket":"kept","outcome":"refused","reason":"unknown""#));
    assert!(text.contains(&"x".repeat(300)));
    assert!(text.contains("2 refusals"), "{text}");
    assert_eq!(text.lines().count(), 4, "{text}");
}

#[tokio::test(start_paused = true)]
async fn a_result_that_had_no_space_is_written_when_its_bytes_can_be_charged() {
    const ANSWER: usize = 300_000;
    let unread = UnreadBytes::new(MAX_BUFFERED);
    let full = UnreadShare::new(Arc::clone(&unread), Arc::default()).charge(MAX_BUFFERED);
    let streams: Vec<Stream> = (0..10).map(|_| Stream::new(&unread)).collect();
    streams.iter().for_each(|stream| stream.finish("a", ANSWER));
    let mut waiting: Vec<_> =
        streams.iter().map(|stream| (stream, Box::pin(stream.outbox.next()))).collect();
    let mut full = Some(full);
    let mut written = Vec::new();
    for _ in 0..5 {
        tokio::time::advance(std::time::Duration::from_secs(1)).await;
        let mut ready = Vec::new();
        waiting.retain_mut(|(stream, next)| {
            let line = next.now_or_never().flatten();
            let is_waiting = line.is_none();
            ready.extend(line.map(|line| (*stream, line)));
            is_waiting
        });
        assert!(unread.used() <= MAX_BUFFERED, "{} bytes", unread.used());
        assert!(ready.iter().all(|(_, line)| line.len() == ANSWER + 1));
        written.push(ready.len());
        ready.iter().for_each(|(stream, _)| drop(stream.outbox.abandon()));
        full = None;
    }
    assert_eq!((written, full.is_none()), (vec![0, 3, 3, 3, 1], true));
    assert_eq!(unread.used(), 0);
}
