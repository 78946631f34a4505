//! A street map and the calls on it.

use crate::arguments::{plan, positions, scheme_argument};
use crate::attack_table::attack_table;
use crate::call::{self, Reports};
use crate::error::failed;
use crate::region_picture::{self, Choice};
use crate::runs::{self, CloakOptions, Target};
use crate::scheme::region_dependence;
use crate::source::Source;
use crate::table::Table;
use evaluation::maps::DC_MAX;
use evaluation::metrics_json;
use evaluation::provenance::Machine;
use evaluation::score::{Ids, ScoreConditions};
use import::{Highways, Imported, MapSource, Options, OsmOptions, Progress as _, read_map};
use meshcloak::distance::Atlas;
use meshcloak::map::Extent;
use meshcloak::units::{Length, LonLat};
use parking_lot::Mutex;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::path::PathBuf;
use std::sync::Arc;
use traffic::{AskShare, Profile, SimulationSettings};

/// A street map.
#[pyclass(frozen, module = "meshcloak._meshcloak")]
pub(crate) struct Map {
    inner: Arc<Inner>,
}

struct Inner {
    imported: Imported,
    /// Distances, computed by the first call that needs them.
    atlas: Mutex<Option<Arc<Atlas>>>,
}

impl Inner {
    fn atlas(&self, reports: &Reports) -> Arc<Atlas> {
        let mut atlas = self.atlas.lock();
        let built = atlas.get_or_insert_with(|| {
            reports.begin("measuring distances", 0);
            let max_bytes = Machine::detect().max_row_bytes();
            let map = self.imported.map.clone();
            Arc::new(Atlas::with_max_bytes(map, Length::metres(DC_MAX), max_bytes))
        });
        Arc::clone(built)
    }
}

#[pymethods]
impl Map {
    /// Reads a map.
    #[staticmethod]
    #[pyo3(signature = (source, whole_map, all_highways, origin, pois, progress))]
    fn open(
        py: Python<'_>,
        source: &str,
        whole_map: bool,
        all_highways: bool,
        origin: Option<(f64, f64)>,
        pois: Option<PathBuf>,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Map> {
        let source: MapSource = source.parse().map_err(failed)?;
        let origin = origin.map(|(lon, lat)| {
            let origin = LonLat::new(lon, lat);
            origin.ok_or_else(|| failed(format!("origin ({lon}, {lat}): expected (lon, lat)")))
        });
        let highways = if all_highways { Highways::All } else { Highways::Drive };
        let options = Options {
            extent: if whole_map { Extent::Whole } else { Extent::LargestPart },
            osm: OsmOptions { highways, ..OsmOptions::default() },
            origin: origin.transpose()?,
            pois,
        };
        let imported = call::run(py, progress, move |reports| {
            read_map(&source, &options, &**reports).map_err(failed)
        })?;
        Ok(Map { inner: Arc::new(Inner { imported, atlas: Mutex::new(None) }) })
    }

    #[getter]
    fn source(&self) -> &str {
        &self.inner.imported.provenance.source
    }

    #[getter]
    fn street_count(&self) -> usize {
        self.inner.imported.map.street_count()
    }

    #[getter]
    fn terminal_count(&self) -> usize {
        self.inner.imported.map.terminal_count()
    }

    /// Length of all streets in metres.
    #[getter]
    fn metres(&self) -> f64 {
        let map = &self.inner.imported.map;
        map.streets().map(|street| map.metres(street)).sum()
    }

    /// Returns label, ends, length in metres and direction of all streets.
    fn streets(&self) -> Vec<(String, String, String, f64, bool)> {
        let map = &self.inner.imported.map;
        let row = |id| {
            let street = map.street(id);
            let end = |terminal| map.terminal_label(terminal).to_owned();
            let label = map.street_label(id).to_owned();
            (label, end(street.from), end(street.to), map.metres(id), street.one_way)
        };
        map.streets().map(row).collect()
    }

    #[expect(clippy::too_many_arguments, reason = "named in Python")]
    fn simulate(
        &self,
        py: Python<'_>,
        users: u32,
        profile: String,
        k: (u32, u32),
        dt: u32,
        seed: u64,
        ask_share: Option<u32>,
        uniform_places: bool,
        out: Option<PathBuf>,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Option<Table>> {
        if !(2 <= k.0 && k.0 <= k.1) {
            return Err(failed(format!("k is {k:?}; expected (MIN, MAX) with 2 <= MIN <= MAX")));
        }
        let share = ask_share.map(|percent| {
            let share = AskShare::percent(percent).filter(|_| percent > 0);
            share.ok_or_else(|| failed(format!("ask_share is {percent}; expected 1 to 100")))
        });
        let share = share.transpose()?;
        let settings = SimulationSettings { users, k, temporal_tolerance: dt, seed };
        let inner = Arc::clone(&self.inner);
        let target = Target::of(out);
        let written = call::run(py, progress, move |reports| {
            let profile = Profile::load(&profile).map_err(failed)?;
            let profile = if uniform_places { profile.with_uniform_places() } else { profile };
            runs::simulate(&inner.imported.map, &profile, settings, share, target, reports)
        });
        written?.into_table()
    }

    /// Returns the outcomes, unless they are in a file, and the metrics as JSON.
    #[expect(clippy::too_many_arguments, reason = "named in Python")]
    fn cloak(
        &self,
        py: Python<'_>,
        queries: &Bound<'_, PyAny>,
        scheme: &Bound<'_, PyAny>,
        batch: u64,
        snap: f64,
        strict: bool,
        unique_ids: bool,
        out: Option<PathBuf>,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<(Option<Table>, String)> {
        let queries = Source::of("queries", queries)?;
        let scheme = scheme_argument(scheme);
        let options = CloakOptions { batch, snap, strict, unique_ids };
        let inner = Arc::clone(&self.inner);
        let target = Target::of(out);
        let (written, tally) = call::run(py, progress, move |reports| {
            let atlas = inner.atlas(reports);
            runs::cloak(&atlas, queries, scheme, options, target, reports)
        })?;
        let metrics = serde_json::Value::Object(metrics_json(&tally));
        Ok((written.into_table()?, metrics.to_string()))
    }

    /// Returns the metrics of outcomes as JSON.
    fn score(
        &self,
        py: Python<'_>,
        queries: &Bound<'_, PyAny>,
        outcomes: &Bound<'_, PyAny>,
        batch: u64,
        unique_ids: bool,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<String> {
        let (queries, outcomes) =
            (Source::of("queries", queries)?, Source::of("outcomes", outcomes)?);
        let ids = if unique_ids { Ids::Unique } else { Ids::Checked };
        let inner = Arc::clone(&self.inner);
        let scored = call::run(py, progress, move |reports| {
            let conditions = ScoreConditions { map: Some(&inner.imported.map), batch, ids };
            runs::score(queries, outcomes, conditions, reports)
        })?;
        let mut metrics = metrics_json(&scored.tally);
        metrics.insert("below_k".into(), scored.below_k.into());
        metrics.insert("counted_twice".into(), scored.counted_twice.into());
        Ok(serde_json::Value::Object(metrics).to_string())
    }

    #[expect(clippy::too_many_arguments, reason = "named in Python")]
    fn attack_outcomes(
        &self,
        py: Python<'_>,
        queries: &Bound<'_, PyAny>,
        outcomes: &Bound<'_, PyAny>,
        attacks: Vec<String>,
        regions: &str,
        victims: usize,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Table> {
        let (queries, outcomes) =
            (Source::of("queries", queries)?, Source::of("outcomes", outcomes)?);
        let (plan, regions) = (plan(&attacks, victims)?, region_dependence(regions)?);
        let inner = Arc::clone(&self.inner);
        let rows = call::run(py, progress, move |reports| {
            let atlas = inner.atlas(reports);
            runs::attack_outcomes(&atlas, queries, outcomes, regions, plan, reports)
        })?;
        Ok(attack_table(&rows))
    }

    #[expect(clippy::too_many_arguments, reason = "named in Python")]
    fn attack_schemes(
        &self,
        py: Python<'_>,
        queries: &Bound<'_, PyAny>,
        schemes: Vec<Bound<'_, PyAny>>,
        attacks: Vec<String>,
        victims: usize,
        batch: u64,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Table> {
        let queries = Source::of("queries", queries)?;
        let schemes = schemes.iter().map(scheme_argument).collect();
        let plan = plan(&attacks, victims)?;
        let inner = Arc::clone(&self.inner);
        let rows = call::run(py, progress, move |reports| {
            let atlas = inner.atlas(reports);
            runs::attack_schemes(&atlas, queries, schemes, batch, plan, reports)
        })?;
        Ok(attack_table(&rows))
    }

    /// Returns a PNG file of one region.
    fn draw<'py>(
        &self,
        py: Python<'py>,
        outcomes: &Bound<'py, PyAny>,
        which: &Bound<'py, PyAny>,
        queries: Option<&Bound<'py, PyAny>>,
        width: u32,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let outcomes = Source::of("outcomes", outcomes)?;
        let queries = queries.map(|queries| Source::of("queries", queries)).transpose()?;
        let choice = match which.extract::<usize>() {
            Ok(number) => Choice::Nth(number),
            Err(_) => Choice::Query(which.extract()?),
        };
        let inner = Arc::clone(&self.inner);
        let png = call::run(py, None, move |reports| {
            let drawn = region_picture::find(outcomes, &choice, reports)?;
            let members = match queries {
                Some(queries) => positions(&inner.imported, queries, drawn.set(), reports)?,
                None => Vec::new(),
            };
            drawn.png(&inner.imported, &members, width)
        })?;
        Ok(PyBytes::new(py, &png))
    }
}
