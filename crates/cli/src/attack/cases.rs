//! Cases of a run: maps, profiles and random seeds to attack, one after the other.

use super::Attack;
use crate::map_args::{MapArgs, map_label};
use crate::map_folder::map_folder;
use crate::progress::Console;
use crate::traffic_args::profile;
use anyhow::{Result, bail};
use attacks::tracker::TRACKER;
use clap::Args;
use evaluation::maps::{DC_MAX, MapPlan};
use evaluation::privacy::AttackPlan;
use evaluation::results::PrivacyRow;
use evaluation::workload::{Workload, record_journeys, simulate};
use import::{MapSource, Progress as _};
use meshcloak::distance::Atlas;
use meshcloak::units::Length;
use std::path::PathBuf;
use std::sync::Arc;
use traffic::SimulationSettings;

/// Several maps, profiles and seeds instead of one.
#[derive(Debug, Args)]
pub(super) struct CaseArgs {
    /// Maps to attack: names as in `evaluate` (folder MESHCLOAK_MAPS), paths, or city:STREETS:SEED;
    /// `+FILE.csv` behind one adds points of interest [default: MAP].
    #[arg(long, value_name = "MAP,…", value_delimiter = ',', conflicts_with_all = ["map", "outcomes"])]
    maps: Vec<String>,
    /// Profiles to attack [default: that of --profile].
    #[arg(long, value_name = "PROFILE,…", value_delimiter = ',', conflicts_with_all = ["profile", "outcomes"])]
    profiles: Vec<String>,
    /// Run with the random seeds 1, 2, …, N; N up to 1000 [default: that of --seed].
    #[arg(long, value_name = "N", conflicts_with_all = ["seed", "outcomes"],
          value_parser = clap::value_parser!(u64).range(1..=1000))]
    seeds: Option<u64>,
}

/// A profile with a seed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct AttackCase {
    pub profile: String,
    pub seed: u64,
}

/// Name and files of a map.
pub(super) struct AttackedMap {
    name: String,
    /// The built-in city if absent.
    source: Option<MapSource>,
    /// Additional points of interest.
    pois: Option<PathBuf>,
}

/// A map with its name in tables.
pub(super) struct NamedMap {
    pub name: String,
    pub atlas: Arc<Atlas>,
}

impl CaseArgs {
    /// Returns all maps; `single` is the only one by default.
    pub(super) fn maps(
        &self,
        single: Option<&MapSource>,
        console: &Console,
    ) -> Result<Vec<AttackedMap>> {
        if self.maps.is_empty() {
            let (name, source) = (map_label(single), single.cloned());
            return Ok(vec![AttackedMap { name, source, pois: None }]);
        }
        let folder = map_folder(&self.maps, console);
        let mut maps = Vec::new();
        for text in &self.maps {
            let MapPlan { name, source, every_node, pois } = MapPlan::of(text, folder.as_deref())?;
            if every_node {
                bail!("--maps {text}: attacks run on junctions only");
            }
            maps.push(AttackedMap { name, source: Some(source), pois });
        }
        Ok(maps)
    }

    /// Whether several maps are attacked.
    pub(super) fn has_several_maps(&self) -> bool {
        self.maps.len() > 1
    }

    /// Returns all profiles with all seeds; `single` is the only case by default.
    pub(super) fn cases(&self, single: AttackCase) -> Vec<AttackCase> {
        let profiles = match self.profiles.is_empty() {
            true => vec![single.profile],
            false => self.profiles.clone(),
        };
        let seeds = self.seeds.map_or(single.seed..=single.seed, |seeds| 1..=seeds);
        let of_profile = |profile: &String| {
            let profile = profile.clone();
            seeds.clone().map(move |seed| AttackCase { profile: profile.clone(), seed })
        };
        profiles.iter().flat_map(of_profile).collect()
    }
}

impl NamedMap {
    /// Reads a map and prepares its distances.
    pub(super) fn read(map: AttackedMap, how: &MapArgs, console: &Console) -> Result<NamedMap> {
        let AttackedMap { name, source, pois } = map;
        let imported = how.with_pois(pois).read(source.as_ref(), console)?;
        console.begin("measuring distances", 0);
        let max_bytes = evaluation::provenance::Machine::detect().max_row_bytes();
        let dc_max = Length::metres(DC_MAX);
        let atlas = Arc::new(Atlas::with_max_bytes(imported.map, dc_max, max_bytes));
        Ok(NamedMap { name, atlas })
    }
}

impl Attack {
    /// The case of `--profile` and `--seed`.
    pub(super) fn single_case(&self) -> AttackCase {
        AttackCase { profile: self.traffic.profile.clone(), seed: self.traffic.seed }
    }

    /// Simulates the users of a case.
    pub(super) fn workload(
        &self,
        atlas: &Atlas,
        case: &AttackCase,
        plan: &AttackPlan,
    ) -> Result<Workload> {
        let profile = profile(&case.profile)?.with_uniform_places();
        let settings = SimulationSettings { seed: case.seed, ..self.traffic.settings(self.users) };
        let mut workload = simulate(atlas.map(), &profile, settings);
        if plan.attacks.contains(&TRACKER.name) {
            workload.journeys = record_journeys(atlas.map(), &profile, settings);
        }
        Ok(workload)
    }

    /// Returns the columns that all rows of a case share.
    pub(super) fn common(&self, map: &str, case: &AttackCase) -> PrivacyRow {
        let tick = match self.tick as f64 / 1000.0 {
            1.0 => String::new(),
            seconds => format!(" tick {seconds}"),
        };
        let given = self.queries.is_some();
        PrivacyRow {
            map: map.to_owned(),
            users: if given { 0 } else { self.users },
            configuration: match given {
                true => "given".to_owned(),
                false => {
                    let configuration = self.traffic.configuration(&case.profile);
                    let share = self.ask_share.map(|share| format!(" ask {share}"));
                    format!("{configuration}{}{tick}", share.unwrap_or_default())
                }
            },
            seed: case.seed,
            commit: env!("MESHCLOAK_COMMIT").to_owned(),
            ..PrivacyRow::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cases_are_all_profiles_with_all_seeds() {
        let single = || AttackCase { profile: "p1".to_owned(), seed: 7 };
        let args = |profiles: &[&str], seeds| CaseArgs {
            maps: Vec::new(),
            profiles: profiles.iter().map(|&name| name.to_owned()).collect(),
            seeds,
        };
        assert_eq!(args(&[], None).cases(single()), [single()]);
        let cases = args(&["p1", "p2"], Some(2)).cases(single());
        let cases: Vec<(&str, u64)> = cases.iter().map(|c| (&*c.profile, c.seed)).collect();
        assert_eq!(cases, [("p1", 1), ("p1", 2), ("p2", 1), ("p2", 2)]);
        assert_eq!(args(&["p2"], None).cases(single())[0].seed, 7);
    }
}
