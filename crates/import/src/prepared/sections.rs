//! Numbered sections of bytes behind a table of their sizes and checksums.
//!
//! ```text
//! 0   magic      8 bytes   "MeshMap" and 0x1a
//! 8   version    u32       this program reads VERSION alone
//! 12  checksum   u32       CRC-32 of the rest of the header
//! 16  size       u64       of the whole file
//! 24  table                for each section: u64 size, u32 CRC-32, u32 zero
//! …   sections             one after the other
//! ```
//! All numbers are little-endian. Sections can be read independently of one another, so that
//! threads share the work; each is read through a small buffer, checked, and decoded in place.

use super::SECTIONS;
use crate::error::Problem;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

/// What every prepared map begins with.
pub(crate) const MAGIC: &[u8; 8] = b"MeshMap\x1a";
/// Raised whenever the layout changes.
pub(super) const VERSION: u32 = 1;
const TABLE: usize = 24;
const ENTRY: usize = 16;
pub(super) const HEADER: usize = TABLE + SECTIONS * ENTRY;
/// A whole number of records of every size in use, and small enough to stay in a core's cache.
const BUFFER: usize = 160 << 10;

/// ReadAt that can be read from anywhere, by several threads at once.
pub(super) trait ReadAt: Sync {
    /// How many there are.
    fn size(&self) -> io::Result<u64>;
    /// Fills `buffer` from `offset` on.
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

/// Collects sections.
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

    /// The whole file.
    pub(super) fn finish(self) -> Vec<u8> {
        let mut file = vec![0; HEADER];
        for (number, section) in self.sections.iter().enumerate() {
            let entry = &mut file[TABLE + number * ENTRY..][..ENTRY];
            entry[..8].copy_from_slice(&(section.len() as u64).to_le_bytes());
            entry[8..12].copy_from_slice(&crc32fast::hash(section).to_le_bytes());
        }
        file.extend(self.sections.into_iter().flatten());
        seal(&mut file);
        file
    }
}

/// Writes what the header says of the rest of the file, the table aside.
pub(super) fn seal(file: &mut [u8]) {
    let size = file.len() as u64;
    file[..8].copy_from_slice(MAGIC);
    file[8..12].copy_from_slice(&VERSION.to_le_bytes());
    file[16..24].copy_from_slice(&size.to_le_bytes());
    let checksum = crc32fast::hash(&file[16..HEADER]);
    file[12..16].copy_from_slice(&checksum.to_le_bytes());
}

/// Writes checksums that fit whatever the sections hold, as far as the table allows.
#[cfg(any(test, feature = "fuzzing"))]
pub(super) fn vouch(file: &mut [u8]) {
    let mut start = HEADER;
    for number in 0..SECTIONS {
        let entry = TABLE + number * ENTRY;
        let size = usize::try_from(long(file, entry)).unwrap_or(usize::MAX);
        let Some(section) = start.checked_add(size).and_then(|end| file.get(start..end)) else {
            break;
        };
        let checksum = crc32fast::hash(section).to_le_bytes();
        file[entry + 8..entry + 12].copy_from_slice(&checksum);
        start += size;
    }
    seal(file);
}

/// Reads sections by their number.
pub(super) struct SectionReader<'a, B: ?Sized> {
    bytes: &'a B,
    table: [Entry; SECTIONS],
}

#[derive(Clone, Copy, Default)]
struct Entry {
    offset: u64,
    size: u64,
    checksum: u32,
}

impl<'a, B: ReadAt + ?Sized> SectionReader<'a, B> {
    /// A file whose header is ours and tells the truth.
    pub(super) fn new(bytes: &'a B) -> Result<SectionReader<'a, B>, Problem> {
        let size = bytes.size()?;
        let mut header = [0; HEADER];
        let there = usize::try_from(size).unwrap_or(HEADER).min(HEADER);
        bytes.read_at(&mut header[..there], 0)?;
        check_header(&header, there, size)?;
        let mut table = [Entry::default(); SECTIONS];
        let mut offset = HEADER as u64;
        for (number, entry) in table.iter_mut().enumerate() {
            let written = &header[TABLE + number * ENTRY..];
            *entry = Entry { offset, size: long(written, 0), checksum: short(written, 8) };
            offset = offset
                .checked_add(entry.size)
                .filter(|&end| end <= size)
                .ok_or_else(|| Problem::Damaged("a section is longer than the file".into()))?;
        }
        if offset != size {
            return Err(Problem::Damaged(format!("{} bytes follow its end", size - offset)));
        }
        Ok(SectionReader { bytes, table })
    }

    /// A section as it is; read into its place at once, for there is nothing to decode.
    pub(super) fn bytes(&self, section: usize) -> Result<Vec<u8>, Problem> {
        let Entry { offset, size, checksum } = self.table[section];
        let mut bytes = vec![0; size as usize];
        self.bytes.read_at(&mut bytes, offset)?;
        if crc32fast::hash(&bytes) != checksum {
            return Err(mismatch());
        }
        Ok(bytes)
    }

    pub(super) fn numbers(&self, section: usize) -> Result<Vec<u32>, Problem> {
        self.records(section, u32::from_le_bytes)
    }

    /// The records of a section. Its size was compared with the file's, so it may be reserved.
    pub(super) fn records<const N: usize, T>(
        &self,
        section: usize,
        record: impl Fn([u8; N]) -> T,
    ) -> Result<Vec<T>, Problem> {
        const { assert!(BUFFER.is_multiple_of(N)) };
        let Entry { offset, size, checksum } = self.table[section];
        let mut records = Vec::with_capacity(size as usize / N);
        let mut hasher = crc32fast::Hasher::new();
        let mut buffer = vec![0; BUFFER.min(size as usize)];
        let mut done = 0;
        while done < size {
            let now = buffer.len().min((size - done) as usize);
            self.bytes.read_at(&mut buffer[..now], offset + done)?;
            hasher.update(&buffer[..now]);
            let (whole, rest) = buffer[..now].as_chunks::<N>();
            if !rest.is_empty() {
                return Err(Problem::Damaged("a section ends in the middle of a record".into()));
            }
            records.extend(whole.iter().map(|bytes| record(*bytes)));
            done += now as u64;
        }
        if hasher.finalize() != checksum {
            return Err(mismatch());
        }
        Ok(records)
    }
}

fn mismatch() -> Problem {
    Problem::Damaged("a checksum does not match".into())
}

fn check_header(header: &[u8], there: usize, size: u64) -> Result<(), Problem> {
    if !header.starts_with(MAGIC) {
        return Err(Problem::UnknownFormat);
    }
    if there >= 12 && short(header, 8) != VERSION {
        return Err(Problem::WrongVersion { found: short(header, 8), expected: VERSION });
    }
    if there < HEADER {
        return Err(Problem::Truncated("in its header".into()));
    }
    if crc32fast::hash(&header[16..HEADER]) != short(header, 12) {
        return Err(Problem::Damaged("the checksum of its header does not match".into()));
    }
    let written = long(header, 16);
    if size < written {
        return Err(Problem::Truncated(format!("after {size} of {written} bytes")));
    }
    if size > written {
        return Err(Problem::Damaged(format!("{} bytes follow its end", size - written)));
    }
    Ok(())
}

fn short(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([0, 1, 2, 3].map(|byte| bytes[at + byte]))
}

fn long(bytes: &[u8], at: usize) -> u64 {
    u64::from(short(bytes, at)) | u64::from(short(bytes, at + 4)) << 32
}
