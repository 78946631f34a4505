//! Counts what passes between this process and a PostgreSQL server: bytes, and statements by the
//! messages `Sync` of the protocol. Without TLS.

use super::tally::WireTraffic;
use anyhow::{Context as _, Result, ensure};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};

/// A running proxy; it ends with the runtime.
pub(super) struct CountingProxy {
    url: String,
    counts: Arc<Counts>,
}

#[derive(Default)]
struct Counts {
    sent: AtomicU64,
    received: AtomicU64,
    statements: AtomicU64,
}

impl CountingProxy {
    /// Starts a proxy of the server of `url`.
    pub(super) async fn start(url: &str) -> Result<CountingProxy> {
        let (before, server, after) = parts(url)?;
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let url = format!("{before}127.0.0.1:{}{after}", listener.local_addr()?.port());
        let counts = Arc::new(Counts::default());
        let shared = Arc::clone(&counts);
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let Ok(database) = TcpStream::connect(&server).await else { continue };
                client.set_nodelay(true).ok();
                database.set_nodelay(true).ok();
                let (from_client, to_client) = client.into_split();
                let (from_database, to_database) = database.into_split();
                let (up, down) = (Arc::clone(&shared), Arc::clone(&shared));
                let mut messages = MessageCounter::default();
                tokio::spawn(forward(from_client, to_database, move |bytes| {
                    up.sent.fetch_add(bytes.len() as u64, Ordering::Relaxed);
                    up.statements.fetch_add(messages.count_syncs(bytes), Ordering::Relaxed);
                }));
                tokio::spawn(forward(from_database, to_client, move |bytes| {
                    down.received.fetch_add(bytes.len() as u64, Ordering::Relaxed);
                }));
            }
        });
        Ok(CountingProxy { url, counts })
    }

    /// URL of the database through the proxy.
    pub(super) fn url(&self) -> &str {
        &self.url
    }

    /// Traffic so far.
    pub(super) fn traffic(&self) -> WireTraffic {
        let Counts { sent, received, statements } = &*self.counts;
        WireTraffic {
            sent: sent.load(Ordering::Relaxed),
            received: received.load(Ordering::Relaxed),
            statements: statements.load(Ordering::Relaxed),
        }
    }
}

/// Copies bytes until either side closes. They are counted before they are passed on.
async fn forward(
    mut from: OwnedReadHalf,
    mut to: OwnedWriteHalf,
    mut count: impl FnMut(&[u8]) + Send,
) {
    let mut buffer = vec![0; 1 << 16];
    while let Ok(length @ 1..) = from.read(&mut buffer).await {
        count(&buffer[..length]);
        if to.write_all(&buffer[..length]).await.is_err() {
            break;
        }
    }
}

/// Splits `postgres://user@host:port/name?…` into what is before the server, host and port, and what
/// follows.
fn parts(url: &str) -> Result<(&str, String, &str)> {
    let expected = "expected postgres://user@host:port/name";
    let (scheme, rest) = url.split_once("://").context(expected)?;
    ensure!(["postgres", "postgresql"].contains(&scheme), expected);
    let authority_end = rest.find(['/', '?']).unwrap_or(rest.len());
    let (authority, after) = rest.split_at(authority_end);
    let host_start = authority.rfind('@').map_or(0, |at| at + 1);
    let host = &authority[host_start..];
    ensure!(!host.is_empty(), expected);
    let before = &url[..scheme.len() + 3 + host_start];
    let server = if host.contains(':') { host.to_owned() } else { format!("{host}:5432") };
    Ok((before, server, after))
}

/// Splits the bytes of a client into messages: a startup message without a type, then a type, four
/// bytes of length that count themselves, and the content.
#[derive(Default)]
struct MessageCounter {
    header: Vec<u8>,
    /// Bytes of the content that are still to come.
    content: usize,
    has_started: bool,
}

impl MessageCounter {
    /// Returns the number of messages `Sync` that end in these bytes.
    fn count_syncs(&mut self, mut bytes: &[u8]) -> u64 {
        let mut syncs = 0;
        while let Some((&first, rest)) = bytes.split_first() {
            if self.content > 0 {
                let skipped = self.content.min(bytes.len());
                self.content -= skipped;
                bytes = &bytes[skipped..];
                continue;
            }
            self.header.push(first);
            bytes = rest;
            let type_bytes = usize::from(self.has_started);
            let Some(&length) = self.header[type_bytes.min(self.header.len())..].first_chunk()
            else {
                continue;
            };
            syncs += u64::from(self.has_started && self.header[0] == b'S');
            self.content = (u32::from_be_bytes(length) as usize).saturating_sub(4);
            self.has_started = true;
            self.header.clear();
        }
        syncs
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_server_is_replaced_and_the_rest_of_the_url_kept() {
        let split = |url| parts(url).map(|(a, b, c)| (a.to_owned(), b, c.to_owned())).unwrap();
        let of = |a: &str, b: &str, c: &str| (a.to_owned(), b.to_owned(), c.to_owned());
        let expected = of("postgres://me:a@b@", "db:5433", "/city?x=1");
        assert_eq!(split("postgres://me:a@b@db:5433/city?x=1"), expected);
        assert_eq!(split("postgresql://db/city"), of("postgresql://", "db:5432", "/city"));
        for bad in ["host=db", "http://db/", "postgres:///city"] {
            assert!(parts(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn syncs_are_counted_however_the_bytes_are_cut() {
        let message = |kind: &[u8], content: &[u8]| {
            [kind, &(content.len() as u32 + 4).to_be_bytes(), content].concat()
        };
        let all = [
            message(b"", b"\0\x03\0\0user\0S\0\0\0\x04\0"),
            message(b"P", b"SSSSS"),
            message(b"S", b""),
            message(b"B", &[b'S'; 300]),
            message(b"E", b""),
            message(b"S", b""),
        ]
        .concat();
        for size in [1, 2, 3, 7, 64, all.len()] {
            let mut counter = MessageCounter::default();
            let syncs: u64 = all.chunks(size).map(|bytes| counter.count_syncs(bytes)).sum();
            assert_eq!(syncs, 2, "pieces of {size} bytes");
        }
    }
}
