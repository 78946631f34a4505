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
    let found = format!("{}\n", checksum(&path("c.streets.csv")));
    assert_golden("city-500-1.streets.txt", &found);
}

/// Returns size and CRC of a file.
fn checksum(path: &str) -> String {
    let bytes = fs::read(path).unwrap();
    let mut crc = flate2::Crc::new();
    crc.update(&bytes);
    format!("{} bytes, CRC {:08x}", bytes.len(), crc.sum())
}

/// Guarantees and regions whose results are compared, as arguments of `cloak`.
const VARIANTS: [&str; 6] = [
    "--guarantee paper",
    "--guarantee reciprocal",
    "--guarantee history --history-clock asked",
    "--guarantee history --history-clock published",
    "--guarantee reciprocal --region cell",
    "--guarantee history --history-clock published --region cell",
];

#[test]
fn outcomes_and_disclosures_are_unchanged_and_equal_for_any_number_of_threads() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (map, queries, out, seen) = ("city:1000:1", path("q.csv"), path("o"), path("d"));
    meshcloak(&["simulate", map, "--users", "4000", "--out", &queries]).done();
    let mut found = String::new();
    for variant in VARIANTS {
        let results = ["1", "3"].map(|threads| {
            let files = ["--queries", &queries, "--out", &out, "--disclosures", &seen];
            let all = ["cloak", map, "--threads", threads].into_iter().chain(files);
            let run = meshcloak(&all.chain(variant.split(' ')).collect::<Vec<_>>()).done();
            let rate = run.stdout.lines().find(|line| line.contains("success rate")).unwrap();
            let rate = rate.split_whitespace().collect::<Vec<_>>().join(" ");
            format!("{rate}; outcomes {}; disclosures {}", checksum(&out), checksum(&seen))
        });
        assert_eq!(results[0], results[1], "{variant}");
        found.push_str(&format!("{variant}: {}\n", results[0]));
    }
    assert_golden("city-1000-1.cloak.txt", &found);
}
