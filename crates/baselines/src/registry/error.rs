//! Why a scheme cannot be built.

use super::{Parameter, SchemeEntry};
use std::fmt;

/// Why a text names no scheme, or a scheme cannot run on a map.
#[derive(Clone, Debug)]
pub enum SchemeError {
    /// No scheme has this name.
    Unknown(String),
    /// A part of the text is not `PARAMETER=VALUE`.
    Form(String),
    /// The scheme has no parameter of this name.
    Parameter {
        /// The scheme.
        scheme: &'static SchemeEntry,
        /// The unknown parameter.
        name: String,
    },
    /// The parameter is given twice.
    Twice {
        /// The scheme.
        scheme: &'static SchemeEntry,
        /// The repeated parameter.
        parameter: String,
    },
    /// The parameter does not accept this value.
    Value {
        /// The scheme.
        scheme: &'static SchemeEntry,
        /// The parameter.
        parameter: &'static Parameter,
        /// The rejected value.
        value: String,
    },
    /// The map lacks what the scheme needs.
    Map {
        /// Name of the scheme.
        scheme: &'static str,
        /// What is missing and what to do.
        problem: String,
    },
    /// A file that a parameter names cannot be used.
    File {
        /// Name of the scheme.
        scheme: &'static str,
        /// The file and what is wrong with it.
        problem: String,
    },
}

impl fmt::Display for SchemeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SchemeError::Unknown(name) => {
                let names: Vec<&str> = super::SCHEMES.iter().map(|entry| entry.name).collect();
                write!(f, "unknown scheme `{name}`; expected one of {}", names.join(", "))
            }
            SchemeError::Form(word) => {
                write!(f, "`{word}` is not a parameter; expected NAME:PARAMETER=VALUE:…")
            }
            SchemeError::Parameter { scheme, name } => {
                let names: Vec<&str> = scheme.parameters.iter().map(|known| known.name).collect();
                let known =
                    if names.is_empty() { "no parameters".into() } else { names.join(", ") };
                write!(f, "scheme `{}` has no parameter `{name}`; it has {known}", scheme.name)
            }
            SchemeError::Twice { scheme, parameter } => {
                write!(f, "parameter `{parameter}` of scheme `{}` is given twice", scheme.name)
            }
            SchemeError::Value { scheme, parameter, value } => {
                let (name, range) = (parameter.name, parameter.range);
                write!(f, "scheme `{}`: {name}={value}", scheme.name)?;
                if name == super::OF && super::entry(value).is_some() {
                    // Wrappers withhold sets, which would contradict what these schemes maintain.
                    write!(f, " keeps a past of its own and cannot be wrapped")?;
                }
                write!(f, "; expected {range}")
            }
            SchemeError::Map { scheme, problem } | SchemeError::File { scheme, problem } => {
                write!(f, "scheme `{scheme}`: {problem}")
            }
        }
    }
}

impl std::error::Error for SchemeError {}
