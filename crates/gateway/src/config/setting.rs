//! One setting: its names, explanation, default and parser.

use super::Config;
use super::parse::Expected;

/// One setting.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// `section.name`.
    pub key: &'static str,
    /// Explanation in one line: meaning, unit, range, special values.
    pub about: &'static str,
    /// Default as a TOML value.
    pub default: &'static str,
    /// Parses a value into a configuration, or returns what was expected.
    pub(super) set: fn(&mut Config, &str) -> Result<(), Expected>,
}

/// Further names of settings: alias, key.
const ALIASES: [(&str, &str); 8] = [
    ("limits.users", "limits.people"),
    ("limits.user_rate", "limits.person_rate"),
    ("limits.user_queue", "limits.person_queue"),
    ("results.max_count", "results.most"),
    ("users.file", "people.file"),
    ("users.max_count", "people.most"),
    ("users.blur", "people.blur"),
    ("users.skew", "people.skew"),
];

impl Setting {
    /// Returns the second name of the setting.
    pub fn alias(&self) -> Option<&'static str> {
        ALIASES.iter().find(|(_, key)| *key == self.key).map(|(alias, _)| *alias)
    }

    /// Whether SIGHUP applies a new value. A certificate can be replaced, but TLS cannot be switched
    /// on or off.
    pub fn is_reloaded(&self, running: &Config) -> bool {
        let section = self.key.split('.').next();
        match self.key {
            "accounts.keys" | "engine.queue" => true,
            "server.tls_certificate" | "server.tls_key" => running.server.tls.is_some(),
            _ => matches!(section, Some("limits" | "results" | "answers")),
        }
    }

    /// Returns the default as a text.
    pub(super) fn default_text(&self) -> &'static str {
        self.default.trim_matches(['"', '[', ']'])
    }

    /// Whether the value is a list: an array in a file, separated by semicolons elsewhere.
    pub(super) fn is_list(&self) -> bool {
        self.default.starts_with('[')
    }

    /// Returns the key and the alias.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + use<> {
        [self.key].into_iter().chain(self.alias())
    }
}

/// Returns the environment variable of a key or alias.
pub(super) fn variable(name: &str) -> String {
    format!("MESHCLOAK_{}", name.replace('.', "_").to_uppercase())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::settings;
    use std::collections::BTreeSet;

    #[test]
    fn names_are_unique_and_every_alias_has_a_setting() {
        let names = settings().iter().flat_map(Setting::names);
        let variables: BTreeSet<String> = names.map(variable).collect();
        assert_eq!(variables.len(), settings().len() + ALIASES.len());
    }
}
