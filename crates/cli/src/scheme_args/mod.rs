//! Arguments that choose a scheme and its settings. Settings of MeshCloak are rejected with any
//! other scheme, which would ignore them.

mod options;
mod popularity;
pub mod region;

use crate::parse::{horizon_distance, positive_millis};
use anyhow::{Result, bail};
use baselines::SchemeChoice;
use baselines::registry::{Parameter, SCHEMES};
use clap::Args;
use meshcloak::cells::Cells;
use meshcloak::distance::Atlas;
use meshcloak::guarantee::DEFAULT_HORIZON;
use meshcloak::history::Horizon;
use meshcloak::mesh_cloak::{Hold, MeshCloak, RegionRule, Settings};
use meshcloak::presence::PresenceRule;
use meshcloak::printed::Printed;
use meshcloak::scheme::Scheme;
use meshcloak::units::Length;
use options::PipelineArg;
pub use options::{CoverageArg, GuaranteeArg, HistoryClockArg, value_name};
use popularity::popularity;
use region::RegionArgs;
use serde_json::Value;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Scheme and its settings.
#[derive(Debug, Args)]
pub struct SchemeArgs {
    #[arg(long, value_name = "NAME[:PARAMETER=VALUE:…]", default_value = MESHCLOAK,
          value_parser = SchemeChoice::parse, help = SCHEME_HELP, long_help = scheme_list())]
    scheme: SchemeChoice,
    /// Privacy guarantee [default: reciprocal; with `--pipeline printed`: paper].
    #[arg(long, value_enum)]
    guarantee: Option<GuaranteeArg>,
    /// How long `history` remembers the last position of a user, in seconds [default: 600].
    #[arg(long, value_name = "SECONDS", value_parser = positive_millis)]
    horizon: Option<u64>,
    /// How far a user must be able to travel before `history` forgets its last position, in metres,
    /// for up to four hours; slow users are remembered longer [default: 0, the time alone decides].
    #[arg(long, value_name = "METRES", value_parser = horizon_distance)]
    horizon_distance: Option<Length>,
    /// What the adversary of `history` knows of time [default: asked].
    #[arg(long, value_enum)]
    history_clock: Option<HistoryClockArg>,
    /// Postpone the publication of a set by up to this many seconds if neighbours need its members
    /// [default: off; without a number: 10].
    #[arg(long, value_name = "SECONDS", num_args = 0..=1, default_missing_value = "10",
          value_parser = positive_millis)]
    hold: Option<u64>,
    /// Whether presence reports (column `asks` = 0) count towards k [default: true].
    #[arg(long, value_name = "BOOL")]
    presence_counts: Option<bool>,
    /// Largest age of a presence report that counts towards the k of a query, in seconds [default:
    /// any age].
    #[arg(long, value_name = "SECONDS", value_parser = positive_millis)]
    presence_age: Option<u64>,
    /// Implementation; both return the same sets, `printed` supports only `--guarantee paper`
    /// [default: fast].
    #[arg(long, value_enum)]
    pipeline: Option<PipelineArg>,
    /// Condition for an edge between two queries [default: own].
    #[arg(long, value_enum)]
    coverage: Option<CoverageArg>,
    #[command(flatten)]
    region: RegionArgs,
    /// Earlier queries; balances cells by the number of queries in them instead of by length.
    #[arg(long, value_name = "FILE")]
    cell_popularity: Option<PathBuf>,
    /// Largest number of steps of the clique search for one query, from 1 [default: 20000].
    #[arg(long, value_name = "STEPS", value_parser = clap::value_parser!(u32).range(1..))]
    budget: Option<u32>,
}

/// Summary of `--scheme`.
const SCHEME_HELP: &str = "Cloaking scheme: MeshCloak or a rival, with parameters behind its name";

/// Explains `--scheme` with all schemes and their parameters.
fn scheme_list() -> String {
    let mut text = format!(
        "{SCHEME_HELP}, as in casper:levels=8:min-area=2500. A wrapper passes parameters that it \
         does not have to the scheme it wraps.\n\nSchemes and parameters:"
    );
    for entry in SCHEMES {
        text.push_str(&format!("\n- {}", entry.name));
        for parameter in entry.parameters {
            let Parameter { name, meaning, default, range } = parameter;
            text.push_str(&format!("\n    {name}={default}  {meaning}; {range}"));
        }
    }
    text
}

/// Name of the scheme that the settings belong to.
pub const MESHCLOAK: &str = "meshcloak";

/// Largest `--hold`, in batches; below the number of idle batches after which a run skips ahead.
const MAX_HOLD_BATCHES: u64 = 1_000;

impl SchemeArgs {
    /// Rejects settings that would have no effect. `batch` is the batch interval in milliseconds.
    pub fn check(&self, batch: u64) -> Result<()> {
        let guarantee = self.guarantee();
        if self.pipeline() == PipelineArg::Printed && guarantee != GuaranteeArg::Paper {
            bail!("--pipeline printed supports only --guarantee paper");
        }
        if self.horizon.is_some() && guarantee != GuaranteeArg::History {
            bail!("--horizon needs --guarantee history");
        }
        if self.horizon_distance.is_some() && guarantee != GuaranteeArg::History {
            bail!("--horizon-distance needs --guarantee history");
        }
        if self.history_clock.is_some() && guarantee != GuaranteeArg::History {
            bail!("--history-clock needs --guarantee history");
        }
        let has_presence = self.presence_counts.is_some() || self.presence_age.is_some();
        if has_presence && guarantee == GuaranteeArg::Paper {
            bail!("--presence-counts and --presence-age need --guarantee reciprocal or history");
        }
        if self.hold.is_some() && guarantee == GuaranteeArg::Paper {
            bail!("--hold needs --guarantee reciprocal or history");
        }
        if self.hold.is_some_and(|max_wait| max_wait > MAX_HOLD_BATCHES * batch) {
            bail!("--hold is too long; expected at most {MAX_HOLD_BATCHES} batches");
        }
        self.region.check()?;
        if self.cell_popularity.is_some() && !self.region.has_cells() {
            bail!("--cell-popularity needs --region cells or cell");
        }
        if self.cell_popularity.is_some() && self.pipeline() == PipelineArg::Printed {
            bail!("--cell-popularity needs --pipeline fast");
        }
        let given = [
            ("--guarantee", self.guarantee.is_some()),
            ("--horizon", self.horizon.is_some()),
            ("--horizon-distance", self.horizon_distance.is_some()),
            ("--history-clock", self.history_clock.is_some()),
            ("--hold", self.hold.is_some()),
            ("--presence-counts", self.presence_counts.is_some()),
            ("--presence-age", self.presence_age.is_some()),
            ("--pipeline", self.pipeline.is_some()),
            ("--coverage", self.coverage.is_some()),
            ("--region", self.region.is_given()),
            ("--budget", self.budget.is_some()),
        ];
        match given.into_iter().find(|(_, given)| *given) {
            Some((name, _)) if self.name() != MESHCLOAK => {
                bail!(
                    "{name} is a setting of `{MESHCLOAK}`; `--scheme {}` does not have it",
                    self.name()
                )
            }
            _ => Ok(()),
        }
    }

    /// Builds the scheme. `batch` is the batch interval in milliseconds.
    pub fn build(&self, atlas: &Arc<Atlas>, batch: u64) -> Result<Box<dyn Scheme>> {
        if self.name() != MESHCLOAK {
            return Ok(self.scheme.build(atlas)?);
        }
        let settings = Settings {
            guarantee: self.guarantee().into(),
            horizon: Horizon {
                time: self.horizon().unwrap_or(DEFAULT_HORIZON),
                distance: self.horizon_distance.unwrap_or(Length::ZERO),
            },
            history_clock: self.history_clock().into(),
            hold: self.hold.map(|max_wait| Hold {
                max_wait: Duration::from_millis(max_wait),
                margin: Duration::from_millis(batch),
            }),
            coverage: self.coverage().into(),
            region: self.region.rule(),
            budget: self.budget(),
            presence: self.presence(),
            ..Settings::default()
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

    /// Returns the settings in effect, by name.
    pub fn settings(&self) -> Vec<(&'static str, Value)> {
        let mut settings = vec![("scheme", self.name().into())];
        let parameters = self.scheme.values();
        settings.extend(parameters.map(|(parameter, value)| (parameter.name, value.into())));
        if self.name() == MESHCLOAK {
            settings.extend([
                ("guarantee", value_name(&self.guarantee()).into()),
                ("horizon", self.horizon().map(|horizon| horizon.as_secs_f64()).into()),
                ("horizon_distance", self.horizon_distance.map(Length::as_metres).into()),
                ("history_clock", self.horizon().map(|_| value_name(&self.history_clock())).into()),
                ("hold", self.hold.map(|max_wait| max_wait as f64 / 1000.0).into()),
                ("presence_counts", self.presence().counts.into()),
                ("presence_age", self.presence().max_age.map(|age| age.as_secs_f64()).into()),
                ("pipeline", value_name(&self.pipeline()).into()),
                ("coverage", value_name(&self.coverage()).into()),
            ]);
            settings.extend(self.region.settings());
            let popularity = self.cell_popularity.as_ref();
            settings.extend(popularity.map(|_| ("cell_balance", "popularity".into())));
            settings.push(("budget", self.budget().into()));
        }
        settings
    }

    /// Name of the scheme.
    pub fn name(&self) -> &'static str {
        self.scheme.entry().name
    }

    /// How long past positions are remembered; `None` if the guarantee does not need them.
    pub fn horizon(&self) -> Option<Duration> {
        let horizon = self.horizon.map_or(DEFAULT_HORIZON, Duration::from_millis);
        (self.guarantee() == GuaranteeArg::History).then_some(horizon)
    }

    fn history_clock(&self) -> HistoryClockArg {
        self.history_clock.unwrap_or(HistoryClockArg::Asked)
    }

    fn guarantee(&self) -> GuaranteeArg {
        let default = match self.pipeline() {
            PipelineArg::Fast => GuaranteeArg::Reciprocal,
            PipelineArg::Printed => GuaranteeArg::Paper,
        };
        self.guarantee.unwrap_or(default)
    }

    fn presence(&self) -> PresenceRule {
        PresenceRule {
            counts: self.presence_counts.unwrap_or(true),
            max_age: self.presence_age.map(Duration::from_millis),
        }
    }

    fn pipeline(&self) -> PipelineArg {
        self.pipeline.unwrap_or(PipelineArg::Fast)
    }

    fn coverage(&self) -> CoverageArg {
        self.coverage.unwrap_or(CoverageArg::Own)
    }

    /// Builds cells balanced by `--cell-popularity`, if given.
    fn popular_cells(&self, atlas: &Atlas, region: RegionRule) -> Result<Option<Cells>> {
        let (Some(file), Some(length)) = (&self.cell_popularity, region.cell_length()) else {
            return Ok(None);
        };
        let weights = popularity(atlas.map(), file)?;
        Ok(Some(Cells::balanced(atlas.map(), length, &weights)))
    }

    fn budget(&self) -> u32 {
        self.budget.unwrap_or(Settings::default().budget)
    }
}
