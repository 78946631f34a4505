//! A TCP proxy that can hold or cut connections, as a partition without a firewall.

use std::net::SocketAddr;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// What the proxy does with connections.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Mode {
    /// Bytes from the client are held.
    holds_requests: bool,
    /// Bytes from the server are held.
    holds_replies: bool,
    /// New connections are refused.
    refuses: bool,
    /// Number of cuts; a change closes all connections.
    cuts: u64,
}

/// A proxy in front of one address. Ends on drop.
#[derive(Debug)]
pub struct Proxy {
    address: SocketAddr,
    mode: watch::Sender<Mode>,
    task: JoinHandle<()>,
}

impl Proxy {
    /// Starts a proxy on a free port of the loopback address.
    ///
    /// # Panics
    /// If there is no free port.
    pub async fn start(target: SocketAddr) -> Proxy {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("a bound socket");
        let (mode, watcher) = watch::channel(Mode::default());
        Proxy { address, mode, task: tokio::spawn(accept(listener, target, watcher)) }
    }

    /// Returns the proxy's address as a URL.
    pub fn url(&self) -> String {
        format!("nats://{}", self.address)
    }

    /// Holds all bytes in both directions: a network that drops every packet.
    pub fn hold(&self) {
        self.mode.send_modify(|mode| (mode.holds_requests, mode.holds_replies) = (true, true));
    }

    /// Holds the bytes of the server only: requests arrive, answers do not.
    pub fn hold_replies(&self) {
        self.mode.send_modify(|mode| mode.holds_replies = true);
    }

    /// Closes all connections, with the bytes held, and refuses new ones.
    pub fn cut(&self) {
        self.mode.send_modify(|mode| (mode.refuses, mode.cuts) = (true, mode.cuts + 1));
    }

    /// Passes everything on again; held bytes arrive late.
    pub fn heal(&self) {
        self.mode.send_modify(|mode| *mode = Mode { cuts: mode.cuts, ..Mode::default() });
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.task.abort();
        self.cut();
    }
}

async fn accept(listener: TcpListener, target: SocketAddr, mode: watch::Receiver<Mode>) {
    while let Ok((client, _)) = listener.accept().await {
        if mode.borrow().refuses {
            continue;
        }
        let Ok(server) = TcpStream::connect(target).await else { continue };
        let (from_client, to_client) = client.into_split();
        let (from_server, to_server) = server.into_split();
        tokio::spawn(pump(from_client, to_server, mode.clone(), |mode| mode.holds_requests));
        tokio::spawn(pump(from_server, to_client, mode.clone(), |mode| mode.holds_replies));
    }
}

/// Copies bytes until an end closes or the proxy cuts.
async fn pump(
    mut from: OwnedReadHalf,
    mut to: OwnedWriteHalf,
    mut mode: watch::Receiver<Mode>,
    holds: fn(&Mode) -> bool,
) {
    let cuts = mode.borrow().cuts;
    let mut cut = mode.clone();
    let copying = async {
        let mut buffer = vec![0; 64 << 10];
        while let Ok(length @ 1..) = from.read(&mut buffer).await {
            if mode.wait_for(|mode| !holds(mode)).await.is_err() {
                return;
            }
            if to.write_all(&buffer[..length]).await.is_err() {
                return;
            }
        }
    };
    tokio::select! {
        () = copying => {}
        _ = cut.wait_for(|mode| mode.cuts != cuts) => {}
    }
}
