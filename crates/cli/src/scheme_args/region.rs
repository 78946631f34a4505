//! Which streets the service is asked about: arguments that every command shares which cloaks.

use super::options::spelt;
use anyhow::{Result, bail};
use clap::{Args, ValueEnum};
use meshcloak::cells::CellRule;
use meshcloak::mesh::MeshRule;
use meshcloak::mesh_cloak::RegionRule;
use meshcloak::units::Length;
use serde_json::Value;

/// Which streets the service is asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum RegionArg {
    /// Every street that a member can reach.
    Reach,
    /// Algorithm 3 to the letter, which misses some.
    Printed,
    /// The members' cells: a fixed partition of the streets into connected cells.
    Cells,
}

/// The region and what can be chosen about it.
#[derive(Debug, Args)]
pub struct RegionArgs {
    /// Which streets the service is asked about [default: reach].
    #[arg(long, value_enum)]
    region: Option<RegionArg>,
    /// How long a cell is, about [default: 1200].
    #[arg(long, value_name = "METRES", value_parser = cell_length)]
    cell_length: Option<Length>,
    /// How many cells a region has at least; neighbours of the members' cells make up for what is
    /// missing [default: 1].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    min_cells: Option<u32>,
}

impl RegionArgs {
    /// Refuses settings that the region would not follow.
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

    /// The arguments that were given, by name.
    pub fn given(&self) -> Option<&'static str> {
        let cells = self.cell_length.is_some() || self.min_cells.is_some();
        (self.region.is_some() || cells).then_some("--region")
    }

    /// Whether regions are made of cells.
    pub fn is_cells(&self) -> bool {
        self.region == Some(RegionArg::Cells)
    }

    /// What was chosen.
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

    /// What was chosen, by name.
    pub fn settings(&self) -> Vec<(&'static str, Value)> {
        let mut settings: Vec<(&str, Value)> =
            vec![("region", spelt(&self.region.unwrap_or(RegionArg::Reach)).into())];
        if self.is_cells() {
            let CellRule { length, min_cells } = self.cells();
            settings.push(("cell_length", length.as_metres().into()));
            settings.push(("min_cells", min_cells.into()));
        }
        settings
    }
}

/// Metres from 1.
pub fn cell_length(text: &str) -> Result<Length, String> {
    match text.parse::<f64>() {
        Ok(metres) if (1.0..=1e6).contains(&metres) => Ok(Length::metres(metres)),
        _ => Err("expected metres from 1 to 1000000".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_asked_for_by_length_and_number() {
        assert_eq!(cell_length("600"), Ok(Length::metres(600.0)));
        for bad in ["0", "0.5", "-1", "nan", "1e7", "long"] {
            assert!(cell_length(bad).is_err(), "{bad}");
        }
        let (region, cell_length) = (Some(RegionArg::Cells), Some(Length::metres(600.0)));
        let cells = RegionArgs { region, cell_length, min_cells: None };
        assert!(cells.check().is_ok());
        let rule = CellRule { length: Length::metres(600.0), min_cells: 1 };
        assert_eq!(cells.rule(), RegionRule::Cells(rule));
        assert!(RegionArgs { region: None, ..cells }.check().is_err());
    }
}
