//! Content of a map by square cells: objects and bytes of each.

use meshcloak::map::{PoiId, StreetMap};
use meshcloak::units::{Point, Rectangle};
use std::ops::RangeInclusive;

/// Largest number of cells of a grid.
const MAX_CELLS: f64 = 4_000_000.0;

/// Square cells over the extent of a map.
#[derive(Clone, Debug)]
pub struct ContentGrid {
    bounds: Rectangle,
    size: f64,
    columns: u32,
    rows: u32,
    /// Objects of each cell.
    objects: Vec<Vec<PoiId>>,
    /// Bytes of each cell.
    bytes: Vec<u64>,
}

/// The cells of a grid are too small for the map.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("cells of {size} m divide the map into more than 4,000,000; use larger cells")]
pub struct GridTooFine {
    size: f64,
}

/// Sizes of answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AnswerSize {
    /// Bytes of an answer without objects.
    pub empty: u64,
    /// Bytes of an object; `None`: those of its JSON text.
    pub object: Option<u64>,
}

impl AnswerSize {
    /// Bytes of an object in an answer.
    pub fn object(&self, map: &StreetMap, poi: PoiId) -> u64 {
        self.object.unwrap_or_else(|| {
            let Point { x, y } = map.poi(poi).point;
            let position = match map.frame() {
                Some(frame) => {
                    let lon_lat = frame.lon_lat(Point::new(x, y));
                    format!("\"lon\":{:.6},\"lat\":{:.6}", lon_lat.lon, lon_lat.lat)
                }
                None => format!("\"x\":{x:.1},\"y\":{y:.1}"),
            };
            let id = map.poi_label(poi).unwrap_or_default();
            let (name, category) = (map.poi_name(poi).unwrap_or_default(), map.category(poi));
            let text = format!(
                "{{\"id\":\"{id}\",\"name\":\"{name}\",\"category\":\"{category}\",{position}}},"
            );
            text.len() as u64
        })
    }
}

impl ContentGrid {
    /// Divides the extent of a map and its points of interest into cells of `size` metres.
    ///
    /// # Errors
    /// [`GridTooFine`] if there were more than four million cells.
    pub fn new(map: &StreetMap, size: f64, answer: AnswerSize) -> Result<ContentGrid, GridTooFine> {
        let streets = map.bounds();
        let pois = map.pois().map(|poi| map.poi(poi).point);
        let bounds = Rectangle::around([streets.min, streets.max].into_iter().chain(pois))
            .unwrap_or(streets);
        let count = |length: f64| (length / size).floor() + 1.0;
        let (columns, rows) = (count(bounds.width()), count(bounds.height()));
        if columns * rows > MAX_CELLS {
            return Err(GridTooFine { size });
        }
        let (columns, rows) = (columns as u32, rows as u32);
        let cells = (columns * rows) as usize;
        let mut grid = ContentGrid {
            bounds,
            size,
            columns,
            rows,
            objects: vec![Vec::new(); cells],
            bytes: vec![answer.empty; cells],
        };
        for poi in map.pois() {
            let cell = grid.cell(map.poi(poi).point) as usize;
            grid.objects[cell].push(poi);
            grid.bytes[cell] += answer.object(map, poi);
        }
        Ok(grid)
    }

    /// Number of cells.
    pub fn count(&self) -> usize {
        self.objects.len()
    }

    /// Area of a cell in square metres.
    pub fn cell_area(&self) -> f64 {
        self.size * self.size
    }

    /// Objects of a cell.
    pub fn objects(&self, cell: u32) -> &[PoiId] {
        &self.objects[cell as usize]
    }

    /// Bytes of a cell.
    pub fn bytes(&self, cell: u32) -> u64 {
        self.bytes[cell as usize]
    }

    /// Cell of a point; points outside belong to the nearest cell.
    pub fn cell(&self, point: Point) -> u32 {
        let (column, row) = self.place(point);
        row * self.columns + column
    }

    fn place(&self, point: Point) -> (u32, u32) {
        let index = |offset: f64, count: u32| {
            // Negative numbers become 0.
            ((offset / self.size).floor() as u32).min(count - 1)
        };
        let min = self.bounds.min;
        (index(point.x - min.x, self.columns), index(point.y - min.y, self.rows))
    }

    /// Cells that a disc meets, ascending.
    pub fn within(&self, centre: Point, radius: f64) -> impl Iterator<Item = u32> {
        let corner =
            |sign: f64| self.place(Point::new(centre.x + sign * radius, centre.y + sign * radius));
        let (low, high) = (corner(-1.0), corner(1.0));
        let rows: RangeInclusive<u32> = low.1..=high.1;
        let cells = rows.flat_map(move |row| (low.0..=high.0).map(move |column| (column, row)));
        let meets = move |&(column, row): &(u32, u32)| {
            self.rectangle(column, row).nearest(centre).distance(centre) <= radius
        };
        cells.filter(meets).map(|(column, row)| row * self.columns + column)
    }

    fn rectangle(&self, column: u32, row: u32) -> Rectangle {
        let at = |column: f64, row: f64| {
            let min = self.bounds.min;
            Point::new(min.x + column * self.size, min.y + row * self.size)
        };
        let (column, row) = (f64::from(column), f64::from(row));
        Rectangle { min: at(column, row), max: at(column + 1.0, row + 1.0) }
    }
}
