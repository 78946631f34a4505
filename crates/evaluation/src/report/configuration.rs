//! A configuration of the paper: profile, dt and largest k, as `P1-3-5`.

use crate::results::RunRow;

/// What a run was configured as, whatever the map, the people and the scheme.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Configuration {
    pub name: String,
    pub profile: String,
    pub k_max: u32,
    /// In seconds.
    pub dt: f64,
}

impl Configuration {
    fn of(run: &RunRow) -> Configuration {
        let (name, profile) = (run.configuration.clone(), run.profile.clone());
        Configuration { name, profile, k_max: run.k_max, dt: run.dt }
    }
}

/// Those of these runs, each once, by profile, k and dt.
pub(super) fn configurations(runs: &[&RunRow]) -> Vec<Configuration> {
    let mut all: Vec<Configuration> = Vec::new();
    for run in runs {
        if !all.iter().any(|known| known.name == run.configuration) {
            all.push(Configuration::of(run));
        }
    }
    all.sort_by(|a, b| {
        (&a.profile, a.k_max).cmp(&(&b.profile, b.k_max)).then(a.dt.total_cmp(&b.dt))
    });
    all
}

/// A panel of the paper's figures: a profile and a range of k.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct PanelKey {
    pub profile: String,
    pub k_max: u32,
}

impl PanelKey {
    /// As above the panel.
    pub fn title(&self) -> String {
        format!("{}, k = 2–{}", self.profile.to_uppercase(), self.k_max)
    }

    /// Whether a configuration belongs to it.
    pub fn holds(&self, configuration: &Configuration) -> bool {
        configuration.profile == self.profile && configuration.k_max == self.k_max
    }
}

/// The panels that these configurations fill, in order.
pub(super) fn panel_keys(configurations: &[Configuration]) -> Vec<PanelKey> {
    let mut keys: Vec<PanelKey> = Vec::new();
    for Configuration { profile, k_max, .. } in configurations {
        let key = PanelKey { profile: profile.clone(), k_max: *k_max };
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    keys
}

/// People as a title says them.
pub(super) fn people(runs: &[&RunRow]) -> String {
    let users = runs.first().map_or(0, |run| run.users);
    format!("{} people", super::number::count(users.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn configurations_come_by_profile_then_k_then_dt_and_fill_panels() {
        let run = |name: &str, profile: &str, k_max, dt| RunRow {
            configuration: name.into(),
            profile: profile.into(),
            k_max,
            dt,
            ..RunRow::default()
        };
        let rows = [
            run("P2-3-5", "p2", 5, 3.0),
            run("P1-3-10", "p1", 10, 3.0),
            run("P1-10-5", "p1", 5, 10.0),
            run("P1-3-5", "p1", 5, 3.0),
            run("P1-3-5", "p1", 5, 3.0),
        ];
        let all = configurations(&rows.iter().collect::<Vec<_>>());
        let names: Vec<&str> = all.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(names, ["P1-3-5", "P1-10-5", "P1-3-10", "P2-3-5"]);
        let titles: Vec<String> = panel_keys(&all).iter().map(PanelKey::title).collect();
        assert_eq!(titles, ["P1, k = 2–5", "P1, k = 2–10", "P2, k = 2–5"]);
    }
}
