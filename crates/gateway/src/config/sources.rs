//! Sources of settings: file, environment and flags. Every error names the setting, the value, the
//! expected form and the source.

use super::parse::Expected;
use super::setting::variable;
use super::{Config, Setting, settings};
use std::fs;
use std::path::Path;

/// Reason why a configuration is invalid.
#[derive(Debug, PartialEq, thiserror::Error)]
pub enum ConfigError {
    /// The file cannot be read or is not valid TOML.
    #[error("{source_name}: {problem}")]
    File {
        /// Path of the file.
        source_name: String,
        /// Error.
        problem: String,
    },
    /// The setting does not exist.
    #[error("`{key}` ({source_name}) is not a setting; `meshcloak serve --example` lists all")]
    Unknown {
        /// Name as given.
        key: String,
        /// File, variable or flag.
        source_name: String,
    },
    /// The value is invalid.
    #[error("`{key}` is `{value}` ({source_name}), expected {expected}")]
    Wrong {
        /// Name as given.
        key: String,
        /// Value as given.
        value: String,
        /// Expected form.
        expected: Expected,
        /// File, variable or flag.
        source_name: String,
    },
    /// Two values contradict each other.
    #[error("{0}")]
    Conflict(String),
}

/// Name and text of a configuration file.
#[derive(Clone, Debug)]
pub struct Source {
    name: String,
    text: String,
}

impl Source {
    /// Reads a file.
    pub fn read(path: &Path) -> Result<Source, ConfigError> {
        let name = path.display().to_string();
        match fs::read_to_string(path) {
            Ok(text) => Ok(Source { name, text }),
            Err(error) => Err(ConfigError::File { source_name: name, problem: error.to_string() }),
        }
    }

    /// Creates a source from a text.
    pub fn from_text(name: &str, text: &str) -> Source {
        Source { name: name.to_owned(), text: text.to_owned() }
    }
}

/// Whether requests need a key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// Every request needs a key.
    #[default]
    Guarded,
    /// No request needs a key; loopback only.
    Demo,
}

/// All sources of a configuration.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    file: Option<Source>,
    variables: Vec<(String, String)>,
    flags: Vec<(String, String)>,
    mode: Mode,
}

/// A value assigned to a setting by a source.
pub(super) struct Assignment {
    pub setting: &'static Setting,
    /// Key or alias, as given.
    name: String,
    pub value: String,
    source: String,
}

impl Assignment {
    /// Builds the error of an invalid value.
    pub fn error(&self, expected: Expected) -> ConfigError {
        // The address of a database may contain a password.
        let is_secret = self.setting.key == "service.source";
        let value = if is_secret { "…".to_owned() } else { self.value.clone() };
        let (key, source_name) = (self.name.clone(), self.source.clone());
        ConfigError::Wrong { key, value, expected, source_name }
    }
}

impl Sources {
    /// Creates sources with nothing but the defaults.
    pub fn new() -> Sources {
        Sources::default()
    }

    /// Adds a file.
    pub fn file(self, file: Source) -> Sources {
        Sources { file: Some(file), ..self }
    }

    /// Adds environment variables. Unknown variables are ignored: the environment is shared with
    /// other programs.
    pub fn environment(self, variables: impl IntoIterator<Item = (String, String)>) -> Sources {
        Sources { variables: variables.into_iter().collect(), ..self }
    }

    /// Adds a flag: `section.name` and its value.
    pub fn flag(mut self, key: &str, value: &str) -> Sources {
        self.flags.push((key.to_owned(), value.to_owned()));
        self
    }

    /// Selects the demo mode.
    pub fn demo(self) -> Sources {
        Sources { mode: Mode::Demo, ..self }
    }

    /// Whether requests need a key.
    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// Returns all assignments by ascending precedence.
    pub(super) fn collect(&self) -> Result<Vec<Assignment>, ConfigError> {
        let mut all = Vec::new();
        if let Some(file) = &self.file {
            read_file(file, &mut all)?;
        }
        let names =
            settings().iter().flat_map(|setting| setting.names().map(move |n| (setting, n)));
        for (setting, name) in names {
            let variable = variable(name);
            for (_, value) in self.variables.iter().filter(|(known, _)| *known == variable) {
                let (name, source) = (name.to_owned(), format!("environment, {variable}"));
                all.push(Assignment { setting, name, value: value.clone(), source });
            }
        }
        for (key, value) in &self.flags {
            let (setting, source) = (find(key, "flag")?, "flag".to_owned());
            all.push(Assignment { setting, name: key.clone(), value: value.clone(), source });
        }
        Ok(all)
    }

    /// Returns the settings whose values differ from those in use and are not reloaded. Invalid
    /// values are left out.
    pub fn needing_restart(&self, running: &Config) -> Vec<&'static str> {
        let Ok(assigned) = self.collect() else { return Vec::new() };
        let fixed = settings().iter().filter(|setting| !setting.is_reloaded(running));
        let differs = |setting: &&Setting| {
            let given = assigned.iter().rfind(|known| known.setting.key == setting.key);
            let value = given.map_or(setting.default_text(), |given| &given.value);
            let mut changed = running.clone();
            (setting.set)(&mut changed, value).is_ok() && changed.normalised() != *running
        };
        fixed.filter(differs).map(|setting| setting.key).collect()
    }
}

/// Returns the setting with this key or alias.
fn find(key: &str, source: &str) -> Result<&'static Setting, ConfigError> {
    let found = settings().iter().find(|setting| setting.names().any(|name| name == key));
    found.ok_or_else(|| ConfigError::Unknown { key: key.into(), source_name: source.into() })
}

/// Appends the assignments of a file.
fn read_file(file: &Source, all: &mut Vec<Assignment>) -> Result<(), ConfigError> {
    let wrong = |problem: String| ConfigError::File { source_name: file.name.clone(), problem };
    let table: toml::Table = file.text.parse().map_err(|error: toml::de::Error| {
        let start = error.span().and_then(|span| file.text.get(..span.start));
        let line = start.map(|text| text.lines().count().max(1));
        let line = line.map(|line| format!("line {line}: ")).unwrap_or_default();
        wrong(format!("{line}{}", error.message()))
    })?;
    for (section, values) in table {
        let toml::Value::Table(values) = values else {
            return Err(ConfigError::Unknown { key: section, source_name: file.name.clone() });
        };
        for (name, value) in values {
            let name = format!("{section}.{name}");
            let setting = find(&name, &file.name)?;
            if let Some(other) = all.iter().find(|known| known.setting.key == setting.key) {
                return Err(wrong(format!("`{}` and `{name}` are the same setting", other.name)));
            }
            let value = match value {
                toml::Value::String(text) => text,
                toml::Value::Integer(number) => number.to_string(),
                toml::Value::Float(number) => number.to_string(),
                toml::Value::Boolean(truth) => truth.to_string(),
                toml::Value::Array(items) if setting.is_list() => {
                    let items: Option<Vec<&str>> = items.iter().map(toml::Value::as_str).collect();
                    items
                        .ok_or_else(|| wrong(format!("`{name}` is not a list of strings")))?
                        .join(";")
                }
                _ => {
                    return Err(wrong(format!("`{name}` is neither a string nor a number")));
                }
            };
            all.push(Assignment { setting, name, value, source: file.name.clone() });
        }
    }
    Ok(())
}
