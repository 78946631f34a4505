//! Queries in Parquet files and Arrow batches: equal to the text formats, and hostile files.

use super::*;
use crate::columns::{BatchSink as _, BatchSource, ParquetSink};
use crate::error::FileLocation;
use arrow_array::types::Int32Type;
use arrow_array::{
    Array as _, ArrayRef, BooleanArray, Decimal128Array, DictionaryArray, Int32Array, Int64Array,
    LargeStringArray, RecordBatch, RecordBatchIterator, StringArray, StringViewArray, UInt8Array,
};
use meshcloak::town::Town;
use meshcloak::units::{LonLat, Point};
use rand::RngExt as _;
use std::path::Path;
use std::sync::Arc;

fn random_record(seed: u64, number: u64, degrees: bool) -> QueryRecord {
    let mut random = Town::generator(seed.wrapping_mul(1_000).wrapping_add(number));
    let coordinates = if degrees {
        let (lon, lat) = (random.random_range(-180.0..180.0), random.random_range(-90.0..90.0));
        Coordinates::Degrees(LonLat { lon, lat })
    } else {
        let metres = || -1e6..1e6;
        Coordinates::Metres(Point::new(
            random.random_range(metres()),
            random.random_range(metres()),
        ))
    };
    let text = ["ü,\"x\"", "7", "plain", "line\nbreak", " spaced "];
    QueryRecord {
        query: format!("{}{number}", text[random.random_range(0..text.len())]),
        user: text[random.random_range(0..text.len())].to_owned(),
        asked_at: random.random_range(0..1_000_000_000_000),
        coordinates,
        k: random.random_range(0..=u32::MAX),
        temporal_tolerance: random.random_range(0..100_000),
        distance_constraint: Length::from_units(random.random_range(0..=u32::MAX)),
        speed: random.random::<bool>().then(|| random.random_range(0..=u32::MAX)),
        query_interval: random.random::<bool>().then(|| random.random_range(0..=u32::MAX)),
        asks: random.random(),
    }
}

fn write(path: &Path, records: &[QueryRecord]) {
    let mut writer = QueryWriter::create(path).unwrap().with_asks(true);
    records.iter().for_each(|record| writer.write(record).unwrap());
    writer.finish().unwrap();
}

fn read(path: &Path) -> Vec<QueryRecord> {
    let mut reader = QueryReader::open(path, &()).unwrap();
    let mut records = Vec::new();
    while let Some(row) = reader.next_row().unwrap() {
        records.push(row.query.unwrap());
    }
    records
}

/// More rows than a batch holds, so that batches are joined.
#[test]
fn csv_to_parquet_to_csv_gives_equal_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    for seed in 0..40 {
        let rows = if seed == 0 { 10_000 } else { 5 * seed };
        let records: Vec<QueryRecord> =
            (0..rows).map(|number| random_record(seed, number, seed % 2 == 1)).collect();
        write(&path("a.csv"), &records);
        write(&path("b.parquet"), &read(&path("a.csv")));
        write(&path("c.ndjson"), &read(&path("b.parquet")));
        write(&path("d.csv"), &read(&path("c.ndjson")));
        let bytes = |name: &str| std::fs::read(path(name)).unwrap();
        assert!(bytes("a.csv") == bytes("d.csv"), "seed {seed}");
        assert_eq!(read(&path("b.parquet")).len() as u64, rows);
        assert_eq!(&bytes("b.parquet")[..4], b"PAR1");
        // The first writer rounds as the second does.
        write(&path("e.parquet"), &records);
        assert_eq!(read(&path("e.parquet")), read(&path("b.parquet")), "seed {seed}");
    }
}

#[test]
fn an_empty_table_has_a_schema() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.parquet");
    write(&path, &[]);
    assert!(read(&path).is_empty());
}

fn stream(columns: Vec<(&str, ArrayRef)>) -> BatchSource<'static> {
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let schema = batch.schema();
    BatchSource::of_stream("people", Box::new(RecordBatchIterator::new([Ok(batch)], schema)))
}

fn columns() -> Vec<(&'static str, ArrayRef)> {
    let users: DictionaryArray<Int32Type> = ["u", "v", "u"].into_iter().collect();
    let decimal = Decimal128Array::from(vec![Some(1_500), None, Some(2_250)]);
    vec![
        ("extra", Arc::new(Int32Array::from(vec![1, 2, 3])) as ArrayRef),
        ("dc", Arc::new(UInt8Array::from(vec![100, 100, 100]))),
        ("query", Arc::new(Int64Array::from(vec![Some(7), Some(8), None]))),
        ("user", Arc::new(users)),
        ("t", Arc::new(decimal.with_precision_and_scale(20, 3).unwrap())),
        ("x", Arc::new(Int32Array::from(vec![1, 2, 3]))),
        ("y", Arc::new(Int32Array::from(vec![1, 2, 3]))),
        ("k", Arc::new(UInt8Array::from(vec![2, 2, 2]))),
        ("dt", Arc::new(UInt8Array::from(vec![3, 3, 3]))),
        ("asks", Arc::new(BooleanArray::from(vec![Some(false), None, None]))),
    ]
}

#[test]
fn all_types_of_numbers_and_texts_are_accepted_and_bad_rows_named() {
    let mut reader = QueryReader::of_batches(stream(columns())).unwrap();
    let row = reader.next_row().unwrap().unwrap();
    assert_eq!(row.location, FileLocation::Row(1));
    let record = row.query.unwrap();
    assert_eq!((&*record.query, &*record.user, record.asked_at), ("7", "u", 1_500));
    assert!(!record.asks);
    let bad = reader.next_row().unwrap().unwrap();
    assert_eq!(bad.location, FileLocation::Row(2));
    let bad = bad.query.unwrap_err();
    assert_eq!(
        (bad.id.as_deref(), bad.problem.to_string().as_str()),
        (Some("8"), "no content; expected `t`")
    );
    let bad = reader.next_row().unwrap().unwrap().query.unwrap_err();
    assert_eq!(
        (bad.asked_at, bad.problem.to_string().as_str()),
        (Some(2_250), "no content; expected `query`")
    );
    assert!(reader.next_row().unwrap().is_none());
    for texts in [
        Arc::new(LargeStringArray::from(vec!["a", "b", "c"])) as ArrayRef,
        Arc::new(StringViewArray::from(vec!["a", "b", "c"])),
        Arc::new(StringArray::from(vec!["a", "b", "c"])),
    ] {
        let mut columns = columns();
        columns[2].1 = texts;
        let mut reader = QueryReader::of_batches(stream(columns)).unwrap();
        assert_eq!(reader.next_row().unwrap().unwrap().query.unwrap().query, "a");
    }
}

#[test]
fn a_missing_column_and_a_wrong_type_are_named() {
    let message = |columns| {
        let reader = QueryReader::of_batches(stream(columns));
        let row = reader.and_then(|mut reader| reader.next_row());
        row.err().unwrap().to_string()
    };
    let without = |name: &str| columns().into_iter().filter(|column| column.0 != name).collect();
    let header = "extra,dc,query,user,t,x,k,dt,asks";
    assert_eq!(
        message(without("y")),
        format!("people: column `x`,`y` or `lon`,`lat` is missing; found header `{header}`")
    );
    let mut wrong = columns();
    wrong[4].1 = Arc::new(StringArray::from(vec!["1", "2", "3"]));
    let message = message(wrong);
    assert!(message.contains("column `t` has the type Utf8; expected a number"), "{message}");
}

/// Every file that differs in a few bytes is read or refused: no panic, and no more rows than stated.
#[test]
fn damaged_files_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.parquet");
    let records: Vec<QueryRecord> =
        (0..300).map(|number| random_record(1, number, false)).collect();
    write(&path, &records);
    let good = std::fs::read(&path).unwrap();
    let mut refused = 0;
    for seed in 0..300_u64 {
        let mut random = Town::generator(seed);
        let mut bytes = good.clone();
        if seed % 4 == 0 {
            bytes.truncate(random.random_range(0..bytes.len()));
        }
        // Half of the changes hit the metadata at the end.
        for _ in 0..random.random_range(1..4).min(bytes.len()) {
            let from = if random.random() { bytes.len() / 2 } else { 0 };
            let at = random.random_range(from..bytes.len());
            bytes[at] = random.random();
        }
        std::fs::write(&path, &bytes).unwrap();
        let Ok(mut reader) = QueryReader::open(&path, &()) else {
            refused += 1;
            continue;
        };
        let mut rows = 0;
        loop {
            match reader.next_row() {
                Ok(Some(_)) => rows += 1,
                Ok(None) => break,
                Err(error) => {
                    refused += 1;
                    assert!(error.to_string().contains("a.parquet"), "{error}");
                    break;
                }
            }
            assert!(rows <= 1_000_000, "seed {seed}");
        }
    }
    assert!(refused > 50, "only {refused} damaged files were noticed");
}

/// Writes queries of one user.
fn write_user(path: &Path, user: ArrayRef) {
    let rows = user.len();
    let number = |value: u8| Arc::new(UInt8Array::from(vec![value; rows])) as ArrayRef;
    let ids: ArrayRef = Arc::new(Int64Array::from_iter_values(0..rows as i64));
    let mut columns = vec![("query", ids), ("user", user)];
    columns.extend(["t", "x", "y", "k", "dt", "dc"].map(|name| (name, number(2))));
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let mut sink = Box::new(ParquetSink::create(path, batch.schema()).unwrap());
    sink.write(batch).unwrap();
    sink.finish().unwrap();
    assert!(std::fs::metadata(path).unwrap().len() < 4 << 20);
}

/// A dictionary of one large text that every row repeats: 50,000 rows of 0.5 MB each would be 25 GB.
#[test]
fn a_text_that_many_rows_repeat_is_held_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.parquet");
    let long = "x".repeat(1 << 19);
    let rows = 50_000;
    let keys = Int32Array::from(vec![0; rows]);
    let user = DictionaryArray::new(keys, Arc::new(StringArray::from(vec![long.as_str()])));
    write_user(&path, Arc::new(user));
    let mut source = BatchSource::open(&path, &["user", "query"], &()).unwrap();
    let mut read = 0;
    while let Some(batch) = source.next_batch().unwrap() {
        read += batch.num_rows();
        assert!(batch.num_rows() <= crate::columns::MAX_ROWS);
        assert!(batch.get_array_memory_size() < 8 << 20, "{}", batch.get_array_memory_size());
    }
    assert_eq!(read, rows);
}

/// 70 MB of equal bytes are a page of a few kilobytes.
#[test]
fn a_page_that_decompresses_to_more_than_the_limit_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.parquet");
    let long = "x".repeat(70 << 20);
    write_user(&path, Arc::new(StringArray::from(vec![long.as_str()])));
    let error = QueryReader::open(&path, &()).unwrap().next_row().unwrap_err().to_string();
    assert!(error.contains("row 1: damaged: row group 1: column `user`: a page of"), "{error}");
    assert!(error.ends_with("expected at most 67108864: write smaller pages"), "{error}");
}
