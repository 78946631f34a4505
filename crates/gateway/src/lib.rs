//! The anonymizer as a service: network and clock around the engine.
//!
//! What people ask (`question`) becomes what the service is asked (`inquiry`); a `service` answers
//! with a superset, and `refine` finds in it the exact answer of each person.

pub mod question;

pub mod inquiry;

pub mod walk;

pub mod service;

pub mod refine;
