//! Output compared with the files in `tests/golden`; `make bless` renews them.

use crate::program::meshcloak;
use std::fs;
use std::path::Path;

/// Asserts that `found` equals the golden file `name`; `MESHCLOAK_BLESS` renews the file instead.
#[track_caller]
fn assert_golden(name: &str, found: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name);
    if std::env::var_os("MESHCLOAK_BLESS").is_some() {
        fs::write(&path, found).unwrap();
    }
    let expected = fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(
        found, expected,
        "{name} differs; renew it by `make bless` if the change is intended"
    );
}

#[test]
fn the_description_of_a_built_in_city_is_unchanged() {
    let info = meshcloak(&["map", "info", "city:500:1"]).done().stdout;
    assert_golden("city-500-1.info.txt", &info);
}

#[test]
fn the_streets_of_a_built_in_city_are_unchanged() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    meshcloak(&["map", "convert", "city:500:1", &path("c.csv")]).done();
    let streets = fs::read(path("c.streets.csv")).unwrap();
    let mut crc = flate2::Crc::new();
    crc.update(&streets);
    let found = format!("{} bytes, CRC {:08x}\n", streets.len(), crc.sum());
    assert_golden("city-500-1.streets.txt", &found);
}
