//! Which scheme cloaks, and what can be chosen about it: the arguments that belong to MeshCloak
//! are refused beside another scheme, for it would not follow them.

mod options;
mod popularity;
pub mod region;

use crate::cloak::batch_length;
use anyhow::{Context as _, Result, bail};
use clap::Args;
use clap::builder::PossibleValuesParser;
use meshcloak::cells::Cells;
use meshcloak::distance::Atlas;
use meshcloak::guarantee::DEFAULT_HORIZON;
use meshcloak::mesh_cloak::{Hold, MeshCloak, RegionRule, Settings};
use meshcloak::printed::Printed;
use meshcloak::scheme::Scheme;
use options::{CoverageArg, PipelineArg};
pub use options::{GuaranteeArg, spelt};
use popularity::popularity;
use region::RegionArgs;
use serde_json::Value;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// The scheme and its settings.
#[derive(Debug, Args)]
pub struct SchemeArgs {
    /// Who cloaks: MeshCloak or one of its rivals.
    #[arg(long, value_name = "NAME", default_value = OURS,
          value_parser = PossibleValuesParser::new(baselines::names()))]
    scheme: String,
    /// What is promised to whom [default: reciprocal; with `--pipeline printed`: paper].
    #[arg(long, value_enum)]
    guarantee: Option<GuaranteeArg>,
    /// Seconds for which `history` minds where people were [default: 600].
    #[arg(long, value_name = "SECONDS", value_parser = batch_length)]
    horizon: Option<u64>,
    /// Keep sets back for up to so many seconds, for the sake of others around who could not be
    /// served without them [without a number: 10].
    #[arg(long, value_name = "SECONDS", num_args = 0..=1, default_missing_value = "10",
          value_parser = batch_length)]
    hold: Option<u64>,
    /// How the answer is found; both give the same, and `printed` knows only `paper`
    /// [default: fast].
    #[arg(long, value_enum)]
    pipeline: Option<PipelineArg>,
    /// When two people count as within reach of each other [default: own].
    #[arg(long, value_enum)]
    coverage: Option<CoverageArg>,
    #[command(flatten)]
    region: RegionArgs,
    /// File of earlier queries: cells are then equally popular, by how many asked there, instead
    /// of equally long.
    #[arg(long, value_name = "FILE")]
    cell_popularity: Option<PathBuf>,
    /// Steps that the search for the cliques of one query may take [default: 20000].
    #[arg(long, value_name = "STEPS", value_parser = clap::value_parser!(u32).range(1..))]
    budget: Option<u32>,
}

const OURS: &str = "meshcloak";

/// A set may be kept back for so many batches: less than after which a run skips quiet ones.
const MOST_HELD: u64 = 1_000;

impl SchemeArgs {
    /// Refuses settings that the scheme would not follow; a batch takes so many milliseconds.
    pub fn check(&self, batch: u64) -> Result<()> {
        let guarantee = self.guarantee();
        if self.pipeline() == PipelineArg::Printed && guarantee != GuaranteeArg::Paper {
            bail!("--pipeline printed knows only --guarantee paper");
        }
        if self.horizon.is_some() && guarantee != GuaranteeArg::History {
            bail!("--horizon needs --guarantee history");
        }
        if self.hold.is_some() && guarantee == GuaranteeArg::Paper {
            bail!("--hold needs --guarantee reciprocal or history");
        }
        if self.hold.is_some_and(|longest| longest > MOST_HELD * batch) {
            bail!("--hold may be {MOST_HELD} batches at most");
        }
        self.region.check()?;
        if self.cell_popularity.is_some() && !self.region.is_cells() {
            bail!("--cell-popularity needs --region cells");
        }
        if self.cell_popularity.is_some() && self.pipeline() == PipelineArg::Printed {
            bail!("--cell-popularity needs --pipeline fast");
        }
        let given = [
            ("--guarantee", self.guarantee.is_some()),
            ("--horizon", self.horizon.is_some()),
            ("--hold", self.hold.is_some()),
            ("--pipeline", self.pipeline.is_some()),
            ("--coverage", self.coverage.is_some()),
            ("--region", self.region.given().is_some()),
            ("--budget", self.budget.is_some()),
        ];
        match given.into_iter().find(|(_, given)| *given) {
            Some((name, _)) if self.scheme != OURS => {
                bail!("{name} is a setting of `{OURS}`; `--scheme {}` has none such", self.scheme)
            }
            _ => Ok(()),
        }
    }

    /// The scheme.
    pub fn make(&self, atlas: &Arc<Atlas>, batch: u64) -> Result<Box<dyn Scheme>> {
        if self.scheme != OURS {
            return baselines::by_name(atlas, &self.scheme).context("no scheme of that name");
        }
        let settings = Settings {
            guarantee: self.guarantee().into(),
            horizon: self.horizon().unwrap_or(DEFAULT_HORIZON),
            hold: self.hold.map(|longest| Hold {
                max_wait: Duration::from_millis(longest),
                margin: Duration::from_millis(batch),
            }),
            coverage: self.coverage().into(),
            region: self.region.rule(),
            budget: self.budget(),
        };
        let atlas = Arc::clone(atlas);
        Ok(match (self.pipeline(), self.popular_cells(&atlas, settings.region)?) {
            (PipelineArg::Fast, None) => Box::new(MeshCloak::new(atlas, settings)),
            (PipelineArg::Fast, Some(cells)) => {
                Box::new(MeshCloak::with_cells(atlas, settings, Arc::new(cells)))
            }
            (PipelineArg::Printed, _) => Box::new(Printed::new(atlas, settings)),
        })
    }

    /// What was chosen, by name.
    pub fn settings(&self) -> Vec<(&'static str, Value)> {
        let mut settings = vec![("scheme", self.scheme.clone().into())];
        if self.scheme == OURS {
            settings.extend([
                ("guarantee", spelt(&self.guarantee()).into()),
                ("horizon", self.horizon().map(|horizon| horizon.as_secs_f64()).into()),
                ("hold", self.hold.map(|longest| longest as f64 / 1000.0).into()),
                ("pipeline", spelt(&self.pipeline()).into()),
                ("coverage", spelt(&self.coverage()).into()),
            ]);
            settings.extend(self.region.settings());
            let popularity = self.cell_popularity.as_ref();
            settings.extend(popularity.map(|_| ("cell_balance", "popularity".into())));
            settings.push(("budget", self.budget().into()));
        }
        settings
    }

    /// The name of the scheme.
    pub fn name(&self) -> &str {
        &self.scheme
    }

    /// For how long it matters where people were; `None`: not at all.
    pub fn horizon(&self) -> Option<Duration> {
        let horizon = self.horizon.map_or(DEFAULT_HORIZON, Duration::from_millis);
        (self.guarantee() == GuaranteeArg::History).then_some(horizon)
    }

    fn guarantee(&self) -> GuaranteeArg {
        let usual = match self.pipeline() {
            PipelineArg::Fast => GuaranteeArg::Reciprocal,
            PipelineArg::Printed => GuaranteeArg::Paper,
        };
        self.guarantee.unwrap_or(usual)
    }

    fn pipeline(&self) -> PipelineArg {
        self.pipeline.unwrap_or(PipelineArg::Fast)
    }

    fn coverage(&self) -> CoverageArg {
        self.coverage.unwrap_or(CoverageArg::Own)
    }

    /// Cells that are equally popular, if they are wanted.
    fn popular_cells(&self, atlas: &Atlas, region: RegionRule) -> Result<Option<Cells>> {
        let (Some(file), RegionRule::Cells(rule)) = (&self.cell_popularity, region) else {
            return Ok(None);
        };
        let weights = popularity(atlas.map(), file)?;
        Ok(Some(Cells::balanced(atlas.map(), rule.length, &weights)))
    }

    fn budget(&self) -> u32 {
        self.budget.unwrap_or(Settings::default().budget)
    }
}
