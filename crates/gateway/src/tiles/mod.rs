//! The street map as vector tiles, so that a page can draw any city smoothly and asks nobody else
//! for a map, and the shapes of streets by number, to light them. Both hold streets and points of
//! interest: nothing about people.

mod cache;
#[cfg(test)]
mod decode;
mod detail;
mod encode;
mod lines;
pub mod mercator;
mod routes;
mod shapes;
mod streets;
mod strokes;
mod view;

pub use routes::{MapInfo, routes};

use bytes::Bytes;
use cache::TileCache;
use detail::{CLOSE, CLOSEST, Detail, Shapes, side_of};
use encode::{LayerWriter, Value};
use flate2::{Compression, write::GzEncoder};
use lines::Window;
use meshcloak::distance::Atlas;
use meshcloak::map::{Frame, PoiId, StreetId, StreetMap};
use meshcloak::units::{Point, Rectangle};
use std::io::Write as _;
use std::sync::{Arc, Mutex, PoisonError};
use streets::Drawing;

/// Which tile: zoom, column from the west, row from the north.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TileId {
    /// How often the world was halved.
    pub z: u8,
    /// The column.
    pub x: u32,
    /// The row.
    pub y: u32,
}

/// A map ready to be cut into tiles.
#[derive(Debug)]
pub struct Tiles {
    atlas: Arc<Atlas>,
    frame: Frame,
    /// Points of all shapes in the square of the world, street by street.
    shapes: Vec<Point>,
    starts: Vec<u32>,
    /// Points of interest from west to east.
    pois: Vec<(Point, PoiId)>,
    world: Rectangle,
    detail: Detail,
    cache: Mutex<TileCache>,
}

/// Tiles are kept up to so many bytes.
const ROOM: usize = 32 << 20;

impl Tiles {
    /// The tiles of a map.
    pub fn new(atlas: Arc<Atlas>) -> Tiles {
        let map = atlas.map();
        let frame = mercator::frame_of(map);
        let world_of = |point: &Point| mercator::world(frame.lon_lat(*point));
        let mut shapes = Vec::new();
        let mut starts = vec![0];
        for street in map.streets() {
            shapes.extend(map.shape(street).iter().map(world_of));
            starts.push(shapes.len() as u32);
        }
        let mut pois: Vec<(Point, PoiId)> =
            map.pois().map(|poi| (world_of(&map.poi(poi).point), poi)).collect();
        pois.sort_by(|a, b| a.0.x.total_cmp(&b.0.x));
        let world = Rectangle::around(shapes.iter().copied())
            .expect("a valid map has a street, and a street has a shape");
        let detail = Detail::new(map, Shapes { points: &shapes, starts: &starts });
        let cache = Mutex::new(TileCache::new(ROOM));
        Tiles { atlas, frame, shapes, starts, pois, world, detail, cache }
    }

    /// The map.
    pub fn map(&self) -> &StreetMap {
        self.atlas.map()
    }

    /// Where the map lies on Earth, or is laid if nobody knows.
    pub fn frame(&self) -> &Frame {
        &self.frame
    }

    /// The part of the square of the world that the map fills.
    pub fn world(&self) -> Rectangle {
        self.world
    }

    /// The part in which streets begin, without the outermost ones: a twentieth on each side. All
    /// of a map without streets.
    pub fn middle(&self) -> Rectangle {
        let starts = &self.starts[..self.starts.len() - 1];
        if starts.is_empty() {
            return self.world;
        }
        let ends = |of: fn(&Point) -> f64| {
            let mut all: Vec<f64> =
                starts.iter().map(|&start| of(&self.shapes[start as usize])).collect();
            all.sort_unstable_by(f64::total_cmp);
            (all[all.len() / 20], all[all.len() - 1 - all.len() / 20])
        };
        let ((west, east), (north, south)) = (ends(|point| point.x), ends(|point| point.y));
        Rectangle { min: Point::new(west, north), max: Point::new(east, south) }
    }

    /// A tile, gzipped; `None` if there is none of that number. An empty one has no bytes.
    pub fn tile(&self, id: TileId) -> Option<Bytes> {
        let across = 1_u32.checked_shl(u32::from(id.z))?;
        if id.z > CLOSEST || id.x >= across || id.y >= across {
            return None;
        }
        let lock = || self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(tile) = lock().get(id) {
            return Some(tile);
        }
        let tile = Bytes::from(gzipped(&self.cut(id)));
        lock().put(id, tile.clone());
        Some(tile)
    }

    fn cut(&self, id: TileId) -> Vec<u8> {
        let side = side_of(id.z);
        let corner = Point::new(f64::from(id.x) * side, f64::from(id.y) * side);
        let window = Window { corner, side };
        let mut tile = Vec::new();
        let shapes = Shapes { points: &self.shapes, starts: &self.starts };
        let drawing = Drawing { map: self.map(), shapes, detail: &self.detail };
        drawing.layer(id.z, window, self.near(window)).write("streets", &mut tile);
        if id.z >= CLOSE {
            self.places(window).write("pois", &mut tile);
        }
        tile
    }

    /// The streets that may pass through a tile or its margin, ascending.
    fn near(&self, window: Window) -> Vec<StreetId> {
        let (low, high) = (-0.05, 1.05);
        let corners = [(low, low), (low, high), (high, low), (high, high)].map(|(x, y)| {
            let Point { x: west, y: north } = window.corner;
            let corner = Point::new(west + x * window.side, north + y * window.side);
            Point::new(corner.x.clamp(0.0, 1.0), corner.y.clamp(0.0, 1.0))
        });
        let apart = corners[3].x < self.world.min.x
            || corners[3].y < self.world.min.y
            || corners[0].x > self.world.max.x
            || corners[0].y > self.world.max.y;
        if apart {
            return Vec::new();
        }
        // Far beyond the map its projection is meaningless, and the tile holds all of it.
        if window.side > self.world.width().max(self.world.height()) {
            return self.map().streets().collect();
        }
        let points = corners.map(|corner| self.frame.point(mercator::place(corner)));
        match Rectangle::around(points) {
            Some(rectangle) => self.map().streets_near(rectangle),
            None => Vec::new(),
        }
    }

    fn places(&self, window: Window) -> LayerWriter {
        let map = self.map();
        let mut layer = LayerWriter::default();
        let (west, east) = (window.corner.x, window.corner.x + window.side);
        let from = self.pois.partition_point(|(point, _)| point.x < west);
        let to = self.pois.partition_point(|(point, _)| point.x < east);
        for &(point, poi) in &self.pois[from..to] {
            let Some(step) = window.owns(point) else { continue };
            let mut tags = vec![("category", Value::Text(map.category(poi).to_owned()))];
            if let Some(name) = map.poi_name(poi) {
                tags.push(("name", Value::Text(name.to_owned())));
            }
            layer.point(u64::from(poi.0), &tags, step);
        }
        layer
    }
}

fn gzipped(tile: &[u8]) -> Vec<u8> {
    if tile.is_empty() {
        return Vec::new();
    }
    let mut writer = GzEncoder::new(Vec::with_capacity(tile.len() / 2), Compression::fast());
    let written = writer.write_all(tile).and_then(|()| writer.finish());
    written.expect("writing to memory cannot fail")
}

#[cfg(test)]
mod tests;
