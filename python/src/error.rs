//! The exception of the package, with the sentences of the command.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

pyo3::create_exception!(meshcloak, Error, PyValueError, "Input that MeshCloak cannot work with.");

/// Converts any error to the exception of the package.
pub(crate) fn failed(error: impl std::fmt::Display) -> PyErr {
    Error::new_err(error.to_string())
}
