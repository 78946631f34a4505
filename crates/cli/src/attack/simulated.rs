//! Attacks on simulated users, scheme by scheme.

use super::cases::{AttackCase, NamedMap};
use super::folder::{self, portrait};
use super::{Attack, AttackTask};
use crate::progress::Console;
use crate::provenance_file::state_commits;
use crate::skipped::skipped_row;
use crate::stop;
use anyhow::{Context as _, Result};
use attacks::ages::AGES;
use baselines::SchemeError;
use evaluation::privacy::{AttackedScheme, PortraitRow, attack_own_model, run_attacks};
use evaluation::results::{PrivacyRow, SkippedRow, merge_skipped, own_model_row, privacy_rows};
use evaluation::run::{Conditions, Presence};
use import::Progress as _;
use meshcloak::units::Length;
use std::time::Duration;

impl Attack {
    /// Attacks all schemes in one case.
    pub(super) fn attack_all(
        &self,
        map: &NamedMap,
        case: &AttackCase,
        task: &AttackTask<'_>,
        console: &Console,
    ) -> Result<Vec<PrivacyRow>> {
        let (NamedMap { name, atlas }, AttackTask { schemes, plan }) = (map, *task);
        console.begin("simulating", 0);
        let workload = self.workload(atlas, case, plan)?;
        let common = self.common(name, case);
        let conditions = self.conditions(atlas.dc_max());
        let mut rows = Vec::new();
        // Of several schemes or maps, those that do not fit are left out.
        let may_skip = schemes.len() > 1 || self.cases.has_several_maps();
        console.begin_cells(schemes.len() as u64);
        for (number, scheme) in schemes.iter().enumerate() {
            if stop::is_requested() {
                break;
            }
            console.set_progress(number as u64, scheme.name().to_owned());
            let found = match run_attacks(scheme, atlas, &workload, conditions, plan) {
                Err(problem @ SchemeError::Map { .. }) if may_skip => {
                    console.note(&problem.to_string());
                    self.write_skipped(name, scheme, Some(&problem))?;
                    continue;
                }
                found => found?,
            };
            self.write_skipped(name, scheme, None)?;
            let mut attacked = privacy_rows(&common, &found);
            let has_ages = found.scores.get(AGES.name).is_some();
            if attacked.is_empty() {
                console.note(&format!("{}: no target is served, nothing to attack", scheme.name()));
            } else if plan.attacks.contains(&AGES.name) && !has_ages {
                console.note(&format!(
                    "{}: attack P (ages) is left out: all users ask; --ask-share 10 makes others \
                     present",
                    scheme.name()
                ));
            }
            if self.own {
                let own = attack_own_model(scheme, atlas, &workload, conditions, plan)?;
                attacked.push(own_model_row(&common, &own));
            }
            self.write(&attacked, &portrait(&found))?;
            rows.extend(attacked);
        }
        Ok(rows)
    }

    fn conditions(&self, dc_max: Length) -> Conditions {
        let tolerance = Duration::from_millis(self.traffic.dt.into());
        Conditions {
            presence: self.ask_share.map_or(Presence::AllAsk, Presence::of_ask_share),
            tick: Duration::from_millis(self.tick),
            is_held: self.held,
            ..Conditions::new(tolerance, dc_max)
        }
    }

    /// Adds rows to the folder of results, if one is given.
    pub(super) fn write(&self, rows: &[PrivacyRow], portraits: &[PortraitRow]) -> Result<()> {
        self.out.as_ref().map_or(Ok(()), |folder| folder::write(folder, rows, portraits))
    }

    /// Adds a scheme that cannot run to the list of the folder of results, or removes one that can.
    fn write_skipped(
        &self,
        map: &str,
        scheme: &AttackedScheme,
        problem: Option<&SchemeError>,
    ) -> Result<()> {
        let Some(folder) = &self.out else { return Ok(()) };
        std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
        let row = |problem: &SchemeError| skipped_row("attack", map, scheme.name(), problem);
        let rows: Vec<SkippedRow> = problem.map(row).into_iter().collect();
        let key = ("attack", map, scheme.name());
        merge_skipped(folder, &rows, |old| old.key() == key)?;
        match rows.is_empty() {
            true => Ok(()),
            false => state_commits(folder, folder::TITLE, None, Vec::new()),
        }
    }
}
