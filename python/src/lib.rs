//! The native part of the Python package `meshcloak`: maps, runs and attacks on Arrow tables.
//!
//! The package itself (`python/meshcloak`) adds names, defaults and documentation. Every long call
//! runs in a thread of its own without the interpreter lock, so that Ctrl-C ends it and progress is
//! reported ([`call`]).

#![allow(
    clippy::too_many_arguments,
    clippy::needless_pass_by_value,
    reason = "signatures are those of the Python API"
)]

mod arguments;
mod attack_table;
mod call;
mod cells;
mod error;
mod map;
mod region_picture;
mod runs;
mod scheme;
mod scheme_output;
mod source;
mod table;

use pyo3::prelude::*;

/// Native part of the package `meshcloak`.
#[pymodule]
mod _meshcloak {
    #[pymodule_export]
    use super::map::Map;
    #[pymodule_export]
    use super::scheme::{Query, State};
    #[pymodule_export]
    use super::scheme_output::{Disc, Rectangle};
    #[pymodule_export]
    use super::table::Table;

    use pyo3::prelude::*;

    /// Returns the names of all schemes, for `Map.cloak`, `Map.attack` and `Map.evaluate`.
    ///
    /// >>> import meshcloak as mc
    /// >>> "casper" in mc.scheme_names()
    /// True
    #[pyfunction]
    fn scheme_names() -> Vec<&'static str> {
        evaluation::schemes::names()
    }

    /// Returns name, letter and level of all attacks: L1 the service, L2 also the previous position of
    /// the target, L3 also all positions.
    ///
    /// >>> import meshcloak as mc
    /// >>> ("inversion", "D", "L3") in mc.attack_names()
    /// True
    #[pyfunction]
    fn attack_names() -> Vec<(&'static str, char, &'static str)> {
        let attacks = attacks::ATTACKS.iter();
        attacks.map(|attack| (attack.name, attack.letter, attack.level.name())).collect()
    }

    /// Returns the name of MeshCloak with these settings.
    #[pyfunction]
    fn meshcloak_name(guarantee: &str, region: &str, cell_length: Option<f64>) -> PyResult<String> {
        super::runs::meshcloak_name(guarantee, region, cell_length)
    }

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("Error", module.py().get_type::<super::error::Error>())?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
