//! Where values come from, and what is said about one that is wrong: its key, the value, what was
//! expected, and the source it came from.

use super::parse::Expected;
use super::{Config, Setting, settings};
use std::fs;
use std::path::{Path, PathBuf};

/// Why a configuration does not hold.
#[derive(Debug, PartialEq, thiserror::Error)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("{source_name}: {problem}")]
    File {
        /// Which file.
        source_name: String,
        /// What is wrong with it.
        problem: String,
    },
    /// There is no such setting.
    #[error("`{key}` ({source_name}) is not a setting")]
    Unknown {
        /// What was set.
        key: String,
        /// Where.
        source_name: String,
    },
    /// The value is not one it can have.
    #[error("`{key}` is `{value}` ({source_name}), expected {expected}")]
    Wrong {
        /// What was set.
        key: &'static str,
        /// To what.
        value: String,
        /// What it could be.
        expected: Expected,
        /// Where it was set.
        source_name: String,
    },
    /// Two values do not go together.
    #[error("{0}")]
    Together(String),
}

/// The text of a configuration file, and its name.
#[derive(Clone, Debug)]
pub struct Source {
    name: String,
    text: String,
}

impl Source {
    /// A file that is on disk.
    pub fn read(path: &Path) -> Result<Source, ConfigError> {
        let name = path.display().to_string();
        match fs::read_to_string(path) {
            Ok(text) => Ok(Source { name, text }),
            Err(error) => Err(ConfigError::File { source_name: name, problem: error.to_string() }),
        }
    }

    /// A file that is not.
    pub fn of_text(name: &str, text: &str) -> Source {
        Source { name: name.to_owned(), text: text.to_owned() }
    }
}

/// Whether the gateway may be open without a key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// Everybody needs a key.
    #[default]
    Guarded,
    /// Nobody does, on loopback.
    Demo,
}

/// Everything that may set something.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    file: Option<Source>,
    variables: Vec<(String, String)>,
    flags: Vec<(String, String)>,
    demo: Mode,
}

/// A value that was given for a setting.
pub(super) struct Given {
    setting: &'static Setting,
    pub value: String,
    source: String,
}

impl Given {
    pub fn setting(&self) -> &'static Setting {
        self.setting
    }

    pub fn wrong(&self, expected: Expected) -> ConfigError {
        let key = self.setting.key;
        // The address of a database may hold a password.
        let value = if key == "service.source" { "…".to_owned() } else { self.value.clone() };
        ConfigError::Wrong { key, value, expected, source_name: self.source.clone() }
    }
}

impl Sources {
    /// Nothing but the defaults.
    pub fn new() -> Sources {
        Sources::default()
    }

    /// And a file.
    pub fn file(self, file: Source) -> Sources {
        Sources { file: Some(file), ..self }
    }

    /// And variables of the environment; those that are no setting are left alone, for the
    /// environment is shared with others.
    pub fn environment(self, variables: impl IntoIterator<Item = (String, String)>) -> Sources {
        Sources { variables: variables.into_iter().collect(), ..self }
    }

    /// And a flag, `section.name` and its value.
    pub fn flag(mut self, key: &str, value: &str) -> Sources {
        self.flags.push((key.to_owned(), value.to_owned()));
        self
    }

    /// Open without a key, on loopback alone.
    pub fn demo(self) -> Sources {
        Sources { demo: Mode::Demo, ..self }
    }

    /// Whether it is open without a key.
    pub fn mode(&self) -> Mode {
        self.demo
    }

    /// All values, those that count most last.
    pub(super) fn collect(&self) -> Result<Vec<Given>, ConfigError> {
        let mut all = Vec::new();
        if let Some(file) = &self.file {
            of_file(file, &mut all)?;
        }
        for setting in settings() {
            let variable = setting.variable();
            for (_, value) in self.variables.iter().filter(|(name, _)| *name == variable) {
                let source = format!("environment, {variable}");
                all.push(Given { setting, value: value.clone(), source });
            }
        }
        for (key, value) in &self.flags {
            let setting = by_key(key, "flag")?;
            all.push(Given { setting, value: value.clone(), source: "flag".into() });
        }
        Ok(all)
    }

    /// Refuses values that do not go together.
    pub(super) fn check(&self, config: &Config) -> Result<(), ConfigError> {
        let together = |text: String| Err(ConfigError::Together(text));
        if let Some(tls) = &config.server.tls
            && [&tls.certificate, &tls.key].contains(&&PathBuf::new())
        {
            return together(
                "`server.tls_certificate` and `server.tls_key` need each other".into(),
            );
        }
        let (low, high) = (config.limits.dc_min, config.limits.dc_max);
        if low > high {
            return together(format!("`limits.dc_min` ({low}) is above `limits.dc_max` ({high})"));
        }
        let most = config.engine.dc_max;
        if high > most {
            return together(format!("`limits.dc_max` ({high}) is above `engine.dc_max` ({most})"));
        }
        let listen = config.server.listen;
        if self.demo == Mode::Demo && !listen.ip().is_loopback() {
            return together(format!(
                "the demo is open to everyone, so `server.listen` must be on loopback, not {listen}"
            ));
        }
        if self.demo == Mode::Guarded
            && config.engine.guarantee == meshcloak::guarantee::Guarantee::Paper
        {
            return together(
                "`engine.guarantee` is `paper`, whose sets do not hide their members from each \
                 other's; outside the demo it is reciprocal or history"
                    .into(),
            );
        }
        Ok(())
    }
}

fn by_key(key: &str, source: &str) -> Result<&'static Setting, ConfigError> {
    let found = settings().iter().find(|setting| setting.key == key);
    found.ok_or_else(|| ConfigError::Unknown { key: key.into(), source_name: source.into() })
}

/// The values of a file, section by section.
fn of_file(file: &Source, all: &mut Vec<Given>) -> Result<(), ConfigError> {
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
            let setting = by_key(&format!("{section}.{name}"), &file.name)?;
            let value = match value {
                toml::Value::String(text) => text,
                toml::Value::Integer(number) => number.to_string(),
                toml::Value::Float(number) => number.to_string(),
                toml::Value::Boolean(truth) => truth.to_string(),
                _ => return Err(wrong(format!("`{section}.{name}` is neither text nor number"))),
            };
            all.push(Given { setting, value, source: file.name.clone() });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn error(sources: &Sources) -> String {
        Config::load(sources).expect_err("it does not hold").to_string()
    }

    #[test]
    fn a_wrong_value_is_named_with_its_source() {
        let file = |text| Sources::new().file(Source::of_text("gate.toml", text));
        assert_eq!(
            error(&file("[limits]\nk_max = 1")),
            "`limits.k_max` is `1` (gate.toml), expected a whole number from 2 to 100000"
        );
        assert_eq!(
            error(&file("[limits]\nkmax = 1")),
            "`limits.kmax` (gate.toml) is not a setting"
        );
        assert_eq!(error(&file("k = 1")), "`k` (gate.toml) is not a setting");
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
    fn flags_come_before_the_environment_and_that_before_the_file() {
        let file = Source::of_text("gate.toml", "[engine]\ntick = 2\nqueue = 7\n[results]\nkeep=9");
        let variables = [("ENGINE_TICK", "3"), ("ENGINE_QUEUE", "8"), ("MAPS", "/somewhere")];
        let variables = variables.map(|(name, value)| (format!("MESHCLOAK_{name}"), value.into()));
        let sources = Sources::new().file(file).environment(variables).flag("engine.tick", "4");
        let config = Config::load(&sources).expect("all are fine");
        assert_eq!(config.engine.tick, Duration::from_secs(4));
        assert_eq!((config.engine.queue, config.results.keep), (8, Duration::from_secs(9)));
    }

    #[test]
    fn values_that_do_not_go_together_are_refused() {
        let paper = Sources::new().flag("engine.guarantee", "paper");
        assert!(error(&paper.clone()).contains("outside the demo"));
        assert!(Config::load(&paper.demo()).is_ok());
        let open = Sources::new().demo().flag("server.listen", "0.0.0.0:80");
        assert!(error(&open).contains("must be on loopback"));
        let half = Sources::new().flag("server.tls_key", "k.pem");
        assert!(error(&half).contains("need each other"));
        let crossed = Sources::new().flag("limits.dc_min", "900").flag("limits.dc_max", "800");
        assert!(error(&crossed).contains("is above"));
    }
}
