//! OSM PBF: a sequence of compressed blocks, each preceded by its length and kind
//! (`fileformat.proto`).
//!
//! The compressed file is held in memory and decompressed twice, in parallel by block: first for
//! the ways, then for the nodes they use. Memory use is the compressed file plus the kept content,
//! and the order of elements does not matter.
//!
//! Decoded here instead of with a library: every length is checked before use, every error names
//! the byte offset of its block, and delta decoding cannot overflow.

use super::block::{PbfBlock, damaged};
use super::extract::{Extract, Nodes};
use super::wire::{FieldValue, Fields, Malformed};
use crate::error::{FileLocation, ImportError, LocatedProblem, Problem};
use crate::input::Input;
use crate::options::Highways;
use crate::progress::Progress;
use flate2::{Decompress, FlushDecompress, Status};
use rayon::prelude::*;
use std::borrow::Cow;
use std::io::Read;

/// A compressed block and its location in the file.
#[derive(Clone, Copy, Debug)]
struct Blob<'a> {
    at: FileLocation,
    bytes: &'a [u8],
}

/// Largest block header that the format allows.
const MAX_HEADER_BYTES: usize = 64 << 10;
/// Largest block that the format allows, compressed or decompressed.
const MAX_BLOCK_BYTES: u64 = 32 << 20;

/// Largest compression ratio of deflate.
const MAX_DEFLATE_RATIO: u64 = 1032;

pub(super) fn read(
    mut input: Input,
    highways: Highways,
    progress: &dyn Progress,
) -> Result<Extract, ImportError> {
    let mut file = Vec::new();
    if let Err(error) = input.read_to_end(&mut file) {
        return Err(input.error(FileLocation::Byte(file.len() as u64), error));
    }
    let extract = blobs(&file).and_then(|blobs| decode(&blobs, highways, progress));
    extract.map_err(|found| input.error(found.location, found.problem))
}

fn decode(
    blobs: &[Blob],
    highways: Highways,
    progress: &dyn Progress,
) -> Result<Extract, LocatedProblem> {
    progress.begin("decoding ways", blobs.len() as u64);
    let contents = for_each_block(blobs, progress, |block| block.ways(highways))?;
    let with_nodes = blobs.iter().zip(&contents).filter(|(_, contents)| contents.has_nodes);
    let with_nodes: Vec<Blob> = with_nodes.map(|(&blob, _)| blob).collect();
    let (ways, way_pois): (Vec<_>, Vec<_>) =
        contents.into_iter().map(|contents| (contents.ways, contents.pois)).unzip();

    let mut nodes = Nodes::used_by(&ways, &way_pois)?;
    progress.begin("decoding nodes", with_nodes.len() as u64);
    let contents = for_each_block(&with_nodes, progress, |block| block.nodes(nodes.finder()))?;
    let mut pois = Vec::new();
    for contents in contents {
        for (row, position) in contents.positions {
            nodes.put(row, position)?;
        }
        pois.push(contents.pois);
    }
    pois.extend(way_pois);
    Ok(Extract { ways, pois, nodes })
}

/// Applies `decode` to each block in parallel; results and the first error are in file order.
fn for_each_block<T: Send>(
    blobs: &[Blob],
    progress: &dyn Progress,
    decode: impl Fn(&PbfBlock) -> Result<T, LocatedProblem> + Sync,
) -> Result<Vec<T>, LocatedProblem> {
    let contents: Vec<Result<T, LocatedProblem>> = blobs
        .par_iter()
        .map(|blob| {
            let bytes = decompress(*blob)?;
            let contents = decode(&PbfBlock::parse(&bytes, blob.at)?);
            progress.advance(1);
            contents
        })
        .collect();
    contents.into_iter().collect()
}

/// Returns the data blocks of a file, after checking the required features in its header.
fn blobs(file: &[u8]) -> Result<Vec<Blob<'_>>, LocatedProblem> {
    let mut blobs = Vec::new();
    let mut rest = file;
    while !rest.is_empty() {
        let start = file.len().saturating_sub(rest.len());
        let at = FileLocation::Byte(start as u64);
        let BlobFrame { kind, bytes, rest: next } = frame(rest, at)?;
        let blob = Blob { at, bytes };
        match kind {
            b"OSMHeader" => check_features(&decompress(blob)?, at)?,
            _ if start == 0 => return Err(damaged(at, "expected a block of kind OSMHeader first")),
            b"OSMData" => blobs.push(blob),
            _ => {}
        }
        rest = next;
    }
    Ok(blobs)
}

/// A framed block.
struct BlobFrame<'a> {
    kind: &'a [u8],
    bytes: &'a [u8],
    /// The file after the block.
    rest: &'a [u8],
}

/// Reads the frame of the block at the start of `rest`, which is at `at` in the file.
fn frame(rest: &[u8], at: FileLocation) -> Result<BlobFrame<'_>, LocatedProblem> {
    let (length, rest) = rest.split_first_chunk().ok_or_else(|| truncated(at, 4, rest.len()))?;
    let length = u32::from_be_bytes(*length) as usize;
    if length > MAX_HEADER_BYTES {
        return Err(damaged(at, "a block header is larger than 64 KiB"));
    }
    let (header, rest) =
        rest.split_at_checked(length).ok_or_else(|| truncated(at, length as u64, rest.len()))?;
    let (kind, size) = header_fields(header).map_err(|reason| damaged(at, reason))?;
    if size > MAX_BLOCK_BYTES {
        return Err(damaged(at, "a block is larger than 32 MiB"));
    }
    let (bytes, rest) =
        rest.split_at_checked(size as usize).ok_or_else(|| truncated(at, size, rest.len()))?;
    Ok(BlobFrame { kind, bytes, rest })
}

fn header_fields(header: &[u8]) -> Result<(&[u8], u64), Malformed> {
    let (mut kind, mut size) = (None, None);
    for field in Fields::of(header) {
        match field? {
            (1, FieldValue::Bytes(value)) => kind = Some(value),
            (3, FieldValue::Number(value)) => size = Some(value),
            _ => {}
        }
    }
    kind.zip(size).ok_or("a block header has no kind or no size")
}

fn truncated(at: FileLocation, expected: u64, found: usize) -> LocatedProblem {
    let reason = format!("in a block: expected {expected} bytes, found {found}");
    at.with(Problem::Truncated(reason))
}

/// Checks that all required features of the file are supported.
fn check_features(header: &[u8], at: FileLocation) -> Result<(), LocatedProblem> {
    for field in Fields::of(header) {
        if let (4, FieldValue::Bytes(feature)) = field.map_err(|reason| damaged(at, reason))?
            && !matches!(feature, b"OsmSchema-V0.6" | b"DenseNodes")
        {
            let feature = String::from_utf8_lossy(feature);
            let reason = format!("the file requires feature `{feature}`");
            return Err(at.with(Problem::Unsupported(reason)));
        }
    }
    Ok(())
}

fn decompress(blob: Blob<'_>) -> Result<Cow<'_, [u8]>, LocatedProblem> {
    let damaged = |reason| damaged(blob.at, reason);
    let (mut raw, mut compressed, mut size) = (None, None, None);
    for field in Fields::of(blob.bytes) {
        match field.map_err(damaged)? {
            (1, FieldValue::Bytes(bytes)) => raw = Some(bytes),
            (2, FieldValue::Number(value)) => size = Some(value),
            (3, FieldValue::Bytes(bytes)) => compressed = Some(bytes),
            (packing @ 4..=7, FieldValue::Bytes(_)) => {
                let name = match packing {
                    4 => "lzma",
                    5 => "bzip2",
                    6 => "lz4",
                    _ => "zstd",
                };
                let reason = format!("a block is compressed with {name}; expected zlib");
                return Err(blob.at.with(Problem::Unsupported(reason)));
            }
            _ => {}
        }
    }
    match (raw, compressed, size) {
        (Some(raw), ..) => Ok(Cow::Borrowed(raw)),
        (None, Some(compressed), Some(size)) => {
            inflate(compressed, size).map(Cow::Owned).map_err(damaged)
        }
        (None, Some(_), None) => Err(damaged("a compressed block has no size")),
        (None, None, _) => Err(damaged("a block is empty")),
    }
}

fn inflate(compressed: &[u8], size: u64) -> Result<Vec<u8>, Malformed> {
    if size > MAX_BLOCK_BYTES.min((compressed.len() as u64).saturating_mul(MAX_DEFLATE_RATIO)) {
        return Err("the stated size of a block is too large for its compressed data");
    }
    // One extra byte detects a block that is larger than stated.
    let mut bytes = Vec::with_capacity((size as usize).saturating_add(1));
    let mut decoder = Decompress::new(true);
    let status = decoder.decompress_vec(compressed, &mut bytes, FlushDecompress::Finish);
    match status {
        Ok(Status::StreamEnd) if bytes.len() as u64 == size => Ok(bytes),
        Ok(Status::StreamEnd) => Err("the size of a block differs from its stated size"),
        _ => Err("a block cannot be decompressed"),
    }
}
