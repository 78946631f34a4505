//! The attacks on all schemes that had the same people on the same map.

use crate::results::PrivacyRow;

/// Rows of one map, crowd and configuration.
pub(super) struct Field<'a> {
    pub map: &'a str,
    pub users: u32,
    pub configuration: &'a str,
    pub rows: Vec<&'a PrivacyRow>,
}

impl<'a> Field<'a> {
    /// Of all of them the one with the most schemes; of equal ones that with the most people.
    pub fn of(rows: &'a [PrivacyRow]) -> Option<Field<'a>> {
        let mut best: Option<Field<'a>> = None;
        for row in rows {
            let field = Field::like(rows, row);
            let size = |field: &Field<'_>| (field.schemes().len(), field.users);
            if best.as_ref().is_none_or(|best| size(best) < size(&field)) {
                best = Some(field);
            }
        }
        best
    }

    fn like(rows: &'a [PrivacyRow], one: &'a PrivacyRow) -> Field<'a> {
        let key =
            |row: &PrivacyRow| (row.map.clone(), row.users, row.configuration.clone(), row.seed);
        Field {
            map: &one.map,
            users: one.users,
            configuration: &one.configuration,
            rows: rows.iter().filter(|row| key(row) == key(one)).collect(),
        }
    }

    /// The schemes as they come, MeshCloak's settings first.
    pub fn schemes(&self) -> Vec<&'a str> {
        let mut all: Vec<&'a str> = Vec::new();
        for row in &self.rows {
            if !all.contains(&row.scheme.as_str()) {
                all.push(&row.scheme);
            }
        }
        all.sort_by_key(|scheme| !(*scheme == "meshcloak" || scheme.starts_with("meshcloak/")));
        all
    }

    /// What an attack on a scheme came to.
    pub fn row(&self, scheme: &str, attack: &str) -> Option<&'a PrivacyRow> {
        self.rows.iter().copied().find(|row| row.scheme == scheme && row.attack == attack)
    }
}
