//! `meshcloak attack`: measures how far attacks reduce the anonymity that schemes guarantee.

mod cases;
mod folder;
mod render;
mod selection;
mod simulated;

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
use cases::{CaseArgs, NamedMap};
use clap::Args;
use evaluation::privacy::{AttackPlan, AttackedScheme, DecoyPlan, RecordedRun};
use evaluation::results::{PrivacyRow, privacy_rows};
use folder::portrait;
use import::{MapSource, Progress as _};
use selection::{SchemeSelection, attack_selector, check_presence, selects};
use std::path::PathBuf;
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
  meshcloak attack --maps oldenburg,city --profiles p1,p2 --seeds 3 --scheme all --out results
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
    /// Runs of a randomised scheme with other random seeds, for --own.
    #[arg(long, value_name = "N", default_value_t = 32, requires = "own",
          value_parser = clap::value_parser!(u64).range(1..=10_000))]
    replays: u64,
    /// Number of simulated users.
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    users: u32,
    /// Number of users to attack; 0: all.
    #[arg(long, value_name = "N", default_value_t = 1_000)]
    victims: usize,
    #[command(flatten)]
    traffic: TrafficArgs,
    #[command(flatten)]
    cases: CaseArgs,
    /// Percentage of users that ask; the others report their presence with k = 1 and a patience of
    /// 30 s [default: all ask].
    #[arg(long, value_name = "PERCENT", value_parser = ask_share, conflicts_with = "outcomes")]
    ask_share: Option<AskShare>,
    /// Time between two batches, in seconds.
    #[arg(long, value_name = "SECONDS", default_value = "1", value_parser = positive_millis)]
    tick: u64,
    /// Release queries to the engine at secret times, as the gateway does with standing questions under
    /// the clock published.
    #[arg(long, conflicts_with = "outcomes")]
    held: bool,
    /// Attack existing outcomes instead of a simulation: their queries, CSV, NDJSON or Parquet.
    #[arg(long, value_name = "FILE", requires = "outcomes")]
    queries: Option<PathBuf>,
    /// Outcomes of `--queries`, NDJSON or Parquet.
    #[arg(long, value_name = "FILE", requires = "queries")]
    outcomes: Option<PathBuf>,
    /// Folder for privacy.csv and victim.csv, written after each scheme; rows of other runs are kept.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Also store the sample of answers in the folder, as `evaluate --sample` does.
    #[arg(long, requires = "out")]
    sample: bool,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    threads: Threads,
}

/// What is attacked in every case, and how.
#[derive(Clone, Copy)]
struct AttackTask<'a> {
    schemes: &'a [AttackedScheme],
    plan: &'a AttackPlan,
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
        let task = AttackTask { schemes: &schemes, plan: &plan };
        let mut rows = Vec::new();
        for map in self.cases.maps(self.map.as_ref(), console)? {
            if stop::is_requested() {
                break;
            }
            let map = NamedMap::read(map, &self.how, console)?;
            rows.extend(self.attack_map(&map, &task, console)?);
        }
        if let Some(folder) = self.out.as_ref().filter(|_| self.sample) {
            console.begin("computing the sample", 0);
            folder::write_sample(folder)?;
        }
        console.clear();
        let text = if self.json { render::as_json(&rows) } else { render::as_table(&rows) };
        stdout::print(&text)
    }

    /// Attacks all schemes in all cases of a map, or the recorded outcomes.
    fn attack_map(
        &self,
        map: &NamedMap,
        task: &AttackTask<'_>,
        console: &Console,
    ) -> Result<Vec<PrivacyRow>> {
        let (Some(queries), Some(outcomes)) = (&self.queries, &self.outcomes) else {
            stop::announce();
            let mut rows = Vec::new();
            for case in self.cases.cases(self.single_case()) {
                rows.extend(self.attack_all(map, &case, task, console)?);
            }
            return Ok(rows);
        };
        console.begin("reading", 0);
        let recorded = RecordedRun::read(map.atlas.map(), queries, outcomes, console);
        console.begin("attacking", 0);
        let dependence = attacks::RegionDependence::Mesh(Default::default());
        let found = recorded?.run_attacks(&map.atlas, dependence, task.plan);
        let rows = privacy_rows(&self.common(&map.name, &self.single_case()), &found);
        self.write(&rows, &portrait(&found))?;
        Ok(rows)
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
            replays: self.replays,
            ..AttackPlan::default()
        }
    }
}
