//! The compared schemes by name.
//!
//! `meshcloak` has the default settings of the library: guarantee `reciprocal`, coverage `own`,
//! region `reach`. Other settings follow after slashes: `meshcloak/paper`,
//! `meshcloak/history/cells-600`. The canonical name always states the guarantee.

use crate::run::Presence;
use meshcloak::cells::{CellRule, DEFAULT_CELL_LENGTH};
use meshcloak::distance::Atlas;
use meshcloak::guarantee::Guarantee;
use meshcloak::mesh::MeshRule;
use meshcloak::mesh_cloak::{MeshCloak, RegionRule, Settings};
use meshcloak::scheme::Scheme;
use meshcloak::units::Length;
use serde::{Deserialize, Deserializer};
use std::sync::Arc;

/// Name of MeshCloak with its default settings.
pub const MESHCLOAK: &str = "meshcloak";

/// Canonical name of the printed method, which the tables and figures of the paper show.
pub const PAPER: &str = "meshcloak/paper";

/// Canonical names of all compared schemes, in the order of the tables.
pub fn names() -> Vec<&'static str> {
    baselines::names().map(|name| if name == MESHCLOAK { PAPER } else { name }).collect()
}

/// Describes the valid scheme names, for error messages.
pub fn expected() -> String {
    let settings = "paper, reciprocal, history, reach, printed, cells, cells-METRES, \
                    cells-METRES-MINIMUM, cell or cell-METRES";
    let presence = "present-SHARE or absent-SHARE (percentage of users without a question)";
    let names = names()[1..].join(", ");
    format!("{MESHCLOAK}, {names}; `{MESHCLOAK}` may be followed by /{settings}, /{presence}")
}

/// Returns the canonical form of a scheme name; `None` if the name is unknown.
pub fn canonical(name: &str) -> Option<String> {
    let (scheme, presence) = presence(name);
    match settings(scheme) {
        Some(settings) => Some(format!("{}{presence}", named(settings))),
        None => names().contains(&name).then(|| name.to_owned()),
    }
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
        RegionRule::Cells(CellRule { length, min_cells }) => {
            let suffix = if min_cells > 1 { format!("-{min_cells}") } else { String::new() };
            format!("/cells-{}{suffix}", length.as_metres())
        }
        RegionRule::Cell(length) => format!("/cell-{}", length.as_metres()),
    };
    format!("{MESHCLOAK}/{guarantee}{region}")
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
            "reach" => settings.region = RegionRule::Mesh(MeshRule::Reach),
            "printed" => settings.region = RegionRule::Mesh(MeshRule::Printed),
            _ => settings.region = region_of_cells(word)?,
        }
    }
    Some(settings)
}

/// Parses `cells`, `cells-METRES`, `cells-METRES-MINIMUM`, `cell` or `cell-METRES`.
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
    let mut rule = CellRule::default();
    let region = match name {
        "cell" => RegionRule::Cell(length.unwrap_or(DEFAULT_CELL_LENGTH)),
        "cells" => {
            rule.length = length.unwrap_or(rule.length);
            if let Some(min_cells) = words.next() {
                rule.min_cells =
                    min_cells.parse().ok().filter(|min_cells| (1..=10_000).contains(min_cells))?;
            }
            RegionRule::Cells(rule)
        }
        _ => return None,
    };
    words.next().is_none().then_some(region)
}

/// Builds the scheme of that name on a prepared map.
pub fn by_name(atlas: &Arc<Atlas>, name: &str) -> Option<Box<dyn Scheme>> {
    match settings(name) {
        Some(settings) => Some(Box::new(MeshCloak::new(Arc::clone(atlas), settings))),
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
            ("meshcloak/history/cells-600-3", "meshcloak/history/cells-600-3"),
            ("meshcloak/reciprocal/cells-600-1", "meshcloak/reciprocal/cells-600"),
            ("meshcloak/cell", "meshcloak/reciprocal/cell-3000"),
            ("meshcloak/cell-600/history", "meshcloak/history/cell-600"),
            ("meshcloak/paper/printed", "meshcloak/paper/printed"),
            ("meshcloak-printed", "meshcloak-printed"),
            ("meshcloak/reciprocal/reach/present-50", "meshcloak/reciprocal/present-50"),
            ("meshcloak/absent-5", "meshcloak/reciprocal/absent-5"),
            ("casper", "casper"),
        ] {
            assert_eq!(canonical(name).as_deref(), Some(written));
            assert_eq!(canonical(written).as_deref(), Some(written));
        }
        for name in [
            "",
            "meshcloak/",
            "meshcloak/cells-",
            "meshcloak/cells-0",
            "meshcloak/cells-600-0",
            "meshcloak/cells-600-1-1",
            "meshcloak/cell-600-1",
            "meshcloak/cell-0",
            "meshcloak/magic",
            "meshcloak/present-100",
            "meshcloak/present-5/reciprocal",
            "casper/present-5",
            "casper/history",
        ] {
            assert_eq!(canonical(name), None, "{name}");
        }
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
