//! The report of a small results folder: sections, numbers, escaping, self-containment, determinism.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

use evaluation::report::{Data, HtmlReport, report};
use evaluation::results::{self, MapRow, MatrixRow, RunRow, SchemeRow, VolumeRow};
use std::path::Path;
use tempfile::TempDir;

/// Writes synthetic results of §V: three maps × P1 and P2 × two k × two dt × two seeds of meshcloak with
/// their times, the other schemes, three user counts, printed meshes, and taxis.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let mut runs = Vec::new();
    for map in ["oldenburg", "porto-alegre", "stockton"] {
        for (profile, dts) in [("p1", [3, 5]), ("p2", [3, 10])] {
            for (k, dt) in [(5, dts[0]), (5, dts[1]), (10, dts[0]), (10, dts[1])] {
                runs.extend([1, 2].map(|seed| run(map, Cell { profile, k, dt }, seed)));
            }
        }
        let first = run(map, Cell { profile: "p1", k: 5, dt: 3 }, 1);
        for users in [1_000, 3_000] {
            runs.push(RunRow { users, ..first.clone() });
        }
        runs.push(RunRow { scheme: "meshcloak/paper/printed".to_owned(), ..first.clone() });
        for scheme in ["sequential", "sequential-edges", "clique-cloak", "i-clique-cloak"] {
            for view in ["unlimited", "realtime"] {
                let (scheme, view) = (scheme.to_owned(), view.to_owned());
                let (us_per_query, region_area_m2) = (Some(8_000.0), Some(2e6));
                runs.push(RunRow { scheme, view, us_per_query, region_area_m2, ..first.clone() });
            }
        }
    }
    let unlimited = runs.clone().into_iter().filter(|run| run.view == "unlimited");
    let load_during = Some(0.1);
    runs.extend(unlimited.map(|run| RunRow { view: "timed".to_owned(), load_during, ..run }));
    runs.push(RunRow { users: 150, ..run("porto", Cell { profile: "taxi-p1", k: 5, dt: 3 }, 1) });
    results::write(&folder.path().join("runs.csv"), &runs).unwrap();
    results::write(&folder.path().join("volume.csv"), &volume(&runs)).unwrap();
    let maps = ["oldenburg", "porto-alegre", "stockton", "porto"].map(map);
    results::write(&folder.path().join("maps.csv"), &maps).unwrap();
    results::write(&folder.path().join("matrix.csv"), &matrix()).unwrap();
    let text = |words: &str| words.to_owned();
    let scheme = |name: &str| SchemeRow {
        scheme: text(name),
        setting: text("map"),
        cliques: text("<b>bold</b>"),
        constraint: text("v × Δt"),
        pace: text("batch"),
    };
    let schemes = ["meshcloak/paper", "clique-cloak"].map(scheme);
    results::write(&folder.path().join("schemes.csv"), &schemes).unwrap();
    let provenance = "title = \"A <small> run\"\npaper = true\ncommit = \"abc123\"\n[machine]\ncpu = \"Z80 & co\"\n";
    std::fs::write(folder.path().join("provenance.toml"), provenance).unwrap();
    folder
}

/// Query parameters of a run.
#[derive(Clone, Copy)]
struct Cell<'a> {
    profile: &'a str,
    k: u32,
    dt: u32,
}

fn run(map: &str, cell: Cell<'_>, seed: u64) -> RunRow {
    let Cell { profile, k: k_max, dt } = cell;
    let penalty = f64::from(k_max) / 100.0 + f64::from(dt) / 1000.0;
    RunRow {
        map: map.to_owned(),
        users: 10_000,
        configuration: format!("{}-{dt}-{k_max}", profile.to_uppercase()),
        profile: profile.to_owned(),
        k_max,
        dt: f64::from(dt),
        scheme: "meshcloak/paper".to_owned(),
        view: "unlimited".to_owned(),
        seed,
        queries: 110_000,
        succeeded: 80_000,
        expired: 30_000,
        success_rate: Some(0.9 - penalty + 0.02 * seed as f64),
        printed_success_rate: Some(0.5),
        region_metres: Some(5_000.0),
        region_metres_per_member: Some(1_300.0),
        relative_k: Some(1.5),
        relative_dt: Some(0.5 - penalty),
        mean_delay_s: Some(0.4),
        served_within_2s: Some(0.95),
        largest_nodes: 25_000,
        largest_edges: 130_000,
        us_per_query: Some(16.0),
        us_graph: Some(5.0),
        ..RunRow::default()
    }
}

fn map(name: &str) -> MapRow {
    let map = name.to_owned();
    let nodes = name.len() as u64 * 1_000;
    MapRow {
        map,
        nodes,
        edges: 7_029,
        width_km: 10.0,
        height_km: 20.0,
        area_km2: 200.0,
        street_km: 1_301.47,
        matrix_ms: 150.0,
    }
}

/// Linear growth if the map is cut, quadratic if it is thinned.
fn matrix() -> Vec<MatrixRow> {
    let row = |method: &str, terminals: usize, matrix_ms| {
        let (map, method) = ("porto".to_owned(), method.to_owned());
        MatrixRow { map, method, terminals, matrix_ms, ..MatrixRow::default() }
    };
    vec![
        row("cut", 100, 1.0),
        row("cut", 1_600, 16.0),
        row("thinned", 100, 1.0),
        row("thinned", 1_600, 256.0),
    ]
}

fn volume(runs: &[RunRow]) -> Vec<VolumeRow> {
    let recorded = runs.iter().filter(|run| {
        (run.seed, run.scheme.as_str(), run.view.as_str()) == (1, "meshcloak/paper", "unlimited")
    });
    let second = |run: &RunRow, time: u64| VolumeRow {
        map: run.map.clone(),
        users: run.users,
        configuration: run.configuration.clone(),
        scheme: run.scheme.clone(),
        view: run.view.clone(),
        seed: run.seed,
        time,
        new: 100 + time,
        succeeded: 80,
        expired: 20,
        waiting: 400,
        nodes: 500,
        edges: 900,
    };
    recorded.flat_map(|run| (0..30).map(move |time| second(run, time))).collect()
}

fn build(folder: &Path) -> HtmlReport {
    HtmlReport::new(&Data::read(folder).unwrap()).unwrap()
}

/// Sections in the order of the page.
const SECTIONS: [&str; 17] = [
    "claims",
    "schemes",
    "maps",
    "volume",
    "success",
    "time",
    "mesh",
    "relative-k",
    "relative-dt",
    "printed-mesh",
    "batch",
    "rivals",
    "people",
    "taxis",
    "reachability",
    "why",
    "provenance",
];

#[test]
fn sections_with_results_are_present_in_order_and_in_the_contents() {
    let folder = folder();
    let html = build(folder.path()).html;
    let ids = html.split("<section id=\"").skip(1).filter_map(|rest| rest.split('"').next());
    assert_eq!(ids.collect::<Vec<_>>(), SECTIONS, "results come before provenance");
    let links = html.split("<li><a href=\"#").skip(1).filter_map(|rest| rest.split('"').next());
    assert_eq!(links.collect::<Vec<_>>(), SECTIONS);
    assert!(!html.contains("Left out"));
    assert!(html.contains("no attack results"), "the last section lists what is missing of §V");
    let others = ["no run with presence reports", "no measures"];
    assert!(!others.iter().any(|words| html.contains(words)), "other folders have them");
}

#[test]
fn the_report_of_an_own_experiment_speaks_of_what_ran() {
    let folder = tempfile::tempdir().unwrap();
    let ran = |dt, seed| RunRow {
        scheme: "meshcloak/reciprocal".to_owned(),
        ..run("oldenburg", Cell { profile: "p1", k: 5, dt }, seed)
    };
    let write = |runs: &[RunRow]| {
        results::write(&folder.path().join("runs.csv"), runs).unwrap();
        build(folder.path())
    };
    let report = write(&[ran(3, 1), ran(5, 1)]);
    assert!(report.claims.is_none() && !report.html.contains("paper says"));
    assert!(!report.html.contains("The paper") && !report.html.contains("Left out"));
    assert!(report.html.contains("meshcloak/reciprocal, 10,000 users."), "{}", report.html);
    assert!(!report.html.contains("over seeds"), "there is one seed");
    let report = write(&[ran(3, 1), ran(5, 1), ran(3, 2), ran(5, 2)]);
    assert!(report.html.contains("Bars: minimum to maximum over seeds."));
    assert!(report.html.contains("</title></circle>"), "points have tooltips");
}

#[test]
fn the_page_refers_to_its_own_plots_only_and_text_is_escaped() {
    let folder = folder();
    let file = folder.path().join("report.html");
    let written = report(folder.path(), &file).unwrap();
    let html = std::fs::read_to_string(&file).unwrap();
    assert_eq!(html, written.html);
    for attribute in ["href=\"", "src=\"", "url("] {
        for rest in html.split(attribute).skip(1) {
            let target = rest.split(['"', ')']).next().unwrap();
            let own = target.starts_with('#') || folder.path().join(target).is_file();
            assert!(own, "{attribute}{target}");
        }
    }
    assert!(!html.contains("<script") && !html.contains("@import") && !html.contains("<link"));
    assert!(html.contains("A &lt;small&gt; run") && html.contains("Z80 &amp; co"));
    assert!(html.contains("&lt;b&gt;bold&lt;/b&gt;") && html.contains("abc123"));
}

#[test]
fn measured_numbers_are_shown_beside_those_of_the_paper() {
    let folder = folder();
    let html = build(folder.path()).html;
    let cell = |text: &str| html.contains(&format!(">{text}</td>"));
    // P1-3-5: 0.9 − 0.053 + 0.02 and + 0.04.
    assert!(cell("87.7 (86.7–88.7)"), "mean and spread over two seeds");
    // Sequential over batch: 8,000 / 16 µs; ms beside the paper's.
    assert!(cell("500×") && cell("590×") && cell("0.0160") && cell("8.00") && cell("8.09"));
    // Table II: this evaluation and the paper.
    assert!(cell("1,301.47") && cell("1,301.70") && cell("5,856.25"));
    // 2 km² of 200 km².
    assert!(cell("1.0 %"));
    // 5,000 m and 1,300 m of 1,301.47 km.
    assert!(cell("3.84 ‰; per member 1.00 ‰"));
    assert!(cell("25,000 nodes, 130,000 edges"));
    // Three maps × two profiles × two k.
    assert!(html.contains("in 12 of 12 pairs"));
    // The matrix is linear if the map is cut, and quadratic if it is thinned.
    let matrix = "cut to windows 16.0× the terminals, 16.0× the time; thinned 16.0× the terminals, \
                  256.0× the time</td><td>partly</td>";
    assert!(html.contains(matrix));
    assert!(html.contains("0.10; 0 of"), "load of the timing pass");
}

#[test]
fn the_claims_are_a_document_of_their_own() {
    let folder = folder();
    report(folder.path(), &folder.path().join("report.html")).unwrap();
    let text = std::fs::read_to_string(folder.path().join("claims.md")).unwrap();
    let rows: Vec<&str> = text.lines().filter(|line| line.starts_with("| ")).collect();
    assert!((20..=26).contains(&rows.len()), "a head and at most 25 rows: {}", rows.len());
    assert!(rows.iter().all(|row| row.matches(" | ").count() == 3), "{text}");
    assert!(text.contains("10,000 users on 3 maps, 2 seeds, commit abc123"), "{text}");
}

#[test]
fn plots_are_written_as_svg_and_csv() {
    let folder = folder();
    report(folder.path(), &folder.path().join("report.html")).unwrap();
    let read =
        |name: &str| std::fs::read_to_string(folder.path().join("plots").join(name)).unwrap();
    let rows = read("success-rate.csv");
    assert!(rows.starts_with("panel,line,x,y,least,most\n"), "{rows}");
    let row = rows.lines().find(|row| row.starts_with("\"P1, k = 2–5\",Oldenburg,3,")).unwrap();
    let numbers: Vec<f64> = row.rsplit(',').take(3).map(|cell| cell.parse().unwrap()).collect();
    let expected = [88.7, 86.7, 87.7];
    assert!(numbers.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-9), "{row}");
    for name in ["success-rate", "volume-oldenburg", "people-1", "schemes-oldenburg-10000"] {
        assert!(read(&format!("{name}.svg")).starts_with("<svg"), "{name}");
    }
    assert!(read("why-mmb.svg").contains("A′, D and E in one set"));
}

#[test]
fn the_report_is_deterministic() {
    let folder = folder();
    let first = build(folder.path());
    assert_eq!(first, build(folder.path()));
    report(folder.path(), &folder.path().join("a.html")).unwrap();
    assert_eq!(std::fs::read_to_string(folder.path().join("a.html")).unwrap(), first.html);
}

#[test]
fn a_folder_with_maps_alone_has_their_table() {
    let folder = tempfile::tempdir().unwrap();
    results::write::<MapRow>(&folder.path().join("maps.csv"), &[map("oldenburg")]).unwrap();
    let html = build(folder.path()).html;
    let ids: Vec<&str> = html.split("<section id=\"").skip(1).map(|rest| &rest[..4]).collect();
    assert_eq!(ids, ["maps", "prov"]);
}
