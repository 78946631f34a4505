//! Number of open connections of each address.
//!
//! An IPv6 client usually owns a whole /64, which counts as one address. Loopback is not counted:
//! all clients of a reverse proxy on the same machine have it.

use parking_lot::Mutex;
use rustc_hash::FxHashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::Arc;

/// Open connections by address.
#[derive(Debug, Default)]
pub struct AddressSlots(Mutex<FxHashMap<IpAddr, usize>>);

/// Permit for one connection of an address.
#[derive(Debug)]
pub struct AddressSlot {
    slots: Arc<AddressSlots>,
    /// `None` if the address is not counted.
    address: Option<IpAddr>,
}

impl AddressSlots {
    /// Acquires a slot of an address; `None` if it has `max` open connections.
    pub fn acquire(self: &Arc<Self>, address: IpAddr, max: usize) -> Option<AddressSlot> {
        let address = counted(address);
        if let Some(address) = address {
            let mut open = self.0.lock();
            let count = open.entry(address).or_default();
            if *count >= max {
                return None;
            }
            *count = count.saturating_add(1);
        }
        Some(AddressSlot { slots: Arc::clone(self), address })
    }
}

impl Drop for AddressSlot {
    fn drop(&mut self) {
        let Some(address) = self.address else { return };
        let mut open = self.slots.0.lock();
        if let Some(count) = open.get_mut(&address) {
            *count = count.saturating_sub(1);
            if *count == 0 {
                open.remove(&address);
            }
        }
    }
}

/// Returns the address under which connections are counted; `None` for loopback.
fn counted(address: IpAddr) -> Option<IpAddr> {
    let address = match address.to_canonical() {
        IpAddr::V6(address) => {
            let prefix = u128::from(address) >> 64 << 64;
            if address.is_loopback() { address.into() } else { Ipv6Addr::from(prefix).into() }
        }
        address => address,
    };
    (!address.is_loopback()).then_some(address)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn an_address_has_at_most_so_many_connections_and_others_are_not_affected() {
        let slots = Arc::new(AddressSlots::default());
        let mut held: Vec<AddressSlot> =
            (0..3).filter_map(|_| slots.acquire(address("192.0.2.1"), 3)).collect();
        assert_eq!(held.len(), 3);
        assert!(slots.acquire(address("192.0.2.1"), 3).is_none());
        assert!(slots.acquire(address("::ffff:192.0.2.1"), 3).is_none(), "the same client");
        assert!(slots.acquire(address("192.0.2.2"), 3).is_some());
        held.pop();
        assert!(slots.acquire(address("192.0.2.1"), 3).is_some());
        held.clear();
        assert!(slots.0.lock().is_empty(), "closed connections leave nothing behind");
    }

    #[test]
    fn a_network_of_ipv6_addresses_counts_as_one_and_loopback_not_at_all() {
        let slots = Arc::new(AddressSlots::default());
        let _held = slots.acquire(address("2001:db8::1"), 1);
        assert!(slots.acquire(address("2001:db8::ffff:2"), 1).is_none());
        assert!(slots.acquire(address("2001:db8:0:1::1"), 1).is_some());
        for local in ["127.0.0.1", "127.3.2.1", "::1", "::ffff:127.0.0.1"] {
            let both = [0; 2].map(|_| slots.acquire(address(local), 1));
            assert!(both.iter().all(Option::is_some), "{local}");
        }
    }
}
