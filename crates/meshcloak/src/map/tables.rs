//! The flat arrays of a map and their consistency check.
//!
//! A stored map consists of these arrays; [`StreetMap::from_tables`] restores it.
//!
//! [`StreetMap::from_tables`]: super::StreetMap::from_tables

use super::{Frame, Grid, Poi, Street, StreetId, Texts};
use crate::units::{Length, Point};

/// All data of a map, as arrays indexed by id.
#[derive(Clone, Debug, PartialEq)]
pub struct Tables {
    /// Coordinates of terminals.
    pub terminals: Vec<Point>,
    /// Ids of terminals in the source.
    pub terminal_labels: Texts,
    /// Ends, length and direction of streets.
    pub streets: Vec<Street>,
    /// Ids of streets in the source.
    pub street_labels: Texts,
    /// Unrounded lengths of streets, in metres.
    pub street_metres: Vec<f64>,
    /// Start of each street's shape in `shape_points`; length is the number of streets + 1.
    pub shape_starts: Vec<u32>,
    /// Points of all shapes, including terminals.
    pub shape_points: Vec<Point>,
    /// Names of streets and points of interest; row 0 is empty.
    pub names: Texts,
    /// Classes of streets; row 0 is empty.
    pub classes: Texts,
    /// Categories of points of interest; row 0 is empty.
    pub categories: Texts,
    /// Points of interest.
    pub pois: Vec<Poi>,
    /// Ids of points of interest in the source.
    pub poi_labels: Texts,
    /// Geographic frame.
    pub frame: Option<Frame>,
    /// Spatial index of street segments.
    pub grid: Grid,
}

/// Inconsistent tables; names the first table that failed the check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the table of {0} is inconsistent with the rest of the map")]
pub struct TablesError(pub &'static str);

impl Tables {
    /// Returns the points of a street.
    pub(super) fn shape(&self, street: StreetId) -> &[Point] {
        let run = &self.shape_starts[street.index()..street.index() + 2];
        &self.shape_points[run[0] as usize..run[1] as usize]
    }

    /// Checks that all references exist and all numbers are in range.
    pub(super) fn check(&self) -> Result<(), TablesError> {
        let (shapes, (grid, (terminals, (streets, pois)))) = rayon::join(
            || self.shapes_fit(),
            || {
                rayon::join(
                    || self.grid_fits(),
                    || (self.terminals_fit(), (self.streets_fit(), self.pois_fit())),
                )
            },
        );
        let checks = [
            ("terminals", terminals),
            ("street shapes", shapes),
            ("streets", streets),
            ("points of interest", pois),
            ("grid cells", grid),
        ];
        match checks.iter().find(|(_, fits)| !fits) {
            Some(&(table, _)) => Err(TablesError(table)),
            None => Ok(()),
        }
    }

    fn terminals_fit(&self) -> bool {
        self.terminals.len() == self.terminal_labels.len()
            && u32::try_from(self.terminals.len()).is_ok()
            && every(&self.terminals, is_finite)
    }

    fn shapes_fit(&self) -> bool {
        self.shape_starts.first() == Some(&0)
            && self.shape_starts.last().map(|&end| end as usize) == Some(self.shape_points.len())
            && self.shape_starts.windows(2).all(|run| run[0] < run[1] && run[1] - run[0] >= 2)
            && every(&self.shape_points, is_finite)
    }

    fn streets_fit(&self) -> bool {
        let terminals = self.terminals.len();
        !self.streets.is_empty()
            && self.streets.len() + 1 == self.shape_starts.len()
            && self.streets.len() == self.street_labels.len()
            && self.streets.len() == self.street_metres.len()
            && every(&self.street_metres, |metres| (*metres >= 0.0) & metres.is_finite())
            && every(&self.streets, |street| {
                (street.from.index() < terminals)
                    & (street.to.index() < terminals)
                    & (street.length > Length::ZERO)
                    & ((street.name as usize) < self.names.len())
                    & (usize::from(street.class) < self.classes.len())
            })
    }

    fn pois_fit(&self) -> bool {
        self.pois.len() == self.poi_labels.len()
            && u32::try_from(self.pois.len()).is_ok()
            && self.pois.iter().all(|poi| {
                let street = self.streets.get(poi.position.street.index());
                is_finite(&poi.point)
                    && street.is_some_and(|street| poi.position.offset <= street.length)
                    && (poi.name as usize) < self.names.len()
                    && usize::from(poi.category) < self.categories.len()
            })
    }

    fn grid_fits(&self) -> bool {
        let grid = &self.grid;
        let cells = u64::from(grid.columns) * u64::from(grid.rows);
        is_finite(&grid.corner)
            && grid.side.is_finite()
            && grid.side > 0.0
            && cells > 0
            && grid.starts.len() as u64 == cells + 1
            && grid.starts.first() == Some(&0)
            && grid.starts.is_sorted()
            && grid.starts.last().map(|&end| end as usize) == Some(grid.segments.len())
            && every(&grid.segments, |&s| (s as usize) + 1 < self.shape_points.len())
    }
}

/// Returns whether `fits` holds for every row. Evaluates all rows without branches, which is faster
/// than an early exit because inconsistent tables are rare.
fn every<T>(rows: &[T], fits: impl Fn(&T) -> bool) -> bool {
    rows.iter().fold(true, |all, row| all & fits(row))
}

fn is_finite(point: &Point) -> bool {
    point.x.is_finite() & point.y.is_finite()
}
