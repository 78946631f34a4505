//! The public map of requirements: drawn at random, or read from a file of sensitive places.

use super::grid::{Cell, CellGrid, CellRectangle};
use import::SensitivePlace;
use meshcloak::mix::mix64;
use meshcloak::units::Point;

/// Largest number of different factors: each has a table of cells.
const MAX_FACTORS: usize = 16;

/// Where the sensitive cells come from.
#[derive(Clone, Debug, PartialEq)]
pub enum SensitiveCells {
    /// Drawn.
    Drawn {
        /// Share of sensitive cells, 0 to 1.
        share: f64,
        /// Factor by which a sensitive cell raises k.
        factor: u32,
        /// Random seed.
        seed: u64,
    },
    /// All cells that a place touches; of several factors the largest counts.
    Places(Vec<SensitivePlace>),
}

impl SensitiveCells {
    /// Returns the factor of each cell.
    ///
    /// # Errors
    /// If no place is on the map, or the places have too many different factors.
    pub(super) fn factors(&self, cells: &CellGrid) -> Result<Vec<u32>, String> {
        match self {
            &SensitiveCells::Drawn { share, factor, seed } => {
                let threshold = share * 2.0_f64.powi(53);
                let draw = |number: u64| (mix64(mix64(seed) ^ number) >> 11) as f64;
                let numbers = 0..(cells.columns * cells.rows) as u64;
                let factor = |number| if draw(number) < threshold { factor } else { 1 };
                Ok(numbers.map(factor).collect())
            }
            SensitiveCells::Places(places) => of_places(cells, places),
        }
    }
}

fn of_places(cells: &CellGrid, places: &[SensitivePlace]) -> Result<Vec<u32>, String> {
    let mut factors = vec![1; cells.columns * cells.rows];
    let (mut is_on_map, mut values) = (false, Vec::new());
    for place in places {
        for cell in touched(cells, place) {
            let factor = &mut factors[cells.number(cell)];
            *factor = place.factor.max(*factor);
            is_on_map = true;
        }
        if place.factor > 1 && !values.contains(&place.factor) {
            values.push(place.factor);
        }
    }
    if !is_on_map {
        return Err(format!("none of its {} places is on the map", places.len()));
    }
    if values.len() > MAX_FACTORS {
        return Err(format!("it has {} factors; expected at most {MAX_FACTORS}", values.len()));
    }
    Ok(factors)
}

/// Cells within the radius of a place.
fn touched(cells: &CellGrid, place: &SensitivePlace) -> impl Iterator<Item = Cell> {
    let &SensitivePlace { point, radius, .. } = place;
    let min = cells.cell(Point::new(point.x - radius, point.y - radius));
    let max = cells.cell(Point::new(point.x + radius, point.y + radius));
    let rows = min.row..=max.row;
    let all =
        rows.flat_map(move |row| (min.column..=max.column).map(move |column| Cell { column, row }));
    all.filter(move |&cell| {
        let nearest = cells.rectangle(CellRectangle { min: cell, max: cell }).nearest(point);
        nearest.distance(point) <= radius
    })
}
