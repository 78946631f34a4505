//! Which schemes are attacked, with which settings, and by what.

use anyhow::{Result, bail};
use clap::{Args, ValueEnum};
use evaluation::privacy::AttackedScheme;
use evaluation::schemes;

/// What is attacked: schemes, and for MeshCloak every combination of guarantee and region.
#[derive(Debug, Args)]
pub struct Choice {
    /// Schemes, or all: MeshCloak or its rivals; settings may follow, as in
    /// meshcloak/history/cells-600.
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    scheme: Vec<String>,
    /// What MeshCloak promises to whom [default: paper,reciprocal,history].
    #[arg(long, value_name = "NAME,…", value_enum, value_delimiter = ',')]
    guarantee: Vec<Promise>,
    /// Which streets MeshCloak asks the service about [default: reach].
    #[arg(long, value_name = "NAME,…", value_enum, value_delimiter = ',')]
    region: Vec<Streets>,
    /// About how long a cell is, for `--region cells` [default: 1200].
    #[arg(long, value_name = "METRES", value_parser = metres)]
    cell_length: Option<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Promise {
    /// Algorithm 4 as printed.
    Paper,
    /// Disjoint sets in which every k is met.
    Reciprocal,
    /// And enough members can have come from where each was before.
    History,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Streets {
    /// Every street that a member can reach.
    Reach,
    /// Algorithm 3 to the letter.
    Printed,
    /// The members' cells.
    Cells,
}

fn metres(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(metres) if (1.0..=1e6).contains(&metres) => Ok(metres),
        _ => Err("expected metres from 1 to 1000000".into()),
    }
}

const OURS: &str = "meshcloak";

impl Choice {
    /// Whether anything was chosen.
    pub fn is_given(&self) -> bool {
        !(self.scheme.is_empty() && self.guarantee.is_empty() && self.region.is_empty())
    }

    /// The schemes, each once.
    pub fn schemes(&self) -> Result<Vec<AttackedScheme>> {
        if self.cell_length.is_some() && !self.region.contains(&Streets::Cells) {
            bail!("--cell-length needs --region cells");
        }
        let mut names: Vec<String> = Vec::new();
        for name in self.asked_for() {
            if name == OURS {
                names.extend(self.settings());
            } else {
                names.push(name);
            }
        }
        if self.has_settings() && !names.iter().any(|name| name.starts_with("meshcloak/")) {
            bail!("--guarantee and --region are settings of `{OURS}`, which is not attacked here");
        }
        let mut suspects: Vec<AttackedScheme> = Vec::new();
        for name in names {
            let Some(suspect) = AttackedScheme::named(&name) else {
                bail!("--scheme {name}: expected all or {}", schemes::expected());
            };
            if !suspects.contains(&suspect) {
                suspects.push(suspect);
            }
        }
        Ok(suspects)
    }

    fn has_settings(&self) -> bool {
        !(self.guarantee.is_empty() && self.region.is_empty())
    }

    fn asked_for(&self) -> Vec<String> {
        let mut names = Vec::new();
        for name in &self.scheme {
            match name.as_str() {
                "all" => names.extend(baselines::names().map(str::to_owned)),
                _ => names.push(name.clone()),
            }
        }
        if names.is_empty() {
            names.push(OURS.to_owned());
        }
        names
    }

    /// MeshCloak with each guarantee and each region.
    fn settings(&self) -> Vec<String> {
        let guarantees = match self.guarantee.is_empty() {
            true => vec![Promise::Paper, Promise::Reciprocal, Promise::History],
            false => self.guarantee.clone(),
        };
        let regions =
            if self.region.is_empty() { vec![Streets::Reach] } else { self.region.clone() };
        let mut names = Vec::new();
        for region in regions {
            let region = match region {
                Streets::Reach => "reach".to_owned(),
                Streets::Printed => "printed".to_owned(),
                Streets::Cells => format!("cells-{}", self.cell_length.unwrap_or(1200.0)),
            };
            for guarantee in &guarantees {
                let guarantee = match guarantee {
                    Promise::Paper => "paper",
                    Promise::Reciprocal => "reciprocal",
                    Promise::History => "history",
                };
                names.push(format!("{OURS}/{guarantee}/{region}"));
            }
        }
        names
    }
}

/// An attack by name or letter, or all of them.
pub fn attack_name(text: &str) -> Result<&'static [&'static str], String> {
    let all = attacks::all();
    let is_meant = |attack: &dyn attacks::Attack| {
        text == "all"
            || attack.name() == text
            || text.len() == 1 && text.to_uppercase().starts_with(attack.letter())
    };
    let names: Vec<&'static str> =
        all.iter().filter(|attack| is_meant(&***attack)).map(|attack| attack.name()).collect();
    if names.is_empty() {
        let known = all.iter().map(|attack| format!("{} ({})", attack.name(), attack.letter()));
        return Err(format!("expected all or {}", known.collect::<Vec<_>>().join(", ")));
    }
    Ok(names.leak())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attacks_go_by_name_and_by_letter() {
        assert_eq!(attack_name("inversion"), Ok(&["inversion"][..]));
        assert_eq!(attack_name("a"), Ok(&["reachability", "known-point", "hindsight"][..]));
        assert_eq!(attack_name("all").map(<[_]>::len), Ok(attacks::all().len()));
        assert!(attack_name("magic").is_err_and(|words| words.contains("inversion (D)")));
    }

    #[test]
    fn settings_are_combined_and_schemes_come_once() {
        let choice = Choice {
            scheme: vec![OURS.to_owned(), "casper".to_owned(), "casper".to_owned()],
            guarantee: vec![Promise::Paper, Promise::History],
            region: vec![Streets::Reach, Streets::Cells],
            cell_length: Some(600.0),
        };
        let names: Vec<String> =
            choice.schemes().unwrap().iter().map(|suspect| suspect.name().to_owned()).collect();
        let expected = [
            "meshcloak/paper",
            "meshcloak/history",
            "meshcloak/paper/cells-600",
            "meshcloak/history/cells-600",
            "casper",
        ];
        assert_eq!(names, expected);
        let rival = Choice { scheme: vec!["casper".to_owned()], ..choice };
        assert!(rival.schemes().is_err());
    }
}
