//! Unvalidated profile as deserialized from TOML.

use serde::Deserialize;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawProfile {
    pub queries: Option<i64>,
    pub duration: Option<f64>,
    pub appear: RawAppear,
    pub interval: RawInterval,
    #[serde(default)]
    pub standing: RawStanding,
    pub class: Vec<RawClass>,
    pub places: RawPlaces,
    pub limits: Option<RawLimits>,
    pub capacity: Option<RawCapacity>,
    pub reroute: Option<RawReroute>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawAppear {
    pub from: i64,
    pub to: i64,
    pub shares: Option<Vec<f64>>,
    #[serde(default)]
    pub leave: f64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawInterval {
    pub seconds: Vec<f64>,
    pub shares: Vec<f64>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawStanding {
    #[serde(default)]
    pub share: f64,
    #[serde(default)]
    pub leave: f64,
    #[serde(default)]
    pub dc: f64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawClass {
    pub name: String,
    pub share: f64,
    pub speeds: Vec<f64>,
    pub speed_shares: Vec<f64>,
    pub distances: Option<Vec<f64>>,
    pub distance_shares: Option<Vec<f64>>,
    #[serde(default)]
    pub avoid: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawPlaces {
    pub choose: RawChoose,
    pub centre: Option<f64>,
    pub poi: Option<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum RawChoose {
    Uniform,
    Terminals,
    Popular,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawLimits {
    pub motorway: f64,
    pub trunk: f64,
    pub primary: f64,
    pub secondary: f64,
    pub tertiary: f64,
    pub residential: f64,
    pub service: f64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawCapacity {
    pub metres: f64,
    pub slowest: f64,
    pub lanes: [i64; 7],
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawReroute {
    pub every: i64,
    pub saving: f64,
}
