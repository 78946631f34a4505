//! Evaluation of schemes: runs them on simulated workloads, measures and attacks the results, and
//! writes a report.
//!
//! ```
//! use evaluation::experiment::Experiment;
//! use evaluation::grid;
//!
//! let text = "maps = \"city\"\nprofiles = \"p1\"\nk = \"2-5\"\ndt = [3, 5]";
//! let experiment = Experiment::from_toml("two.toml".as_ref(), text)?;
//! let cells = grid::cells(&experiment, None)?;
//! let names: Vec<String> = cells.iter().map(|cell| cell.configuration()).collect();
//! assert_eq!(names, ["P1-3-5", "P1-5-5"]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod checkpoint;
mod distinct;
pub mod load;
mod matrix_growth;
mod mean;
pub mod metrics;
mod metrics_json;
mod point_list;
pub mod reason;
pub mod stopwatch;

pub mod costs;
mod recorded_workload;
pub mod run;
mod simulated_record;
pub mod workload;

pub mod experiment;
pub mod maps;
pub mod schemes;

pub mod grid;
mod trip_workload;
pub mod trips;

pub mod privacy;
pub mod sample;

pub mod evaluate;
pub mod provenance;
pub mod result_file;
pub mod results;
pub mod stated_commits;
pub mod store;

pub mod neighbours;

pub mod report;
pub mod score;

pub use checkpoint::Checkpoint;
pub use metrics_json::metrics_json;
pub use recorded_workload::RecordedWorkloadError;
pub use simulated_record::simulated_record;
