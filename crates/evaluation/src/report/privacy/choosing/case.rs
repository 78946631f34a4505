//! Attack results of settings of MeshCloak on one map with the same users and configuration, over the
//! seeds.

use crate::distinct::distinct;
use crate::report::number::count;
use crate::report::paper::map_title;
use crate::report::spread::Spread;
use crate::results::PrivacyRow;
use crate::run::Presence;
use crate::schemes;

/// Rows of one map, user count and configuration.
pub(super) struct Case<'a> {
    pub map: &'a str,
    pub users: u32,
    pub configuration: &'a str,
    rows: Vec<&'a PrivacyRow>,
}

impl<'a> Case<'a> {
    /// Returns all cases with several settings of MeshCloak, in order of first occurrence.
    pub fn all(rows: &'a [PrivacyRow]) -> Vec<Case<'a>> {
        let mut cases: Vec<Case<'a>> = Vec::new();
        for row in rows.iter().filter(|row| Setting::of(&row.scheme).is_some()) {
            let key = (row.map.as_str(), row.users, row.configuration.as_str());
            match cases.iter_mut().find(|case| case.key() == key) {
                Some(case) => case.rows.push(row),
                None => cases.push(Case {
                    map: key.0,
                    users: key.1,
                    configuration: key.2,
                    rows: vec![row],
                }),
            }
        }
        cases.retain(|case| case.schemes().len() > 1);
        cases
    }

    fn key(&self) -> (&'a str, u32, &'a str) {
        (self.map, self.users, self.configuration)
    }

    /// Map, users and configuration.
    pub fn name(&self) -> String {
        let (map, users) = (map_title(self.map), count(self.users.into()));
        format!("{map}, {users} users, {}", self.configuration)
    }

    /// The same with the number of seeds.
    pub fn title(&self) -> String {
        match self.seeds() {
            1 => self.name(),
            seeds => format!("{}, means of {seeds} seeds", self.name()),
        }
    }

    /// Number of seeds.
    pub fn seeds(&self) -> usize {
        distinct(self.rows.iter().map(|row| row.seed)).len()
    }

    /// Canonical names of the settings, in order of first occurrence.
    pub fn schemes(&self) -> Vec<&'a str> {
        distinct(self.rows.iter().map(|row| row.scheme.as_str()))
    }

    /// Summarises a column of an attack on a setting over the seeds.
    pub fn value(
        &self,
        scheme: &str,
        attack: &str,
        column: impl Fn(&PrivacyRow) -> Option<f64>,
    ) -> Option<Spread> {
        let rows = self.rows.iter().filter(|row| row.scheme == scheme && row.attack == attack);
        Spread::of(rows.filter_map(|row| column(row)))
    }
}

/// A setting of MeshCloak.
pub(super) struct Setting {
    /// `paper`, `reciprocal` or `history`.
    pub guarantee: String,
    /// Clock of `history`.
    pub clock: Option<&'static str>,
    /// Region rule, with the length of cells.
    pub region: String,
    pub presence: Presence,
}

impl Setting {
    /// Parses a canonical name; `None` for other schemes.
    pub fn of(scheme: &str) -> Option<Setting> {
        let (name, presence) = schemes::presence(scheme);
        schemes::settings(name)?;
        let mut parts = name.split('/').skip(1);
        let guarantee = parts.next()?.to_owned();
        let rest: Vec<&str> = parts.collect();
        let clock = match (rest.contains(&"published"), guarantee.as_str()) {
            (true, _) => Some("published"),
            (false, "history") => Some("asked"),
            _ => None,
        };
        let region = rest.iter().find(|part| **part != "published" && **part != "asked");
        let region = region.map_or("reach", |region| region).to_owned();
        Some(Setting { guarantee, clock, region, presence })
    }

    /// Who asks, in words.
    pub fn askers(&self) -> String {
        match self.presence {
            Presence::AllAsk | Presence::Present(0) => "all ask".to_owned(),
            Presence::Present(silent) => format!("{} % ask", 100 - silent),
            other => other.to_string().trim_start_matches('/').to_owned(),
        }
    }

    /// Label of a row of the picture.
    pub fn label(&self) -> String {
        let clock = self.clock.map_or(String::new(), |clock| format!(", {clock}"));
        format!("{}{clock}, {}, {}", self.guarantee, self.region, self.askers())
    }
}
