//! The compared schemes by name.
//!
//! `meshcloak` has the default settings of the library: guarantee `reciprocal`, coverage `own`,
//! region `reach`. Other settings follow after slashes: `meshcloak/paper`,
//! `meshcloak/history/cells-600`. The canonical name always states the guarantee. Parameters of
//! other schemes follow after colons: `casper:levels=8`.

use crate::run::Presence;
use baselines::{SchemeChoice, SchemeError};
use meshcloak::cells::{DEFAULT_CELL_LENGTH, DEFAULT_CELLS_LENGTH};
use meshcloak::distance::Atlas;
use meshcloak::guarantee::{DEFAULT_HORIZON, Guarantee, HistoryClock};
use meshcloak::history::Horizon;
use meshcloak::mesh::MeshRule;
use meshcloak::mesh_cloak::{MeshCloak, RegionRule, Settings};
use meshcloak::presence::PresenceRule;
use meshcloak::scheme::Scheme;
use meshcloak::units::Length;
use serde::{Deserialize, Deserializer};
use std::sync::Arc;
use std::time::Duration;

/// Name of MeshCloak with its default settings.
pub const MESHCLOAK: &str = "meshcloak";

/// Canonical name of the printed method, which the tables and figures of the paper show.
pub const PAPER: &str = "meshcloak/paper";

/// Names of all compared schemes, in the order of the tables.
pub fn names() -> Vec<&'static str> {
    baselines::names().map(|name| if name == MESHCLOAK { PAPER } else { name }).collect()
}

/// The same with the parameters that canonical names always state.
pub fn canonical_names() -> Vec<String> {
    let canonical = |name: &str| canonical(name).unwrap_or_else(|_| name.to_owned());
    names().into_iter().map(canonical).collect()
}

/// Describes the valid scheme names, for error messages.
pub fn expected() -> String {
    let settings = "paper, reciprocal, history, history/published, horizon-SECONDS or \
                    horizon-distance-METRES (how long the past counts), reach, printed, cells, \
                    cells-METRES, cell or cell-METRES, askers or age-SECONDS (which presence reports \
                    count)";
    let presence = "present-SHARE or absent-SHARE (percentage of users without a question)";
    let names = names()[1..].join(", ");
    format!(
        "{MESHCLOAK}, {names}; `{MESHCLOAK}` may be followed by /{settings}, /{presence}, the \
         others by :PARAMETER=VALUE"
    )
}

/// Returns the canonical form of a scheme name.
///
/// # Errors
/// If scheme, setting or parameter are unknown, or a value is out of its range.
pub fn canonical(name: &str) -> Result<String, NameError> {
    let (scheme, presence) = presence(name);
    if let Some(settings) = settings(scheme) {
        return Ok(format!("{}{presence}", named(settings)));
    }
    match (SchemeChoice::parse(scheme), presence) {
        (Ok(choice), Presence::AllAsk) => Ok(choice.to_string()),
        (Err(SchemeError::Unknown(_)), _) | (Ok(_), _) => Err(NameError::Unknown(name.to_owned())),
        (Err(problem), _) => Err(NameError::Invalid(problem)),
    }
}

/// Why a text is not the name of a scheme.
#[derive(Clone, Debug, thiserror::Error)]
pub enum NameError {
    /// There is no such scheme.
    #[error("unknown scheme `{0}`; expected {expected}", expected = expected())]
    Unknown(String),
    /// The scheme does not have this parameter or value.
    #[error(transparent)]
    Invalid(#[from] SchemeError),
}

/// Splits a name into the scheme and the presence setting.
pub fn presence(name: &str) -> (&str, Presence) {
    let last = name.rsplit_once('/');
    let found = last.and_then(|(scheme, word)| Some((scheme, Presence::parse(word)?)));
    found.unwrap_or((name, Presence::AllAsk))
}

/// Returns the canonical name of MeshCloak with these settings.
pub fn named(settings: Settings) -> String {
    let guarantee = match settings.guarantee {
        Guarantee::Paper => "paper",
        Guarantee::Reciprocal => "reciprocal",
        Guarantee::History => "history",
    };
    let region = match settings.region {
        RegionRule::Mesh(MeshRule::Reach) => String::new(),
        RegionRule::Mesh(MeshRule::Printed) => "/printed".to_owned(),
        RegionRule::Cells(length) => format!("/cells-{}", length.as_metres()),
        RegionRule::Cell(length) => format!("/cell-{}", length.as_metres()),
    };
    let clock = match settings.history_clock {
        HistoryClock::Published => "/published",
        HistoryClock::Asked => "",
    };
    let Horizon { time, distance } = settings.horizon;
    let mut horizon = String::new();
    if time != DEFAULT_HORIZON {
        horizon = format!("/horizon-{}", time.as_secs_f64());
    }
    if distance > Length::ZERO {
        horizon += &format!("/horizon-distance-{}", distance.as_metres());
    }
    let PresenceRule { counts, max_age } = settings.presence;
    let counts = if counts { "" } else { "/askers" };
    let age = max_age.map_or(String::new(), |age| format!("/age-{}", age.as_secs_f64()));
    format!("{MESHCLOAK}/{guarantee}{clock}{horizon}{region}{counts}{age}")
}

/// Parses the settings in a name of MeshCloak, without presence; `None` for other schemes.
pub fn settings(name: &str) -> Option<Settings> {
    let mut words = name.split('/');
    let mut settings = (words.next() == Some(MESHCLOAK)).then(Settings::default)?;
    for word in words {
        match word {
            "paper" => settings.guarantee = Guarantee::Paper,
            "reciprocal" => settings.guarantee = Guarantee::Reciprocal,
            "history" => settings.guarantee = Guarantee::History,
            "asked" => settings.history_clock = HistoryClock::Asked,
            "published" => settings.history_clock = HistoryClock::Published,
            "reach" => settings.region = RegionRule::Mesh(MeshRule::Reach),
            "askers" => settings.presence.counts = false,
            "printed" => settings.region = RegionRule::Mesh(MeshRule::Printed),
            _ => set_value(&mut settings, word)?,
        }
    }
    let plain = Settings::default();
    let has_past =
        settings.history_clock != plain.history_clock || settings.horizon != plain.horizon;
    (settings.guarantee == Guarantee::History || !has_past).then_some(settings)
}

/// Applies a setting that has a value.
fn set_value(settings: &mut Settings, word: &str) -> Option<()> {
    if let Some(seconds) = word.strip_prefix("age-") {
        settings.presence.max_age = Some(seconds_of(seconds)?);
    } else if let Some(metres) = word.strip_prefix("horizon-distance-") {
        let metres = metres.parse().ok().filter(|metres| (1.0..=1e5).contains(metres))?;
        settings.horizon.distance = Length::metres(metres);
    } else if let Some(seconds) = word.strip_prefix("horizon-") {
        settings.horizon.time = seconds_of(seconds)?;
    } else {
        settings.region = region_of_cells(word)?;
    }
    Some(())
}

/// Parses a time in seconds with at most three decimals, up to an hour.
fn seconds_of(seconds: &str) -> Option<Duration> {
    let seconds: f64 = seconds.parse().ok().filter(|seconds| (0.001..=3600.0).contains(seconds))?;
    Some(Duration::from_millis((seconds * 1000.0).round() as u64))
}

/// Parses `cells`, `cells-METRES`, `cell` or `cell-METRES`.
fn region_of_cells(word: &str) -> Option<RegionRule> {
    let mut words = word.split('-');
    let name = words.next()?;
    let length = match words.next() {
        Some(metres) => {
            let metres = metres.parse().ok().filter(|metres| (1.0..=1e6).contains(metres))?;
            Some(Length::metres(metres))
        }
        None => None,
    };
    let region = match name {
        "cell" => RegionRule::Cell(length.unwrap_or(DEFAULT_CELL_LENGTH)),
        "cells" => RegionRule::Cells(length.unwrap_or(DEFAULT_CELLS_LENGTH)),
        _ => return None,
    };
    words.next().is_none().then_some(region)
}

/// Builds the scheme of that name on a prepared map.
///
/// # Errors
/// If the name is invalid, or the map lacks what the scheme needs.
pub fn by_name(atlas: &Arc<Atlas>, name: &str) -> Result<Box<dyn Scheme>, SchemeError> {
    match settings(name) {
        Some(settings) => Ok(Box::new(MeshCloak::new(Arc::clone(atlas), settings))),
        None => baselines::by_name(atlas, name),
    }
}

/// Deserializes a scheme name of a result file.
///
/// Files of earlier versions omit the guarantee `paper`: `meshcloak` and `meshcloak/cells-600` are
/// read as `meshcloak/paper` and `meshcloak/paper/cells-600`. Canonical names state the guarantee
/// and stay as they are.
pub(crate) fn deserialize_name<'de, D: Deserializer<'de>>(input: D) -> Result<String, D::Error> {
    String::deserialize(input).map(with_guarantee)
}

fn with_guarantee(name: String) -> String {
    let Some(rest) = name.strip_prefix(MESHCLOAK) else { return name };
    let states_guarantee = |guarantee: &str| {
        let after = rest.strip_prefix('/').and_then(|rest| rest.strip_prefix(guarantee));
        after.is_some_and(|after| after.is_empty() || after.starts_with('/'))
    };
    let is_current = ["paper", "reciprocal", "history"].into_iter().any(states_guarantee);
    if is_current || !(rest.is_empty() || rest.starts_with('/')) {
        return name;
    }
    format!("{PAPER}{rest}")
}

#[cfg(test)]
mod tests;
