//! How fast people are cloaked: `make bench`. The fast pipeline against the one as printed, in one
//! run, on the same people; then scaling with people, the distance matrix, and maximal cliques.
//!
//! `us_per_query` is time inside `turn` over accepted queries (SPEC §11). Each pair of runs must
//! serve the same people with sets of the same size, or nothing is printed; unless a search as
//! printed spent its budget, which is said.

mod cliques;
mod memory;
mod people;
mod pipelines;
mod run;

fn main() {
    let wanted =
        |name| people::wanted(name, &["stages", "pipelines", "scaling", "matrix", "cliques"]);
    if wanted("stages") {
        pipelines::stages();
    }
    if wanted("pipelines") {
        pipelines::compare();
    }
    if wanted("scaling") {
        pipelines::scaling();
    }
    if wanted("matrix") {
        cliques::matrix();
    }
    if wanted("cliques") {
        cliques::cliques();
    }
}
