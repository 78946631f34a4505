//! Header of a Parquet page, in the Thrift compact protocol: only the sizes are kept.
//!
//! ```text
//! PageHeader      1 type  2 uncompressed_page_size  3 compressed_page_size
//!                 5 DataPageHeader      1 num_values
//!                 7 DictionaryPageHeader 1 num_values
//!                 8 DataPageHeaderV2    1 num_values
//! field           one byte: id delta (high half), type (low half); delta 0: a zigzag id follows
//! ```

/// Sizes that a page header states.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct PageHeader {
    /// Length of the header itself, in bytes.
    pub header_len: u64,
    pub uncompressed_len: i64,
    pub compressed_len: i64,
    /// Number of values, nulls included.
    pub values: i64,
}

/// Why a header cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HeaderError {
    /// The bytes end within the header.
    Incomplete,
    /// The bytes are not a header.
    Invalid,
}

/// Largest nesting of structs in a header.
const MAX_DEPTH: u32 = 8;

impl PageHeader {
    /// Reads the header at the start of `bytes`.
    pub(super) fn read(bytes: &[u8]) -> Result<PageHeader, HeaderError> {
        let mut thrift = Thrift { rest: bytes };
        let mut header = PageHeader::default();
        thrift.fields(|thrift, id, kind| match (id, kind) {
            (2, INTEGER) => thrift.zigzag().map(|len| header.uncompressed_len = len),
            (3, INTEGER) => thrift.zigzag().map(|len| header.compressed_len = len),
            (5 | 7 | 8, STRUCT) => thrift.fields(|thrift, id, kind| match (id, kind) {
                (1, INTEGER) => thrift.zigzag().map(|values| header.values = values),
                _ => thrift.skip(kind, MAX_DEPTH),
            }),
            _ => thrift.skip(kind, MAX_DEPTH),
        })?;
        header.header_len = bytes.len().saturating_sub(thrift.rest.len()) as u64;
        Ok(header)
    }
}

const INTEGER: u8 = 5;
const STRUCT: u8 = 12;

struct Thrift<'a> {
    rest: &'a [u8],
}

type Read<T> = Result<T, HeaderError>;

impl Thrift<'_> {
    fn byte(&mut self) -> Read<u8> {
        let (&byte, rest) = self.rest.split_first().ok_or(HeaderError::Incomplete)?;
        self.rest = rest;
        Ok(byte)
    }

    fn varint(&mut self) -> Read<u64> {
        let mut value = 0_u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err(HeaderError::Invalid)
    }

    fn zigzag(&mut self) -> Read<i64> {
        let value = self.varint()?;
        Ok((value >> 1) as i64 ^ (value & 1).cast_signed().wrapping_neg())
    }

    /// Calls `read` with id and type of each field; it consumes the value.
    fn fields(&mut self, mut read: impl FnMut(&mut Self, i64, u8) -> Read<()>) -> Read<()> {
        let mut id = 0_i64;
        loop {
            let head = self.byte()?;
            if head == 0 {
                return Ok(());
            }
            id = match head >> 4 {
                0 => self.zigzag()?,
                delta => id.saturating_add(delta.into()),
            };
            read(self, id, head & 0x0f)?;
        }
    }

    fn skip(&mut self, kind: u8, depth: u32) -> Read<()> {
        let depth = depth.checked_sub(1).ok_or(HeaderError::Invalid)?;
        match kind {
            1 | 2 => Ok(()),
            3 => self.byte().map(drop),
            4..=6 => self.varint().map(drop),
            7 => self.take(8),
            8 => {
                let len = self.varint()?;
                self.take(len)
            }
            9 | 10 => {
                let head = self.byte()?;
                let len = if head >> 4 == 15 { self.varint()? } else { u64::from(head >> 4) };
                // Booleans in a list take a byte each.
                let kind = if matches!(head & 0x0f, 1 | 2) { 3 } else { head & 0x0f };
                (0..len).try_for_each(|_| self.skip(kind, depth))
            }
            STRUCT => self.fields(|thrift, _, kind| thrift.skip(kind, depth)),
            _ => Err(HeaderError::Invalid),
        }
    }

    fn take(&mut self, len: u64) -> Read<()> {
        let len = usize::try_from(len).map_err(|_| HeaderError::Invalid)?;
        self.rest = self.rest.get(len..).ok_or(HeaderError::Incomplete)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// type 0, uncompressed 300, compressed 100, a binary field 4, data page with 7 values.
    const HEADER: [u8; 16] =
        [0x15, 0, 0x15, 0xd8, 0x04, 0x15, 0xc8, 0x01, 0x18, 1, 9, 0x1c, 0x15, 14, 0, 0];

    #[test]
    fn sizes_and_the_length_of_the_header_are_read() {
        let mut bytes = HEADER.to_vec();
        bytes.extend([1, 2, 3]);
        let expected =
            PageHeader { header_len: 16, uncompressed_len: 300, compressed_len: 100, values: 7 };
        assert_eq!(PageHeader::read(&bytes), Ok(expected));
    }

    #[test]
    fn any_prefix_is_incomplete_and_deep_nesting_is_invalid() {
        for end in 0..HEADER.len() {
            assert_eq!(PageHeader::read(&HEADER[..end]), Err(HeaderError::Incomplete), "{end}");
        }
        assert_eq!(PageHeader::read(&[0x9c; 100]), Err(HeaderError::Invalid));
        assert_eq!(PageHeader::read(&[0x1f, 1]), Err(HeaderError::Invalid));
    }
}
