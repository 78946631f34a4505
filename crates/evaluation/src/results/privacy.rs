//! Rows of `privacy.csv`.

use super::rows::rounded;
use crate::metrics::Tally;
use crate::privacy::{AttackResults, AttackScore, OwnModelResult};
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
    /// Time of the engine, without the attacks.
    #[serde(default)]
    pub us_per_query: Option<f64>,
    /// The same per batch.
    #[serde(default)]
    pub ms_per_batch: Option<f64>,
    pub attack: String,
    /// `L1`, `L2`, `L2+` or `L3`; empty for the disclosure itself; the authors' attack for their own
    /// model.
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
    /// Targets with a publication. Absent in files of earlier versions, as are the intervals.
    #[serde(default)]
    pub targets: u64,
    /// 95 % intervals of `below_k` and `error_m`: bootstrap over the targets.
    #[serde(default)]
    pub below_k_low: Option<f64>,
    #[serde(default)]
    pub below_k_high: Option<f64>,
    #[serde(default)]
    pub error_low_m: Option<f64>,
    #[serde(default)]
    pub error_high_m: Option<f64>,
    /// Further figures: `name=value;name=value`.
    pub more: String,
    /// Seconds on one thread.
    pub seconds: f64,
    /// Commit of the program; empty in files of earlier versions.
    #[serde(default)]
    pub commit: String,
}

impl PrivacyRow {
    /// Key of the run; the rows of a run are adjacent.
    pub fn run(&self) -> (&str, u32, &str, u64, &str) {
        (&self.map, self.users, &self.configuration, self.seed, &self.scheme)
    }

    /// Returns the row without the columns that depend on the clock.
    #[must_use]
    pub fn without_times(self) -> PrivacyRow {
        PrivacyRow { us_per_query: None, ms_per_batch: None, seconds: 0.0, ..self }
    }

    /// Returns a further figure by name.
    pub fn figure(&self, name: &str) -> Option<f64> {
        let mut pairs = self.more.split(';').filter_map(|pair| pair.split_once('='));
        pairs.find(|pair| pair.0 == name)?.1.parse().ok()
    }
}

/// Name of the row for the attack that the authors of a scheme promise to withstand.
pub const OWN_MODEL: &str = "own model";

/// Builds the rows of all attacks on one scheme; `of` holds their common columns.
pub fn privacy_rows(of: &PrivacyRow, results: &AttackResults) -> Vec<PrivacyRow> {
    let level = |name: &str| {
        let attack = attacks::by_name(name);
        attack.map_or(String::new(), |attack| attack.level.name().to_owned())
    };
    let of = &PrivacyRow {
        us_per_query: results.us_per_query.map(rounded),
        ms_per_batch: results.ms_per_batch.map(rounded),
        ..with_tally(of, &results.scheme, &results.tally)
    };
    let row = |(name, score): (&'static str, &AttackScore)| PrivacyRow {
        attack: name.to_owned(),
        level: level(name),
        ..with_score(of, score)
    };
    results.scores.in_order().into_iter().map(row).collect()
}

/// Builds the row of a scheme under the assumptions of its authors; its level names their attack.
pub fn own_model_row(of: &PrivacyRow, result: &OwnModelResult) -> PrivacyRow {
    PrivacyRow {
        attack: OWN_MODEL.to_owned(),
        level: result.model.attack.name().to_owned(),
        ..with_score(&with_tally(of, &result.scheme, &result.tally), &result.score)
    }
}

fn with_tally(of: &PrivacyRow, scheme: &str, tally: &Tally) -> PrivacyRow {
    PrivacyRow {
        scheme: scheme.to_owned(),
        success_rate: tally.success_rate().map(rounded),
        region_metres: tally.region_metres.value().map(rounded),
        relative_k: tally.relative_k.value().map(rounded),
        mean_delay_s: tally.delay.value().map(rounded),
        ..of.clone()
    }
}

fn with_score(of: &PrivacyRow, score: &AttackScore) -> PrivacyRow {
    let value = |number: Option<f64>| number.map(rounded);
    let figures = score.figures.iter();
    let more =
        figures.filter_map(|(name, mean)| Some(format!("{name}={}", rounded(mean.value()?))));
    let (below_k, error) = (score.targets.below_k(), score.targets.error());
    PrivacyRow {
        targets: score.targets.count() as u64,
        below_k_low: value(below_k.map(|interval| interval.0)),
        below_k_high: value(below_k.map(|interval| interval.1)),
        error_low_m: value(error.map(|interval| interval.0)),
        error_high_m: value(error.map(|interval| interval.1)),
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
}
