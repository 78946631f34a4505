//! Schemes written in Python: a subclass of `meshcloak.Scheme` with `cloak(state, now)`.
//!
//! The engine cannot stop in the middle of a run. After an exception or an interrupt the scheme
//! proposes nothing more, so that the run ends soon, and the caller raises the exception.

use crate::call::Reports;
use crate::scheme_output::{ProposedSet, proposed_sets};
use meshcloak::distance::Atlas;
use meshcloak::map::{StreetId, StreetMap};
use meshcloak::mesh::MeshRule;
use meshcloak::scheme::{
    Description, Observer, Pace, Published, RegionDependence, Scheme, Stage, State as EngineState,
};
use meshcloak::units::{Length, Speed, Time};
use parking_lot::Mutex;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyList;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// A waiting query, as a scheme sees it: `index` in `State.waiting`, `user`, `street`, `offset` from its
/// start, `x`, `y`, `k`, `t`, `dt`, `dc`, `speed`, `asks`; metres and seconds.
/// >>> import meshcloak as mc
/// >>> class Census(mc.Scheme):
/// ...     name, regions = "census", "fixed"
/// ...     def cloak(self, state, now):
/// ...         seen.update(query.k for query in state.waiting)
/// ...         return ()
/// >>> seen = set()
/// >>> city = mc.Map.city(500, seed=1)
/// >>> out = city.cloak(city.simulate(50, seed=1), scheme=Census())
/// >>> sorted(seen) == list(range(2, 6))
/// True
#[pyclass(frozen, get_all, module = "meshcloak")]
pub(crate) struct Query {
    /// Position in `State.waiting`.
    index: usize,
    /// Number of the user.
    user: u64,
    /// Label of the street.
    street: String,
    /// Metres from the start of the street.
    offset: f64,
    x: f64,
    y: f64,
    k: u32,
    /// Time of the query, in seconds.
    t: f64,
    /// Patience, in seconds.
    dt: f64,
    /// Distance constraint, in metres.
    dc: f64,
    /// Top speed in metres per second, or `None`.
    speed: Option<f64>,
    asks: bool,
}

#[pymethods]
impl Query {
    fn __repr__(&self) -> String {
        format!("<meshcloak.Query {}: k {}, dc {} m>", self.index, self.k, self.dc)
    }
}

/// What a scheme sees of a batch: `waiting`, the queries in order of arrival, of which the last `arrived`
/// are new.
/// >>> import meshcloak as mc
/// >>> class Census(mc.Scheme):
/// ...     name, regions = "census", "fixed"
/// ...     def cloak(self, state, now):
/// ...         seen.add(state.arrived <= len(state.waiting))
/// ...         return ()
/// >>> seen = set()
/// >>> city = mc.Map.city(500, seed=1)
/// >>> out = city.cloak(city.simulate(50, seed=1), scheme=Census())
/// >>> seen == {True}
/// True
#[pyclass(frozen, get_all, module = "meshcloak")]
pub(crate) struct State {
    /// Waiting queries in order of arrival.
    waiting: Py<PyList>,
    /// Number of queries at the end of `waiting` that are new.
    arrived: usize,
}

/// A scheme in Python with its map.
pub(crate) struct PythonScheme {
    object: Py<PyAny>,
    name: &'static str,
    regions: RegionDependence,
    atlas: Arc<Atlas>,
    streets: Arc<HashMap<String, StreetId>>,
    published: Published,
    failure: Failure,
    reports: Arc<Reports>,
}

/// The exception that ended a run.
pub(crate) type Failure = Arc<Mutex<Option<PyErr>>>;

impl PythonScheme {
    /// Wraps a scheme object.
    pub(crate) fn new(
        py: Python<'_>,
        object: &Py<PyAny>,
        atlas: &Arc<Atlas>,
        failure: &Failure,
        reports: &Arc<Reports>,
    ) -> PyResult<PythonScheme> {
        let bound = object.bind(py);
        let name = scheme_name(bound)?;
        let regions: Option<String> = bound.getattr("regions")?.extract()?;
        let regions = regions.ok_or_else(|| {
            PyValueError::new_err(format!("scheme `{name}` has no `regions`; {EXPECTED}"))
        })?;
        let map = atlas.map();
        let streets = map.streets().map(|street| (map.street_label(street).to_owned(), street));
        Ok(PythonScheme {
            object: object.clone_ref(py),
            name: interned(name),
            regions: region_dependence(&regions)?,
            atlas: Arc::clone(atlas),
            streets: Arc::new(streets.collect()),
            published: Published::default(),
            failure: Arc::clone(failure),
            reports: Arc::clone(reports),
        })
    }

    fn propose(&self, state: &EngineState, now: Time) -> PyResult<Vec<ProposedSet>> {
        Python::attach(|py| {
            let map = self.atlas.map();
            let queries = state.waiting.iter().enumerate();
            let waiting = queries.map(|(index, query)| Py::new(py, seen(map, index, query)));
            let waiting: Vec<Py<Query>> = waiting.collect::<PyResult<_>>()?;
            let waiting = PyList::new(py, waiting)?.unbind();
            let seen = State { waiting, arrived: state.arrived };
            let arguments = (Py::new(py, seen)?, now.as_millis() as f64 / 1000.0);
            let returned = self.object.bind(py).call_method1("cloak", arguments)?;
            let sets = proposed_sets(&returned, state.waiting.len(), &self.streets)?;
            match sets.iter().any(|set| users(state, set).len() < set.members.len()) {
                true => Err(PyValueError::new_err("Scheme.cloak: a set contains a user twice")),
                false => Ok(sets),
            }
        })
    }

    /// Publishes sets; a member is served if the users of its set meet its k, by the first such set.
    fn publish(&mut self, state: &EngineState, sets: &[ProposedSet]) {
        let mut set_of: HashMap<usize, u32> = HashMap::new();
        for ProposedSet { members, region } in sets {
            let is_served = |member: &&usize| {
                state.waiting[**member].k as usize <= members.len() && !set_of.contains_key(*member)
            };
            let served: Vec<usize> = members.iter().filter(is_served).copied().collect();
            if served.is_empty() {
                continue; // a set that serves no query must not be disclosed
            }
            let ids = members.iter().map(|&member| state.waiting[member].id);
            let set = self.published.add(ids, region);
            set_of.extend(served.into_iter().map(|member| (member, set)));
        }
        for index in 0..state.waiting.len() {
            if let Some(&set) = set_of.get(&index) {
                self.published.serve(index as u32, set);
            }
        }
    }
}

/// Returns the name of a scheme.
pub(crate) fn scheme_name(object: &Bound<'_, PyAny>) -> PyResult<String> {
    let name = object.getattr("name")?;
    name.extract().map_err(|_| {
        let shown =
            name.repr().map_or_else(|_| "of another type".to_owned(), |name| name.to_string());
        PyTypeError::new_err(format!("the `name` of the scheme is {shown}; expected text"))
    })
}

fn users(state: &EngineState, set: &ProposedSet) -> HashSet<u64> {
    set.members.iter().map(|&member| state.waiting[member].user.0).collect()
}

impl Scheme for PythonScheme {
    fn name(&self) -> &'static str {
        self.name
    }

    fn describe(&self) -> Description {
        Description::unlisted(Pace::Batch, self.regions)
    }

    fn cloak(
        &mut self,
        state: &EngineState,
        now: Time,
        observer: &mut dyn Observer,
    ) -> &mut Published {
        observer.stage(Stage::Cliques);
        self.published.clear();
        self.reports.check();
        if self.failure.lock().is_some() {
            return &mut self.published;
        }
        match self.propose(state, now) {
            Ok(sets) => self.publish(state, &sets),
            Err(error) => *self.failure.lock() = Some(error),
        }
        &mut self.published
    }
}

fn seen(map: &StreetMap, index: usize, query: &meshcloak::Query) -> Query {
    let point = map.point(query.position);
    Query {
        index,
        user: query.user.0,
        street: map.street_label(query.position.street).to_owned(),
        offset: query.position.offset.as_metres(),
        x: point.x,
        y: point.y,
        k: query.k,
        t: query.asked_at.as_millis() as f64 / 1000.0,
        dt: query.temporal_tolerance.as_secs_f64(),
        dc: query.distance_constraint.as_metres(),
        speed: query.speed.map(Speed::as_metres_per_second),
        asks: query.asks,
    }
}

const EXPECTED: &str = "expected \"mesh\", \"printed\", \"cells-METRES\", \"fixed\" or \"tight\"";

/// Parses how a region depends on the members.
pub(crate) fn region_dependence(text: &str) -> PyResult<RegionDependence> {
    let cells = |text: &str| {
        let metres: f64 = text.strip_prefix("cells-")?.parse().ok()?;
        (1.0..=1e6).contains(&metres).then(|| RegionDependence::Cells(Length::metres(metres)))
    };
    match text {
        "mesh" => Ok(RegionDependence::Mesh(MeshRule::Reach)),
        "printed" => Ok(RegionDependence::Mesh(MeshRule::Printed)),
        "fixed" => Ok(RegionDependence::Fixed),
        "tight" => Ok(RegionDependence::Tight),
        _ => cells(text)
            .ok_or_else(|| PyValueError::new_err(format!("regions is \"{text}\"; {EXPECTED}"))),
    }
}

/// Returns a name that lives as long as the process; equal names share their memory.
fn interned(name: String) -> &'static str {
    static NAMES: Mutex<Vec<&'static str>> = Mutex::new(Vec::new());
    let mut names = NAMES.lock();
    if let Some(known) = names.iter().find(|known| **known == name) {
        return known;
    }
    let name: &'static str = Box::leak(name.into_boxed_str());
    names.push(name);
    name
}
