//! Arguments that choose the region about which the service is asked.

use super::options::value_name;
use crate::parse::cell_length;
use anyhow::{Result, bail};
use clap::{Args, ValueEnum};
use meshcloak::cells::CellRule;
use meshcloak::mesh::MeshRule;
use meshcloak::mesh_cloak::RegionRule;
use meshcloak::units::Length;
use serde_json::Value;

/// Region about which the service is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum RegionArg {
    /// All streets that a member can reach within its distance constraint.
    Reach,
    /// Algorithm 3 as printed, which misses some of these streets.
    Printed,
    /// The cells of the members: a fixed partition of the streets into connected cells.
    Cells,
}

/// Region and its settings.
#[derive(Debug, Args)]
pub struct RegionArgs {
    /// Region about which the service is asked [default: reach].
    #[arg(long, value_enum)]
    region: Option<RegionArg>,
    /// Approximate street length of a cell, in metres from 1 [default: 1200].
    #[arg(long, value_name = "METRES", value_parser = cell_length)]
    cell_length: Option<Length>,
    /// Smallest number of cells of a region, 1 to 10000; adjacent cells are added [default: 1].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    min_cells: Option<u32>,
}

impl RegionArgs {
    /// Rejects settings that would have no effect.
    pub fn check(&self) -> Result<()> {
        let given = [
            ("--cell-length", self.cell_length.is_some()),
            ("--min-cells", self.min_cells.is_some()),
        ];
        match given.into_iter().find(|(_, given)| *given) {
            Some((name, _)) if !self.is_cells() => bail!("{name} needs --region cells"),
            _ => Ok(()),
        }
    }

    /// Whether any of these arguments is given.
    pub fn is_given(&self) -> bool {
        let cells = self.cell_length.is_some() || self.min_cells.is_some();
        self.region.is_some() || cells
    }

    /// Whether regions consist of cells.
    pub fn is_cells(&self) -> bool {
        self.region == Some(RegionArg::Cells)
    }

    /// Returns the region rule.
    pub fn rule(&self) -> RegionRule {
        match self.region.unwrap_or(RegionArg::Reach) {
            RegionArg::Reach => RegionRule::Mesh(MeshRule::Reach),
            RegionArg::Printed => RegionRule::Mesh(MeshRule::Printed),
            RegionArg::Cells => RegionRule::Cells(self.cells()),
        }
    }

    fn cells(&self) -> CellRule {
        let CellRule { length, min_cells } = CellRule::default();
        CellRule {
            length: self.cell_length.unwrap_or(length),
            min_cells: self.min_cells.unwrap_or(min_cells),
        }
    }

    /// Returns the settings in effect, by name.
    pub fn settings(&self) -> Vec<(&'static str, Value)> {
        let mut settings: Vec<(&str, Value)> =
            vec![("region", value_name(&self.region.unwrap_or(RegionArg::Reach)).into())];
        if self.is_cells() {
            let CellRule { length, min_cells } = self.cells();
            settings.push(("cell_length", length.as_metres().into()));
            settings.push(("min_cells", min_cells.into()));
        }
        settings
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_of_cells_require_cells() {
        let (region, cell_length) = (Some(RegionArg::Cells), Some(Length::metres(600.0)));
        let cells = RegionArgs { region, cell_length, min_cells: None };
        assert!(cells.check().is_ok());
        let rule = CellRule { length: Length::metres(600.0), min_cells: 1 };
        assert_eq!(cells.rule(), RegionRule::Cells(rule));
        assert!(RegionArgs { region: None, ..cells }.check().is_err());
    }
}
