//! The truth: runs schemes over simulated crowds, measures what came of it, and reports.
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

pub mod metrics;
pub mod reason;
pub mod stopwatch;

pub mod costs;
pub mod run;
pub mod tape;

pub mod experiment;
pub mod maps;
pub mod schemes;

pub mod grid;
pub mod people;
pub mod trips;

pub mod privacy;

pub mod evaluate;
pub mod provenance;
pub mod results;
pub mod store;

pub mod report;
pub mod score;
