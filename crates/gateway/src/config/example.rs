//! The example configuration: all settings with explanations and defaults.

use super::settings;

/// Renders the example configuration as TOML.
pub(super) fn example() -> String {
    let mut text = String::from(
        "# Settings of `meshcloak serve` with their defaults. Precedence, highest first: flags,\n\
         # environment (MESHCLOAK_SECTION_NAME), this file, defaults.\n",
    );
    let mut current = "";
    for setting in settings() {
        let key = setting.alias().unwrap_or(setting.key);
        let (section, name) = key.split_once('.').unwrap_or(("", key));
        if section != current {
            text.push_str(&format!("\n[{section}]\n"));
            current = section;
        }
        let alias = if key == setting.key { "" } else { &format!(" Alias: {}.", setting.key) };
        text.push_str(&format!("# {}{alias}\n{name} = {}\n", setting.about, setting.default));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Config, Source, Sources};

    #[test]
    fn the_example_file_equals_the_defaults() {
        let committed = include_str!("../../../../meshcloak.example.toml");
        assert_eq!(committed, example(), "renew it with `meshcloak serve --example`");
        let sources = Sources::new().file(Source::from_text("example", committed));
        assert_eq!(Config::load(&sources), Ok(Config::default()));
    }
}
