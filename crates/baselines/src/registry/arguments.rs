//! The values of a scheme's parameters.

use super::{Parameter, SchemeChoice};

/// Values of all parameters of a scheme, in canonical form.
#[derive(Clone, Debug)]
pub struct Arguments {
    parameters: &'static [Parameter],
    /// By parameter.
    values: Vec<String>,
    /// Scheme that a wrapper wraps.
    wrapped: Option<Box<SchemeChoice>>,
}

/// Parameter of randomised schemes.
const SEED: &str = "seed";

impl Arguments {
    /// Combines parameters with their checked values.
    pub(super) fn new(
        parameters: &'static [Parameter],
        values: Vec<String>,
        wrapped: Option<Box<SchemeChoice>>,
    ) -> Arguments {
        Arguments { parameters, values, wrapped }
    }

    /// Parameters of the scheme itself with their values.
    pub(super) fn own(&self) -> impl Iterator<Item = (&'static Parameter, &str)> {
        self.parameters.iter().zip(self.values.iter().map(String::as_str))
    }

    /// Parameters of the scheme and of a wrapped one.
    pub(super) fn all(&self) -> Box<dyn Iterator<Item = (&'static Parameter, &str)> + '_> {
        let wrapped = self.wrapped.iter().flat_map(|wrapped| wrapped.arguments.all());
        Box::new(self.own().chain(wrapped))
    }

    /// Scheme that a wrapper wraps.
    pub(crate) fn wrapped(&self) -> Option<&SchemeChoice> {
        self.wrapped.as_deref()
    }

    /// Sets the random seeds, if there are any.
    pub(super) fn set_seed(&mut self, seed: u64) {
        for (parameter, value) in self.parameters.iter().zip(&mut self.values) {
            if parameter.name == SEED {
                *value = seed.to_string();
            }
        }
        if let Some(wrapped) = &mut self.wrapped {
            wrapped.arguments.set_seed(seed);
        }
    }

    /// Value of a parameter.
    pub(crate) fn text(&self, name: &str) -> &str {
        let found = self.own().find(|(parameter, _)| parameter.name == name);
        found.expect("a scheme reads parameters that it declares").1
    }

    /// Value of a parameter that is a number.
    pub(crate) fn number(&self, name: &str) -> f64 {
        self.text(name).parse().expect("the value was checked when it was read")
    }

    /// Value of a parameter that is a whole number.
    pub(crate) fn whole(&self, name: &str) -> u64 {
        self.text(name).parse().expect("the value was checked when it was read")
    }
}
