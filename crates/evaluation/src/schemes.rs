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
mod tests {
    use super::*;

    #[test]
    fn canonical_names_state_guarantee_then_region() {
        for (name, written) in [
            ("meshcloak", "meshcloak/reciprocal"),
            ("meshcloak/paper/reach", PAPER),
            ("meshcloak/cells/reciprocal", "meshcloak/reciprocal/cells-1200"),
            ("meshcloak/cells-600/reciprocal", "meshcloak/reciprocal/cells-600"),
            ("meshcloak/cell", "meshcloak/reciprocal/cell-3000"),
            ("meshcloak/cell-600/history", "meshcloak/history/cell-600"),
            ("meshcloak/history/asked", "meshcloak/history"),
            ("meshcloak/cell-600/history/published", "meshcloak/history/published/cell-600"),
            (
                "meshcloak/horizon-distance-3000/history/cell-600/horizon-4",
                "meshcloak/history/horizon-4/horizon-distance-3000/cell-600",
            ),
            ("meshcloak/history/horizon-600", "meshcloak/history"),
            ("meshcloak/paper/printed", "meshcloak/paper/printed"),
            ("meshcloak-printed", "meshcloak-printed"),
            ("meshcloak/reciprocal/reach/present-50", "meshcloak/reciprocal/present-50"),
            ("meshcloak/age-3/present-90", "meshcloak/reciprocal/age-3/present-90"),
            ("meshcloak/age-0.5/askers/history", "meshcloak/history/askers/age-0.5"),
            ("meshcloak/absent-5", "meshcloak/reciprocal/absent-5"),
            ("casper", "casper"),
            ("casper:levels=8:min-area=0", "casper:levels=8"),
        ] {
            assert_eq!(canonical(name).unwrap(), written);
            assert_eq!(canonical(written).unwrap(), written);
        }
        for name in [
            "",
            "meshcloak/",
            "meshcloak/cells-",
            "meshcloak/cells-0",
            "meshcloak/cells-600-3",
            "meshcloak/cell-600-1",
            "meshcloak/cell-0",
            "meshcloak/magic",
            "meshcloak/age-0",
            "meshcloak/age-",
            "meshcloak/published",
            "meshcloak/horizon-4",
            "meshcloak/history/horizon-",
            "meshcloak/history/horizon-distance-0",
            "meshcloak/present-100",
            "meshcloak/present-5/reciprocal",
            "casper/present-5",
            "casper/history",
        ] {
            assert!(matches!(canonical(name), Err(NameError::Unknown(_))), "{name}");
        }
    }

    #[test]
    fn canonical_names_of_all_schemes_are_their_own_canonical_names() {
        let all = canonical_names();
        assert!(all.iter().all(|name| canonical(name).unwrap() == *name) && all[0] == PAPER);
        assert!(all.contains(&"patching:of=casper".to_owned()));
        assert_eq!(all.len(), names().len());
    }

    #[test]
    fn an_invalid_parameter_is_named_with_what_was_expected() {
        let message = canonical("casper:levels=99").unwrap_err().to_string();
        let expected = "scheme `casper`: levels=99; expected a whole number from 1 to 16";
        assert_eq!(message, expected);
    }

    #[test]
    fn meshcloak_has_the_default_guarantee_of_the_library() {
        assert_eq!(settings(MESHCLOAK), Some(Settings::default()));
        assert_eq!(settings(PAPER), Some(Settings::paper()));
        assert_eq!(Settings::default().guarantee, Guarantee::Reciprocal);
        assert_eq!(named(Settings::paper()), PAPER);
    }

    #[test]
    fn names_of_earlier_result_files_gain_the_guarantee_paper() {
        for (old, name) in [
            ("meshcloak", PAPER),
            ("meshcloak/cells-600", "meshcloak/paper/cells-600"),
            ("meshcloak/absent-5", "meshcloak/paper/absent-5"),
            (PAPER, PAPER),
            ("meshcloak/history/cells-600", "meshcloak/history/cells-600"),
            ("meshcloak-printed", "meshcloak-printed"),
            ("casper", "casper"),
        ] {
            assert_eq!(with_guarantee(old.to_owned()), name);
        }
    }
}
