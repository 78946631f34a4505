//! Values of the settings of MeshCloak.

use clap::ValueEnum;
use meshcloak::constraint_graph::Coverage;
use meshcloak::guarantee::{Guarantee, HistoryClock};

/// Privacy guarantee (docs/SPEC.md §6).
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum GuaranteeArg {
    /// Algorithm 4 as printed: a largest clique for each query; sets may overlap.
    Paper,
    /// Disjoint sets that satisfy the k of all members; all publish the same region.
    Reciprocal,
    /// Reciprocal, also against an adversary who knows the past positions of users; requires
    /// `speed` in each query.
    History,
}

/// What the adversary of `history` knows of time (docs/SPEC.md §6).
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum HistoryClockArg {
    /// When each member asked; the past is the last accepted query.
    Asked,
    /// The time of publication only; the past is the last published query.
    Published,
}

impl From<HistoryClockArg> for HistoryClock {
    fn from(argument: HistoryClockArg) -> HistoryClock {
        match argument {
            HistoryClockArg::Asked => HistoryClock::Asked,
            HistoryClockArg::Published => HistoryClock::Published,
        }
    }
}

/// Implementation of the scheme.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PipelineArg {
    /// Optimised implementation.
    Fast,
    /// The algorithms of the paper, step by step.
    Printed,
}

/// Condition for an edge between two queries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CoverageArg {
    /// Each distance within the constraint of the query it starts from (Algorithm 2).
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

/// Returns the name of a value on the command line.
pub fn value_name(argument: &impl ValueEnum) -> String {
    let value = argument.to_possible_value().expect("no value is skipped");
    value.get_name().to_owned()
}
