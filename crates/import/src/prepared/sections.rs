//! Sections of bytes, each behind its size; numbers in them are little-endian.

use crate::error::Problem;
use meshcloak::units::Point;

/// Appends sections.
pub(super) struct Writer {
    out: Vec<u8>,
}

impl Writer {
    /// Begins with room for a header.
    pub(super) fn new(header: usize) -> Writer {
        Writer { out: vec![0; header] }
    }

    pub(super) fn bytes(&mut self, bytes: &[u8]) {
        self.out.extend_from_slice(&(bytes.len() as u64).to_le_bytes());
        self.out.extend_from_slice(bytes);
    }

    pub(super) fn records<const N: usize>(
        &mut self,
        records: impl ExactSizeIterator<Item = [u8; N]>,
    ) {
        self.out.extend_from_slice(&((records.len() * N) as u64).to_le_bytes());
        for record in records {
            self.out.extend_from_slice(&record);
        }
    }

    pub(super) fn numbers(&mut self, numbers: &[u32]) {
        self.records(numbers.iter().map(|number| number.to_le_bytes()));
    }

    pub(super) fn points(&mut self, points: &[Point]) {
        self.records(points.iter().map(|point| {
            let (x, y) = (point.x.to_le_bytes(), point.y.to_le_bytes());
            let mut record = [0; 16];
            record[..8].copy_from_slice(&x);
            record[8..].copy_from_slice(&y);
            record
        }));
    }

    pub(super) fn finish(self) -> Vec<u8> {
        self.out
    }
}

/// Takes sections off in the order in which they were written.
///
/// A section's size is compared with what is there before anything is allocated.
pub(super) struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    pub(super) fn new(body: &'a [u8]) -> Reader<'a> {
        Reader { rest: body }
    }

    pub(super) fn bytes(&mut self) -> Result<&'a [u8], Problem> {
        let short = || Problem::Damaged("a section is longer than the file".into());
        let (size, rest) = self.rest.split_first_chunk::<8>().ok_or_else(short)?;
        let size = usize::try_from(u64::from_le_bytes(*size)).map_err(|_| short())?;
        let (section, rest) = rest.split_at_checked(size).ok_or_else(short)?;
        self.rest = rest;
        Ok(section)
    }

    pub(super) fn records<const N: usize, T>(
        &mut self,
        record: impl Fn([u8; N]) -> T,
    ) -> Result<Vec<T>, Problem> {
        let (records, rest) = self.bytes()?.as_chunks::<N>();
        if !rest.is_empty() {
            return Err(Problem::Damaged("a section ends in the middle of a record".into()));
        }
        Ok(records.iter().map(|bytes| record(*bytes)).collect())
    }

    pub(super) fn numbers(&mut self) -> Result<Vec<u32>, Problem> {
        self.records(u32::from_le_bytes)
    }

    pub(super) fn points(&mut self) -> Result<Vec<Point>, Problem> {
        self.records(|record: [u8; 16]| {
            let [x, y] = [0, 8].map(|at| {
                f64::from_le_bytes([0, 1, 2, 3, 4, 5, 6, 7].map(|byte| record[at + byte]))
            });
            Point::new(x, y)
        })
    }

    /// Nothing may be left.
    pub(super) fn finish(self) -> Result<(), Problem> {
        if self.rest.is_empty() {
            return Ok(());
        }
        Err(Problem::Damaged(format!("{} bytes follow its last section", self.rest.len())))
    }
}

/// Numbers as the bytes of one record of `BYTES` = 4 × `NUMBERS` bytes.
pub(super) fn join<const NUMBERS: usize, const BYTES: usize>(
    numbers: [u32; NUMBERS],
) -> [u8; BYTES] {
    const { assert!(BYTES == 4 * NUMBERS) };
    let mut record = [0; BYTES];
    for (bytes, number) in record.as_chunks_mut::<4>().0.iter_mut().zip(numbers) {
        *bytes = number.to_le_bytes();
    }
    record
}

/// The numbers of one record.
pub(super) fn split<const NUMBERS: usize, const BYTES: usize>(
    record: [u8; BYTES],
) -> [u32; NUMBERS] {
    const { assert!(BYTES == 4 * NUMBERS) };
    let mut numbers = [0; NUMBERS];
    for (number, bytes) in numbers.iter_mut().zip(record.as_chunks::<4>().0) {
        *number = u32::from_le_bytes(*bytes);
    }
    numbers
}
