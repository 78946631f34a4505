//! The list of settings: key, explanation, default, and parser.

use super::setting::Setting;
use super::{
    cluster, engine, limits, log, map, presence, questions, results, server, service, users,
};
use std::sync::LazyLock;

macro_rules! setting {
    ($key:literal, $default:literal, $about:literal, |$config:ident, $text:ident| $set:expr) => {
        Setting {
            key: $key,
            about: $about,
            default: $default,
            set: |$config, $text| {
                $set;
                Ok(())
            },
        }
    };
}
pub(super) use setting;

static SETTINGS: LazyLock<Vec<Setting>> = LazyLock::new(|| {
    let sections = [
        server::SETTINGS,
        map::SETTINGS,
        engine::SETTINGS,
        questions::SETTINGS,
        presence::SETTINGS,
        limits::SETTINGS,
        results::SETTINGS,
        users::SETTINGS,
        service::SETTINGS,
        cluster::SETTINGS,
        log::SETTINGS,
    ];
    sections.concat()
});

/// Returns all settings, grouped by section.
pub fn settings() -> &'static [Setting] {
    &SETTINGS
}
