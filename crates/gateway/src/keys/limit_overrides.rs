//! Limits of one account that override those of the configuration.

use crate::config::AccountLimits;
use meshcloak::units::Length;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Limits of an account that differ from the configuration, in its units.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LimitOverrides {
    /// Queries per second.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate: Option<u32>,
    /// Queries per minute and user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub person_rate: Option<u32>,
    /// Distinct users within an hour.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub people: Option<usize>,
    /// Open streams, WebSockets and waiting requests.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub connections: Option<usize>,
    /// Largest k.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub k_max: Option<u32>,
    /// Largest temporal tolerance, in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dt_max: Option<f64>,
    /// Smallest distance constraint, in metres.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dc_min: Option<f64>,
    /// Largest distance constraint, in metres.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dc_max: Option<f64>,
}

impl LimitOverrides {
    /// Returns the overridden limits with their names for display.
    pub fn named(&self) -> Vec<(&'static str, String)> {
        let whole = |value: Option<u32>| value.map(|value| value.to_string());
        let count = |value: Option<usize>| value.map(|value| value.to_string());
        let decimal = |value: Option<f64>| value.map(|value| value.to_string());
        let all = [
            ("rate", whole(self.rate)),
            ("user rate", whole(self.person_rate)),
            ("users per hour", count(self.people)),
            ("connections", count(self.connections)),
            ("k at most", whole(self.k_max)),
            ("dt at most", decimal(self.dt_max)),
            ("dc at least", decimal(self.dc_min)),
            ("dc at most", decimal(self.dc_max)),
        ];
        all.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
    }

    /// Applies the overrides to the limits of the configuration.
    pub fn apply_to(&self, all: AccountLimits) -> AccountLimits {
        let dt_max = self.dt_max.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        AccountLimits {
            rate: self.rate.unwrap_or(all.rate).max(1),
            person_rate: self.person_rate.unwrap_or(all.person_rate).max(1),
            users: self.people.unwrap_or(all.users).max(1),
            connections: self.connections.unwrap_or(all.connections).max(1),
            k_max: self.k_max.unwrap_or(all.k_max),
            dt_max: dt_max.unwrap_or(all.dt_max),
            dc_min: self.dc_min.map_or(all.dc_min, Length::metres),
            // Distances are prepared only up to the configured limit.
            dc_max: self.dc_max.map_or(all.dc_max, Length::metres_down).min(all.dc_max),
            speed_max: all.speed_max,
            person_queue: all.person_queue,
        }
    }
}
