//! Numbered sections behind a table of their sizes and checksums.
//!
//! ```text
//! 0   magic      8 bytes   "MeshMap" and 0x1a
//! 8   version    u32       must equal VERSION
//! 12  checksum   u32       CRC-32 of the rest of the header
//! 16  size       u64       of the whole file
//! 24  table                for each section: u64 size, u32 CRC-32, u32 zero
//! …   sections             concatenated
//! ```
//! All numbers are little-endian. Sections can be read independently and in parallel; each is read
//! through a small buffer, checked and decoded.

use super::SECTIONS;
use crate::error::Problem;
use meshcloak::mix::mix64;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

/// First bytes of every prepared map.
pub(crate) const MAGIC: &[u8; 8] = b"MeshMap\x1a";
/// Format version; increased when the layout changes.
pub(super) const VERSION: u32 = 1;
const TABLE: usize = 24;
const ENTRY: usize = 16;
pub(super) const HEADER: usize = TABLE + SECTIONS * ENTRY;
/// Buffer size: a multiple of all record sizes that fits the L2 cache.
const BUFFER: usize = 160 << 10;

/// Random access to bytes from several threads.
pub(super) trait ReadAt: Sync {
    /// Returns the number of bytes.
    fn size(&self) -> io::Result<u64>;
    /// Fills `buffer` from `offset`.
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()>;
}

impl ReadAt for File {
    fn size(&self) -> io::Result<u64> {
        self.metadata().map(|metadata| metadata.len())
    }
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        self.read_exact_at(buffer, offset)
    }
}

impl ReadAt for [u8] {
    fn size(&self) -> io::Result<u64> {
        Ok(self.len() as u64)
    }
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        let start = usize::try_from(offset).ok();
        let bytes = start.and_then(|start| self.get(start..start.checked_add(buffer.len())?));
        buffer.copy_from_slice(bytes.ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }
}

/// Collects the sections of a file.
#[derive(Default)]
pub(super) struct SectionWriter {
    sections: Vec<Vec<u8>>,
}

impl SectionWriter {
    pub(super) fn bytes(&mut self, bytes: &[u8]) {
        self.sections.push(bytes.to_vec());
    }

    pub(super) fn records<const N: usize>(&mut self, records: impl Iterator<Item = [u8; N]>) {
        self.sections.push(records.flatten().collect());
    }

    pub(super) fn numbers(&mut self, numbers: &[u32]) {
        self.records(numbers.iter().map(|number| number.to_le_bytes()));
    }

    /// Returns a hash of the lengths and checksums of all sections.
    pub(super) fn digest(&self) -> u64 {
        self.sections.iter().fold(u64::from(VERSION), |digest, section| {
            let checksum = u64::from(crc32fast::hash(section));
            mix64(mix64(digest ^ section.len() as u64) ^ checksum)
        })
    }

    /// Returns the complete file.
    pub(super) fn finish(self) -> Vec<u8> {
        let mut file = vec![0; HEADER];
        let entries = file.get_mut(TABLE..).unwrap_or_default().as_chunks_mut::<ENTRY>().0;
        for (entry, section) in entries.iter_mut().zip(&self.sections) {
            let checksum = u128::from(crc32fast::hash(section));
            *entry = (section.len() as u128 | checksum << 64).to_le_bytes();
        }
        file.extend(self.sections.into_iter().flatten());
        write_header(&mut file);
        file
    }
}

/// Writes the header except the table.
#[expect(clippy::indexing_slicing, reason = "written files have at least `HEADER` bytes")]
pub(super) fn write_header(file: &mut [u8]) {
    let size = file.len() as u64;
    file[..8].copy_from_slice(MAGIC);
    file[8..12].copy_from_slice(&VERSION.to_le_bytes());
    file[16..24].copy_from_slice(&size.to_le_bytes());
    let checksum = crc32fast::hash(&file[16..HEADER]);
    file[12..16].copy_from_slice(&checksum.to_le_bytes());
}

/// Writes the checksums of all sections that the table describes correctly.
#[cfg(any(test, feature = "fuzzing"))]
#[expect(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "`sealed` passes at least `HEADER` bytes, and sections end within the file"
)]
pub(super) fn fix_checksums(file: &mut [u8]) {
    let mut start = HEADER;
    for number in 0..SECTIONS {
        let entry = TABLE + number * ENTRY;
        let size = usize::try_from(u64_at(file, entry)).unwrap_or(usize::MAX);
        let Some(section) = start.checked_add(size).and_then(|end| file.get(start..end)) else {
            break;
        };
        let checksum = crc32fast::hash(section).to_le_bytes();
        file[entry + 8..entry + 12].copy_from_slice(&checksum);
        start += size;
    }
    write_header(file);
}

/// Reads sections by number.
pub(super) struct SectionReader<'a, B: ?Sized> {
    bytes: &'a B,
    table: [SectionEntry; SECTIONS],
}

#[derive(Clone, Copy, Default)]
struct SectionEntry {
    offset: u64,
    size: u64,
    checksum: u32,
}

impl<'a, B: ReadAt + ?Sized> SectionReader<'a, B> {
    /// Opens a file and checks its header and table.
    pub(super) fn new(bytes: &'a B) -> Result<SectionReader<'a, B>, Problem> {
        let size = bytes.size()?;
        let mut header = [0; HEADER];
        let available = usize::try_from(size).unwrap_or(HEADER).min(HEADER);
        bytes.read_at(header.get_mut(..available).unwrap_or_default(), 0)?;
        check_header(&header, available, size)?;
        let mut table = [SectionEntry::default(); SECTIONS];
        let mut offset = HEADER as u64;
        let entries = header.get(TABLE..).unwrap_or_default().as_chunks::<ENTRY>().0;
        for (entry, written) in table.iter_mut().zip(entries) {
            let written = u128::from_le_bytes(*written);
            *entry =
                SectionEntry { offset, size: written as u64, checksum: (written >> 64) as u32 };
            offset = offset
                .checked_add(entry.size)
                .filter(|&end| end <= size)
                .ok_or_else(|| Problem::Damaged("a section exceeds the file".into()))?;
        }
        if offset != size {
            return Err(extra_bytes(size, offset));
        }
        Ok(SectionReader { bytes, table })
    }

    fn entry(&self, section: usize) -> Result<SectionEntry, Problem> {
        let missing = || Problem::Damaged("a section is missing".into());
        self.table.get(section).copied().ok_or_else(missing)
    }

    /// Returns the bytes of a section.
    pub(super) fn bytes(&self, section: usize) -> Result<Vec<u8>, Problem> {
        let SectionEntry { offset, size, checksum } = self.entry(section)?;
        let mut bytes = vec![0; size as usize];
        self.bytes.read_at(&mut bytes, offset)?;
        if crc32fast::hash(&bytes) != checksum {
            return Err(checksum_mismatch());
        }
        Ok(bytes)
    }

    pub(super) fn numbers(&self, section: usize) -> Result<Vec<u32>, Problem> {
        self.records(section, u32::from_le_bytes)
    }

    /// Returns the records of a section. Its size is bounded by the file size, so allocation is safe.
    pub(super) fn records<const N: usize, T>(
        &self,
        section: usize,
        record: impl Fn([u8; N]) -> T,
    ) -> Result<Vec<T>, Problem> {
        const { assert!(BUFFER.is_multiple_of(N)) };
        let SectionEntry { offset, size, checksum } = self.entry(section)?;
        let mut records = Vec::with_capacity((size as usize).checked_div(N).unwrap_or(0));
        let mut hasher = crc32fast::Hasher::new();
        let mut buffer = vec![0; BUFFER.min(size as usize)];
        let (mut at, end) = (offset, offset.saturating_add(size));
        while at < end {
            buffer.truncate(end.saturating_sub(at) as usize);
            self.bytes.read_at(&mut buffer, at)?;
            hasher.update(&buffer);
            let (whole, rest) = buffer.as_chunks::<N>();
            if !rest.is_empty() {
                return Err(Problem::Damaged("a section ends in the middle of a record".into()));
            }
            records.extend(whole.iter().map(|bytes| record(*bytes)));
            at = at.saturating_add(buffer.len() as u64);
        }
        if hasher.finalize() != checksum {
            return Err(checksum_mismatch());
        }
        Ok(records)
    }
}

fn extra_bytes(size: u64, expected: u64) -> Problem {
    Problem::Damaged(format!("{} extra bytes at the end", size.saturating_sub(expected)))
}

fn checksum_mismatch() -> Problem {
    Problem::Damaged("the checksum of a section does not match".into())
}

fn check_header(header: &[u8], available: usize, size: u64) -> Result<(), Problem> {
    if !header.starts_with(MAGIC) {
        return Err(Problem::UnknownFormat);
    }
    if available >= 12 && u32_at(header, 8) != VERSION {
        return Err(Problem::WrongVersion { found: u32_at(header, 8), expected: VERSION });
    }
    if available < HEADER {
        return Err(Problem::Truncated("in the header".into()));
    }
    if crc32fast::hash(header.get(16..).unwrap_or_default()) != u32_at(header, 12) {
        return Err(Problem::Damaged("the checksum of the header does not match".into()));
    }
    let written = u64_at(header, 16);
    if size < written {
        return Err(Problem::Truncated(format!("after {size} of {written} bytes")));
    }
    if size > written {
        return Err(extra_bytes(size, written));
    }
    Ok(())
}

/// Returns the number at `at`; 0 beyond the end.
fn u32_at(bytes: &[u8], at: usize) -> u32 {
    let number = bytes.get(at..).and_then(<[u8]>::first_chunk);
    number.map_or(0, |number| u32::from_le_bytes(*number))
}

/// Returns the number at `at`; 0 beyond the end.
fn u64_at(bytes: &[u8], at: usize) -> u64 {
    let number = bytes.get(at..).and_then(<[u8]>::first_chunk);
    number.map_or(0, |number| u64::from_le_bytes(*number))
}
