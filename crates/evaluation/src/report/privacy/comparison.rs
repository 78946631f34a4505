//! Attack results of all schemes on the same map, users and configuration.

use crate::distinct::distinct;
use crate::results::PrivacyRow;

/// Rows of one map, user count, configuration and seed.
pub(super) struct AttackComparison<'a> {
    pub map: &'a str,
    pub users: u32,
    pub configuration: &'a str,
    pub rows: Vec<&'a PrivacyRow>,
}

impl<'a> AttackComparison<'a> {
    /// Selects the group of rows with the most schemes (ties: the most users).
    pub fn of(rows: &'a [PrivacyRow]) -> Option<AttackComparison<'a>> {
        // Reversed, because `max_by_key` returns the last of equal elements.
        let all = rows.iter().rev().map(|row| AttackComparison::like(rows, row));
        all.max_by_key(|comparison| (comparison.schemes().len(), comparison.users))
    }

    /// Returns the groups of rows of one map, user count, configuration and seed.
    pub fn all(rows: &'a [PrivacyRow]) -> Vec<AttackComparison<'a>> {
        let mut groups: Vec<AttackComparison<'a>> = Vec::new();
        for row in rows {
            let is_known =
                groups.iter().any(|group| group.rows.iter().any(|known| std::ptr::eq(*known, row)));
            if !is_known {
                groups.push(AttackComparison::like(rows, row));
            }
        }
        groups
    }

    fn like(rows: &'a [PrivacyRow], one: &'a PrivacyRow) -> AttackComparison<'a> {
        let key =
            |row: &PrivacyRow| (row.map.clone(), row.users, row.configuration.clone(), row.seed);
        AttackComparison {
            map: &one.map,
            users: one.users,
            configuration: &one.configuration,
            rows: rows.iter().filter(|row| key(row) == key(one)).collect(),
        }
    }

    /// Returns the schemes in order of first occurrence, MeshCloak's settings first.
    pub fn schemes(&self) -> Vec<&'a str> {
        let mut all = distinct(self.rows.iter().map(|row| row.scheme.as_str()));
        all.sort_by_key(|scheme| !(*scheme == "meshcloak" || scheme.starts_with("meshcloak/")));
        all
    }

    /// Returns the result of an attack on a scheme.
    pub fn row(&self, scheme: &str, attack: &str) -> Option<&'a PrivacyRow> {
        self.rows.iter().copied().find(|row| row.scheme == scheme && row.attack == attack)
    }
}
