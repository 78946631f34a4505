//! Settings of MeshCloak.

use crate::constraint_graph::Coverage;
use crate::group_cloak::Hold;
use crate::guarantee::{DEFAULT_HORIZON, Guarantee, HistoryClock};
use crate::history::Horizon;
use crate::presence::PresenceRule;
use crate::region_builder::RegionRule;

/// Settings of MeshCloak. The default is `reciprocal`, checked by the guard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Properties of published sets.
    pub guarantee: Guarantee,
    /// Rule for pairs within the distance constraint.
    pub coverage: Coverage,
    /// How the region of a set is built.
    pub region: RegionRule,
    /// Step limit of each clique search; results stay deterministic.
    pub budget: u32,
    /// Whether sets in crowds are as large as needed (docs/SPEC.md §6, "Crowds"), which keeps the cost
    /// per query nearly constant; else searches are limited by `budget` alone.
    pub crowds: bool,
    /// How long `history` remembers a user's last position.
    pub horizon: Horizon,
    /// What the adversary of `history` knows of time.
    pub history_clock: HistoryClock,
    /// Whether `reciprocal` and `history` may defer sets; `None` publishes at once.
    pub hold: Option<Hold>,
    /// Whether `reciprocal` and `history` meet every `k` also without the members of any one other
    /// account ([`State::accounts`](crate::scheme::State::accounts)): an account can invent users.
    pub across_accounts: bool,
    /// How presence reports count towards `k` under `reciprocal` and `history`.
    pub presence: PresenceRule,
}

impl Settings {
    /// The settings of the paper: overlapping sets, which the guard does not check.
    pub fn paper() -> Settings {
        Settings { guarantee: Guarantee::Paper, ..Settings::default() }
    }

    /// Returns label and summary of the scheme with these settings.
    pub(crate) fn label_and_summary(&self) -> (&'static str, &'static str) {
        let regions = match self.region {
            RegionRule::Mesh(_) => 0,
            RegionRule::Cells(_) => 1,
            RegionRule::Cell(_) => 2,
        };
        let labels = match self.guarantee {
            Guarantee::Reciprocal => [
                ("MeshCloak, reciprocal", "Disjoint sets; all members publish the same mesh."),
                ("MeshCloak, cells", "Reciprocal; the region is a union of fixed cells."),
                ("MeshCloak, cell", "Reciprocal; a set lies in one fixed cell, its region."),
            ],
            Guarantee::History => [
                ("MeshCloak, history", "Reciprocal; also safe against a known previous position."),
                ("MeshCloak, history, cells", "History; the region is a union of fixed cells."),
                ("MeshCloak, history, cell", "History; a set lies in one fixed cell, its region."),
            ],
            Guarantee::Paper => [
                ("MeshCloak, as printed", "Each query takes a largest clique; sets overlap."),
                ("MeshCloak, as printed, cells", "Printed; the region is a union of fixed cells."),
                ("MeshCloak, as printed, cell", "Printed; a set lies in one fixed cell."),
            ],
        };
        labels[regions]
    }
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            guarantee: Guarantee::Reciprocal,
            coverage: Coverage::Own,
            region: RegionRule::default(),
            budget: 20_000,
            crowds: true,
            horizon: DEFAULT_HORIZON.into(),
            history_clock: HistoryClock::Asked,
            hold: None,
            across_accounts: false,
            presence: PresenceRule::default(),
        }
    }
}
