//! Free ports of the loopback address.

use std::net::{Ipv4Addr, TcpListener};

/// Ports below those that the operating system gives to outgoing connections, so that a stopped
/// server finds its port free again.
const PORTS: std::ops::Range<u64> = 12_000..32_000;

/// Returns a random port that is free at present.
///
/// # Panics
/// If none of 1,000 random ports is free.
pub(super) fn free_port() -> u16 {
    let random = || getrandom::u64().expect("random numbers of the operating system");
    let ports = (0..1_000).map(|_| PORTS.start + random() % (PORTS.end - PORTS.start));
    let mut ports = ports.map(|port| u16::try_from(port).expect("below 2^16"));
    let is_free = |port: &u16| TcpListener::bind((Ipv4Addr::LOCALHOST, *port)).is_ok();
    ports.find(is_free).expect("a free port")
}
