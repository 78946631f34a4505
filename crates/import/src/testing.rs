//! Helpers for tests of readers and writers.

use crate::draft::Draft;
use meshcloak::map::{Extent, RawStreet, StreetMap, TerminalId};
use std::path::PathBuf;

/// Builds the whole map of a draft.
pub(crate) fn whole(draft: Draft) -> StreetMap {
    draft.builder.build(Extent::Whole).unwrap().map
}

/// Returns a straight two-way street without name, class and given length.
pub(crate) fn plain_street(label: &str, from: TerminalId, to: TerminalId) -> RawStreet<'_> {
    let (written_metres, one_way, bends) = (None, false, &[]);
    RawStreet { label, from, to, written_metres, one_way, bends, name: "", class: "" }
}

/// Asserts that two maps are bit-identical except for the frame.
#[track_caller]
pub(crate) fn assert_same_map(a: &StreetMap, b: &StreetMap, context: &dyn std::fmt::Display) {
    assert_eq!(a.terminal_count(), b.terminal_count(), "{context}");
    assert_eq!(a.street_count(), b.street_count(), "{context}");
    assert_eq!(a.pois().len(), b.pois().len(), "{context}");
    for id in a.terminals() {
        let of = |map: &StreetMap| (map.terminal(id), map.terminal_label(id).to_owned());
        assert_eq!(of(a), of(b), "{context}");
    }
    for id in a.streets() {
        let of = |map: &StreetMap| {
            let street = *map.street(id);
            let texts = [Some(map.street_label(id)), map.street_name(id), map.class(id)];
            let texts = texts.map(|text| text.map(str::to_owned));
            let numbers = (street.from, street.to, street.length, street.one_way, map.metres(id));
            (numbers, map.shape(id).to_vec(), texts)
        };
        assert_eq!(of(a), of(b), "{context}");
    }
    for id in a.pois() {
        let of = |map: &StreetMap| {
            let poi = *map.poi(id);
            let texts = [map.poi_label(id), map.poi_name(id), Some(map.category(id))];
            (poi.point, poi.position, texts.map(|text| text.map(str::to_owned)))
        };
        assert_eq!(of(a), of(b), "{context}");
    }
}

/// Returns the path of a real map below `MESHCLOAK_MAPS`; `None` if the variable is not set.
///
/// # Panics
/// If the variable is set and the map is missing.
pub(crate) fn real_map(name: &str) -> Option<PathBuf> {
    let Some(folder) = std::env::var_os("MESHCLOAK_MAPS") else {
        eprintln!("skipped {name}: MESHCLOAK_MAPS is not set");
        return None;
    };
    let path = PathBuf::from(folder).join(name);
    assert!(path.exists(), "{} is missing", path.display());
    Some(path)
}
