//! The schemes that are compared, by name. `meshcloak` has the settings of the paper (guarantee
//! `paper`, coverage `own`, region `reach`), whatever the defaults become; what differs from them
//! follows after a slash: `meshcloak/reciprocal`, `meshcloak/history/cells-600`.

use crate::run::Presence;
use meshcloak::cells::CellRule;
use meshcloak::constraint_graph::Coverage;
use meshcloak::distance::Atlas;
use meshcloak::guarantee::{DEFAULT_HORIZON, Guarantee};
use meshcloak::mesh::MeshRule;
use meshcloak::mesh_cloak::{MeshCloak, RegionRule, Settings};
use meshcloak::printed::Printed;
use meshcloak::scheme::Scheme;
use meshcloak::units::Length;
use std::sync::Arc;

/// Everything that is compared, in the order of tables.
pub fn names() -> Vec<&'static str> {
    baselines::names().collect()
}

/// What a scheme can be called, for whoever misspelt one.
pub fn expected() -> String {
    let settings = "reciprocal, history, printed, cells, cells-METRES or cells-METRES-LEAST";
    let presence = "present-SHARE or absent-SHARE (of a hundred ask nothing)";
    format!("{}; `meshcloak` may be followed by /{settings}, /{presence}", names().join(", "))
}

/// The settings of the paper.
pub const PAPER: Settings = Settings {
    guarantee: Guarantee::Paper,
    coverage: Coverage::Own,
    region: RegionRule::Mesh(MeshRule::Reach),
    budget: 20_000,
    horizon: DEFAULT_HORIZON,
    hold: None,
};

const OURS: &str = "meshcloak";

/// The name by which a scheme is known, however it was written; `None`: there is no such scheme.
pub fn canonical(name: &str) -> Option<String> {
    let (scheme, presence) = presence(name);
    match settings(scheme) {
        Some(settings) => Some(format!("{}{presence}", named(settings))),
        None => names().contains(&name).then(|| name.to_owned()),
    }
}

/// What a name says of the scheme alone, and who asks.
pub fn presence(name: &str) -> (&str, Presence) {
    let last = name.rsplit_once('/');
    let found = last.and_then(|(scheme, word)| Some((scheme, Presence::parse(word)?)));
    found.unwrap_or((name, Presence::AllAsk))
}

/// What MeshCloak is called with these settings.
pub fn named(settings: Settings) -> String {
    let guarantee = match settings.guarantee {
        Guarantee::Paper => "",
        Guarantee::Reciprocal => "/reciprocal",
        Guarantee::History => "/history",
    };
    let region = match settings.region {
        RegionRule::Mesh(MeshRule::Reach) => String::new(),
        RegionRule::Mesh(MeshRule::Printed) => "/printed".to_owned(),
        RegionRule::Cells(CellRule { length, min_cells }) => {
            let suffix = if min_cells > 1 { format!("-{min_cells}") } else { String::new() };
            format!("/cells-{}{suffix}", length.as_metres())
        }
    };
    format!("{OURS}{guarantee}{region}")
}

/// The settings that a name of MeshCloak stands for.
fn settings(name: &str) -> Option<Settings> {
    let mut words = name.split('/');
    let mut settings = (words.next() == Some(OURS)).then_some(PAPER)?;
    for word in words {
        match word {
            "paper" => settings.guarantee = Guarantee::Paper,
            "reciprocal" => settings.guarantee = Guarantee::Reciprocal,
            "history" => settings.guarantee = Guarantee::History,
            "reach" => settings.region = RegionRule::Mesh(MeshRule::Reach),
            "printed" => settings.region = RegionRule::Mesh(MeshRule::Printed),
            _ => settings.region = RegionRule::Cells(cells(word)?),
        }
    }
    Some(settings)
}

/// `cells`, `cells-METRES` or `cells-METRES-LEAST`.
fn cells(word: &str) -> Option<CellRule> {
    let mut rule = CellRule::default();
    let mut numbers = word.split('-');
    (numbers.next() == Some("cells")).then_some(())?;
    if let Some(metres) = numbers.next() {
        let metres = metres.parse().ok().filter(|metres| (1.0..=1e6).contains(metres))?;
        rule.length = Length::metres(metres);
    }
    if let Some(min_cells) = numbers.next() {
        rule.min_cells =
            min_cells.parse().ok().filter(|min_cells| (1..=10_000).contains(min_cells))?;
    }
    numbers.next().is_none().then_some(rule)
}

/// The scheme of that name on a prepared map.
pub fn by_name(atlas: &Arc<Atlas>, name: &str) -> Option<Box<dyn Scheme>> {
    if let Some(settings) = settings(name) {
        return Some(Box::new(MeshCloak::new(Arc::clone(atlas), settings)));
    }
    match name {
        "meshcloak-printed" => Some(Box::new(Printed::new(Arc::clone(atlas), PAPER))),
        _ => baselines::by_name(atlas, name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_follow_the_name_and_are_written_one_way() {
        for (name, written) in [
            ("meshcloak", "meshcloak"),
            ("meshcloak/paper/reach", "meshcloak"),
            ("meshcloak/cells/reciprocal", "meshcloak/reciprocal/cells-1200"),
            ("meshcloak/history/cells-600-3", "meshcloak/history/cells-600-3"),
            ("meshcloak/reciprocal/cells-600-1", "meshcloak/reciprocal/cells-600"),
            ("meshcloak/printed", "meshcloak/printed"),
            ("meshcloak-printed", "meshcloak-printed"),
            ("meshcloak/reciprocal/reach/present-50", "meshcloak/reciprocal/present-50"),
            ("meshcloak/absent-5", "meshcloak/absent-5"),
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
            "meshcloak/magic",
            "meshcloak/present-100",
            "meshcloak/present-5/reciprocal",
            "casper/present-5",
            "casper/history",
        ] {
            assert_eq!(canonical(name), None, "{name}");
        }
    }
}
