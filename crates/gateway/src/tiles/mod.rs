//! The street map as Mapbox vector tiles, and the shapes of streets by number. The page draws the
//! map from these alone, without a third-party tile server. Tiles hold streets and points of
//! interest, nothing about users.
//!
//! ```text
//! at start   StreetMap ─▶ strokes ─▶ detail, view      smallest zoom of each street
//!                        (streets joined              (budget: 10,000 points per tile)
//!                         across junctions)
//! a request  TileId ─▶ cache ─▶ near ─▶ streets ─▶ lines ─▶ encode ─▶ gzip
//!                     (32 MiB) (spatial (layer)   (clip,    (protocol
//!                               index)             simplify) buffers)
//!
//! tile       layer `streets`   zoom ≥ 15: one feature per street, id = street number,
//!                                         tags rank, oneway, name
//!                              zoom < 15: one feature per stroke and name, no id, tags rank, name
//!            layer `pois`      zoom ≥ 14: one point per POI, id = POI number, tags category, name
//! ```
//!
//! Budgets, checked by tests: 50,000 points on a screen of 3 × 3 tiles, 150 kB per gzipped tile.

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
use detail::{DETAILED_ZOOM, Detail, MAX_ZOOM, Shapes, side_of};
use encode::{LayerWriter, Value};
use flate2::{Compression, write::GzEncoder};
use lines::TileExtent;
use meshcloak::distance::Atlas;
use meshcloak::map::{Frame, PoiId, StreetId, StreetMap};
use meshcloak::units::{Point, Rectangle};
use parking_lot::Mutex;
use std::io::Write as _;
use std::sync::Arc;
use streets::StreetSource;

/// Address of a tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TileId {
    /// Zoom: the world is 2^z tiles wide.
    pub z: u8,
    /// Column from the west.
    pub x: u32,
    /// Row from the north.
    pub y: u32,
}

/// A map prepared for tiles, with a cache.
#[derive(Debug)]
pub struct Tiles {
    atlas: Arc<Atlas>,
    frame: Frame,
    /// Points of all shapes in Web Mercator coordinates, street by street.
    shapes: Vec<Point>,
    /// Index of the first point of each street, and the end.
    starts: Vec<u32>,
    /// POIs sorted from west to east.
    pois: Vec<(Point, PoiId)>,
    /// Bounds of the map in Web Mercator coordinates.
    bounds: Rectangle,
    detail: Detail,
    cache: Mutex<TileCache>,
}

/// Capacity of the tile cache in bytes.
const CACHE_BYTES: usize = 32 << 20;

impl Tiles {
    /// Projects the map and computes its level of detail.
    pub fn new(atlas: Arc<Atlas>) -> Tiles {
        let map = atlas.map();
        let frame = mercator::frame_of(map);
        let world_of = |point: &Point| mercator::project(frame.lon_lat(*point));
        let mut shapes = Vec::new();
        let mut starts = vec![0];
        for street in map.streets() {
            shapes.extend(map.shape(street).iter().map(world_of));
            starts.push(shapes.len() as u32);
        }
        let mut pois: Vec<(Point, PoiId)> =
            map.pois().map(|poi| (world_of(&map.poi(poi).point), poi)).collect();
        pois.sort_by(|a, b| a.0.x.total_cmp(&b.0.x));
        let bounds = Rectangle::around(shapes.iter().copied())
            .expect("a valid map has a street, and a street has a shape");
        let detail = Detail::new(map, Shapes { points: &shapes, starts: &starts });
        let cache = Mutex::new(TileCache::new(CACHE_BYTES));
        Tiles { atlas, frame, shapes, starts, pois, bounds, detail, cache }
    }

    /// The map.
    pub fn map(&self) -> &StreetMap {
        self.atlas.map()
    }

    /// Projection of the map; around lon 0, lat 0 if the map has none.
    pub fn frame(&self) -> &Frame {
        &self.frame
    }

    /// Bounds of the map in Web Mercator coordinates.
    pub fn bounds(&self) -> Rectangle {
        self.bounds
    }

    /// Bounds of the street starts without the outermost 5 % on each side; all of the map if it has
    /// no streets.
    #[expect(
        clippy::indexing_slicing,
        clippy::arithmetic_side_effects,
        reason = "there is a street, and every start is the index of a point"
    )]
    pub fn central_bounds(&self) -> Rectangle {
        let Some((_, starts)) = self.starts.split_last().filter(|(_, rest)| !rest.is_empty())
        else {
            return self.bounds;
        };
        let ends = |of: fn(&Point) -> f64| {
            let mut all: Vec<f64> =
                starts.iter().map(|&start| of(&self.shapes[start as usize])).collect();
            all.sort_unstable_by(f64::total_cmp);
            (all[all.len() / 20], all[all.len() - 1 - all.len() / 20])
        };
        let ((west, east), (north, south)) = (ends(|point| point.x), ends(|point| point.y));
        Rectangle { min: Point::new(west, north), max: Point::new(east, south) }
    }

    /// Returns a gzipped tile; no bytes if it is empty, `None` if the address is invalid.
    pub fn tile(&self, id: TileId) -> Option<Bytes> {
        let across = 1_u32.checked_shl(u32::from(id.z))?;
        if id.z > MAX_ZOOM || id.x >= across || id.y >= across {
            return None;
        }
        if let Some(tile) = self.cache.lock().get(id) {
            return Some(tile);
        }
        let tile = Bytes::from(gzip(&self.encode(id)));
        self.cache.lock().insert(id, tile.clone());
        Some(tile)
    }

    fn encode(&self, id: TileId) -> Vec<u8> {
        let side = side_of(id.z);
        let corner = Point::new(f64::from(id.x) * side, f64::from(id.y) * side);
        let extent = TileExtent { corner, side };
        let mut tile = Vec::new();
        let shapes = Shapes { points: &self.shapes, starts: &self.starts };
        let source = StreetSource { map: self.map(), shapes, detail: &self.detail };
        source.layer(id.z, extent, self.near(extent)).write("streets", &mut tile);
        if id.z >= DETAILED_ZOOM {
            self.pois(extent).write("pois", &mut tile);
        }
        tile
    }

    /// Returns the streets that may intersect a tile or its margin, ascending.
    fn near(&self, extent: TileExtent) -> Vec<StreetId> {
        let (low, high) = (-0.05, 1.05);
        let corners = [(low, low), (low, high), (high, low), (high, high)].map(|(x, y)| {
            let Point { x: west, y: north } = extent.corner;
            let corner = Point::new(west + x * extent.side, north + y * extent.side);
            Point::new(corner.x.clamp(0.0, 1.0), corner.y.clamp(0.0, 1.0))
        });
        let is_disjoint = corners[3].x < self.bounds.min.x
            || corners[3].y < self.bounds.min.y
            || corners[0].x > self.bounds.max.x
            || corners[0].y > self.bounds.max.y;
        if is_disjoint {
            return Vec::new();
        }
        // The projection is undefined far outside the map; such a tile contains all of the map.
        if extent.side > self.bounds.width().max(self.bounds.height()) {
            return self.map().streets().collect();
        }
        let points = corners.map(|corner| self.frame.point(mercator::unproject(corner)));
        match Rectangle::around(points) {
            Some(rectangle) => self.map().streets_near(rectangle),
            None => Vec::new(),
        }
    }

    fn pois(&self, extent: TileExtent) -> LayerWriter {
        let map = self.map();
        let mut layer = LayerWriter::default();
        let (west, east) = (extent.corner.x, extent.corner.x + extent.side);
        let from = self.pois.partition_point(|(point, _)| point.x < west);
        let to = self.pois.partition_point(|(point, _)| point.x < east);
        for &(point, poi) in self.pois.get(from..to).unwrap_or_default() {
            let Some(at) = extent.locate(point) else { continue };
            let mut tags = vec![("category", Value::Text(map.category(poi).to_owned()))];
            if let Some(name) = map.poi_name(poi) {
                tags.push(("name", Value::Text(name.to_owned())));
            }
            layer.add_point(u64::from(poi.0), &tags, at);
        }
        layer
    }
}

fn gzip(tile: &[u8]) -> Vec<u8> {
    if tile.is_empty() {
        return Vec::new();
    }
    let mut writer = GzEncoder::new(Vec::with_capacity(tile.len() / 2), Compression::fast());
    let written = writer.write_all(tile).and_then(|()| writer.finish());
    written.expect("writing to memory cannot fail")
}

#[cfg(test)]
mod tests;
