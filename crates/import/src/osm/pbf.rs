//! OSM PBF: a chain of packed blocks, each preceded by its length and kind (`fileformat.proto`).
//!
//! The packed file is held in memory and unpacked twice, block by block on all cores: first for the
//! ways, then for the nodes they use. So memory is the packed file plus what is kept, whatever the
//! extract holds besides, and the order of elements in the file does not matter.
//!
//! Own decoding rather than a library's: every length is checked before it is believed, every error
//! names the byte of its block, and sums of differences cannot overflow.

use super::block::{Block, damaged};
use super::extract::{Extract, Fault, Nodes};
use super::wire::{Fields, Malformed, Value};
use crate::error::{FileLocation, ImportError, Problem};
use crate::input::Input;
use crate::options::Highways;
use crate::progress::Progress;
use flate2::{Decompress, FlushDecompress, Status};
use rayon::prelude::*;
use std::borrow::Cow;
use std::io::Read;

/// A packed block of data and where in the file it begins.
#[derive(Clone, Copy, Debug)]
struct Blob<'a> {
    at: FileLocation,
    bytes: &'a [u8],
}

/// The format allows no longer header and no larger block, packed or unpacked.
const MAX_HEADER_BYTES: usize = 64 << 10;
const MAX_BLOCK_BYTES: u64 = 32 << 20;

/// Bytes that one packed byte can become at most; deflate cannot do better.
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
    extract.map_err(|(place, problem)| input.error(place, problem))
}

fn decode(blobs: &[Blob], highways: Highways, progress: &dyn Progress) -> Result<Extract, Fault> {
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
        for (row, place) in contents.places {
            nodes.put(row, place)?;
        }
        pois.push(contents.pois);
    }
    pois.extend(way_pois);
    Ok(Extract { ways, pois, nodes })
}

/// What `contents` makes of each block, in the order of the file; the first error in that order.
fn for_each_block<T: Send>(
    blobs: &[Blob],
    progress: &dyn Progress,
    contents: impl Fn(&Block) -> Result<T, Fault> + Sync,
) -> Result<Vec<T>, Fault> {
    let contents: Vec<Result<T, Fault>> = blobs
        .par_iter()
        .map(|blob| {
            let bytes = unpack(*blob)?;
            let contents = contents(&Block::parse(&bytes, blob.at)?);
            progress.advance(1);
            contents
        })
        .collect();
    contents.into_iter().collect()
}

/// The blocks of data in a file; its first block says what a reader must know.
fn blobs(file: &[u8]) -> Result<Vec<Blob<'_>>, Fault> {
    let mut blobs = Vec::new();
    let mut start = 0;
    while start < file.len() {
        let at = FileLocation::Byte(start as u64);
        let (kind, bytes, end) = frame(file, start)?;
        let blob = Blob { at, bytes };
        match kind {
            b"OSMHeader" => check_features(&unpack(blob)?, at)?,
            _ if start == 0 => return Err(damaged(at, "expected a block of kind OSMHeader first")),
            b"OSMData" => blobs.push(blob),
            _ => {}
        }
        start = end;
    }
    Ok(blobs)
}

/// Kind and bytes of the block that begins at `start`, and where it ends.
fn frame(file: &[u8], start: usize) -> Result<(&[u8], &[u8], usize), Fault> {
    let at = FileLocation::Byte(start as u64);
    let rest = &file[start..];
    let (length, rest) = rest.split_first_chunk().ok_or_else(|| cut(at, 4, rest.len()))?;
    let length = u32::from_be_bytes(*length) as usize;
    if length > MAX_HEADER_BYTES {
        return Err(damaged(at, "the header of a block claims more than 64 KiB"));
    }
    let header = rest.get(..length).ok_or_else(|| cut(at, length as u64, rest.len()))?;
    let (kind, size) = header_fields(header).map_err(|reason| damaged(at, reason))?;
    if size > MAX_BLOCK_BYTES {
        return Err(damaged(at, "a block claims more than 32 MiB"));
    }
    let rest = &rest[length..];
    let bytes = rest.get(..size as usize).ok_or_else(|| cut(at, size, rest.len()))?;
    Ok((kind, bytes, start + 4 + length + size as usize))
}

fn header_fields(header: &[u8]) -> Result<(&[u8], u64), Malformed> {
    let (mut kind, mut size) = (None, None);
    for field in Fields::of(header) {
        match field? {
            (1, Value::Bytes(value)) => kind = Some(value),
            (3, Value::Number(value)) => size = Some(value),
            _ => {}
        }
    }
    kind.zip(size).ok_or("the header of a block lacks its kind or its size")
}

fn cut(at: FileLocation, claimed: u64, left: usize) -> Fault {
    let reason = format!("in a block of which {claimed} bytes should follow and {left} do");
    (at, Problem::Truncated(reason))
}

/// What the file demands of its reader must be something we do.
fn check_features(header: &[u8], at: FileLocation) -> Result<(), Fault> {
    for field in Fields::of(header) {
        if let (4, Value::Bytes(feature)) = field.map_err(|reason| damaged(at, reason))?
            && !matches!(feature, b"OsmSchema-V0.6" | b"DenseNodes")
        {
            let feature = String::from_utf8_lossy(feature);
            let reason = format!("the file demands the feature `{feature}` of its reader");
            return Err((at, Problem::Unsupported(reason)));
        }
    }
    Ok(())
}

fn unpack(blob: Blob<'_>) -> Result<Cow<'_, [u8]>, Fault> {
    let damaged = |reason| damaged(blob.at, reason);
    let (mut raw, mut packed, mut size) = (None, None, None);
    for field in Fields::of(blob.bytes) {
        match field.map_err(damaged)? {
            (1, Value::Bytes(bytes)) => raw = Some(bytes),
            (2, Value::Number(value)) => size = Some(value),
            (3, Value::Bytes(bytes)) => packed = Some(bytes),
            (packing @ 4..=7, Value::Bytes(_)) => {
                let name = ["lzma", "bzip2", "lz4", "zstd"][packing as usize - 4];
                let reason = format!("a block is packed with {name}; expected zlib");
                return Err((blob.at, Problem::Unsupported(reason)));
            }
            _ => {}
        }
    }
    match (raw, packed, size) {
        (Some(raw), ..) => Ok(Cow::Borrowed(raw)),
        (None, Some(packed), Some(size)) => inflate(packed, size).map(Cow::Owned).map_err(damaged),
        (None, Some(_), None) => Err(damaged("a packed block does not say how large it is")),
        (None, None, _) => Err(damaged("a block is empty")),
    }
}

fn inflate(packed: &[u8], size: u64) -> Result<Vec<u8>, Malformed> {
    if size > MAX_BLOCK_BYTES.min(packed.len() as u64 * MAX_DEFLATE_RATIO) {
        return Err("a block claims to be larger than what is packed in it");
    }
    // One byte more, so that a block larger than it says is noticed.
    let mut bytes = Vec::with_capacity(size as usize + 1);
    let mut decoder = Decompress::new(true);
    let status = decoder.decompress_vec(packed, &mut bytes, FlushDecompress::Finish);
    match status {
        Ok(Status::StreamEnd) if bytes.len() as u64 == size => Ok(bytes),
        Ok(Status::StreamEnd) => Err("a block is not as large as it says"),
        _ => Err("a block cannot be unpacked"),
    }
}
