//! Settings of accounts: limits, limits of answers, and the file of keys.

use super::parse::{constraint, metres, path, seconds, whole};
use super::setting::Setting;
use super::settings::setting;
use meshcloak::units::{Length, Speed};
use std::time::Duration;

/// Limits of an account.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AccountLimits {
    /// Queries per second.
    pub rate: u32,
    /// Queries per minute and user.
    pub person_rate: u32,
    /// Distinct users within an hour.
    pub users: usize,
    /// Open streams, WebSockets and waiting requests.
    pub connections: usize,
    /// Largest k.
    pub k_max: u32,
    /// Largest temporal tolerance.
    pub dt_max: Duration,
    /// Smallest distance constraint: a tiny one with k = 2 detects presence.
    pub dc_min: Length,
    /// Largest distance constraint.
    pub dc_max: Length,
    /// Largest declared speed: bounds the searches of the `history` guarantee.
    pub speed_max: Speed,
    /// Queries in progress per user.
    pub person_queue: u32,
}

impl Default for AccountLimits {
    fn default() -> AccountLimits {
        AccountLimits {
            rate: 1_000,
            person_rate: 60,
            users: 10_000,
            connections: 5_000,
            k_max: 50,
            dt_max: Duration::from_secs(60),
            dc_min: Length::metres(50.0),
            dc_max: Length::metres(2000.0),
            speed_max: Speed::metres_per_second(70.0),
            person_queue: 64,
        }
    }
}

/// Limits of answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AnswersConfig {
    /// Largest number of objects of an answer.
    pub max_objects: usize,
    /// Largest size of the objects of an answer, in bytes.
    pub max_bytes: usize,
    /// Largest size of the results that clients have not read, in bytes.
    pub max_unread: usize,
}

impl Default for AnswersConfig {
    fn default() -> AnswersConfig {
        AnswersConfig { max_objects: 1_000, max_bytes: 256 << 10, max_unread: 256 << 20 }
    }
}

/// Settings of this section.
pub(super) const SETTINGS: &[Setting] = &[
    setting!("limits.rate", "1000", "Queries per second and account, 1 to 10000000.", |c, text| {
        c.limits.rate = whole(text, 1..=10_000_000)?;
    }),
    setting!("limits.person_rate", "60", "Queries per minute and user, 1 to 60000.", |c, text| {
        c.limits.person_rate = whole(text, 1..=60_000)?;
    }),
    setting!(
        "limits.people",
        "10000",
        "Distinct users of an account within an hour, 1 to 100000000; k counts users.",
        |c, text| c.limits.users = whole(text, 1..=100_000_000)?
    ),
    setting!(
        "limits.connections",
        "5000",
        "Open streams, WebSockets and waiting requests of an account, 1 to 1000000.",
        |c, text| c.limits.connections = whole(text, 1..=1_000_000)?
    ),
    setting!("limits.k_max", "50", "Largest k of a query, 2 to 100000.", |c, text| {
        c.limits.k_max = whole(text, 2..=100_000)?;
    }),
    setting!(
        "limits.dt_max",
        "60",
        "Largest temporal tolerance dt of a query in seconds, 0 to 3600.",
        |c, text| c.limits.dt_max = seconds(text, 0.0..=3600.0)?
    ),
    setting!(
        "limits.dc_min",
        "50",
        "Smallest distance constraint dc of a query in metres; a tiny dc with k = 2 detects presence.",
        |c, text| c.limits.dc_min = constraint(text)?
    ),
    setting!(
        "limits.dc_max",
        "2000",
        "Largest distance constraint dc of a query in metres, at most engine.dc_max.",
        |c, text| c.limits.dc_max = constraint(text)?
    ),
    setting!(
        "limits.speed_max",
        "70",
        "Largest declared speed of a query in metres per second, 1 to 1000.",
        |c, text| c.limits.speed_max = Speed::metres_per_second(metres(text, 1.0..=1000.0)?)
    ),
    setting!(
        "limits.person_queue",
        "64",
        "Largest number of queries in progress per user, 1 to 10000; further ones are refused.",
        |c, text| c.limits.person_queue = whole(text, 1..=10_000)?
    ),
    setting!(
        "limits.answer_objects",
        "1000",
        "Largest number of objects of an answer, the nearest ones, 1 to 100000.",
        |c, text| c.answers.max_objects = whole(text, 1..=100_000)?
    ),
    setting!(
        "limits.answer_kb",
        "256",
        "Largest size of the objects of an answer in kB, the nearest ones, 1 to 16384.",
        |c, text| c.answers.max_bytes = whole::<usize>(text, 1..=16_384)? << 10
    ),
    setting!(
        "limits.unread_mb",
        "256",
        "Largest size of the results of all streams, sockets and requests that are not read, MB, 1 to 1000000.",
        |c, text| c.answers.max_unread = whole::<usize>(text, 1..=1_000_000)? << 20
    ),
    setting!(
        "accounts.keys",
        "\"keys.json\"",
        "File of accounts and hashed keys, written by `meshcloak keys`. Reloaded on SIGHUP.",
        |c, text| c.keys = path(text)
    ),
];
