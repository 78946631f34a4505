//! Claims about the maps and the query volume.

use super::{Claim, Finding, Verdict};
use crate::distinct::{distinct, sorted_distinct};
use crate::report::data::Data;
use crate::report::number::{count, decimal, significant};
use crate::report::paper;
use crate::report::spread::Spread;
use crate::results::VolumeRow;

/// Claims of §V-A and §V-B.1.
pub(super) const CLAIMS: [Claim; 3] = [
    Claim {
        says: "Oldenburg has 6,105 nodes, 7,029 edges and 1,301.70 km (Table II)",
        find: oldenburg,
        why: [
            "The same file. Six of its lines repeat a pair of nodes, and the paper counts the edges \
             without them and the length with them.",
            "The file differs from that of the paper.",
        ],
    },
    Claim {
        says: "The volume of NEW queries is flatter in P2, on Oldenburg and Hanoi (§V-B.1)",
        find: flatness,
        why: [
            "P2 has two query intervals, 20 and 30 s; P1 has three, 5 to 20 s, and its frequent \
             users are done early. Porto Alegre replaces Hanoi.",
            "Largest divided by mean number per second. Porto Alegre replaces Hanoi.",
        ],
    },
    Claim {
        says: "Graphs on San Joaquin rise to 25,000 nodes and 130,000 edges (§V-B.1)",
        find: graph_size,
        why: [
            "Largest batch on Stockton, which replaces San Joaquin; within a factor of two.",
            "Largest batch on Stockton, a smaller part of the county: more users on less street \
             have more neighbours each.",
        ],
    },
];

fn oldenburg(data: &Data) -> Option<Finding> {
    let ours = data.map("oldenburg")?;
    let theirs = paper::map("oldenburg")?;
    let measured = format!(
        "{} nodes, {} edges, {} km",
        count(ours.nodes),
        count(ours.edges),
        decimal(ours.street_km, 2)
    );
    let near = |a: f64, b: f64| (a / b - 1.0).abs() < 0.002;
    let equal = ours.nodes == theirs.nodes
        && near(ours.edges as f64, theirs.edges as f64)
        && near(ours.street_km, theirs.street_km);
    Some(Finding { measured, verdict: Verdict::when(equal) })
}

/// Largest divided by mean number of new queries per second, mean of the seeds, on Oldenburg and the map that replaces
/// Hanoi.
fn flatness(data: &Data) -> Option<Finding> {
    let of = |map: &str, profile: &str| {
        let is_here = |row: &&VolumeRow| row.map == map && row.configuration.starts_with(profile);
        let rows: Vec<&VolumeRow> = data.volume.iter().filter(is_here).collect();
        let first = rows.first()?;
        let is_drawn = |row: &&&VolumeRow| row.configuration == first.configuration;
        let peak = |seed: u64| {
            let run = rows.iter().filter(is_drawn).filter(|row| row.seed == seed);
            let new: Vec<f64> = run.map(|row| row.new as f64).filter(|&new| new > 0.0).collect();
            let max = new.iter().copied().fold(0.0, f64::max);
            max * new.len() as f64 / new.iter().sum::<f64>()
        };
        let seeds = sorted_distinct(rows.iter().filter(is_drawn).map(|row| row.seed));
        Spread::of(seeds.into_iter().map(peak)).map(|found| found.mean)
    };
    let maps = distinct(paper::TIMES.iter().map(|row| row.ours));
    let peaks: Vec<(f64, f64)> =
        maps.iter().filter_map(|map| Some((of(map, "P1-")?, of(map, "P2-")?))).collect();
    (!peaks.is_empty()).then(|| {
        let held = peaks.iter().filter(|(p1, p2)| p2 < p1).count();
        let words = |&(p1, p2): &(f64, f64)| {
            format!("peak / mean {} in P1, {} in P2", significant(p1), significant(p2))
        };
        let measured = peaks.iter().map(words).collect::<Vec<_>>().join("; ");
        Finding { measured, verdict: Verdict::of_share(held, peaks.len()) }
    })
}

fn graph_size(data: &Data) -> Option<Finding> {
    let runs = data.main_runs();
    let here = || runs.iter().filter(|run| run.map == "stockton");
    let nodes = here().map(|run| run.largest_nodes).max()?;
    let edges = here().map(|run| run.largest_edges).max()?;
    Some(Finding {
        measured: format!("{} nodes, {} edges", count(nodes as u64), count(edges as u64)),
        verdict: Verdict::in_readings(
            (12_500..=50_000).contains(&nodes) && (65_000..=260_000).contains(&edges),
            (12_500..=50_000).contains(&nodes),
        ),
    })
}
