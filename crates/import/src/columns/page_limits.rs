//! Limits of a Parquet row group, checked before it is decoded.
//!
//! The decoder allocates what a page header states: up to 2 GB per page, and for a run-length
//! encoded list any number of elements. So the headers of all pages are read first. Decompression
//! itself is bounded by the stated size.

use super::page_header::{HeaderError, PageHeader};
use parquet::file::metadata::{ColumnChunkMetaData, RowGroupMetaData};
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;

/// Largest decompressed page, in bytes. Writers aim at 1 MB.
const MAX_PAGE_LEN: i64 = 64 << 20;
/// Largest number of elements of a list column in a row group.
const MAX_ELEMENTS: i64 = 1 << 26;
/// Largest number of rows of a row group.
const MAX_GROUP_ROWS: i64 = 1 << 31;
/// Largest page header, in bytes.
const MAX_HEADER_LEN: usize = 1 << 20;

/// Checks the columns of a row group for which `is_read` holds.
///
/// # Errors
/// The exceeded limit or the damage, in words.
pub(super) fn check_row_group(
    file: &File,
    file_len: u64,
    group: &RowGroupMetaData,
    is_read: impl Fn(usize) -> bool,
) -> Result<(), String> {
    let rows = group.num_rows();
    if !(0..=MAX_GROUP_ROWS).contains(&rows) {
        return Err(format!("the row group has {rows} rows; expected at most {MAX_GROUP_ROWS}"));
    }
    for (index, column) in group.columns().iter().enumerate() {
        if is_read(index) {
            let name = column.column_path().string();
            check_column(file, file_len, column, rows)
                .map_err(|problem| format!("column `{name}`: {problem}"))?;
        }
    }
    Ok(())
}

fn check_column(
    file: &File,
    file_len: u64,
    column: &ColumnChunkMetaData,
    rows: i64,
) -> Result<(), String> {
    if column.data_page_offset() < 0
        || column.compressed_size() < 0
        || column.dictionary_page_offset().is_some_and(|offset| offset < 0)
    {
        return Err("a negative offset or size".into());
    }
    let (start, len) = column.byte_range();
    let end = start.checked_add(len).filter(|&end| end <= file_len);
    let end = end.ok_or("its data ends after the end of the file")?;
    let is_list = column.column_descr().max_rep_level() > 0;
    let mut values = 0_i64;
    let mut offset = start;
    while offset < end {
        let header = read_header(file, offset, end)?;
        if !(0..=MAX_PAGE_LEN).contains(&header.uncompressed_len) {
            return Err(format!(
                "a page of {} bytes; expected at most {MAX_PAGE_LEN}: write smaller pages",
                header.uncompressed_len
            ));
        }
        let compressed = u64::try_from(header.compressed_len).map_err(|_| "a negative size")?;
        let next = offset.saturating_add(header.header_len).saturating_add(compressed);
        if next > end || header.values < 0 {
            return Err("a page ends after the end of its column".into());
        }
        values = values.saturating_add(header.values);
        if is_list && values > MAX_ELEMENTS {
            return Err(format!(
                "more than {MAX_ELEMENTS} list elements in a row group: write smaller row groups"
            ));
        }
        // Dictionary pages count as well: at most one value per row each.
        if !is_list && values > rows.saturating_mul(2) {
            return Err(format!("more values than the {rows} rows of the row group"));
        }
        offset = next;
    }
    Ok(())
}

fn read_header(file: &File, offset: u64, end: u64) -> Result<PageHeader, String> {
    let mut window = 1 << 8;
    loop {
        let left = usize::try_from(end.saturating_sub(offset)).unwrap_or(usize::MAX);
        let mut bytes = vec![0; window.min(left)];
        let read = read_at(file, &mut bytes, offset).map_err(|error| error.to_string())?;
        bytes.truncate(read);
        match PageHeader::read(&bytes) {
            Ok(header) => return Ok(header),
            Err(HeaderError::Incomplete) if window < MAX_HEADER_LEN.min(left) => {
                window = window.saturating_mul(8);
            }
            Err(_) => return Err("a damaged page header".into()),
        }
    }
}

/// Reads as many bytes as there are.
fn read_at(file: &File, bytes: &mut [u8], offset: u64) -> io::Result<usize> {
    let mut read = 0;
    while let Some(rest) = bytes.get_mut(read..).filter(|rest| !rest.is_empty()) {
        match file.read_at(rest, offset.saturating_add(read as u64)) {
            Ok(0) => break,
            Ok(more) => read = read.saturating_add(more),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(read)
}
