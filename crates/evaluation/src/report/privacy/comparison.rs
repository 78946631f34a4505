//! Attack results of all schemes on the same map, users and configuration, over the seeds.

use super::super::number::count;
use super::super::paper::map_title;
use super::super::spread::Spread;
use crate::distinct::{distinct, sorted_distinct};
use crate::results::PrivacyRow;

/// Rows of one map, user count and configuration, of all seeds.
pub(super) struct AttackComparison<'a> {
    pub map: &'a str,
    pub users: u32,
    pub configuration: &'a str,
    pub rows: Vec<&'a PrivacyRow>,
}

impl<'a> AttackComparison<'a> {
    /// Selects the group of rows with the most schemes (ties: the most users, then the first).
    pub fn of(rows: &'a [PrivacyRow]) -> Option<AttackComparison<'a>> {
        let key = |row: &'a PrivacyRow| (row.map.as_str(), row.users, row.configuration.as_str());
        let like = |(map, users, configuration)| {
            let rows = rows.iter().filter(|row| key(row) == (map, users, configuration)).collect();
            AttackComparison { map, users, configuration, rows }
        };
        // Reversed, because `max_by_key` returns the last of equal elements.
        let all = distinct(rows.iter().map(key)).into_iter().rev().map(like);
        all.max_by_key(|comparison| (comparison.schemes().len(), comparison.users))
    }

    /// Number of seeds.
    pub fn seeds(&self) -> usize {
        sorted_distinct(self.rows.iter().map(|row| row.seed)).len()
    }

    /// Names map, users and configuration, and the number of seeds if there are several.
    pub fn title(&self) -> String {
        let (map, users) = (map_title(self.map), count(self.users.into()));
        let title = format!("{map}, {users} users, {}", self.configuration);
        match self.seeds() {
            1 => title,
            seeds => format!("{title}, means of {seeds} seeds"),
        }
    }

    /// Returns the schemes in order of first occurrence, MeshCloak's settings first.
    pub fn schemes(&self) -> Vec<&'a str> {
        let mut all = distinct(self.rows.iter().map(|row| row.scheme.as_str()));
        all.sort_by_key(|scheme| !(*scheme == "meshcloak" || scheme.starts_with("meshcloak/")));
        all
    }

    /// Returns the results of an attack on a scheme, one of each seed.
    pub fn of_attack(&self, scheme: &str, attack: &str) -> impl Iterator<Item = &'a PrivacyRow> {
        let rows = self.rows.iter().copied();
        rows.filter(move |row| row.scheme == scheme && row.attack == attack)
    }

    /// Summarises a column of an attack on a scheme over the seeds.
    pub fn value(
        &self,
        scheme: &str,
        attack: &str,
        column: impl Fn(&PrivacyRow) -> Option<f64>,
    ) -> Option<Spread> {
        Spread::of(self.of_attack(scheme, attack).filter_map(column))
    }
}

/// Formats the mean; with several seeds also the largest distance of a seed from it.
pub(super) fn with_distance(value: Option<Spread>, write: impl Fn(f64) -> String) -> String {
    let Some(Spread { mean, min, max, count }) = value else { return "–".to_owned() };
    let distance = (max - mean).max(mean - min);
    match count {
        1 => write(mean),
        _ => format!("{} ± {}", write(mean).trim_end_matches(" %"), write(distance)),
    }
}
