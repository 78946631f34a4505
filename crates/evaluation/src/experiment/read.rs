//! From TOML to an experiment.

use super::error::{ExperimentError, ExperimentProblem};
use super::fields::{Field, Fields, Source};
use super::{Experiment, Grid, TAXI, Trips, View, Volume, Waits};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use toml::de::DeTable;
use traffic::Profile;

type Checked<T> = Result<T, ExperimentError>;

pub(super) fn read(file: &Path, text: &str) -> Checked<Experiment> {
    let source = Source { file, text };
    let table = DeTable::parse(text).map_err(|error| {
        let problem = ExperimentProblem::Syntax(error.message().to_owned());
        source.error(&error.span().unwrap_or(0..0), problem)
    })?;
    let mut fields = Fields::new(source, table.get_ref());
    let title = match fields.take("title") {
        Some(field) => field.text().ok_or_else(|| field.wrong("a text"))?.to_owned(),
        None => file.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
    };
    let common = grid(&mut fields, Grid::default())?;
    let grids = match fields.take("grid") {
        Some(field) => {
            let tables = field.list("tables, as in [[grid]]", Field::table)?;
            let one = |mut table: Fields<'_>| {
                let grid = grid(&mut table, common.clone())?;
                table.finish().map(|()| grid)
            };
            tables.into_iter().map(one).collect::<Checked<_>>()?
        }
        None => vec![common],
    };
    fields.finish()?;
    Ok(Experiment { title, grids })
}

/// The grid that a table describes; what it does not say is as in `other`.
fn grid(fields: &mut Fields<'_>, other: Grid) -> Checked<Grid> {
    let schemes = crate::schemes::names();
    let known = |field: &Field<'_>| field.text().and_then(crate::schemes::canonical);
    let any_text =
        |field: &Field<'_>| field.text().filter(|text| !text.is_empty()).map(str::to_owned);
    Ok(Grid {
        maps: list(fields, "maps", "names of maps", any_text, other.maps)?,
        users: list(fields, "users", "people from 1 to 10000000", users, other.users)?,
        profiles: list(
            fields,
            "profiles",
            "p1, p2 or city, or one of these after `taxi-`",
            profile,
            other.profiles,
        )?,
        k: list(fields, "k", "LEAST-MOST with 2 or more, as in \"2-5\"", k_range, other.k)?,
        dt: match fields.take("dt") {
            Some(field) => waits(&field)?,
            None => other.dt,
        },
        schemes: match fields.take("schemes") {
            // A table of maps needs no scheme.
            Some(field) if field.is_empty() => Vec::new(),
            Some(field) if field.text() == Some("all") => {
                schemes.iter().map(|&name| name.to_owned()).collect()
            }
            Some(field) => field.list(&format!("all, {}", crate::schemes::expected()), known)?,
            None => other.schemes,
        },
        views: list(fields, "views", "unlimited or realtime", view, other.views)?,
        seeds: match fields.take("seeds") {
            Some(field) => seeds(&field)?,
            None => other.seeds,
        },
        volume: match fields.take("volume") {
            Some(field) => match field.flag() {
                Some(true) => Volume::BySecond,
                Some(false) => Volume::Sums,
                None => return Err(field.wrong("true or false")),
            },
            None => other.volume,
        },
        trips: trips(fields, other.trips)?,
    })
}

fn list<T>(
    fields: &mut Fields<'_>,
    name: &str,
    expected: &str,
    read: impl Fn(&Field<'_>) -> Option<T>,
    other: Vec<T>,
) -> Checked<Vec<T>> {
    fields.take(name).map_or(Ok(other), |field| field.list(expected, read))
}

fn users(field: &Field<'_>) -> Option<u32> {
    field.whole().filter(|number| (1..=10_000_000).contains(number)).map(|number| number as u32)
}

fn profile(field: &Field<'_>) -> Option<String> {
    let text = field.text()?;
    let base = text.strip_prefix(TAXI).unwrap_or(text);
    Profile::NAMES.contains(&base).then(|| text.to_owned())
}

fn k_range(field: &Field<'_>) -> Option<(u32, u32)> {
    let (least, most) = field.text()?.split_once('-')?;
    let (least, most) = (least.trim().parse().ok()?, most.trim().parse().ok()?);
    (2 <= least && least <= most && most <= 1000).then_some((least, most))
}

fn view(field: &Field<'_>) -> Option<View> {
    let text = field.text()?;
    View::ALL.into_iter().find(|view| view.name() == text)
}

fn seeds(field: &Field<'_>) -> Checked<Vec<u64>> {
    let expected = "how many seeds from 1 to 1000, or a list of seeds";
    match field.whole() {
        Some(count @ 1..=1000) => Ok((1..=count).collect()),
        Some(_) => Err(field.wrong(expected)),
        None => field.list(expected, Field::whole),
    }
}

const SECONDS: &str = "seconds from 0 to 3600 with at most three decimals";

fn waits(field: &Field<'_>) -> Checked<Waits> {
    let Some(table) = field.table() else {
        let all = field.list(SECONDS, millis)?;
        return Ok(Waits { all: Some(all), of: BTreeMap::new() });
    };
    let mut of = BTreeMap::new();
    for (name, field) in table.all() {
        let base = name.strip_prefix(TAXI).unwrap_or(name);
        if !Profile::NAMES.contains(&base) {
            return Err(field.wrong("the waits of p1, p2 or city, or a list for all"));
        }
        of.insert(name.to_owned(), field.list(SECONDS, millis)?);
    }
    Ok(Waits { all: None, of })
}

fn millis(field: &Field<'_>) -> Option<u32> {
    let thousandths = field.number()? * 1000.0;
    let whole = (thousandths - thousandths.round()).abs() < 1e-6;
    (whole && (0.0..=3_600_000.0).contains(&thousandths)).then(|| thousandths.round() as u32)
}

fn trips(fields: &mut Fields<'_>, other: Trips) -> Checked<Trips> {
    let file = |field: &Field<'_>| field.text().map(PathBuf::from);
    Ok(Trips {
        files: list(fields, "trips", "files of trips", file, other.files)?,
        overlay: match fields.take("overlay") {
            Some(field) => {
                let window = millis(&field).filter(|&window| window > 0);
                window.ok_or_else(|| field.wrong("seconds above 0, at most 3600"))?
            }
            None => other.overlay,
        },
    })
}
