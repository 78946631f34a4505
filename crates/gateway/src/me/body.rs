//! Wire types of `/v1/me`.

use crate::api::QuestionBody;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What the user of a token may ask.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct MeBody {
    /// Size of the anonymity set of the user's settings.
    pub k: u64,
    /// Temporal tolerance of the user's settings, in seconds.
    pub dt: f64,
    /// Largest k.
    pub k_max: u32,
    /// Largest temporal tolerance, in seconds.
    pub dt_max: f64,
    /// Guarantee: `reciprocal` or `history`.
    pub guarantee: &'static str,
    /// Categories of objects, ascending.
    pub categories: Vec<String>,
}

/// A question of the user of a token. The motion of the user is estimated as for phones.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct MeQuery {
    /// Longitude in degrees (WGS 84).
    #[schema(minimum = -180, maximum = 180, example = 8.2146)]
    pub lon: f64,
    /// Latitude in degrees (WGS 84).
    #[schema(minimum = -90, maximum = 90, example = 53.1435)]
    pub lat: f64,
    /// Requested size of the anonymity set, the user included; that of the settings if missing.
    #[schema(minimum = 2, example = 3)]
    pub k: Option<u64>,
    /// Temporal tolerance in seconds; that of the settings if missing.
    #[schema(minimum = 0, example = 20)]
    pub dt: Option<f64>,
    /// Question for the service.
    pub question: QuestionBody,
}

/// Prints no position.
impl std::fmt::Debug for MeQuery {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("MeQuery(…)")
    }
}
