//! Tables of rival schemes in docs/EVALUATION.md are those of the committed results.
//!
//! A generated table stands between two comments:
//!
//! ```text
//! <!--table schemes-10000-->
//! | scheme | … |
//! <!--end-->
//! ```
//!
//! `MESHCLOAK_BLESS=1` (`make bless`) rewrites the tables that differ; review the sentences around
//! them.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

use evaluation::results::{self, CostRow, OWN_MODEL, PrivacyRow};
use evaluation::schemes;
use std::fs;
use std::path::{Path, PathBuf};

const DOCUMENT: &str = "docs/EVALUATION.md";
const BEGIN: &str = "<!--table ";
const END: &str = "<!--end-->";
const NONE: &str = "–";

/// Maps of the tables with all schemes: name in the results, title.
const MAPS: [(&str, &str); 3] =
    [("oldenburg", "Oldenburg"), ("porto", "Porto"), ("paris", "Paris")];

/// Maps with categories of places.
const PLACES: [(&str, &str); 5] = [
    ("porto", "Porto"),
    ("porto+PORTO_POIs", "Porto with `PORTO_POIs.csv`"),
    ("baltimore", "Baltimore"),
    ("bad-hersfeld", "Bad Hersfeld"),
    ("porto-alegre", "Porto Alegre"),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Returns a share in percent. 0 and 100 stand for exact values alone.
fn percent(share: Option<f64>) -> String {
    let Some(share) = share else { return NONE.to_owned() };
    match format!("{:.1}", share * 100.0).as_str() {
        "0.0" if share > 0.0 => "< 0.1".to_owned(),
        "100.0" if share < 1.0 => "> 99.9".to_owned(),
        "0.0" => "0".to_owned(),
        "100.0" => "100".to_owned(),
        other => other.to_owned(),
    }
}

/// Returns whole numbers with separators between thousands.
fn grouped(number: f64) -> String {
    let digits = format!("{number:.0}");
    let chunks: Vec<&str> =
        digits.as_bytes().rchunks(3).rev().map(|c| str::from_utf8(c).unwrap()).collect();
    chunks.join(",")
}

fn line(cells: &[String]) -> String {
    format!("| {} |\n", cells.join(" | "))
}

fn head(titles: &[&str]) -> String {
    let cells: Vec<String> = titles.iter().map(|&title| title.to_owned()).collect();
    line(&cells) + &format!("|{}\n", "---|".repeat(titles.len()))
}

/// Rows of `privacy.csv` of the rivals.
struct Attacks(Vec<PrivacyRow>);

impl Attacks {
    fn find(&self, map: &str, users: u32, scheme: &str, attack: &str) -> Option<&PrivacyRow> {
        let mut rows = self.0.iter();
        rows.find(|row| {
            (row.map.as_str(), row.users, row.scheme.as_str(), row.attack.as_str())
                == (map, users, scheme, attack)
        })
    }

    /// Schemes of the tables: those without parameters, in the order of the program, MeshCloak with
    /// each guarantee.
    fn schemes(&self, users: u32) -> Vec<String> {
        let ours = ["paper", "reciprocal", "history"].map(|name| format!("meshcloak/{name}"));
        let names = ours.into_iter().chain(schemes::canonical_names().into_iter().skip(1));
        names.filter(|name| self.0.iter().any(|r| (&r.scheme, r.users) == (name, users))).collect()
    }

    /// Share below k under D, A and E, and share of ticks in which K names the street.
    fn left(&self, map: &str, users: u32, scheme: &str) -> [String; 4] {
        let below = |attack| percent(self.find(map, users, scheme, attack).and_then(|r| r.below_k));
        let tracker = self.find(map, users, scheme, "tracker");
        [
            below("inversion"),
            below("known-point"),
            below("region-inversion"),
            percent(tracker.and_then(|row| row.figure("street guessed"))),
        ]
    }

    /// Served, region, and what the attacks leave.
    fn under_ours(&self, map: &str, users: u32, scheme: &str) -> String {
        let Some(row) = self.find(map, users, scheme, "inversion") else {
            return NONE.to_owned();
        };
        format!("{}: {}", served(row), self.left(map, users, scheme).join(", "))
    }

    /// Served, region, and what the authors' attack leaves.
    fn under_own(&self, map: &str, users: u32, scheme: &str) -> String {
        let Some(row) = self.find(map, users, scheme, OWN_MODEL) else { return NONE.to_owned() };
        let left = match row.level.as_str() {
            "prior" => format!("error {} m", grouped(row.error_m.unwrap())),
            _ => percent(row.below_k),
        };
        format!("{}: {left}", served(row))
    }

    /// Name of the authors' attack.
    fn own_attack(&self, scheme: &str) -> String {
        let row = self.0.iter().find(|row| row.scheme == scheme && row.attack == OWN_MODEL);
        row.map_or(NONE.to_owned(), |row| row.level.clone())
    }

    /// One line each scheme; with the authors' model where `has_own`.
    fn table(
        &self,
        schemes: &[String],
        users: u32,
        maps: &[(&str, &str)],
        has_own: bool,
    ) -> String {
        let titles: Vec<&str> = maps.iter().map(|map| map.1).collect();
        let own = if has_own { [&["own: attack"], &titles[..]].concat() } else { Vec::new() };
        let mut text = head(&[&["scheme"], &titles[..], &own[..]].concat());
        for scheme in schemes {
            let ours = maps.iter().map(|map| self.under_ours(map.0, users, scheme));
            let mut cells: Vec<String> = [format!("`{scheme}`")].into_iter().chain(ours).collect();
            if has_own {
                cells.push(self.own_attack(scheme));
                cells.extend(maps.iter().map(|map| self.under_own(map.0, users, scheme)));
            }
            text += &line(&cells);
        }
        text
    }

    /// Schemes with parameters behind the scheme with default parameters.
    fn with_parameters(&self) -> Vec<String> {
        let defaults = self.schemes(10_000);
        let base = |name: &str| name.split(':').next().unwrap_or(name).to_owned();
        let mut names = Vec::new();
        for default in &defaults {
            let mut other: Vec<String> = self.0.iter().map(|row| row.scheme.clone()).collect();
            other.retain(|name| base(name) == base(default) && !defaults.contains(name));
            other.dedup();
            other.sort();
            other.dedup();
            if !other.is_empty() {
                names.push(default.clone());
                names.append(&mut other);
            }
        }
        names
    }

    fn places(&self) -> String {
        let titles = ["map", "region", "users of a set / k", "D", "A", "E"];
        let titles = [&titles[..], &["K (without regions)", "own crowd: region"]].concat();
        let mut text = head(&titles);
        let scheme = "semantics";
        for (map, title) in PLACES {
            let row = |attack| self.find(map, 10_000, scheme, attack).unwrap();
            let [d, a, e, k] = self.left(map, 10_000, scheme);
            let without = percent(row("tracker").figure("street guessed without regions"));
            let shown = row("as shown");
            let ratio = format!("{:.1}", shown.relative_k.unwrap());
            let tracker = format!("{k} ({without})");
            let cells = [km(shown), ratio, d, a, e, tracker, km(row(OWN_MODEL))];
            text += &line(&[[title.to_owned()].as_slice(), &cells].concat());
        }
        text
    }
}

fn km(row: &PrivacyRow) -> String {
    format!("{:.1} km", row.region_metres.unwrap() / 1000.0)
}

fn served(row: &PrivacyRow) -> String {
    match row.region_metres {
        Some(_) => format!("{}, {}", percent(row.success_rate), km(row)),
        None => percent(row.success_rate),
    }
}

fn costs(rows: &[CostRow]) -> String {
    let titles = ["scheme", "answered, %", "outside, %", "requests per answer"];
    let more = ["candidates per answer", "objects per answer", "kB from the service"];
    let mut text = head(&[&titles[..], &more[..]].concat());
    for row in rows {
        let per = |sum: u64, decimals: usize| format!("{:.decimals$}", row.per_answer(sum));
        text += &line(&[
            format!("`{}`", row.scheme),
            percent(Some(row.share_answered())),
            percent(Some(row.share_outside())),
            per(row.requests, 2),
            per(row.candidates, 0),
            per(row.objects, 1),
            per(row.candidate_bytes / 1000, 0),
        ]);
    }
    text
}

/// Returns the text of a generated table.
fn table(name: &str) -> String {
    let folder = root().join("results/rivals");
    let attacks = Attacks(results::read(&folder.join("privacy.csv")).unwrap());
    match name {
        "schemes-10000" => attacks.table(&attacks.schemes(10_000), 10_000, &MAPS, true),
        "schemes-100000" => attacks.table(&attacks.schemes(100_000), 100_000, &MAPS, false),
        "parameters" => attacks.table(&attacks.with_parameters(), 10_000, &MAPS[..2], true),
        "semantics" => attacks.places(),
        "costs" => costs(&results::read(&folder.join("costs.csv")).unwrap()),
        other => panic!("{DOCUMENT}: unknown table {other}"),
    }
}

/// Returns the text with all tables replaced by generated ones, and their number.
fn generated(text: &str) -> (String, usize) {
    let (mut all, mut rest, mut count) = (String::new(), text, 0);
    while let Some((before, after)) = rest.split_once(BEGIN) {
        let (name, after) = after.split_once("-->\n").expect("the name ends its line");
        let (_, after) = after.split_once(END).unwrap_or_else(|| panic!("{name} has no {END}"));
        all += &format!("{before}{BEGIN}{name}-->\n{}{END}", table(name));
        (rest, count) = (after, count + 1);
    }
    (all + rest, count)
}

#[test]
fn tables_of_rivals_are_those_of_the_results() {
    let path = root().join(DOCUMENT);
    let text = fs::read_to_string(&path).unwrap();
    let (expected, count) = generated(&text);
    assert!(count >= 5, "only {count} tables of {DOCUMENT} are generated");
    if std::env::var_os("MESHCLOAK_BLESS").is_some() {
        fs::write(&path, &expected).unwrap();
        return;
    }
    let wrong: Vec<_> = text.lines().zip(expected.lines()).filter(|(is, was)| is != was).collect();
    assert!(wrong.is_empty(), "run `make bless`; lines and expected lines: {wrong:#?}");
    assert_eq!(text, expected, "run `make bless`");
}
