//! The configuration file that says what holds without one.

use super::settings;

/// All settings with their defaults, as a file.
pub(super) fn example() -> String {
    let mut text = String::from(
        "# Settings of `meshcloak serve`, with their defaults. What counts, the last first:\n\
         # flags, environment (MESHCLOAK_SECTION_NAME), this file, the defaults.\n",
    );
    let mut last = "";
    for setting in settings() {
        let (section, name) = setting.key.split_once('.').unwrap_or(("", setting.key));
        if section != last {
            text.push_str(&format!("\n[{section}]\n"));
            last = section;
        }
        text.push_str(&format!("# {}\n{name} = {}\n", setting.about, setting.default));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Config, Source, Sources};

    #[test]
    fn the_example_is_what_holds_without_it() {
        let committed = include_str!("../../../../meshcloak.example.toml");
        assert_eq!(committed, example(), "`meshcloak serve --example` writes it anew");
        let sources = Sources::new().file(Source::of_text("example", committed));
        assert_eq!(Config::load(&sources), Ok(Config::default()));
    }
}
