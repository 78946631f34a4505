//! Sources of settings: file, environment and flags. Every error names the setting, the value, the
//! expected form and the source.

use super::parse::Expected;
use super::setting::variable;
use super::{Config, Setting, settings};
use std::fs;
use std::path::{Path, PathBuf};

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

    /// Checks the conditions that involve several settings.
    pub(super) fn check(&self, config: &Config) -> Result<(), ConfigError> {
        let conflict = |text: String| Err(ConfigError::Conflict(text));
        if let Some(tls) = &config.server.tls
            && [&tls.certificate, &tls.key].contains(&&PathBuf::new())
        {
            return conflict(
                "`server.tls_certificate` and `server.tls_key` must be set together".into(),
            );
        }
        let (min, max) = (config.limits.dc_min, config.limits.dc_max);
        if min > max {
            return conflict(format!("`limits.dc_min` ({min}) is above `limits.dc_max` ({max})"));
        }
        let prepared = config.engine.dc_max;
        if max > prepared {
            return conflict(format!(
                "`limits.dc_max` ({max}) is above `engine.dc_max` ({prepared})"
            ));
        }
        let listen = config.server.listen;
        if self.mode == Mode::Demo && !listen.ip().is_loopback() {
            return conflict(format!(
                "`server.listen` is {listen}; the demo needs no key, so it must be on loopback"
            ));
        }
        if self.mode == Mode::Guarded
            && config.engine.guarantee == meshcloak::guarantee::Guarantee::Paper
        {
            return conflict(
                "`engine.guarantee` is `paper`, whose overlapping sets can be traced to one member; \
                 outside the demo use reciprocal or history"
                    .into(),
            );
        }
        Ok(())
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
        let line = error.span().map(|span| file.text[..span.start].lines().count().max(1));
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
                _ => {
                    return Err(wrong(format!("`{name}` is neither a string nor a number")));
                }
            };
            all.push(Assignment { setting, name, value, source: file.name.clone() });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn error(sources: &Sources) -> String {
        Config::load(sources).expect_err("the configuration is invalid").to_string()
    }

    #[test]
    fn an_invalid_value_is_reported_with_its_source() {
        let file = |text| Sources::new().file(Source::from_text("gate.toml", text));
        assert_eq!(
            error(&file("[limits]\nk_max = 1")),
            "`limits.k_max` is `1` (gate.toml), expected a whole number from 2 to 100000"
        );
        assert_eq!(
            error(&file("[limits]\nkmax = 1")),
            "`limits.kmax` (gate.toml) is not a setting; `meshcloak serve --example` lists all"
        );
        assert!(error(&file("k = 1")).starts_with("`k` (gate.toml) is not a setting"));
        assert!(error(&file("[limits]\nk_max = = 1")).starts_with("gate.toml: line 2: "));
        let variable = [("MESHCLOAK_ENGINE_TICK".to_owned(), "0.01".to_owned())];
        assert!(error(&Sources::new().environment(variable)).starts_with(
            "`engine.tick` is `0.01` (environment, MESHCLOAK_ENGINE_TICK), expected seconds"
        ));
        assert!(
            error(&Sources::new().flag("log.level", "loud")).contains("(flag), expected one of")
        );
    }

    #[test]
    fn flags_override_the_environment_and_the_environment_overrides_the_file() {
        let file =
            Source::from_text("gate.toml", "[engine]\ntick = 2\nqueue = 7\n[results]\nkeep=9");
        let variables = [("ENGINE_TICK", "3"), ("ENGINE_QUEUE", "8"), ("MAPS", "/somewhere")];
        let variables = variables.map(|(name, value)| (format!("MESHCLOAK_{name}"), value.into()));
        let sources = Sources::new().file(file).environment(variables).flag("engine.tick", "4");
        let config = Config::load(&sources).expect("all values are valid");
        assert_eq!(config.engine.tick, Duration::from_secs(4));
        assert_eq!((config.engine.queue, config.results.keep), (8, Duration::from_secs(9)));
    }

    #[test]
    fn an_alias_names_the_same_setting_in_every_source() {
        let file = |text| Sources::new().file(Source::from_text("gate.toml", text));
        let variable = [("MESHCLOAK_LIMITS_USER_RATE".to_owned(), "7".to_owned())];
        let sources = file("[results]\nmax_count = 5\n[users]\nblur = 1\n[people]\nskew = 2")
            .environment(variable)
            .flag("users.max_count", "3");
        let config = Config::load(&sources).expect("all values are valid");
        assert_eq!((config.results.max_count, config.limits.person_rate), (5, 7));
        assert_eq!((config.users.max_count, config.users.blur), (3, 1.0));
        assert_eq!(config.users.skew, Duration::from_secs(2));
        assert!(error(&file("[users]\nskew = -1")).starts_with("`users.skew` is `-1`"));
        assert_eq!(
            error(&file("[users]\nskew = 1\n[people]\nskew = 2")),
            "gate.toml: `people.skew` and `users.skew` are the same setting"
        );
    }

    #[test]
    fn contradicting_values_are_refused() {
        let paper = Sources::new().flag("engine.guarantee", "paper");
        assert!(error(&paper.clone()).contains("outside the demo"));
        assert!(Config::load(&paper.demo()).is_ok());
        let public = Sources::new().demo().flag("server.listen", "0.0.0.0:80");
        assert!(error(&public).contains("must be on loopback"));
        let half = Sources::new().flag("server.tls_key", "k.pem");
        assert!(error(&half).contains("must be set together"));
        let crossed = Sources::new().flag("limits.dc_min", "900").flag("limits.dc_max", "800");
        assert!(error(&crossed).contains("is above"));
    }
}
