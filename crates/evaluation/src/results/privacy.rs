//! Rows of `privacy.csv`.

use super::rows::rounded;
use crate::privacy::{AttackResults, AttackScore};
use serde::{Deserialize, Serialize};

/// A row of `privacy.csv`: result of one attack on one scheme.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the columns are the figures of the attacks, by the same names")]
pub struct PrivacyRow {
    pub map: String,
    pub users: u32,
    pub configuration: String,
    pub seed: u64,
    #[serde(deserialize_with = "crate::schemes::deserialize_name")]
    pub scheme: String,
    /// Over all users, as in `runs.csv`.
    pub success_rate: Option<f64>,
    pub region_metres: Option<f64>,
    pub relative_k: Option<f64>,
    pub mean_delay_s: Option<f64>,
    pub attack: String,
    /// `L1`, `L2` or `L3`; empty for the disclosure itself.
    pub level: String,
    pub publications: u64,
    /// Share with fewer than k candidates left.
    pub below_k: Option<f64>,
    /// Share with one candidate left.
    pub alone: Option<f64>,
    /// Candidates left / k.
    pub anonymity: Option<f64>,
    pub metres_left: Option<f64>,
    pub error_m: Option<f64>,
    /// Share in which the attack excluded the truth.
    pub wrong: Option<f64>,
    /// Further figures: `name=value;name=value`.
    pub more: String,
    /// Seconds on one thread.
    pub seconds: f64,
}

impl PrivacyRow {
    /// Key of the run; the rows of a run are adjacent.
    pub fn run(&self) -> (&str, u32, &str, u64, &str) {
        (&self.map, self.users, &self.configuration, self.seed, &self.scheme)
    }

    /// Returns a further figure by name.
    pub fn figure(&self, name: &str) -> Option<f64> {
        let mut pairs = self.more.split(';').filter_map(|pair| pair.split_once('='));
        pairs.find(|pair| pair.0 == name)?.1.parse().ok()
    }
}

/// Builds the rows of all attacks on one scheme; `of` holds their common columns.
pub fn privacy_rows(of: &PrivacyRow, results: &AttackResults) -> Vec<PrivacyRow> {
    let value = |number: Option<f64>| number.map(rounded);
    let level = |name: &str| {
        let attack = attacks::by_name(name);
        attack.map_or(String::new(), |attack| attack.level.name().to_owned())
    };
    let tally = &results.tally;
    let row = |(name, score): (&'static str, &AttackScore)| {
        let more = score
            .figures
            .iter()
            .filter_map(|(name, mean)| Some(format!("{name}={}", rounded(mean.value()?))));
        PrivacyRow {
            scheme: results.scheme.clone(),
            success_rate: value(tally.success_rate()),
            region_metres: value(tally.region_metres.value()),
            relative_k: value(tally.relative_k.value()),
            mean_delay_s: value(tally.delay.value()),
            attack: name.to_owned(),
            level: level(name),
            publications: score.publications,
            below_k: value(score.below_k.value()),
            alone: value(score.alone.value()),
            anonymity: value(score.anonymity.value()),
            metres_left: value(score.metres.value()),
            error_m: value(score.error.value()),
            wrong: value(score.wrong.value()),
            more: more.collect::<Vec<_>>().join(";"),
            seconds: rounded(score.elapsed.as_secs_f64()),
            ..of.clone()
        }
    };
    results.scores.in_order().into_iter().map(row).collect()
}
