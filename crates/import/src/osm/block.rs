//! One unpacked block of a PBF file: its strings, then groups of nodes or ways (`osmformat.proto`).
//!
//! Ways are taken in one pass and nodes in a second, when it is known which of them are used.
//! Metadata and relations are skipped unread.

use super::block_contents::{BlockNodes, BlockWays};
use super::extract::{Fault, Finder, PoiGeometry, place_of};
use super::tags::{Key, Tags};
use super::wire::{Fields, Malformed, Value, add_up, append, signed};
use crate::error::{FileLocation, Problem};
use crate::options::Highways;
use meshcloak::units::LonLat;

/// A block whose strings are indexed and whose groups are still encoded.
pub(super) struct Block<'a> {
    strings: Vec<&'a [u8]>,
    /// For each string the key it is, so that tags cost one look each.
    keys: Vec<Option<Key>>,
    groups: Vec<&'a [u8]>,
    granularity: i64,
    lat_offset: i64,
    lon_offset: i64,
    /// Where in the file it begins, for errors.
    at: FileLocation,
}

/// Arrays that are filled again for every way or group.
#[derive(Default)]
struct Scratch {
    keys: Vec<u64>,
    values: Vec<u64>,
    ids: Vec<i64>,
    lats: Vec<i64>,
    lons: Vec<i64>,
    tags: Tags,
}

impl Scratch {
    fn clear(&mut self) {
        self.keys.clear();
        self.values.clear();
        [&mut self.ids, &mut self.lats, &mut self.lons].into_iter().for_each(Vec::clear);
    }
}

impl<'a> Block<'a> {
    /// The block in `bytes`, which begins at `at` in the file.
    pub(super) fn parse(bytes: &'a [u8], at: FileLocation) -> Result<Block<'a>, Fault> {
        let mut block = Block {
            strings: Vec::new(),
            keys: Vec::new(),
            groups: Vec::new(),
            granularity: 100,
            lat_offset: 0,
            lon_offset: 0,
            at,
        };
        block.read_fields(bytes).map_err(|reason| damaged(at, reason))?;
        block.keys = block.strings.iter().map(|string| Key::of(string)).collect();
        Ok(block)
    }

    fn read_fields(&mut self, bytes: &'a [u8]) -> Result<(), Malformed> {
        for field in Fields::of(bytes) {
            match field? {
                (1, Value::Bytes(table)) => {
                    for string in Fields::of(table) {
                        if let (1, Value::Bytes(string)) = string? {
                            self.strings.push(string);
                        }
                    }
                }
                (2, Value::Bytes(group)) => self.groups.push(group),
                (17, Value::Number(granularity)) => self.granularity = granularity as i64,
                (19, Value::Number(offset)) => self.lat_offset = offset as i64,
                (20, Value::Number(offset)) => self.lon_offset = offset as i64,
                _ => {}
            }
        }
        Ok(())
    }

    /// The ways that are streets or points of interest.
    pub(super) fn ways(&self, highways: Highways) -> Result<BlockWays, Fault> {
        let mut contents = BlockWays::default();
        let mut scratch = Scratch::default();
        for group in &self.groups {
            for field in Fields::of(group) {
                match field.map_err(|reason| damaged(self.at, reason))? {
                    (1 | 2, Value::Bytes(_)) => contents.has_nodes = true,
                    (3, Value::Bytes(way)) => {
                        self.way(way, highways, &mut scratch, &mut contents)
                            .map_err(|reason| damaged(self.at, reason))?;
                    }
                    _ => {}
                }
            }
        }
        Ok(contents)
    }

    fn way(
        &self,
        way: &[u8],
        highways: Highways,
        scratch: &mut Scratch,
        contents: &mut BlockWays,
    ) -> Result<(), Malformed> {
        scratch.clear();
        let Scratch { keys, values, ids: refs, tags, .. } = scratch;
        let mut id = None;
        for field in Fields::of(way) {
            match field? {
                (1, Value::Number(value)) => id = Some(value as i64),
                (2, value) => append(value, keys, |key| key)?,
                (3, value) => append(value, values, |value| value)?,
                (8, value) => append(value, refs, signed)?,
                _ => {}
            }
        }
        let id = id.ok_or("a way has no id")?;
        add_up(refs);
        self.read_tags(keys, values, tags)?;
        if let Some(street) = tags.street(highways) {
            contents.ways.push(id, street, refs);
        }
        if let Some(poi) = tags.poi() {
            contents.pois.push(id, PoiGeometry::Way, poi, refs);
        }
        Ok(())
    }

    /// Places of the nodes that are used, and the nodes that are points of interest.
    pub(super) fn nodes(&self, mut finder: Finder) -> Result<BlockNodes, Fault> {
        let mut contents = BlockNodes::default();
        let mut scratch = Scratch::default();
        for group in &self.groups {
            for field in Fields::of(group) {
                match field.map_err(|reason| damaged(self.at, reason))? {
                    (1, Value::Bytes(node)) => {
                        self.node(node, &mut scratch, &mut finder, &mut contents)?;
                    }
                    (2, Value::Bytes(dense)) => {
                        self.dense(dense, &mut scratch, &mut finder, &mut contents)?;
                    }
                    _ => {}
                }
            }
        }
        Ok(contents)
    }

    fn node(
        &self,
        node: &[u8],
        scratch: &mut Scratch,
        finder: &mut Finder,
        contents: &mut BlockNodes,
    ) -> Result<(), Fault> {
        let damaged = |reason| damaged(self.at, reason);
        scratch.clear();
        let Scratch { keys, values, tags, .. } = scratch;
        let (mut id, mut lat, mut lon) = (None, None, None);
        for field in Fields::of(node) {
            match field.map_err(damaged)? {
                (1, Value::Number(value)) => id = Some(signed(value)),
                (2, value) => append(value, keys, |key| key).map_err(damaged)?,
                (3, value) => append(value, values, |value| value).map_err(damaged)?,
                (8, Value::Number(value)) => lat = Some(signed(value)),
                (9, Value::Number(value)) => lon = Some(signed(value)),
                _ => {}
            }
        }
        let (Some(id), Some(lat), Some(lon)) = (id, lat, lon) else {
            return Err(damaged("a node has no id or no place"));
        };
        self.read_tags(keys, values, tags).map_err(damaged)?;
        contents.take(id, self.place(id, lat, lon)?, finder, tags);
        Ok(())
    }

    fn dense(
        &self,
        dense: &[u8],
        scratch: &mut Scratch,
        finder: &mut Finder,
        contents: &mut BlockNodes,
    ) -> Result<(), Fault> {
        let damaged = |reason| damaged(self.at, reason);
        self.dense_columns(dense, scratch).map_err(damaged)?;
        let Scratch { values, ids, lats, lons, tags, .. } = scratch;
        let mut pairs = values.as_slice();
        for ((&id, &lat), &lon) in ids.iter().zip(lats.iter()).zip(lons.iter()) {
            tags.clear();
            // A group without any tag may leave the whole column out.
            if !values.is_empty() {
                pairs = self.dense_tags(pairs, tags).map_err(damaged)?;
            }
            contents.take(id, self.place(id, lat, lon)?, finder, tags);
        }
        Ok(())
    }

    fn dense_columns(&self, dense: &[u8], scratch: &mut Scratch) -> Result<(), Malformed> {
        scratch.clear();
        let Scratch { values, ids, lats, lons, .. } = scratch;
        for field in Fields::of(dense) {
            match field? {
                (1, value) => append(value, ids, signed)?,
                (8, value) => append(value, lats, signed)?,
                (9, value) => append(value, lons, signed)?,
                (10, value) => append(value, values, |value| value)?,
                _ => {}
            }
        }
        if ids.len() != lats.len() || ids.len() != lons.len() {
            return Err("a group of nodes has more ids than places, or fewer");
        }
        [ids, lats, lons].into_iter().for_each(|column| add_up(column));
        Ok(())
    }

    /// Reads the tags of one node, pairs up to a zero; what follows belongs to the next.
    fn dense_tags<'p>(
        &self,
        mut pairs: &'p [u64],
        tags: &mut Tags,
    ) -> Result<&'p [u64], Malformed> {
        loop {
            match pairs {
                [0, rest @ ..] => return Ok(rest),
                [key, value, rest @ ..] => {
                    self.read_tag(*key, *value, tags)?;
                    pairs = rest;
                }
                _ => return Err("the tags of a group of nodes end early"),
            }
        }
    }

    fn read_tags(&self, keys: &[u64], values: &[u64], tags: &mut Tags) -> Result<(), Malformed> {
        if keys.len() != values.len() {
            return Err("an element has more keys than values, or fewer");
        }
        tags.clear();
        for (&key, &value) in keys.iter().zip(values) {
            self.read_tag(key, value, tags)?;
        }
        Ok(())
    }

    fn read_tag(&self, key: u64, value: u64, tags: &mut Tags) -> Result<(), Malformed> {
        const OUTSIDE: Malformed = "a tag names a string that does not exist";
        let at = |index: u64| usize::try_from(index).map_err(|_| OUTSIDE);
        let key = self.keys.get(at(key)?).ok_or(OUTSIDE)?;
        let value = self.strings.get(at(value)?).ok_or(OUTSIDE)?;
        if let &Some(key) = key {
            tags.set(key, std::str::from_utf8(value).map_err(|_| "a text is not UTF-8")?);
        }
        Ok(())
    }

    /// Exact up to the last division, so that XML of the same node gives the same place.
    fn place(&self, id: i64, lat: i64, lon: i64) -> Result<LonLat, Fault> {
        let degrees = |offset: i64, steps: i64| {
            let billionths = i128::from(offset) + i128::from(self.granularity) * i128::from(steps);
            billionths as f64 / 1e9
        };
        place_of(id, degrees(self.lon_offset, lon), degrees(self.lat_offset, lat))
    }
}

pub(super) fn damaged(at: FileLocation, reason: Malformed) -> Fault {
    (at, Problem::Damaged(reason.into()))
}
