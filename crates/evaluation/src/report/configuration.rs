//! Configurations of the paper: profile, dt and largest k, such as `P1-3-5`.

use crate::distinct::distinct;
use crate::results::RunRow;

/// Query parameters of a run, independent of map, user count and scheme.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct RunConfiguration {
    pub name: String,
    pub profile: String,
    pub k_max: u32,
    /// Temporal tolerance in seconds.
    pub dt: f64,
}

impl RunConfiguration {
    fn of(run: &RunRow) -> RunConfiguration {
        let (name, profile) = (run.configuration.clone(), run.profile.clone());
        RunConfiguration { name, profile, k_max: run.k_max, dt: run.dt }
    }
}

/// Returns the distinct configurations of `runs`, ordered by profile, k and dt.
pub(super) fn configurations(runs: &[&RunRow]) -> Vec<RunConfiguration> {
    let mut all = distinct(runs.iter().map(|run| RunConfiguration::of(run)));
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
    pub fn contains(&self, configuration: &RunConfiguration) -> bool {
        configuration.profile == self.profile && configuration.k_max == self.k_max
    }
}

/// Returns the distinct panels of `configurations`, in order of first occurrence.
pub(super) fn panel_keys(configurations: &[RunConfiguration]) -> Vec<PanelKey> {
    let key = |one: &RunConfiguration| PanelKey { profile: one.profile.clone(), k_max: one.k_max };
    distinct(configurations.iter().map(key))
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
