//! Reads an experiment from TOML.

use super::error::ExperimentError;
use super::toml_table::{TomlField, TomlSource, TomlTable};
use super::{Experiment, ExperimentGrid, TAXI, TimeModel, Tolerances, TripSource, Volume};
use crate::distinct::distinct;
use crate::schemes::{self, NameError};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use toml::de::DeTable;
use traffic::Profile;

type Checked<T> = Result<T, ExperimentError>;

pub(super) fn read(file: &Path, text: &str) -> Checked<Experiment> {
    let source = TomlSource { file, text };
    let table = DeTable::parse(text)
        .map_err(|error| source.error(&error.span().unwrap_or(0..0), error.message().to_owned()))?;
    let mut fields = TomlTable::new(source, table.get_ref());
    let title = match fields.take("title") {
        Some(field) => field.text().ok_or_else(|| field.error("a text"))?.to_owned(),
        None => file.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
    };
    let common = grid(&mut fields, ExperimentGrid::default())?;
    let grids = match fields.take("grid") {
        Some(field) => {
            let tables = field.list("tables, as in [[grid]]", TomlField::table)?;
            let one = |mut table: TomlTable<'_>| {
                let grid = grid(&mut table, common.clone())?;
                table.finish().map(|()| grid)
            };
            tables.into_iter().map(one).collect::<Checked<_>>()?
        }
        None => vec![common],
    };
    fields.finish()?;
    Ok(Experiment { title, is_paper: false, matrix_map: String::new(), grids })
}

/// Reads the grid of a table; absent fields keep the values of `base`.
fn grid(fields: &mut TomlTable<'_>, base: ExperimentGrid) -> Checked<ExperimentGrid> {
    let any_text =
        |field: &TomlField<'_>| field.text().filter(|text| !text.is_empty()).map(str::to_owned);
    let profiles = "p1, p2 or city, or one of these after `taxi-`";
    Ok(ExperimentGrid {
        maps: list(fields, "maps", "names of maps", any_text, base.maps)?,
        users: list(fields, "users", "users from 1 to 10000000", users, base.users)?,
        profiles: list(fields, "profiles", profiles, profile, base.profiles)?,
        k: list(fields, "k", "MIN-MAX with 2 or more, as in \"2-5\"", k_range, base.k)?,
        dt: fields.take("dt").map_or(Ok(base.dt), |field| tolerances(&field))?,
        schemes: fields.take("schemes").map_or(Ok(base.schemes), |field| schemes(&field))?,
        views: list(fields, "views", "unlimited, realtime, after or timed", view, base.views)?,
        seeds: fields.take("seeds").map_or(Ok(base.seeds), |field| seeds(&field))?,
        volume: fields.take("volume").map_or(Ok(base.volume), |field| volume(&field))?,
        trips: trips(fields, base.trips)?,
    })
}

/// Reads scheme names in canonical form; `all` stands for every scheme of the table. An empty list is valid: a table of maps needs no scheme.
fn schemes(field: &TomlField<'_>) -> Checked<Vec<String>> {
    if field.is_empty() {
        return Ok(Vec::new());
    }
    let expected = || format!("all, {}", schemes::expected());
    let lists = field.list_of(&expected(), |field| match field.text() {
        Some("all") => Ok(schemes::canonical_names()),
        Some(name) => match schemes::canonical(name) {
            Ok(name) => Ok(vec![name]),
            Err(NameError::Invalid(problem)) => Err(field.problem(problem)),
            Err(NameError::Unknown(_)) => Err(field.error(expected())),
        },
        None => Err(field.error(expected())),
    })?;
    Ok(distinct(lists.into_iter().flatten()))
}

fn volume(field: &TomlField<'_>) -> Checked<Volume> {
    match field.flag() {
        Some(true) => Ok(Volume::BySecond),
        Some(false) => Ok(Volume::Sums),
        None => Err(field.error("true or false")),
    }
}

fn list<T>(
    fields: &mut TomlTable<'_>,
    name: &str,
    expected: &str,
    read: impl Fn(&TomlField<'_>) -> Option<T>,
    base: Vec<T>,
) -> Checked<Vec<T>> {
    fields.take(name).map_or(Ok(base), |field| field.list(expected, read))
}

fn users(field: &TomlField<'_>) -> Option<u32> {
    field.whole().filter(|number| (1..=10_000_000).contains(number)).map(|number| number as u32)
}

fn profile(field: &TomlField<'_>) -> Option<String> {
    let text = field.text()?;
    let base = text.strip_prefix(TAXI).unwrap_or(text);
    Profile::NAMES.contains(&base).then(|| text.to_owned())
}

fn k_range(field: &TomlField<'_>) -> Option<(u32, u32)> {
    let (min, max) = field.text()?.split_once('-')?;
    let (min, max) = (min.trim().parse().ok()?, max.trim().parse().ok()?);
    (2 <= min && min <= max && max <= 1000).then_some((min, max))
}

fn view(field: &TomlField<'_>) -> Option<TimeModel> {
    let text = field.text()?;
    TimeModel::ALL.into_iter().find(|view| view.name() == text)
}

fn seeds(field: &TomlField<'_>) -> Checked<Vec<u64>> {
    let expected = "number of seeds from 1 to 1000, or a list of seeds";
    match field.whole() {
        Some(count @ 1..=1000) => Ok((1..=count).collect()),
        Some(_) => Err(field.error(expected)),
        None => field.list(expected, TomlField::whole),
    }
}

const SECONDS: &str = "seconds from 0 to 3600 with at most three decimals";

fn tolerances(field: &TomlField<'_>) -> Checked<Tolerances> {
    let Some(table) = field.table() else {
        let all = field.list(SECONDS, millis)?;
        return Ok(Tolerances { all: Some(all), by_profile: BTreeMap::new() });
    };
    let mut by_profile = BTreeMap::new();
    for (name, field) in table.all() {
        let base = name.strip_prefix(TAXI).unwrap_or(name);
        if !Profile::NAMES.contains(&base) {
            return Err(field.error("tolerances of p1, p2 or city, or one list for all profiles"));
        }
        by_profile.insert(name.to_owned(), field.list(SECONDS, millis)?);
    }
    Ok(Tolerances { all: None, by_profile })
}

fn millis(field: &TomlField<'_>) -> Option<u32> {
    let thousandths = field.number()? * 1000.0;
    let whole = (thousandths - thousandths.round()).abs() < 1e-6;
    (whole && (0.0..=3_600_000.0).contains(&thousandths)).then(|| thousandths.round() as u32)
}

fn trips(fields: &mut TomlTable<'_>, base: TripSource) -> Checked<TripSource> {
    let file = |field: &TomlField<'_>| field.text().map(PathBuf::from);
    Ok(TripSource {
        files: list(fields, "trips", "trip files", file, base.files)?,
        overlay: match fields.take("overlay") {
            Some(field) => {
                let window = millis(&field).filter(|&window| window > 0);
                window.ok_or_else(|| field.error("seconds above 0, at most 3600"))?
            }
            None => base.overlay,
        },
    })
}
