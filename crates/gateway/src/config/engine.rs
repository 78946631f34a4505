//! Settings of batches and of the guarantee.

use super::parse::{constraint, metres, one_of, path, seconds, whole};
use super::setting::Setting;
use super::settings::setting;
use crate::receipt::guarantee_name;
use meshcloak::cells::{DEFAULT_CELL_LENGTH, DEFAULT_CELLS_LENGTH};
use meshcloak::guarantee::{Guarantee, HistoryClock};
use meshcloak::history::Horizon;
use meshcloak::mesh_cloak::RegionRule;
use meshcloak::units::Length;
use std::path::PathBuf;
use std::time::Duration;

/// Batches and guarantee.
#[derive(Clone, Debug, PartialEq)]
pub struct EngineConfig {
    /// Time between two batches.
    pub tick: Duration,
    /// Privacy guarantee.
    pub guarantee: Guarantee,
    /// Region sent to the service, with the default length of its cells.
    pub region: RegionRule,
    /// Length of cells; `None` is the default of the region.
    pub cell_length: Option<Length>,
    /// How long `history` remembers a user's last position.
    pub horizon: Duration,
    /// Distance that a user can travel before the last position is forgotten; zero: the time alone
    /// decides.
    pub horizon_distance: Length,
    /// What the adversary of `history` knows of time.
    pub history_clock: HistoryClock,
    /// Range of the prepared distance tables.
    pub dc_max: Length,
    /// Whether every k is met without the members of any one other account.
    pub across_accounts: bool,
    /// Largest number of queries in progress.
    pub queue: usize,
    /// Treatment of users after a start under `history`.
    pub after_start: AfterStart,
    /// File of hashes of served users; `None` stores none.
    pub record: Option<PathBuf>,
}

/// Treatment of users after a start under `history`, when no previous position is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AfterStart {
    /// Users served by an earlier process are refused for one horizon.
    Refuse,
    /// All users are new.
    New,
}

impl Default for EngineConfig {
    fn default() -> EngineConfig {
        EngineConfig {
            tick: Duration::from_secs(1),
            guarantee: Guarantee::Reciprocal,
            region: RegionRule::Cell(DEFAULT_CELL_LENGTH),
            cell_length: None,
            horizon: meshcloak::guarantee::DEFAULT_HORIZON,
            horizon_distance: Length::ZERO,
            history_clock: HistoryClock::Asked,
            dc_max: Length::metres(2000.0),
            across_accounts: false,
            queue: 200_000,
            after_start: AfterStart::Refuse,
            record: Some(PathBuf::from("served.record")),
        }
    }
}

impl EngineConfig {
    /// Returns how long `history` remembers a user's last position, by speed.
    pub fn horizon_rule(&self) -> Horizon {
        Horizon { time: self.horizon, distance: self.horizon_distance }
    }

    /// Returns the region sent to the service, with the configured length of cells.
    pub fn region_rule(&self) -> RegionRule {
        match (self.region, self.cell_length) {
            (RegionRule::Cells(_), Some(length)) => RegionRule::Cells(length),
            (RegionRule::Cell(_), Some(length)) => RegionRule::Cell(length),
            (region, _) => region,
        }
    }
}

/// Settings of this section.
pub(super) const SETTINGS: &[Setting] = &[
    setting!("engine.tick", "1", "Time between two batches in seconds, 0.1 to 60.", |c, text| {
        c.engine.tick = seconds(text, 0.1..=60.0)?;
    }),
    setting!(
        "engine.guarantee",
        "\"reciprocal\"",
        "Privacy guarantee: reciprocal, history, or paper (demo only).",
        |c, text| {
            let values = [Guarantee::Reciprocal, Guarantee::History, Guarantee::Paper];
            let words = values.map(|guarantee| (guarantee_name(guarantee), guarantee));
            c.engine.guarantee = one_of(text, &words)?;
        }
    ),
    setting!(
        "engine.region",
        "\"cell\"",
        "Region sent to the service: cell (a set lies in one fixed cell, which is the region), cells (the fixed cells of the members), or reach (streets that members can reach, as in the paper).",
        |c, text| {
            let cells = RegionRule::Cells(DEFAULT_CELLS_LENGTH);
            let regions = [RegionRule::default(), cells, RegionRule::Cell(DEFAULT_CELL_LENGTH)];
            c.engine.region = one_of(text, &regions.map(|region| (region.name(), region)))?;
        }
    ),
    setting!(
        "engine.cell_length",
        "0",
        "Street length of a cell in metres, 100 to 1000000, for the regions cells and cell; 0 is 1200 for cells and 3000 for cell.",
        |c, text| {
            c.engine.cell_length = match metres(text, 0.0..=1e6)? {
                0.0 => None,
                short if short < 100.0 => return Err("0, or a number from 100 to 1000000".into()),
                length => Some(Length::metres(length)),
            };
        }
    ),
    setting!(
        "engine.horizon",
        "600",
        "How long the history guarantee remembers a user's last position, in seconds, 1 to 86400.",
        |c, text| c.engine.horizon = seconds(text, 1.0..=86_400.0)?
    ),
    setting!(
        "engine.horizon_distance",
        "0",
        "Slow users are remembered until they can have travelled so far, in metres, 0 to 100000, for at most 4 hours; 0: for engine.horizon.",
        |c, text| c.engine.horizon_distance = Length::metres_down(metres(text, 0.0..=100_000.0)?)
    ),
    setting!(
        "engine.history_clock",
        "\"asked\"",
        "What the adversary of history knows of time: asked (when each user asked), or published (when a set is published; standing questions then wait at random).",
        |c, text| {
            let words = [("asked", HistoryClock::Asked), ("published", HistoryClock::Published)];
            c.engine.history_clock = one_of(text, &words)?;
        }
    ),
    setting!(
        "engine.after_start",
        "\"refuse\"",
        "Under history after a start, users served before, or all without a complete record, are refused for one horizon (refuse) or treated as new (new).",
        |c, text| {
            let words = [("refuse", AfterStart::Refuse), ("new", AfterStart::New)];
            c.engine.after_start = one_of(text, &words)?;
        }
    ),
    setting!(
        "engine.record",
        "\"served.record\"",
        "File of hashes of the users served under history; \"\" stores none, and all users are refused after a start.",
        |c, text| c.engine.record = path(text)
    ),
    setting!(
        "engine.dc_max",
        "2000",
        "Range of the prepared distance tables in metres, above 0; limits.dc_max cannot exceed it.",
        |c, text| c.engine.dc_max = constraint(text)?
    ),
    setting!(
        "engine.across_accounts",
        "false",
        "Whether every k is also met without the users of any one other account: true or false.",
        |c, text| c.engine.across_accounts = one_of(text, &[("true", true), ("false", false)])?
    ),
    setting!(
        "engine.queue",
        "200000",
        "Largest number of queries in progress, 1 to 10000000; further ones are refused as busy.",
        |c, text| c.engine.queue = whole(text, 1..=10_000_000)?
    ),
];
