//! One decompressed block of a PBF file: a string table and groups of nodes or ways
//! (`osmformat.proto`).
//!
//! The first pass decodes ways; the second pass decodes the nodes they use. Metadata and relations
//! are skipped.

use super::block_contents::{BlockNodes, BlockWays};
use super::extract::{Finder, PoiGeometry, node_position};
use super::tags::{Key, Tags};
use super::wire::{FieldValue, Fields, Malformed, append, signed, undo_deltas};
use crate::error::{FileLocation, LocatedProblem, Problem};
use crate::options::Highways;
use meshcloak::units::LonLat;

/// A block with indexed strings and encoded groups.
pub(super) struct PbfBlock<'a> {
    strings: Vec<&'a [u8]>,
    /// The key of each string, so that a tag costs one lookup.
    keys: Vec<Option<Key>>,
    groups: Vec<&'a [u8]>,
    granularity: i64,
    lat_offset: i64,
    lon_offset: i64,
    /// Start of the block in the file, for errors.
    at: FileLocation,
}

/// BlockScratch buffers, reused for every way and group.
#[derive(Default)]
struct BlockScratch {
    keys: Vec<u64>,
    values: Vec<u64>,
    ids: Vec<i64>,
    lats: Vec<i64>,
    lons: Vec<i64>,
    tags: Tags,
}

impl BlockScratch {
    fn clear(&mut self) {
        self.keys.clear();
        self.values.clear();
        [&mut self.ids, &mut self.lats, &mut self.lons].into_iter().for_each(Vec::clear);
    }
}

impl<'a> PbfBlock<'a> {
    /// Parses the block that begins at `at` in the file.
    pub(super) fn parse(bytes: &'a [u8], at: FileLocation) -> Result<PbfBlock<'a>, LocatedProblem> {
        let mut block = PbfBlock {
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
                (1, FieldValue::Bytes(table)) => {
                    for string in Fields::of(table) {
                        if let (1, FieldValue::Bytes(string)) = string? {
                            self.strings.push(string);
                        }
                    }
                }
                (2, FieldValue::Bytes(group)) => self.groups.push(group),
                (17, FieldValue::Number(granularity)) => self.granularity = granularity as i64,
                (19, FieldValue::Number(offset)) => self.lat_offset = offset as i64,
                (20, FieldValue::Number(offset)) => self.lon_offset = offset as i64,
                _ => {}
            }
        }
        Ok(())
    }

    /// Returns the ways that are streets or points of interest.
    pub(super) fn ways(&self, highways: Highways) -> Result<BlockWays, LocatedProblem> {
        let mut contents = BlockWays::default();
        let mut scratch = BlockScratch::default();
        for group in &self.groups {
            for field in Fields::of(group) {
                match field.map_err(|reason| damaged(self.at, reason))? {
                    (1 | 2, FieldValue::Bytes(_)) => contents.has_nodes = true,
                    (3, FieldValue::Bytes(way)) => {
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
        scratch: &mut BlockScratch,
        contents: &mut BlockWays,
    ) -> Result<(), Malformed> {
        scratch.clear();
        let BlockScratch { keys, values, ids: refs, tags, .. } = scratch;
        let mut id = None;
        for field in Fields::of(way) {
            match field? {
                (1, FieldValue::Number(value)) => id = Some(value as i64),
                (2, value) => append(value, keys, |key| key)?,
                (3, value) => append(value, values, |value| value)?,
                (8, value) => append(value, refs, signed)?,
                _ => {}
            }
        }
        let id = id.ok_or("a way has no id")?;
        undo_deltas(refs);
        self.read_tags(keys, values, tags)?;
        if let Some(street) = tags.street(highways) {
            contents.ways.push(id, street, refs);
        }
        if let Some(poi) = tags.poi() {
            contents.pois.push(id, PoiGeometry::Way, poi, refs);
        }
        Ok(())
    }

    /// Returns the positions of used nodes and the nodes that are points of interest.
    pub(super) fn nodes(&self, mut finder: Finder) -> Result<BlockNodes, LocatedProblem> {
        let mut contents = BlockNodes::default();
        let mut scratch = BlockScratch::default();
        for group in &self.groups {
            for field in Fields::of(group) {
                match field.map_err(|reason| damaged(self.at, reason))? {
                    (1, FieldValue::Bytes(node)) => {
                        self.node(node, &mut scratch, &mut finder, &mut contents)?;
                    }
                    (2, FieldValue::Bytes(dense)) => {
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
        scratch: &mut BlockScratch,
        finder: &mut Finder,
        contents: &mut BlockNodes,
    ) -> Result<(), LocatedProblem> {
        let damaged = |reason| damaged(self.at, reason);
        scratch.clear();
        let BlockScratch { keys, values, tags, .. } = scratch;
        let (mut id, mut lat, mut lon) = (None, None, None);
        for field in Fields::of(node) {
            match field.map_err(damaged)? {
                (1, FieldValue::Number(value)) => id = Some(signed(value)),
                (2, value) => append(value, keys, |key| key).map_err(damaged)?,
                (3, value) => append(value, values, |value| value).map_err(damaged)?,
                (8, FieldValue::Number(value)) => lat = Some(signed(value)),
                (9, FieldValue::Number(value)) => lon = Some(signed(value)),
                _ => {}
            }
        }
        let (Some(id), Some(lat), Some(lon)) = (id, lat, lon) else {
            return Err(damaged("a node has no id or no position"));
        };
        self.read_tags(keys, values, tags).map_err(damaged)?;
        contents.add(id, self.position(id, lat, lon)?, finder, tags);
        Ok(())
    }

    fn dense(
        &self,
        dense: &[u8],
        scratch: &mut BlockScratch,
        finder: &mut Finder,
        contents: &mut BlockNodes,
    ) -> Result<(), LocatedProblem> {
        let damaged = |reason| damaged(self.at, reason);
        self.dense_columns(dense, scratch).map_err(damaged)?;
        let BlockScratch { values, ids, lats, lons, tags, .. } = scratch;
        let mut pairs = values.as_slice();
        for ((&id, &lat), &lon) in ids.iter().zip(lats.iter()).zip(lons.iter()) {
            tags.clear();
            // A group without tags may omit the column.
            if !values.is_empty() {
                pairs = self.dense_tags(pairs, tags).map_err(damaged)?;
            }
            contents.add(id, self.position(id, lat, lon)?, finder, tags);
        }
        Ok(())
    }

    fn dense_columns(&self, dense: &[u8], scratch: &mut BlockScratch) -> Result<(), Malformed> {
        scratch.clear();
        let BlockScratch { values, ids, lats, lons, .. } = scratch;
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
            return Err("a group of nodes has different numbers of ids and positions");
        }
        [ids, lats, lons].into_iter().for_each(|column| undo_deltas(column));
        Ok(())
    }

    /// Reads the tags of one node, key/value pairs up to a zero. Returns the rest.
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
                _ => return Err("unexpected end of the tags of a group of nodes"),
            }
        }
    }

    fn read_tags(&self, keys: &[u64], values: &[u64], tags: &mut Tags) -> Result<(), Malformed> {
        if keys.len() != values.len() {
            return Err("an element has different numbers of keys and values");
        }
        tags.clear();
        for (&key, &value) in keys.iter().zip(values) {
            self.read_tag(key, value, tags)?;
        }
        Ok(())
    }

    fn read_tag(&self, key: u64, value: u64, tags: &mut Tags) -> Result<(), Malformed> {
        const OUTSIDE: Malformed = "a tag refers to an unknown string";
        let at = |index: u64| usize::try_from(index).map_err(|_| OUTSIDE);
        let key = self.keys.get(at(key)?).ok_or(OUTSIDE)?;
        let value = self.strings.get(at(value)?).ok_or(OUTSIDE)?;
        if let &Some(key) = key {
            tags.set(key, std::str::from_utf8(value).map_err(|_| "a text is not UTF-8")?);
        }
        Ok(())
    }

    /// Converts to degrees; exact up to the last division, so that XML gives the same position.
    fn position(&self, id: i64, lat: i64, lon: i64) -> Result<LonLat, LocatedProblem> {
        let degrees = |offset: i64, steps: i64| {
            // At most 2^126 + 2^63, so it never wraps.
            let billionths = i128::from(self.granularity).wrapping_mul(i128::from(steps));
            billionths.wrapping_add(i128::from(offset)) as f64 / 1e9
        };
        node_position(id, degrees(self.lon_offset, lon), degrees(self.lat_offset, lat))
    }
}

pub(super) fn damaged(at: FileLocation, reason: Malformed) -> LocatedProblem {
    at.with(Problem::Damaged(reason.into()))
}
