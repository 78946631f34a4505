//! Round trips of queries, and invalid rows.

use super::*;
use crate::error::FileLocation;
use meshcloak::units::{LonLat, Point};
use std::path::Path;

fn rows(text: &str) -> Result<Vec<QueryRow>, String> {
    let input = crate::input::Input::from_bytes(Path::new("q"), text.as_bytes());
    let mut reader = QueryReader::of(input).map_err(|error| error.to_string())?;
    let mut rows = Vec::new();
    while let Some(row) = reader.next_row().map_err(|error| error.to_string())? {
        rows.push(row);
    }
    Ok(rows)
}

fn line(row: &QueryRow) -> u64 {
    match row.location {
        FileLocation::Line(line) => line,
        other => panic!("{other:?}"),
    }
}

/// Returns line and problem of each invalid row.
fn problems(text: &str) -> Vec<String> {
    let rows = rows(text).unwrap();
    let bad = |row: QueryRow| Some(format!("{}: {}", line(&row), row.query.err()?.problem));
    rows.into_iter().filter_map(bad).collect()
}

fn record(number: u32, coordinates: Coordinates) -> QueryRecord {
    QueryRecord {
        query: format!("q \"{number}\", really"),
        user: number.to_string(),
        asked_at: u64::from(number) * 1_001,
        coordinates,
        k: 2 + number,
        temporal_tolerance: 2_500,
        distance_constraint: Length::from_units(1601 * number + 1),
        speed: number.is_multiple_of(2).then_some(1234 * number),
        query_interval: number.is_multiple_of(3).then_some(700),
        asks: !number.is_multiple_of(5),
    }
}

#[test]
fn written_queries_are_read_back() {
    let folder = tempfile::tempdir().unwrap();
    let metres = |n: u32| Coordinates::Metres(Point::new(f64::from(n) * 12.25, -3.25));
    let degrees =
        |n: u32| Coordinates::Degrees(LonLat { lon: 8.25 + f64::from(n) / 512.0, lat: -53.125 });
    for name in ["a.csv", "a.csv.gz", "a.ndjson", "a.ndjson.gz"] {
        for coordinates in [&metres as &dyn Fn(u32) -> Coordinates, &degrees] {
            let path = folder.path().join(name);
            let records: Vec<QueryRecord> = (0..50).map(|n| record(n, coordinates(n))).collect();
            let mut writer = QueryWriter::create(&path).unwrap().with_asks(true);
            records.iter().for_each(|record| writer.write(record).unwrap());
            writer.finish().unwrap();
            let mut reader = QueryReader::open(&path, &()).unwrap();
            for record in &records {
                let row = reader.next_row().unwrap().unwrap();
                assert_eq!(&row.query.unwrap(), record, "{name}");
            }
            assert!(reader.next_row().unwrap().is_none());
        }
    }
}

#[test]
fn speed_and_interval_define_dc() {
    let csv = "user,query,t,lon,lat,k,dt,speed,interval,mood\n7,a,1.5,8.2,53.1,3,0,12.5,4,good\n";
    let json = "{\"query\":1,\"user\":\"u\",\"t\":1.5,\"x\":1,\"y\":2,\"k\":3,\"dt\":0,\
                \"speed\":12.5,\"interval\":4,\"mood\":null}\n\n";
    for text in [csv, json] {
        let query = rows(text).unwrap().remove(0).query.unwrap();
        assert_eq!(query.distance_constraint, Length::metres(50.0));
        assert_eq!((query.asked_at, query.k, query.temporal_tolerance), (1500, 3, 0));
    }
    assert_eq!(rows(json).unwrap()[0].query.as_ref().unwrap().query, "1");
}

#[test]
fn an_invalid_row_is_reported_with_its_line_and_reading_continues() {
    let head = "query,user,t,x,y,k,dt,dc";
    let csv = format!(
        "{head}\na,1,0,1,1,2,3,50\nb,1,-1,1,1,2,3,50\nc,1,0.0005,1,1,2,3,50\nd,1,0,1,1,2.5,3,50\n\
         e,1,0,1,nan,2,3,50\nf,1,0,1,1,2,3,\ng,1,0,1,1,2,3\nh,1,0,1,1,two,3,50\n,1,0,1,1,2,3,50\n\
         z,1,9,1,1,2,3,50\n"
    );
    let found = problems(&csv);
    let expected = [
        "3: field `t` is `-1`; expected seconds from 0 with at most three decimals",
        "4: field `t` is `0.0005`",
        "5: field `k` is `2.5`; expected a whole number",
        "6: field `x,y` is `1,NaN`",
        "7: ",
        "8: ",
        "9: field `k` is `two`; expected a number",
        "10: ",
    ];
    assert_eq!(found.len(), expected.len(), "{found:?}");
    for (found, expected) in found.iter().zip(expected) {
        assert!(found.starts_with(expected), "{found}\nexpected: {expected}");
    }
    let all = rows(&csv).unwrap();
    assert_eq!(all.last().unwrap().query.as_ref().unwrap().query, "z");
    assert_eq!(all[1].query.as_ref().unwrap_err().id.as_deref(), Some("b"));
    let bad = |row: usize| all[row].query.as_ref().unwrap_err().asked_at;
    assert_eq!((bad(1), bad(3), bad(7)), (None, Some(0), Some(0)));
    let json = "{\"query\":\"a\"}\n{oops\n[]\n{\"query\":\"a\",\"t\":\"x\"}\n";
    assert_eq!(problems(json).len(), 4, "{:?}", problems(json));
}

#[test]
fn a_missing_column_is_named() {
    let missing = |header: &str| rows(header).unwrap_err();
    assert!(missing("query,user,t,x,y,k,dt\n").contains("`dc`, or `speed` and `interval`"));
    assert!(missing("query,user,t,x,k,dt,dc\n").contains("column `y` is missing"));
    assert!(missing("query,t,x,y,k,dt,dc\n").contains("column `user` is missing"));
    assert!(rows("").unwrap_err().contains("header"));
    let long = format!("{{\"query\":\"{}", "a".repeat(2 << 20));
    assert!(rows(&long).unwrap_err().contains("longer than 1048576 bytes"));
}

#[test]
fn asks_is_optional_and_a_boolean() {
    let csv = "query,user,t,x,y,k,dt,dc,asks\n\
               a,a,1,0,0,1,30,9,0\nb,b,1,0,0,2,3,9,\nc,c,1,0,0,2,3,9,Yes\nd,d,1,0,0,2,3,9,2\n";
    let json = |asks: &str| {
        format!(
            "{{\"query\":1,\"user\":1,\"t\":1,\"x\":0,\"y\":0,\"k\":2,\"dt\":3,\"dc\":9{asks}}}\n"
        )
    };
    let asks = |text: &str| -> Vec<Option<bool>> {
        let rows = rows(text).expect("readable").into_iter();
        rows.map(|row| row.query.ok().map(|query| query.asks)).collect()
    };
    assert_eq!(asks(csv), [Some(false), Some(true), Some(true), None]);
    assert_eq!(problems(csv), ["5: field `asks` is `2`; expected 1/0, true/false or yes/no"]);
    let values = ["", ",\"asks\":0", ",\"asks\":true", ",\"asks\":\"no\"", ",\"asks\":7"];
    let text: String = values.map(json).concat();
    assert_eq!(asks(&text), [Some(true), Some(false), Some(true), Some(false), None]);
}
