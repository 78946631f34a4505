//! Folder of the maps that have names, as in `--maps oldenburg`.

use crate::progress::Console;
use evaluation::maps::{EVERY_NODE, NAMES};
use std::path::PathBuf;

/// Returns the folder; without one, prints a note if a map has a name, since the built-in city then
/// replaces it.
pub fn map_folder<'a>(
    maps: impl IntoIterator<Item = &'a String>,
    console: &Console,
) -> Option<PathBuf> {
    let folder = std::env::var_os("MESHCLOAK_MAPS").map(PathBuf::from);
    if folder.is_none() && maps.into_iter().any(|map| has_name(map)) {
        console.note("MESHCLOAK_MAPS is not set; the built-in city replaces the named maps");
    }
    folder
}

/// Whether a map is one of those with names, with or without points of interest.
fn has_name(map: &str) -> bool {
    let map = map.split('+').next().unwrap_or(map);
    let map = map.strip_suffix(EVERY_NODE).unwrap_or(map);
    NAMES.iter().any(|(name, _)| *name == map)
}
