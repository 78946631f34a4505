//! End-to-end tests of the program: arguments, output, exit codes, files.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

mod array_job;
mod attack;
mod bad_input;
mod cloak;
mod cloak_cells;
mod cloak_errors;
mod cloak_guarantees;
mod cloak_meshes;
mod cloak_traffic;
mod commands;
mod costs;
mod documents;
mod evaluate;
mod figures;
mod golden;
mod map_cells;
mod neighbours;
mod operators;
#[cfg(feature = "parquet")]
mod parquet;
mod partial;
mod passes;
mod pois;
mod presence;
mod program;
mod progress;
mod provenance;
mod real_maps;
mod report;
mod restart;
mod rivals;
mod schemes;
mod score;
mod serve;
mod simulate;
mod slow_clients;
mod town;
mod traces;
mod traces_routes;
