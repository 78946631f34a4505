//! Claims about time, growth and areas.

use super::pairs::{measured, values};
use super::{Claim, Finding, Holds};
use crate::report::batch::{self, Times};
use crate::report::data::Data;
use crate::report::number::{count, decimal, percent, range, three};
use crate::report::spread::Spread;
use crate::results::RunRow;
use crate::schemes::PAPER;

/// All of them, in the order of §V.
pub(super) fn claims(data: &Data) -> Vec<Claim> {
    let mut all = times(data);
    all.extend(ratios(data));
    all.extend(growth(data));
    all
}

fn times(data: &Data) -> Vec<Claim> {
    let micros = values(&measured(data, |run| run.us_per_query));
    let ms: Vec<f64> = micros.iter().map(|micros| micros / 1000.0).collect();
    let rates: Vec<f64> = micros.iter().map(|micros| 1e6 / micros).collect();
    let most = |values: &[f64]| values.iter().copied().fold(0.0, f64::max);
    vec![
        Claim {
            claim: "A query takes about a tenth of a millisecond or less",
            paper: "0.1 ms; 0.0137 – 0.0410 ms in Table IV",
            finding: range(&ms, |ms| three(ms) + " ms")
                .map(|ours| Finding { ours, holds: Holds::when(most(&ms) <= 0.1) }),
            remark: "Another machine, and several threads; the largest clique of each query is \
                     found without listing all cliques.",
        },
        Claim {
            claim: "Up to 30,000 queries per second",
            paper: "30,000 /s",
            finding: range(&rates, |rate| decimal(rate, 0) + " /s")
                .map(|ours| Finding { ours, holds: at_least(&rates, 30_000.0) }),
            remark: "One over the time of a query, at the load of the run; in part where \
                     only some configurations keep that pace.",
        },
    ]
}

/// Whether all, some or none are at least that.
fn at_least(values: &[f64], least: f64) -> Holds {
    match values.iter().filter(|&&value| value >= least).count() {
        held if held == values.len() => Holds::Yes,
        0 => Holds::No,
        _ => Holds::InPart,
    }
}

fn ratios(data: &Data) -> Vec<Claim> {
    let rows = batch::measured(data);
    // Of the largest crowd with which both ran.
    let ratio = |slow: &str, fast: &str| -> Vec<f64> {
        let of = |here: &Times<'_>| Some((here.users, here.ratio(slow, fast)?));
        let all: Vec<(u32, f64)> = rows.iter().filter_map(|(_, here)| of(here)).collect();
        let most = all.iter().map(|pair| pair.0).max();
        all.into_iter().filter(|pair| Some(pair.0) == most).map(|pair| pair.1).collect()
    };
    let times = |value: f64| three(value) + "×";
    let least = |values: &[f64]| values.iter().copied().fold(f64::MAX, f64::min);
    let crowd = |slow: &str, fast: &str| {
        let ran = rows.iter().filter(|(_, here)| here.ratio(slow, fast).is_some());
        let users = ran.map(|(_, here)| here.users).max().unwrap_or(0);
        format!(" ({} people)", count(users.into()))
    };
    let said = |values: &[f64], holds: bool, crowd: String| {
        let words = range(values, times)?;
        Some(Finding { ours: words + &crowd, holds: Holds::when(holds) })
    };
    let (ours, printed) = (ratio("sequential", PAPER), ratio("sequential", "meshcloak-printed"));
    let both = range(&ours, times).map(|ours| match range(&printed, times) {
        Some(printed) => format!("{ours}; against the batch as printed {printed}"),
        None => ours,
    });
    let both = both.map(|words| words + &crowd("sequential", PAPER));
    let edges = ratio("sequential-edges", "sequential");
    let rival = ratio("clique-cloak", PAPER);
    vec![
        Claim {
            claim: "Sequential processing is 300–690 times slower than batches",
            paper: "298× – 690×",
            finding: both
                .map(|words| Finding { ours: words, holds: Holds::when(least(&ours) >= 100.0) }),
            remark: "Our sequential twin is no strawman: flat arrays and an index. Confirmed at \
                     two orders of magnitude.",
        },
        Claim {
            claim: "By node is several times faster than by edge",
            paper: "“several times”",
            finding: said(&edges, least(&edges) >= 2.0, crowd("sequential-edges", "sequential")),
            remark: "Time by edge over time by node; several means two or more.",
        },
        Claim {
            claim: "MeshCloak is two orders faster than CliqueCloak",
            paper: "several to tens of ms for CliqueCloak",
            finding: said(&rival, least(&rival) >= 100.0, crowd("clique-cloak", PAPER)),
            remark: "The paper quotes times that others measured on machines of their day; ours \
                     run side by side on the same people, and CliqueCloak has a grid.",
        },
    ]
}

fn growth(data: &Data) -> Vec<Claim> {
    vec![
        Claim {
            claim: "Graph time grows nearly linearly with people",
            paper: "“nearly linear”",
            finding: graph_growth(data),
            remark: "Time of the graph for each query, smallest against largest crowd of a map and \
                     configuration; linear means 1×. Edges grow with the square of density.",
        },
        Claim {
            claim: "Matrix time grows nearly linearly with terminals",
            paper: "“nearly linear”",
            finding: matrix_growth(data),
            remark: "Different maps, so how many terminals lie within reach differs, too.",
        },
        Claim {
            claim: "ICliqueCloak’s areas grow up to 80 % of the map",
            paper: "80 %",
            finding: areas(data),
            remark: "Ours is the mean of a run, the paper’s the worst case that ICliqueCloak’s \
                     authors report.",
        },
    ]
}

/// Exponents up to 1.25 count as nearly linear.
fn is_nearly_linear(size: f64, time_of_each: f64) -> Holds {
    let fourth = time_of_each * time_of_each * time_of_each * time_of_each;
    Holds::when(fourth <= size)
}

fn graph_growth(data: &Data) -> Option<Finding> {
    let runs: Vec<&RunRow> = data.meshcloak().collect();
    let ends = |run: &RunRow| {
        let same =
            |other: &&&RunRow| (&other.map, &other.configuration) == (&run.map, &run.configuration);
        let users = || runs.iter().filter(same).map(|other| other.users);
        let at = |size: u32| {
            let those = runs.iter().filter(same).filter(|other| other.users == size);
            Spread::of(those.filter_map(|other| other.us_graph)).map(|found| found.mean)
        };
        let (small, large) = (users().min()?, users().max()?);
        (small < large).then_some(())?;
        Some((f64::from(large) / f64::from(small), at(large)? / at(small)?))
    };
    let found: Vec<(f64, f64)> = runs.iter().filter_map(|run| ends(run)).collect();
    let size = found.iter().map(|pair| pair.0).reduce(f64::max)?;
    let widest: Vec<f64> = found.iter().filter(|pair| pair.0 == size).map(|pair| pair.1).collect();
    let most = widest.iter().copied().reduce(f64::max)?;
    let each = range(&widest, |ratio| decimal(ratio, 1) + "×")?;
    let ours = format!("{}× the people: {each} for each query", decimal(size, 0));
    Some(Finding { ours, holds: is_nearly_linear(size, most) })
}

fn matrix_growth(data: &Data) -> Option<Finding> {
    let small = data.maps.iter().min_by_key(|map| map.nodes)?;
    let large = data.maps.iter().max_by_key(|map| map.nodes)?;
    let size = large.nodes as f64 / small.nodes as f64;
    let time = large.matrix_ms / small.matrix_ms;
    (large.nodes > small.nodes && time.is_finite()).then(|| Finding {
        ours: format!(
            "{} → {} nodes: {}× the nodes, {}× the time",
            count(small.nodes),
            count(large.nodes),
            decimal(size, 1),
            decimal(time, 1)
        ),
        holds: is_nearly_linear(size, time / size),
    })
}

fn areas(data: &Data) -> Option<Finding> {
    let rival = data.runs.iter().filter(|run| run.scheme == "i-clique-cloak");
    let shares: Vec<f64> = rival
        .filter_map(|run| Some(run.region_area_m2? / 1e6 / data.map(&run.map)?.area_km2))
        .filter(|share| share.is_finite())
        .collect();
    let most = shares.iter().copied().reduce(f64::max)?;
    let ours = range(&shares, |share| percent(Some(share)))?;
    Some(Finding { ours, holds: Holds::when(most >= 0.4) })
}
