//! The table of all schemes, and the choice of one of them by text.

mod arguments;
mod error;
mod parameter;
mod table;
#[cfg(test)]
mod tests;
mod threat_model;

pub use arguments::Arguments;
pub use error::SchemeError;
pub use parameter::{Parameter, ValueRange};
pub use table::SCHEMES;
pub use threat_model::{Crowd, KRule, OwnAttack, ThreatModel};

use meshcloak::distance::Atlas;
use meshcloak::scheme::Scheme;
use std::fmt;
use std::sync::Arc;

/// A row of the table: a scheme, its parameters and its construction.
#[derive(Debug)]
pub struct SchemeEntry {
    /// Name on the command line and in tables.
    pub name: &'static str,
    /// Parameters, in the order of the canonical name.
    pub parameters: &'static [Parameter],
    /// Adversary that the authors assume. [`SchemeChoice::threat_model`] includes a wrapped scheme's.
    pub threat_model: ThreatModel,
    /// Builds the scheme on a map.
    pub(crate) build: Constructor,
}

pub(crate) type Constructor = fn(&Arc<Atlas>, &Arguments) -> Result<Box<dyn Scheme>, SchemeError>;

/// Parameter of a wrapper that names the wrapped scheme.
pub(crate) const OF: &str = "of";

/// Returns the row of that name.
pub fn entry(name: &str) -> Option<&'static SchemeEntry> {
    SCHEMES.iter().copied().find(|entry| entry.name == name)
}

/// A scheme with the values of its parameters, written `NAME:PARAMETER=VALUE:…`.
///
/// ```
/// use baselines::SchemeChoice;
///
/// let choice = SchemeChoice::parse("casper:min-area=2500").expect("casper has a minimum area");
/// assert_eq!(choice.to_string(), "casper:min-area=2500");
/// assert!(SchemeChoice::parse("casper:levels=99").is_err());
/// // Parameters that a wrapper does not have belong to the scheme it wraps.
/// let wrapped = SchemeChoice::parse("patching:of=casper:levels=8").expect("casper has levels");
/// assert_eq!(wrapped.to_string(), "patching:of=casper:levels=8");
/// ```
#[derive(Clone, Debug)]
pub struct SchemeChoice {
    entry: &'static SchemeEntry,
    arguments: Arguments,
}

impl SchemeChoice {
    /// Parses a scheme with parameters.
    ///
    /// # Errors
    /// If the scheme or a parameter is unknown, a parameter is given twice, or a value is out of
    /// its range.
    pub fn parse(text: &str) -> Result<SchemeChoice, SchemeError> {
        let mut words = text.split(':');
        let name = words.next().unwrap_or_default();
        let entry = entry(name).ok_or_else(|| SchemeError::Unknown(name.to_owned()))?;
        let mut given = Vec::new();
        for word in words {
            let pair = word.split_once('=').ok_or_else(|| SchemeError::Form(word.to_owned()))?;
            if given.iter().any(|(known, _)| *known == pair.0) {
                return Err(SchemeError::Twice { scheme: entry, parameter: pair.0.to_owned() });
            }
            given.push(pair);
        }
        SchemeChoice::new(entry, given)
    }

    fn new(
        entry: &'static SchemeEntry,
        mut given: Vec<(&str, &str)>,
    ) -> Result<SchemeChoice, SchemeError> {
        let mut values = Vec::new();
        for parameter in entry.parameters {
            let index = given.iter().position(|(name, _)| *name == parameter.name);
            let text = index.map_or(parameter.default, |index| given.remove(index).1);
            let value = parameter.read(text).ok_or_else(|| SchemeError::Value {
                scheme: entry,
                parameter,
                value: text.to_owned(),
            })?;
            values.push(value);
        }
        let of = entry.parameters.iter().position(|parameter| parameter.name == OF);
        let wrapped = match of.and_then(|index| self::entry(&values[index])) {
            Some(wrapped) => {
                Some(Box::new(SchemeChoice::new(wrapped, std::mem::take(&mut given))?))
            }
            None => None,
        };
        if let Some((name, _)) = given.first() {
            return Err(SchemeError::Parameter { scheme: entry, name: (*name).to_owned() });
        }
        Ok(SchemeChoice { entry, arguments: Arguments::new(entry.parameters, values, wrapped) })
    }

    /// Returns the row of the scheme.
    pub fn entry(&self) -> &'static SchemeEntry {
        self.entry
    }

    /// Returns the parameters with their values.
    pub fn values(&self) -> impl Iterator<Item = (&'static Parameter, &str)> {
        self.arguments.all()
    }

    /// Returns the adversary that the authors assume. A wrapper counts the users, and has the rule for
    /// k, of the scheme that it wraps.
    pub fn threat_model(&self) -> ThreatModel {
        let own = self.entry.threat_model;
        self.arguments.wrapped().map_or(own, |wrapped| {
            let ThreatModel { crowd, k, .. } = wrapped.threat_model();
            ThreatModel { crowd, k, ..own }
        })
    }

    /// Returns the choice with another random seed, in the scheme and in a wrapped one.
    #[must_use]
    pub fn with_seed(mut self, seed: u64) -> SchemeChoice {
        self.arguments.set_seed(seed);
        self
    }

    /// Builds the scheme on a map.
    ///
    /// # Errors
    /// If the map lacks what the scheme needs.
    pub fn build(&self, atlas: &Arc<Atlas>) -> Result<Box<dyn Scheme>, SchemeError> {
        (self.entry.build)(atlas, &self.arguments)
    }

    fn write_changed(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (parameter, value) in self.arguments.own() {
            if parameter.name == OF || value != parameter.default {
                write!(f, ":{}={value}", parameter.name)?;
            }
        }
        self.arguments.wrapped().map_or(Ok(()), |wrapped| wrapped.write_changed(f))
    }
}

/// The canonical name: parameters that differ from their defaults, in the order of the table.
impl fmt::Display for SchemeChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.entry.name)?;
        self.write_changed(f)
    }
}
