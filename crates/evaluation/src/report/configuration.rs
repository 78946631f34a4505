//! Configurations of the paper: profile, dt and largest k, such as `P1-3-5`.

use crate::results::RunRow;

/// Query parameters of a run, independent of map, user count and scheme.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Configuration {
    pub name: String,
    pub profile: String,
    pub k_max: u32,
    /// Temporal tolerance in seconds.
    pub dt: f64,
}

impl Configuration {
    fn of(run: &RunRow) -> Configuration {
        let (name, profile) = (run.configuration.clone(), run.profile.clone());
        Configuration { name, profile, k_max: run.k_max, dt: run.dt }
    }
}

/// Returns the distinct configurations of `runs`, ordered by profile, k and dt.
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

/// Profile and range of k that one panel of the paper's figures shows.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct PanelKey {
    pub profile: String,
    pub k_max: u32,
}

impl PanelKey {
    /// Title of the panel.
    pub fn title(&self) -> String {
        format!("{}, k = 2–{}", self.profile.to_uppercase(), self.k_max)
    }

    /// Whether the panel shows `configuration`.
    pub fn contains(&self, configuration: &Configuration) -> bool {
        configuration.profile == self.profile && configuration.k_max == self.k_max
    }
}

/// Returns the distinct panels of `configurations`, in order of first occurrence.
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

/// Formats the user count of `runs` for a title.
pub(super) fn users_label(runs: &[&RunRow]) -> String {
    let users = runs.first().map_or(0, |run| run.users);
    format!("{} users", super::number::count(users.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn configurations_are_ordered_by_profile_k_and_dt() {
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
