//! The show: a gateway with a simulated crowd, and what an attacker sees of it.
