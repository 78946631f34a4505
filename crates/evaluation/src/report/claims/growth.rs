//! Claims about growth, and about the areas of ICliqueCloak.

use super::times::load_note;
use super::{Claim, Finding, Verdict};
use crate::report::data::Data;
use crate::report::number::{decimal, percent, range};
use crate::report::spread::Spread;
use crate::results::{MatrixRow, RunRow};

/// Claims of §I, §II-C and §IV.
pub(super) const CLAIMS: [Claim; 3] = [
    Claim {
        says: "The constraint graph is built in time nearly linear in the users (§I, §IV-B)",
        find: graph_growth,
        why: [
            "Graph time per query at the largest divided by that at the smallest number of users; \
             linear growth is 1×.",
            "On one map more users are denser, and the edges grow with the square of their number.",
        ],
    },
    Claim {
        says: "The distance matrix takes time nearly linear in the terminals (§IV-A)",
        find: matrix_growth,
        why: [
            "One city at five sizes, the matrix of terminals alone.",
            "One city at five sizes, the matrix of terminals alone. It holds at the same density, \
             where sub-maps keep their size, and not if the same area is filled more densely.",
        ],
    },
    Claim {
        says: "Areas of ICliqueCloak may grow up to 80 % of the map (§II-C)",
        find: areas,
        why: [
            "Largest area of a run of 10,000 users; the first rectangles span the city.",
            "Largest area of a run; the paper quotes the worst case of other authors.",
        ],
    },
];

/// Whether growth by `size` with `time_of_each` per element has an exponent of at most 1.25.
fn is_nearly_linear(size: f64, time_of_each: f64) -> bool {
    time_of_each * time_of_each * time_of_each * time_of_each <= size
}

/// Growth of one map and configuration from the smallest to the largest number of users.
struct GraphGrowth {
    /// Ratio of the user counts.
    users: f64,
    /// Ratio of the graph times per query.
    time: f64,
}

impl GraphGrowth {
    fn of(runs: &[&RunRow], run: &RunRow) -> Option<GraphGrowth> {
        let same =
            |other: &&&RunRow| (&other.map, &other.configuration) == (&run.map, &run.configuration);
        let users = || runs.iter().filter(same).map(|other| other.users);
        let graph_time = |users: u32| {
            let selected = runs.iter().filter(same).filter(|other| other.users == users);
            Spread::of(selected.filter_map(|other| other.us_graph)).map(|found| found.mean)
        };
        let (small, large) = (users().min()?, users().max()?);
        (small < large).then_some(())?;
        Some(GraphGrowth {
            users: f64::from(large) / f64::from(small),
            time: graph_time(large)? / graph_time(small)?,
        })
    }
}

fn graph_growth(data: &Data) -> Option<Finding> {
    let runs: Vec<&RunRow> = data.timed_runs().collect();
    let all: Vec<GraphGrowth> = runs.iter().filter_map(|run| GraphGrowth::of(&runs, run)).collect();
    let users = all.iter().map(|growth| growth.users).reduce(f64::max)?;
    let widest = all.iter().filter(|growth| growth.users == users);
    let times: Vec<f64> = widest.map(|growth| growth.time).collect();
    let max = times.iter().copied().reduce(f64::max)?;
    let each = range(&times, |ratio| decimal(ratio, 1) + "×")?;
    let note = load_note(&runs);
    let measured = format!("{}× the users: {each} the time per query{note}", decimal(users, 0));
    Some(Finding { measured, verdict: Verdict::when(is_nearly_linear(users, max)) })
}

/// Ratios of terminals and times between the smallest and the largest part of a series.
fn series_growth(rows: &[MatrixRow], method: &str) -> Option<(f64, f64)> {
    let series: Vec<&MatrixRow> = rows.iter().filter(|row| row.method == method).collect();
    let small = series.iter().min_by_key(|row| row.terminals)?;
    let large = series.iter().max_by_key(|row| row.terminals)?;
    let size = large.terminals as f64 / small.terminals as f64;
    let time = large.matrix_ms / small.matrix_ms;
    (size > 1.0 && time.is_finite()).then_some((size, time))
}

fn matrix_growth(data: &Data) -> Option<Finding> {
    let (cut, thinned) =
        (series_growth(&data.matrix, "cut")?, series_growth(&data.matrix, "thinned")?);
    let words = |(size, time): (f64, f64)| {
        format!("{}× the terminals, {}× the time", decimal(size, 1), decimal(time, 1))
    };
    let holds = |(size, time): (f64, f64)| is_nearly_linear(size, time / size);
    Some(Finding {
        measured: format!("cut to windows {}; thinned {}", words(cut), words(thinned)),
        verdict: Verdict::in_readings(holds(cut) && holds(thinned), holds(cut) || holds(thinned)),
    })
}

fn areas(data: &Data) -> Option<Finding> {
    let runs = data.runs.iter().filter(|run| run.scheme == "i-clique-cloak");
    let shares: Vec<f64> = runs
        .filter_map(|run| {
            let area = run.max_region_area_m2.or(run.region_area_m2)?;
            Some(area / 1e6 / data.map(&run.map)?.area_km2)
        })
        .filter(|share| share.is_finite())
        .collect();
    let max = shares.iter().copied().reduce(f64::max)?;
    let measured = "up to ".to_owned() + &percent(Some(max));
    Some(Finding { measured, verdict: Verdict::when(max >= 0.4) })
}
