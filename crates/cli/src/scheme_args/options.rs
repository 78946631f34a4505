//! How the settings of MeshCloak are spelt.

use clap::ValueEnum;
use meshcloak::constraint_graph::Coverage;
use meshcloak::guarantee::Guarantee;

/// What is promised to whom (SPEC §6).
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum GuaranteeArg {
    /// Algorithm 4 as printed: each takes a largest clique of her own; sets may overlap.
    Paper,
    /// Disjoint sets in which every k is met; all members show the same region.
    Reciprocal,
    /// And enough members of each set can have come from where each of them was before; needs
    /// `speed` with every query.
    History,
}

/// How the answer is found; both give the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PipelineArg {
    /// The fastest way.
    Fast,
    /// Step by step as the paper describes it.
    Printed,
}

/// When two people count as within reach of each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CoverageArg {
    /// Each within her own constraint (Algorithm 2).
    Own,
    /// Both distances within both constraints (§III-D).
    Both,
}

impl From<GuaranteeArg> for Guarantee {
    fn from(argument: GuaranteeArg) -> Guarantee {
        match argument {
            GuaranteeArg::Paper => Guarantee::Paper,
            GuaranteeArg::Reciprocal => Guarantee::Reciprocal,
            GuaranteeArg::History => Guarantee::History,
        }
    }
}

impl From<CoverageArg> for Coverage {
    fn from(argument: CoverageArg) -> Coverage {
        match argument {
            CoverageArg::Own => Coverage::Own,
            CoverageArg::Both => Coverage::Both,
        }
    }
}

/// An argument as it is spelt.
pub fn spelt(argument: &impl ValueEnum) -> String {
    let value = argument.to_possible_value().expect("no value is hidden");
    value.get_name().to_owned()
}
