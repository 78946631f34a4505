//! Which scheme cloaks, and what can be chosen about it: the arguments that belong to MeshCloak
//! are refused beside another scheme, for it would not follow them.

use super::options::{CoverageArg, GuaranteeArg, PipelineArg, RegionArg, spelt};
use anyhow::{Context as _, Result, bail};
use clap::Args;
use clap::builder::PossibleValuesParser;
use meshcloak::distance::Atlas;
use meshcloak::mesh_cloak::{MeshCloak, Settings};
use meshcloak::printed::Printed;
use meshcloak::scheme::Scheme;
use serde_json::Value;
use std::sync::Arc;

/// The scheme and its settings.
#[derive(Debug, Args)]
pub struct SchemeArgs {
    /// Who cloaks: MeshCloak or one of its rivals.
    #[arg(long, value_name = "NAME", default_value = OURS,
          value_parser = PossibleValuesParser::new(baselines::names()))]
    scheme: String,
    /// What is promised to whom [default: paper].
    #[arg(long, value_enum)]
    guarantee: Option<GuaranteeArg>,
    /// How the answer is found; both give the same [default: fast].
    #[arg(long, value_enum)]
    pipeline: Option<PipelineArg>,
    /// When two people count as within reach of each other [default: own].
    #[arg(long, value_enum)]
    coverage: Option<CoverageArg>,
    /// Which streets the service is asked about [default: reach].
    #[arg(long, value_enum)]
    region: Option<RegionArg>,
    /// Steps that the search for the cliques of one query may take [default: 20000].
    #[arg(long, value_name = "STEPS", value_parser = clap::value_parser!(u32).range(1..))]
    budget: Option<u32>,
}

const OURS: &str = "meshcloak";

impl SchemeArgs {
    /// Refuses settings that the scheme would not follow.
    pub fn check(&self) -> Result<()> {
        let given = [
            ("--guarantee", self.guarantee.is_some()),
            ("--pipeline", self.pipeline.is_some()),
            ("--coverage", self.coverage.is_some()),
            ("--region", self.region.is_some()),
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
    pub fn make(&self, atlas: &Arc<Atlas>) -> Result<Box<dyn Scheme>> {
        if self.scheme != OURS {
            return baselines::by_name(atlas, &self.scheme).context("no scheme of that name");
        }
        let GuaranteeArg::Paper = self.guarantee();
        let settings = Settings {
            coverage: self.coverage().into(),
            mesh: self.region().into(),
            budget: self.budget(),
        };
        Ok(match self.pipeline() {
            PipelineArg::Fast => Box::new(MeshCloak::new(Arc::clone(atlas), settings)),
            PipelineArg::Printed => Box::new(Printed::new(Arc::clone(atlas), settings)),
        })
    }

    /// What was chosen, by name.
    pub fn settings(&self) -> Vec<(&'static str, Value)> {
        let mut settings = vec![("scheme", self.scheme.clone().into())];
        if self.scheme == OURS {
            settings.extend([
                ("guarantee", spelt(&self.guarantee()).into()),
                ("pipeline", spelt(&self.pipeline()).into()),
                ("coverage", spelt(&self.coverage()).into()),
                ("region", spelt(&self.region()).into()),
                ("budget", self.budget().into()),
            ]);
        }
        settings
    }

    /// The name of the scheme.
    pub fn name(&self) -> &str {
        &self.scheme
    }

    fn guarantee(&self) -> GuaranteeArg {
        self.guarantee.unwrap_or(GuaranteeArg::Paper)
    }

    fn pipeline(&self) -> PipelineArg {
        self.pipeline.unwrap_or(PipelineArg::Fast)
    }

    fn coverage(&self) -> CoverageArg {
        self.coverage.unwrap_or(CoverageArg::Own)
    }

    fn region(&self) -> RegionArg {
        self.region.unwrap_or(RegionArg::Reach)
    }

    fn budget(&self) -> u32 {
        self.budget.unwrap_or(Settings::default().budget)
    }
}
