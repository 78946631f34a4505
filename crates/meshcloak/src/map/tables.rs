//! The flat arrays a map consists of, and the check that they fit together.
//!
//! Whoever stores a map writes these and gives them back to [`StreetMap::from_tables`].
//!
//! [`StreetMap::from_tables`]: super::StreetMap::from_tables

use super::{Frame, Grid, Poi, Street, StreetId, Texts};
use crate::units::{Length, Point};

/// Everything a map is made of, as arrays indexed by id.
#[derive(Clone, Debug, PartialEq)]
pub struct Tables {
    /// Where each terminal is.
    pub terminals: Vec<Point>,
    /// The terminals' ids in the map's own words.
    pub terminal_labels: Texts,
    /// Ends, length and direction of each street.
    pub streets: Vec<Street>,
    /// The streets' ids in the map's own words.
    pub street_labels: Texts,
    /// Unrounded length of each street.
    pub street_metres: Vec<f64>,
    /// Where the shape of each street begins in `shape_points`; one more than there are streets.
    pub shape_starts: Vec<u32>,
    /// The points of all shapes, terminals included.
    pub shape_points: Vec<Point>,
    /// Names of streets and points of interest; row 0 is empty.
    pub names: Texts,
    /// Classes of streets; row 0 is empty.
    pub classes: Texts,
    /// Categories of points of interest; row 0 is empty.
    pub categories: Texts,
    /// The points of interest.
    pub pois: Vec<Poi>,
    /// Their ids in the map's own words.
    pub poi_labels: Texts,
    /// Where on Earth the map lies.
    pub frame: Option<Frame>,
    /// Which pieces of street pass through which square.
    pub grid: Grid,
}

/// Which table does not fit the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the table of {0} does not fit the rest of the map")]
pub struct TablesError(pub &'static str);

impl Tables {
    /// The points a street runs through.
    pub(super) fn shape(&self, street: StreetId) -> &[Point] {
        let run = &self.shape_starts[street.index()..street.index() + 2];
        &self.shape_points[run[0] as usize..run[1] as usize]
    }

    /// Whether every row points at rows that exist and every number is in its range.
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

/// Whether `fits` holds for every row. Looks at all of them without a branch, which is many times
/// faster than stopping at the first that does not: tables that do not fit are rare.
fn every<T>(rows: &[T], fits: impl Fn(&T) -> bool) -> bool {
    rows.iter().fold(true, |all, row| all & fits(row))
}

fn is_finite(point: &Point) -> bool {
    point.x.is_finite() & point.y.is_finite()
}
