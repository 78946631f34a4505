//! Values of a table as Python objects.

use arrow_array::cast::AsArray as _;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{Array as _, ArrayRef};
use arrow_schema::DataType;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyList;

/// Returns the value of a row; the tables of this package have no other types.
pub(crate) fn cell<'py>(
    py: Python<'py>,
    array: &ArrayRef,
    row: usize,
) -> PyResult<Bound<'py, PyAny>> {
    if array.is_null(row) {
        return Ok(py.None().into_bound(py));
    }
    match array.data_type() {
        DataType::Utf8 => Ok(array.as_string::<i32>().value(row).into_pyobject(py)?.into_any()),
        DataType::Float64 => {
            Ok(array.as_primitive::<Float64Type>().value(row).into_pyobject(py)?.into_any())
        }
        DataType::Int64 => {
            Ok(array.as_primitive::<Int64Type>().value(row).into_pyobject(py)?.into_any())
        }
        DataType::Boolean => {
            let value = array.as_boolean().value(row);
            Ok(value.into_pyobject(py)?.to_owned().into_any())
        }
        DataType::List(_) => {
            let items = array.as_list::<i32>().value(row);
            let list = PyList::empty(py);
            for item in 0..items.len() {
                list.append(cell(py, &items, item)?)?;
            }
            Ok(list.into_any())
        }
        other => Err(PyTypeError::new_err(format!("a column of the type {other}"))),
    }
}
