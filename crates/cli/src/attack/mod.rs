//! `meshcloak attack`: what a scheme's promises are worth against somebody who tries.

mod choice;
mod shown;

use crate::answer;
use crate::map_args::{MAP_HELP, MapArgs};
use crate::progress::Console;
use crate::simulate::options::{k_range, milliseconds};
use crate::simulate::profile;
use crate::threads::Threads;
use anyhow::{Context as _, Result, bail};
use choice::{Choice, attack_name};
use clap::Args;
use evaluation::maps::DC_MAX;
use evaluation::privacy::{AttackResults, Plan, PortraitRow, RecordedRun, run_attacks};
use evaluation::results::{self, PrivacyRow, privacy_rows};
use evaluation::run::{Conditions, Presence};
use evaluation::workload::Workload;
use evaluation::workload::simulate;
use import::{MapSource, Progress as _};
use meshcloak::distance::Atlas;
use meshcloak::units::Length;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use traffic::SimulationSettings;

/// Arguments of `attack`.
#[derive(Debug, Args)]
#[command(after_help = "Attackers: L1 is the service (map, algorithm, disclosures, dc of its \
target); L2 also knows where exactly the target was when she asked before; L3 also every position, \
k and dc in the batch.
Figures: below k and alone are shares of publications after which fewer than k people, or one, are \
left; k'/k is how many are left; metres of street left; error is how far off the attacker is, in \
metres. A dash: the attack does not count that.

Examples:
  meshcloak attack --users 10000
  meshcloak attack oldenburgGen.node --users 100000 --guarantee paper,history --attacks A,D
  meshcloak attack --scheme meshcloak,clique-cloak,casper --guarantee history --region reach,cells
  meshcloak attack --scheme all --users 5000 --out results && meshcloak report results
  meshcloak attack porto.meshmap --queries q.csv --outcomes o.ndjson --json")]
pub struct Attack {
    #[arg(help = MAP_HELP)]
    map: Option<MapSource>,
    #[command(flatten)]
    how: MapArgs,
    #[command(flatten)]
    choice: Choice,
    /// Attacks by name or letter, or all.
    #[arg(long, value_name = "NAME,…", default_value = "all", value_delimiter = ',',
          value_parser = attack_name)]
    attacks: Vec<&'static [&'static str]>,
    /// How many people.
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    users: u32,
    /// How many of them are victims; 0: all.
    #[arg(long, value_name = "N", default_value_t = 1_000)]
    victims: usize,
    /// How they move and ask: p1, p2, city, or a file.
    #[arg(long, value_name = "PROFILE", default_value = "p1")]
    profile: String,
    /// Smallest and largest k; drawn for each query.
    #[arg(long, value_name = "LEAST-MOST", default_value = "2-5", value_parser = k_range)]
    k: (u32, u32),
    /// How long everyone waits, in seconds.
    #[arg(long, value_name = "SECONDS", default_value = "3", value_parser = milliseconds)]
    dt: u32,
    /// What chance begins with: same seed, same people.
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    seed: u64,
    /// Attack outcomes of any origin instead: the queries that were asked.
    #[arg(long, value_name = "FILE", requires = "outcomes")]
    queries: Option<PathBuf>,
    /// What became of them.
    #[arg(long, value_name = "FILE", requires = "queries")]
    outcomes: Option<PathBuf>,
    /// Folder of results to put privacy.csv and victim.csv into; rows of other runs stay.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    threads: Threads,
}

impl Attack {
    /// Lets people ask, runs every scheme over them, attacks it, shows what that came to.
    pub fn run(&self, console: &Console) -> Result<()> {
        let schemes = self.choice.schemes()?;
        let plan = self.plan();
        if self.queries.is_some() && self.choice.is_given() {
            bail!("--scheme, --guarantee and --region say what to run; --outcomes already ran");
        }
        self.threads.keep()?;
        let imported = self.how.read(self.map.as_ref(), console)?;
        console.begin("measuring distances", 0);
        let most = evaluation::provenance::Machine::detect().max_row_bytes();
        let atlas = Arc::new(Atlas::with_max_bytes(imported.map, Length::metres(DC_MAX), most));
        let (rows, portraits) = match (&self.queries, &self.outcomes) {
            (Some(queries), Some(outcomes)) => {
                console.begin("reading", 0);
                let given = RecordedRun::read(atlas.map(), queries, outcomes, console);
                console.begin("attacking", 0);
                let found = given?.run_attacks(
                    &atlas,
                    attacks::RegionDependence::Mesh(Default::default()),
                    &plan,
                );
                (privacy_rows(&self.common(), &found), portrait(&found))
            }
            _ => self.attack_all(&atlas, &schemes, &plan, console)?,
        };
        console.clear();
        if let Some(folder) = &self.out {
            write(folder, &rows, portraits)?;
        }
        let text = if self.json { shown::as_json(&rows) } else { shown::as_table(&rows) };
        answer::print(&text)
    }

    fn plan(&self) -> Plan {
        let all = attacks::all();
        let chosen = |name: &&str| self.attacks.iter().any(|names| names.contains(name));
        let attacks = all.iter().map(|attack| attack.name()).filter(chosen).collect();
        let victims = if self.victims == 0 { usize::MAX } else { self.victims };
        Plan { attacks, targets: victims, ..Plan::default() }
    }

    fn attack_all(
        &self,
        atlas: &Arc<Atlas>,
        schemes: &[evaluation::privacy::AttackedScheme],
        plan: &Plan,
        console: &Console,
    ) -> Result<(Vec<PrivacyRow>, Vec<PortraitRow>)> {
        console.begin("simulating", 0);
        let tape = self.tape(atlas)?;
        let tolerance = Duration::from_millis(self.dt.into());
        let conditions =
            Conditions { tolerance, dc_max: atlas.dc_max(), presence: Presence::AllAsk };
        let (mut rows, mut portraits) = (Vec::new(), Vec::new());
        console.begin_cells(schemes.len() as u64);
        for (number, suspect) in schemes.iter().enumerate() {
            console.reach(number as u64, suspect.name().to_owned());
            let found = run_attacks(suspect, atlas, &tape, conditions, plan);
            rows.extend(privacy_rows(&self.common(), &found));
            portraits.extend(portrait(&found));
        }
        Ok((rows, portraits))
    }

    fn tape(&self, atlas: &Atlas) -> Result<Workload> {
        let profile = profile(&self.profile)?.with_uniform_places();
        let settings = SimulationSettings {
            users: self.users,
            k: self.k,
            temporal_tolerance: self.dt,
            seed: self.seed,
        };
        Ok(simulate(atlas.map(), &profile, settings))
    }

    /// What all rows have in common.
    fn common(&self) -> PrivacyRow {
        let map = self.map.as_ref().map_or("city".to_owned(), name_of);
        let profile = Path::new(&self.profile).file_stem().unwrap_or_default().to_string_lossy();
        let dt = f64::from(self.dt) / 1000.0;
        let given = self.queries.is_some();
        PrivacyRow {
            map,
            users: if given { 0 } else { self.users },
            configuration: match given {
                true => "given".to_owned(),
                false => format!("{}-{dt}-{}", profile.to_uppercase(), self.k.1),
            },
            seed: self.seed,
            ..PrivacyRow::default()
        }
    }
}

/// A map as tables call it.
fn name_of(source: &MapSource) -> String {
    let text = source.to_string();
    let known = evaluation::maps::NAMES.iter().find(|(_, path)| text.ends_with(path));
    let stem = || {
        let name = Path::new(&text).file_name().unwrap_or_default().to_string_lossy();
        name.split('.').next().unwrap_or_default().to_owned()
    };
    known.map_or_else(stem, |(name, _)| (*name).to_owned())
}

fn portrait(found: &AttackResults) -> Vec<PortraitRow> {
    found.portrait.as_ref().map_or(Vec::new(), |portrait| portrait.rows(&found.scheme))
}

/// Writes rows into a folder of results; those of other runs that are there stay.
fn write(folder: &Path, rows: &[PrivacyRow], portraits: Vec<PortraitRow>) -> Result<()> {
    std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    let path = folder.join("privacy.csv");
    let mut all: Vec<PrivacyRow> = if path.is_file() { results::read(&path)? } else { Vec::new() };
    all.retain(|old| !rows.iter().any(|row| row.run() == old.run()));
    all.extend_from_slice(rows);
    results::write(&path, &all)?;
    if !portraits.is_empty() {
        let path = folder.join("victim.csv");
        let mut all: Vec<PortraitRow> =
            if path.is_file() { results::read(&path)? } else { Vec::new() };
        all.retain(|old| !portraits.iter().any(|row| row.scheme == old.scheme));
        all.extend(portraits);
        results::write(&path, &all)?;
    }
    Ok(())
}
