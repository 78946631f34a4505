//! Runs over tables: simulation, cloaking, scores and attacks. No function here holds the interpreter
//! lock.

use crate::call::Reports;
use crate::error::failed;
use crate::scheme::{Failure, PythonScheme, scheme_name};
use crate::source::Source;
use crate::table::{Table, TableSink};
use baselines::SchemeError;
use evaluation::metrics::Tally;
use evaluation::privacy::{AttackPlan, AttackedScheme, RecordedRun, run_attacks};
use evaluation::results::{PrivacyRow, privacy_rows};
use evaluation::run::Conditions;
use evaluation::score::{OutcomeScore, ScoreConditions, score_rows};
use evaluation::workload::Workload;
use evaluation::{schemes, simulated_record};
use import::{Progress as _, QueryWriter};
use meshcloak::distance::Atlas;
use meshcloak::map::StreetMap;
use meshcloak::scheme::{RegionDependence, Scheme};
use offline::outcomes::{Meshes, OutcomeFile};
use offline::text::Labels;
use offline::{BadRows, Batches, Intake, Limits, OutputFiles};
use pyo3::prelude::*;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use traffic::{AskShare, Profile, Simulation, SimulationSettings};

/// Where a run writes its rows.
pub(crate) enum Target {
    Memory(TableSink),
    File(PathBuf),
}

impl Target {
    pub(crate) fn of(out: Option<PathBuf>) -> Target {
        out.map_or(Target::Memory(TableSink::default()), Target::File)
    }

    /// Returns the table, unless the rows are in a file.
    pub(crate) fn into_table(self) -> PyResult<Option<Table>> {
        match self {
            Target::Memory(sink) => sink.into_table().map(Some),
            Target::File(_) => Ok(None),
        }
    }
}

/// Which scheme runs.
pub(crate) enum SchemeArgument {
    /// A name of the table of schemes.
    Named(String),
    /// An object in Python.
    Object(Py<PyAny>),
}

impl SchemeArgument {
    /// Prepares the scheme for runs and attacks. Each instance of an object is a deep copy of it.
    fn prepare(self, reports: &Arc<Reports>, failure: &Failure) -> PyResult<AttackedScheme> {
        let object = match self {
            SchemeArgument::Named(name) => return AttackedScheme::named(&name).map_err(failed),
            SchemeArgument::Object(object) => object,
        };
        let name = Python::attach(|py| scheme_name(object.bind(py)))?;
        let (reports, failure) = (Arc::clone(reports), Arc::clone(failure));
        let build = move |atlas: &Arc<Atlas>| {
            Python::attach(|py| {
                let copy = deep_copy(object.bind(py))?;
                let scheme = PythonScheme::new(py, &copy, atlas, &failure, &reports)?;
                Ok(Box::new(scheme) as Box<dyn Scheme>)
            })
            .map_err(|error: PyErr| {
                let text = error.to_string();
                *failure.lock() = Some(error);
                SchemeError::Unknown(text)
            })
        };
        Ok(AttackedScheme::custom(&name, Arc::new(build)))
    }
}

/// Copies a scheme, so that no run depends on what an earlier one has left in the object.
fn deep_copy(object: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
    let py = object.py();
    let copied = py.import("copy")?.call_method1("deepcopy", (object,));
    copied.map(Bound::unbind).inspect_err(|error| {
        let note = "each run of a scheme uses a deep copy of the object; leave what cannot be copied \
                    out of it, or define `__deepcopy__`";
        // Without the note the error is still the right one.
        let _ = error.value(py).call_method1("add_note", (note,));
    })
}

/// Simulates agents and writes their queries.
pub(crate) fn simulate(
    map: &StreetMap,
    profile: &Profile,
    settings: SimulationSettings,
    ask_share: Option<AskShare>,
    target: Target,
    reports: &Reports,
) -> PyResult<Target> {
    reports.begin("preparing routes", 0);
    let mut simulation = Simulation::new(map, profile, settings);
    reports.begin("simulating", profile.longest_seconds());
    let writer = match &target {
        Target::Memory(sink) => QueryWriter::to_sink(Box::new(sink.clone())),
        Target::File(path) => QueryWriter::create(path).map_err(failed)?,
    };
    let mut writer = writer.with_asks(ask_share.is_some());
    while let Some(batch) = simulation.step() {
        reports.check();
        for query in &batch.queries {
            let mut row = simulated_record(map, query, &query.user.to_string());
            if ask_share.is_some_and(|share| !share.asks(query.user.into())) {
                (row.asks, row.k, row.temporal_tolerance) = (false, 1, PRESENCE_PATIENCE);
            }
            writer.write(&row).map_err(failed)?;
        }
        reports.advance(1);
    }
    writer.finish().map_err(failed)?;
    Ok(target)
}

/// Temporal tolerance of presence reports in milliseconds, as that of the command.
const PRESENCE_PATIENCE: u64 = 30_000;

/// Limits and intervals of a run.
#[derive(Clone, Copy)]
pub(crate) struct CloakOptions {
    /// Batch interval in milliseconds.
    pub batch: u64,
    /// Largest snapping distance in metres; 0 disables the limit.
    pub snap: f64,
    /// Whether a bad row ends the run.
    pub strict: bool,
    /// Whether all ids are known to differ.
    pub unique_ids: bool,
}

/// Runs queries through a scheme and writes their outcomes.
pub(crate) fn cloak(
    atlas: &Arc<Atlas>,
    queries: Source,
    scheme: SchemeArgument,
    options: CloakOptions,
    target: Target,
    reports: &Arc<Reports>,
) -> PyResult<(Target, Tally)> {
    let failure = Failure::default();
    let scheme = scheme.prepare(reports, &failure)?;
    let mut scheme = scheme.make(atlas).map_err(|error| refused(&failure, &error))?;
    let limits = Limits {
        dc_max: atlas.dc_max(),
        snap: (options.snap > 0.0).then_some(options.snap),
        needs_speed: scheme.history_horizon().is_some(),
        bad_rows: if options.strict { BadRows::Abort } else { BadRows::Refuse },
        unique_ids: options.unique_ids,
    };
    let outcomes = match &target {
        Target::Memory(sink) => OutcomeFile::to_sink(Box::new(sink.clone())),
        Target::File(path) => OutcomeFile::create(path).map_err(failed)?,
    };
    let files = OutputFiles { outcomes, disclosures: None, per_batch: None, meshes: Meshes::Each };
    let labels = Labels::of(atlas.map());
    let mut intake = Intake::new(atlas.map(), &queries.name(), limits);
    let mut reader = queries.queries(reports)?;
    reports.begin("cloaking", 0);
    let mut batches = Batches::new(atlas, &labels, scheme.as_mut(), files, options.batch);
    let mut rows = 0;
    while let Some(row) = reader.next_row().map_err(failed)? {
        batches.push(intake.examine(row).map_err(failed)?).map_err(failed)?;
        rows += 1;
        reports.set_done(rows);
        reports.check();
        if failure.lock().is_some() {
            break;
        }
    }
    let tally = batches.finish().map_err(failed)?;
    match failure.lock().take() {
        Some(error) => Err(error),
        None => Ok((target, tally)),
    }
}

/// Scores outcomes.
pub(crate) fn score(
    queries: Source,
    outcomes: Source,
    conditions: ScoreConditions<'_>,
    reports: &Arc<Reports>,
) -> PyResult<OutcomeScore> {
    let name = queries.name();
    let outcomes = outcomes.outcomes(reports)?;
    reports.begin("scoring", 0);
    score_rows(queries.queries(reports)?, &name, outcomes, conditions).map_err(failed)
}

/// Attacks recorded outcomes.
pub(crate) fn attack_outcomes(
    atlas: &Arc<Atlas>,
    queries: Source,
    outcomes: Source,
    regions: RegionDependence,
    plan: AttackPlan,
    reports: &Arc<Reports>,
) -> PyResult<Vec<PrivacyRow>> {
    let queries = queries.queries(reports)?;
    let recorded = RecordedRun::of_rows(atlas.map(), queries, outcomes.outcomes(reports)?);
    reports.begin("attacking", 0);
    let plan = AttackPlan { checkpoint: reports.checkpoint(), ..plan };
    let found = recorded.map_err(failed)?.run_attacks(atlas, regions, &plan);
    Ok(privacy_rows(&PrivacyRow::default(), &found))
}

/// Runs schemes on recorded queries and attacks them.
pub(crate) fn attack_schemes(
    atlas: &Arc<Atlas>,
    queries: Source,
    chosen: Vec<SchemeArgument>,
    tick: u64,
    plan: AttackPlan,
    reports: &Arc<Reports>,
) -> PyResult<Vec<PrivacyRow>> {
    let (workload, tolerance) =
        Workload::of_rows(atlas.map(), queries.queries(reports)?).map_err(failed)?;
    let tick = Duration::from_millis(tick);
    let conditions = Conditions { tick, ..Conditions::new(tolerance, atlas.dc_max()) };
    let plan = AttackPlan { checkpoint: reports.checkpoint(), ..plan };
    let mut rows = Vec::new();
    reports.begin("attacking", chosen.len() as u64);
    for scheme in chosen {
        let failure = Failure::default();
        let scheme = scheme.prepare(reports, &failure)?;
        let found = run_attacks(&scheme, atlas, &workload, conditions, &plan);
        if let Some(error) = failure.lock().take() {
            return Err(error);
        }
        rows.extend(privacy_rows(&PrivacyRow::default(), &found.map_err(failed)?));
        reports.advance(1);
    }
    Ok(rows)
}

/// Returns the canonical name of MeshCloak with these settings.
pub(crate) fn meshcloak_name(
    guarantee: &str,
    region: &str,
    cell_length: Option<f64>,
) -> PyResult<String> {
    let length = cell_length.map_or(String::new(), |length| format!("-{length}"));
    schemes::canonical(&format!("meshcloak/{guarantee}/{region}{length}")).map_err(|_| {
        let length = cell_length.map_or(String::new(), |length| format!(", cell_length={length}"));
        failed(format!(
            "guarantee=\"{guarantee}\", region=\"{region}\"{length}: expected a guarantee of paper, \
             reciprocal and history, a region of reach, printed, cells and cell, and a cell length \
             from 1 to 1000000 for the last two"
        ))
    })
}

/// The exception of a scheme that cannot be built, or the reason in words.
fn refused(failure: &Failure, error: &SchemeError) -> PyErr {
    failure.lock().take().unwrap_or_else(|| failed(error))
}
