//! What a scheme in Python returns: pairs of members and region.

use meshcloak::map::StreetId;
use meshcloak::region::{Disc as DiscRegion, Region};
use meshcloak::units::{Point, Rectangle as RectangleRegion};
use pyo3::exceptions::{PyIndexError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use std::collections::HashMap;

/// A rectangle in metres, boundary included.
///
/// >>> import meshcloak as mc
/// >>> mc.Rectangle(0, 0, 300, 200).x1
/// 300.0
#[pyclass(frozen, get_all, module = "meshcloak", from_py_object)]
#[derive(Clone, Copy)]
pub(crate) struct Rectangle {
    x0: f64,
    y0: f64,
    x1: f64,
    y1: f64,
}

#[pymethods]
impl Rectangle {
    #[new]
    fn new(x0: f64, y0: f64, x1: f64, y1: f64) -> PyResult<Rectangle> {
        if !(x0 <= x1 && y0 <= y1 && [x0, y0, x1, y1].iter().all(|v| v.is_finite())) {
            return Err(PyValueError::new_err("expected finite metres, x0 <= x1 and y0 <= y1"));
        }
        Ok(Rectangle { x0, y0, x1, y1 })
    }

    fn __repr__(&self) -> String {
        format!("Rectangle({}, {}, {}, {})", self.x0, self.y0, self.x1, self.y1)
    }
}

/// A disc in metres, boundary included.
///
/// >>> import meshcloak as mc
/// >>> mc.Disc(150, 100, radius=50).radius
/// 50.0
#[pyclass(frozen, get_all, module = "meshcloak", from_py_object)]
#[derive(Clone, Copy)]
pub(crate) struct Disc {
    x: f64,
    y: f64,
    radius: f64,
}

#[pymethods]
impl Disc {
    #[new]
    fn new(x: f64, y: f64, radius: f64) -> PyResult<Disc> {
        if !(x.is_finite() && y.is_finite() && radius.is_finite() && radius >= 0.0) {
            return Err(PyValueError::new_err("expected finite metres and a radius from 0"));
        }
        Ok(Disc { x, y, radius })
    }

    fn __repr__(&self) -> String {
        format!("Disc({}, {}, {})", self.x, self.y, self.radius)
    }
}

/// A proposed set: indices of waiting queries, and their region.
pub(crate) struct ProposedSet {
    pub members: Vec<usize>,
    pub region: Region<'static>,
}

/// Reads the iterable of pairs; `waiting` is the number of waiting queries.
pub(crate) fn proposed_sets(
    returned: &Bound<'_, PyAny>,
    waiting: usize,
    streets: &HashMap<String, StreetId>,
) -> PyResult<Vec<ProposedSet>> {
    let mut sets = Vec::new();
    let shape = || PyTypeError::new_err("Scheme.cloak: expected an iterable of (members, region)");
    for item in returned.try_iter().map_err(|_| shape())? {
        let item = item?;
        let (members, region): (Bound<'_, PyAny>, Bound<'_, PyAny>) =
            item.extract().map_err(|_| shape())?;
        let mut indices: Vec<usize> = members
            .try_iter()?
            .map(|member| index_of(&member?, waiting))
            .collect::<PyResult<_>>()?;
        indices.sort_unstable();
        indices.dedup();
        sets.push(ProposedSet { members: indices, region: region_of(&region, streets)? });
    }
    Ok(sets)
}

fn index_of(member: &Bound<'_, PyAny>, waiting: usize) -> PyResult<usize> {
    match member.extract::<usize>() {
        Ok(index) if index < waiting => Ok(index),
        Err(error) if error.is_instance_of::<PyTypeError>(member.py()) => {
            Err(PyTypeError::new_err(format!(
                "Scheme.cloak: member {}; expected an index in `state.waiting`",
                member.repr()?
            )))
        }
        _ => Err(PyIndexError::new_err(format!(
            "Scheme.cloak: member {} of {waiting} waiting queries",
            member.repr()?
        ))),
    }
}

fn region_of(
    region: &Bound<'_, PyAny>,
    streets: &HashMap<String, StreetId>,
) -> PyResult<Region<'static>> {
    if let Ok(Rectangle { x0, y0, x1, y1 }) = region.extract::<Rectangle>() {
        let (min, max) = (Point::new(x0, y0), Point::new(x1, y1));
        return Ok(Region::Rectangle(RectangleRegion { min, max }));
    }
    if let Ok(Disc { x, y, radius }) = region.extract::<Disc>() {
        return Ok(Region::Disc(DiscRegion { centre: Point::new(x, y), radius }));
    }
    let mut mesh = Vec::new();
    for label in region.try_iter()? {
        let label: String = label?.extract()?;
        let street = streets.get(&label).copied();
        mesh.push(street.ok_or_else(|| {
            PyValueError::new_err(format!("Scheme.cloak: `{label}` is not a street of the map"))
        })?);
    }
    mesh.sort_unstable();
    mesh.dedup();
    Ok(Region::Mesh(mesh.into()))
}
