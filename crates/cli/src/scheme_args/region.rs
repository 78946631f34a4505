//! Arguments that choose the region about which the service is asked.

use super::options::value_name;
use crate::parse::cell_length;
use anyhow::{Result, bail};
use clap::{Args, ValueEnum};
use meshcloak::cells::{DEFAULT_CELL_LENGTH, DEFAULT_CELLS_LENGTH};
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
    /// One cell: an anonymity set lies in one cell of the partition, and the region is that cell.
    Cell,
}

impl RegionArg {
    /// Default length of cells, if the region has cells.
    pub fn default_cell_length(self) -> Option<Length> {
        match self {
            RegionArg::Reach | RegionArg::Printed => None,
            RegionArg::Cells => Some(DEFAULT_CELLS_LENGTH),
            RegionArg::Cell => Some(DEFAULT_CELL_LENGTH),
        }
    }
}

/// Region and its settings.
#[derive(Debug, Args)]
pub struct RegionArgs {
    /// Region about which the service is asked [default: reach].
    #[arg(long, value_enum)]
    region: Option<RegionArg>,
    /// Approximate street length of a cell, in metres from 1 [default: 1200; `--region cell`: 3000].
    #[arg(long, value_name = "METRES", value_parser = cell_length)]
    cell_length: Option<Length>,
}

impl RegionArgs {
    /// Rejects settings that would have no effect.
    pub fn check(&self) -> Result<()> {
        if self.cell_length.is_some() && !self.has_cells() {
            bail!("--cell-length needs --region cells or cell");
        }
        Ok(())
    }

    /// Whether any of these arguments is given.
    pub fn is_given(&self) -> bool {
        self.region.is_some() || self.cell_length.is_some()
    }

    /// Whether regions consist of cells.
    pub fn has_cells(&self) -> bool {
        self.region().default_cell_length().is_some()
    }

    fn region(&self) -> RegionArg {
        self.region.unwrap_or(RegionArg::Reach)
    }

    fn cell_length(&self, default: Length) -> Length {
        self.cell_length.unwrap_or(default)
    }

    /// Returns the region rule.
    pub fn rule(&self) -> RegionRule {
        match self.region() {
            RegionArg::Reach => RegionRule::Mesh(MeshRule::Reach),
            RegionArg::Printed => RegionRule::Mesh(MeshRule::Printed),
            RegionArg::Cells => RegionRule::Cells(self.cell_length(DEFAULT_CELLS_LENGTH)),
            RegionArg::Cell => RegionRule::Cell(self.cell_length(DEFAULT_CELL_LENGTH)),
        }
    }

    /// Returns the settings in effect, by name.
    pub fn settings(&self) -> Vec<(&'static str, Value)> {
        let rule = self.rule();
        let mut settings: Vec<(&str, Value)> = vec![("region", value_name(&self.region()).into())];
        settings
            .extend(rule.cell_length().map(|length| ("cell_length", length.as_metres().into())));
        settings
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_of_cells_require_cells() {
        let (region, cell_length) = (Some(RegionArg::Cells), Some(Length::metres(600.0)));
        let cells = RegionArgs { region, cell_length };
        assert!(cells.check().is_ok());
        assert_eq!(cells.rule(), RegionRule::Cells(Length::metres(600.0)));
        let cell = RegionArgs { region: Some(RegionArg::Cell), ..cells };
        assert!(cell.check().is_ok());
        assert_eq!(cell.rule(), RegionRule::Cell(Length::metres(600.0)));
        let cell = RegionArgs { cell_length: None, ..cell };
        assert_eq!(cell.rule(), RegionRule::Cell(Length::metres(3_000.0)));
        assert!(RegionArgs { region: None, cell_length }.check().is_err());
    }
}
