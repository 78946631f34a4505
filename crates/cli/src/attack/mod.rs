//! `meshcloak attack`: measures how far attacks reduce the anonymity that schemes guarantee.

mod folder;
mod render;
mod selection;

use crate::map_args::{MAP_HELP, MapArgs};
use crate::parse::{ask_share, positive_millis};
use crate::progress::Console;
use crate::stdout;
use crate::stop;
use crate::threads::Threads;
use crate::traffic_args::TrafficArgs;
use anyhow::{Result, bail};
use attacks::questions::QUESTIONS;
use attacks::tracker::TRACKER;
use clap::Args;
use evaluation::maps::DC_MAX;
use evaluation::privacy::{
    AttackPlan, AttackedScheme, DecoyPlan, PortraitRow, RecordedRun, attack_own_model, run_attacks,
};
use evaluation::results::{PrivacyRow, own_model_row, privacy_rows};
use evaluation::run::{Conditions, Presence};
use evaluation::workload::{Workload, record_journeys, simulate};
use folder::portrait;
use import::{MapSource, Progress as _};
use meshcloak::distance::Atlas;
use meshcloak::units::Length;
use selection::{SchemeSelection, attack_selector, check_presence, selects};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use traffic::AskShare;

/// Arguments of `attack`.
#[derive(Debug, Args)]
#[command(after_help = "Adversaries: L1 is the service (map, algorithm, disclosures, dc of the \
target); L2 also knows the exact positions of the target's earlier queries; L2+ those of every \
member, and the places of the set without names; L3 also all positions, k and dc of the batch.
Columns: below k and alone are the shares of publications after which fewer than k candidates, or \
one, remain; k'/k is the number of remaining candidates relative to k; metres left is the street \
length that remains; error is the distance of the best guess from the target. A dash: not \
measured by this attack. The tracker (K) follows 300 users over 60 ticks and counts ticks; the \
attack on questions (M) gives each user a category (50 by Zipf's law, and 5 sensitive ones of one \
user in a hundred) and infers it from the categories that a region is asked. Their figures are below \
the table. Ages (P) needs users who are present without a question (--ask-share, or the column asks \
of --queries) and counts sets.
With --own a last row `own model` shows the scheme under the assumptions of its authors: the users \
that they count towards k (those who ask, or all registered users), their rule for k (personal, or \
the largest k for all), and the attack that they promise to withstand, which stands in the column \
level. docs/RIVALS.md lists the promises.

Examples:
  meshcloak attack --users 10000
  meshcloak attack oldenburgGen.node --users 100000 --guarantee paper,history --attacks A,D
  meshcloak attack --scheme meshcloak,clique-cloak,casper --guarantee history --region reach,cells
  meshcloak attack --attacks A,D,P --ask-share 10 --scheme meshcloak/reciprocal,meshcloak/age-1
  meshcloak attack --attacks A,D,M --scheme meshcloak/history/cell,meshcloak/history/cell/present-90
  meshcloak attack --attacks K --region reach,cell --dt 10 --tick 5
  meshcloak attack --attacks M --guarantee reciprocal --region reach,cell --decoys 3
  meshcloak attack --scheme all --own --users 5000 --out results && meshcloak report results
  meshcloak attack porto.meshmap --queries q.csv --outcomes o.ndjson --json")]
pub struct Attack {
    #[arg(help = MAP_HELP)]
    map: Option<MapSource>,
    #[command(flatten)]
    how: MapArgs,
    #[command(flatten)]
    selection: SchemeSelection,
    /// Attacks by name or letter (A, D, …), or all.
    #[arg(long, value_name = "NAME,…", default_value = "all", value_delimiter = ',',
          value_parser = attack_selector)]
    attacks: Vec<String>,
    /// Further categories that are asked with each category, for the attack M.
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u8).range(0..=20))]
    decoys: u8,
    /// Smallest number of categories that a region is asked, for the attack M.
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u8).range(0..=20))]
    diversity: u8,
    /// Number of queries around which the adversary plants accounts, for the attack G; each runs its
    /// batch again.
    #[arg(long, value_name = "N", default_value_t = 40)]
    planted: usize,
    /// Let the tracker (K) follow users of a rare category through the regions asked for it.
    #[arg(long)]
    kinds: bool,
    /// Also attack each scheme under the assumptions of its authors.
    #[arg(long, conflicts_with = "outcomes")]
    own: bool,
    /// Number of simulated users.
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    users: u32,
    /// Number of users to attack; 0: all.
    #[arg(long, value_name = "N", default_value_t = 1_000)]
    victims: usize,
    #[command(flatten)]
    traffic: TrafficArgs,
    /// Percentage of users that ask; the others report their presence with k = 1 and a patience of
    /// 30 s [default: all ask].
    #[arg(long, value_name = "PERCENT", value_parser = ask_share, conflicts_with = "outcomes")]
    ask_share: Option<AskShare>,
    /// Time between two batches, in seconds.
    #[arg(long, value_name = "SECONDS", default_value = "1", value_parser = positive_millis)]
    tick: u64,
    /// Attack existing outcomes instead of a simulation: their queries, CSV, NDJSON or Parquet.
    #[arg(long, value_name = "FILE", requires = "outcomes")]
    queries: Option<PathBuf>,
    /// Outcomes of `--queries`, NDJSON or Parquet.
    #[arg(long, value_name = "FILE", requires = "queries")]
    outcomes: Option<PathBuf>,
    /// Folder for privacy.csv and victim.csv, written after each scheme; rows of other runs are kept.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    threads: Threads,
}

impl Attack {
    /// Simulates queries, cloaks them with each scheme, attacks the disclosures, prints the results.
    pub fn run(&self, console: &Console) -> Result<()> {
        let schemes = self.selection.schemes()?;
        check_presence(&schemes, self.ask_share)?;
        let plan = self.plan();
        if self.queries.is_some() {
            self.check_recorded(&plan, console)?;
        }
        self.threads.apply()?;
        let imported = self.how.read(self.map.as_ref(), console)?;
        console.begin("measuring distances", 0);
        let max_bytes = evaluation::provenance::Machine::detect().max_row_bytes();
        let atlas =
            Arc::new(Atlas::with_max_bytes(imported.map, Length::metres(DC_MAX), max_bytes));
        let rows = match (&self.queries, &self.outcomes) {
            (Some(queries), Some(outcomes)) => {
                console.begin("reading", 0);
                let recorded = RecordedRun::read(atlas.map(), queries, outcomes, console);
                console.begin("attacking", 0);
                let found = recorded?.run_attacks(
                    &atlas,
                    attacks::RegionDependence::Mesh(Default::default()),
                    &plan,
                );
                let rows = privacy_rows(&self.common(), &found);
                self.write(&rows, portrait(&found))?;
                rows
            }
            _ => self.attack_all(&atlas, &schemes, &plan, console)?,
        };
        console.clear();
        let text = if self.json { render::as_json(&rows) } else { render::as_table(&rows) };
        stdout::print(&text)
    }

    /// Adds rows to the folder of results, if one is given.
    fn write(&self, rows: &[PrivacyRow], portraits: Vec<PortraitRow>) -> Result<()> {
        self.out.as_ref().map_or(Ok(()), |folder| folder::write(folder, rows, portraits))
    }

    /// Refuses what cannot be done with existing outcomes.
    fn check_recorded(&self, plan: &AttackPlan, console: &Console) -> Result<()> {
        if self.selection.is_given() {
            bail!(
                "--scheme, --guarantee and --region do not apply to --outcomes, which already exist"
            );
        }
        if plan.attacks == [TRACKER.name] {
            bail!(
                "attack K (tracker) needs the paths of simulated users, which outcomes do not \
                 contain; leave out --queries and --outcomes, or choose other --attacks"
            );
        }
        if plan.attacks == [QUESTIONS.name] {
            bail!(
                "attack M (questions) needs simulated users; leave out --queries and --outcomes, or \
                 choose other --attacks"
            );
        }
        if plan.attacks.contains(&TRACKER.name) {
            console.note("attack K (tracker) is left out: it needs the paths of simulated users");
        }
        Ok(())
    }

    fn plan(&self) -> AttackPlan {
        let is_chosen =
            |attack: &&attacks::Attack| self.attacks.iter().any(|text| selects(text, attack));
        let attacks = attacks::ATTACKS.iter().filter(is_chosen).map(|attack| attack.name).collect();
        let targets = if self.victims == 0 { usize::MAX } else { self.victims };
        let questions = DecoyPlan { decoys: self.decoys.into(), diversity: self.diversity.into() };
        let follows_kinds = self.kinds;
        AttackPlan {
            attacks,
            targets,
            planted: self.planted,
            follows_kinds,
            questions,
            ..AttackPlan::default()
        }
    }

    fn attack_all(
        &self,
        atlas: &Arc<Atlas>,
        schemes: &[AttackedScheme],
        plan: &AttackPlan,
        console: &Console,
    ) -> Result<Vec<PrivacyRow>> {
        stop::announce();
        console.begin("simulating", 0);
        let workload = self.workload(atlas, plan)?;
        let tick = Duration::from_millis(self.tick);
        let tolerance = Duration::from_millis(self.traffic.dt.into());
        let presence = self.ask_share.map_or(Presence::AllAsk, Presence::of_ask_share);
        let conditions =
            Conditions { tolerance, dc_max: atlas.dc_max(), presence, tick, lag: Duration::ZERO };
        let mut rows = Vec::new();
        console.begin_cells(schemes.len() as u64);
        for (number, scheme) in schemes.iter().enumerate() {
            if stop::is_requested() {
                break;
            }
            console.set_progress(number as u64, scheme.name().to_owned());
            let found = match run_attacks(scheme, atlas, &workload, conditions, plan) {
                // Of several schemes, those that need another map are left out.
                Err(problem) if schemes.len() > 1 => {
                    console.note(&problem.to_string());
                    continue;
                }
                found => found?,
            };
            let mut attacked = privacy_rows(&self.common(), &found);
            if attacked.is_empty() {
                console.note(&format!("{}: no target is served, nothing to attack", scheme.name()));
            }
            if self.own {
                let own = attack_own_model(scheme, atlas, &workload, conditions, plan)?;
                attacked.push(own_model_row(&self.common(), &own));
            }
            self.write(&attacked, portrait(&found))?;
            rows.extend(attacked);
        }
        Ok(rows)
    }

    fn workload(&self, atlas: &Atlas, plan: &AttackPlan) -> Result<Workload> {
        let profile = self.traffic.profile()?.with_uniform_places();
        let settings = self.traffic.settings(self.users);
        let mut workload = simulate(atlas.map(), &profile, settings);
        if plan.attacks.contains(&TRACKER.name) {
            workload.journeys = record_journeys(atlas.map(), &profile, settings);
        }
        Ok(workload)
    }

    /// Returns the columns that all rows share.
    fn common(&self) -> PrivacyRow {
        let map = self.map.as_ref().map_or("city".to_owned(), map_label);
        let profile =
            Path::new(&self.traffic.profile).file_stem().unwrap_or_default().to_string_lossy();
        let dt = f64::from(self.traffic.dt) / 1000.0;
        let tick = match self.tick as f64 / 1000.0 {
            1.0 => String::new(),
            seconds => format!(" tick {seconds}"),
        };
        let given = self.queries.is_some();
        PrivacyRow {
            map,
            users: if given { 0 } else { self.users },
            configuration: match given {
                true => "given".to_owned(),
                false => format!(
                    "{}-{dt}-{}{}{tick}",
                    profile.to_uppercase(),
                    self.traffic.k.1,
                    self.ask_share.map_or(String::new(), |share| format!(" ask {share}"))
                ),
            },
            seed: self.traffic.seed,
            commit: env!("MESHCLOAK_COMMIT").to_owned(),
            ..PrivacyRow::default()
        }
    }
}

/// Returns the name of a map in tables.
fn map_label(source: &MapSource) -> String {
    let text = source.to_string();
    let known = evaluation::maps::NAMES.iter().find(|(_, path)| text.ends_with(path));
    let stem = || {
        let name = Path::new(&text).file_name().unwrap_or_default().to_string_lossy();
        name.split('.').next().unwrap_or_default().to_owned()
    };
    known.map_or_else(stem, |(name, _)| (*name).to_owned())
}
