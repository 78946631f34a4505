//! Selection of the schemes to attack and of the attacks.

use crate::parse::{cell_length, horizon_distance};
use crate::scheme_args::region::RegionArg;
use crate::scheme_args::{GuaranteeArg, HistoryClockArg, MESHCLOAK, value_name};
use anyhow::{Result, anyhow, bail};
use attacks::{ATTACKS, Attack};
use clap::Args;
use evaluation::privacy::AttackedScheme;
use evaluation::run::Presence;
use evaluation::schemes::{self, NameError};
use meshcloak::units::Length;
use traffic::AskShare;

/// Schemes to attack; MeshCloak with each combination of guarantee and region.
#[derive(Debug, Args)]
pub struct SchemeSelection {
    /// Schemes to attack, or all; settings may follow, as in meshcloak/history/cells-600,
    /// meshcloak/reciprocal/present-90 (90 % of the users are present without a question) or
    /// casper:levels=8 (`cloak --help` lists the parameters) [default: meshcloak].
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    scheme: Vec<String>,
    /// Guarantees of MeshCloak [default: paper,reciprocal,history].
    #[arg(long, value_name = "NAME,…", value_enum, value_delimiter = ',')]
    guarantee: Vec<GuaranteeArg>,
    /// Clocks of the guarantee history [default: asked].
    #[arg(long, value_name = "NAME,…", value_enum, value_delimiter = ',')]
    history_clock: Vec<HistoryClockArg>,
    /// How far a user must be able to travel before the guarantee history forgets its last position, in
    /// metres [default: 0, the horizon of 600 s alone decides].
    #[arg(long, value_name = "METRES", value_parser = horizon_distance)]
    horizon_distance: Option<Length>,
    /// Regions of MeshCloak [default: reach].
    #[arg(long, value_name = "NAME,…", value_enum, value_delimiter = ',')]
    region: Vec<RegionArg>,
    /// Approximate street length of a cell, in metres from 1 [default: 1200; `--region cell`: 3000].
    #[arg(long, value_name = "METRES", value_parser = cell_length)]
    cell_length: Option<Length>,
}

impl SchemeSelection {
    /// Whether any of these arguments is given.
    pub fn is_given(&self) -> bool {
        !self.scheme.is_empty() || self.has_settings()
    }

    /// Returns the schemes without duplicates.
    pub fn schemes(&self) -> Result<Vec<AttackedScheme>> {
        let has_cells = |region: &RegionArg| region.default_cell_length().is_some();
        if self.cell_length.is_some() && !self.region.iter().any(has_cells) {
            bail!("--cell-length needs --region cells or cell");
        }
        let mut names: Vec<String> = Vec::new();
        for name in self.names() {
            if name == MESHCLOAK {
                names.extend(self.variants());
            } else {
                names.push(name);
            }
        }
        if self.has_settings() && !names.iter().any(|name| name.starts_with("meshcloak/")) {
            bail!(
                "--guarantee, --history-clock, --horizon-distance and --region are settings of \
                 `{MESHCLOAK}`; add it to --scheme"
            );
        }
        let mut found: Vec<AttackedScheme> = Vec::new();
        for name in names {
            let scheme = AttackedScheme::named(&name).map_err(|problem| match problem {
                NameError::Unknown(_) => {
                    anyhow!("--scheme {name}: expected all or {}", schemes::expected())
                }
                NameError::Invalid(problem) => anyhow!("--scheme {name}: {problem}"),
            })?;
            if !found.contains(&scheme) {
                found.push(scheme);
            }
        }
        Ok(found)
    }

    fn has_settings(&self) -> bool {
        !(self.guarantee.is_empty()
            && self.history_clock.is_empty()
            && self.horizon_distance.is_none()
            && self.region.is_empty())
    }

    fn names(&self) -> Vec<String> {
        let mut names = Vec::new();
        for name in &self.scheme {
            match name.as_str() {
                "all" => names.extend(baselines::names().map(str::to_owned)),
                _ => names.push(name.clone()),
            }
        }
        if names.is_empty() {
            names.push(MESHCLOAK.to_owned());
        }
        names
    }

    /// Returns the names of MeshCloak with each guarantee and each region.
    fn variants(&self) -> Vec<String> {
        let guarantees = match self.guarantee.is_empty() {
            true => vec![GuaranteeArg::Paper, GuaranteeArg::Reciprocal, GuaranteeArg::History],
            false => self.guarantee.clone(),
        };
        let regions =
            if self.region.is_empty() { vec![RegionArg::Reach] } else { self.region.clone() };
        let mut names = Vec::new();
        for region in regions {
            let mut name = value_name(&region);
            if let Some(default) = region.default_cell_length() {
                let length = self.cell_length.unwrap_or(default);
                name = format!("{name}-{}", length.as_metres());
            }
            for guarantee in &guarantees {
                let mut start = format!("{MESHCLOAK}/{}", value_name(guarantee));
                if let (GuaranteeArg::History, Some(distance)) = (guarantee, self.horizon_distance)
                {
                    start += &format!("/horizon-distance-{}", distance.as_metres());
                }
                match self.history_clock.as_slice() {
                    clocks @ [_, ..] if *guarantee == GuaranteeArg::History => {
                        let clocks = clocks.iter().map(value_name);
                        names.extend(clocks.map(|clock| format!("{start}/{clock}/{name}")));
                    }
                    _ => names.push(format!("{start}/{name}")),
                }
            }
        }
        names
    }
}

/// Refuses `--ask-share` with a scheme whose name states who asks.
pub fn check_presence(schemes: &[AttackedScheme], ask_share: Option<AskShare>) -> Result<()> {
    let states_presence = |scheme: &AttackedScheme| scheme.presence() != Presence::AllAsk;
    if ask_share.is_some() && schemes.iter().any(states_presence) {
        bail!("--ask-share does not apply to a scheme whose name states who asks (present-90)");
    }
    Ok(())
}

/// Whether `text` is the name or the letter of an attack, or `all`.
pub fn selects(text: &str, attack: &Attack) -> bool {
    text == "all"
        || attack.name == text
        || text.len() == 1 && text.to_uppercase().starts_with(attack.letter)
}

/// Parses a name or a letter of attacks, or `all`.
pub fn attack_selector(text: &str) -> Result<String, String> {
    if ATTACKS.iter().any(|attack| selects(text, attack)) {
        return Ok(text.to_owned());
    }
    let known = ATTACKS.iter().map(|attack| format!("{} ({})", attack.name, attack.letter));
    Err(format!("expected all or {}", known.collect::<Vec<_>>().join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attacks_are_selected_by_name_and_by_letter() {
        let names = |text: &str| -> Vec<&str> {
            assert_eq!(attack_selector(text).as_deref(), Ok(text));
            ATTACKS.iter().filter(|a| selects(text, a)).map(|attack| attack.name).collect()
        };
        assert_eq!(names("inversion"), ["inversion"]);
        assert_eq!(
            names("a"),
            ["reachability", "known-point", "hindsight", "matching", "matching-tick", "cadence"]
        );
        assert_eq!(names("all").len(), ATTACKS.len());
        assert!(attack_selector("magic").is_err_and(|message| message.contains("inversion (D)")));
    }

    #[test]
    fn settings_are_combined_and_duplicates_removed() {
        let selection = SchemeSelection {
            scheme: vec![MESHCLOAK.to_owned(), "casper".to_owned(), "casper".to_owned()],
            guarantee: vec![GuaranteeArg::Paper, GuaranteeArg::History],
            history_clock: vec![HistoryClockArg::Asked, HistoryClockArg::Published],
            horizon_distance: None,
            region: vec![RegionArg::Reach, RegionArg::Cells, RegionArg::Cell],
            cell_length: Some(Length::metres(600.0)),
        };
        let names: Vec<String> =
            selection.schemes().unwrap().iter().map(|scheme| scheme.name().to_owned()).collect();
        let expected = [
            "meshcloak/paper",
            "meshcloak/history",
            "meshcloak/history/published",
            "meshcloak/paper/cells-600",
            "meshcloak/history/cells-600",
            "meshcloak/history/published/cells-600",
            "meshcloak/paper/cell-600",
            "meshcloak/history/cell-600",
            "meshcloak/history/published/cell-600",
            "casper",
        ];
        assert_eq!(names, expected);
        let distant = SchemeSelection {
            horizon_distance: Some(Length::metres(3_000.0)),
            history_clock: Vec::new(),
            region: Vec::new(),
            cell_length: None,
            ..selection
        };
        let names: Vec<String> =
            distant.schemes().unwrap().iter().map(|scheme| scheme.name().to_owned()).collect();
        let history = "meshcloak/history/horizon-distance-3000";
        assert_eq!(names, ["meshcloak/paper", history, "casper"]);
        let baseline = SchemeSelection { scheme: vec!["casper".to_owned()], ..distant };
        assert!(baseline.schemes().is_err());
    }
}
