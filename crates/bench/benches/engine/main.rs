//! Speed of the engine: `make bench`.
//!
//! Compares the fast pipeline with the printed one on the same recorded queries, then measures
//! scaling with the number of agents, and the distance matrix.
//! `MESHCLOAK_BENCH` selects sections, maps and configurations: `"pipelines Oldenburg P1-3-5"`.
//!
//! `us_per_query` is time inside `turn` over accepted queries (docs/SPEC.md §11). Two compared runs
//! must serve the same queries with sets of the same size, unless the printed search exhausted its
//! budget, which is reported.

mod algorithms;
mod filter;
mod memory;
mod pipelines;
mod report;

fn main() {
    let sections: [(&str, fn()); 4] = [
        ("stages", pipelines::stages),
        ("pipelines", pipelines::compare),
        ("scaling", pipelines::scaling),
        ("matrix", algorithms::matrix),
    ];
    let names = sections.map(|(name, _)| name);
    for (name, measure) in sections {
        if filter::is_selected(name, &names) {
            measure();
        }
    }
}
