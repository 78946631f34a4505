//! What the tests of readers and writers share.

use crate::draft::Draft;
use meshcloak::map::{Extent, StreetMap};
use std::path::PathBuf;

/// The whole map of a draft.
pub(crate) fn whole(draft: Draft) -> StreetMap {
    draft.builder.build(Extent::Whole).unwrap().map
}

/// Everything but the frame is equal, to the last bit.
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

/// The real map `name`, if the tests are told where real maps are.
///
/// # Panics
/// If they are told and the map is not there.
pub(crate) fn real_map(name: &str) -> Option<PathBuf> {
    let Some(folder) = std::env::var_os("MESHCLOAK_MAPS") else {
        eprintln!("skipped: MESHCLOAK_MAPS is not set, so there is no {name}");
        return None;
    };
    let path = PathBuf::from(folder).join(name);
    assert!(path.exists(), "{} is missing", path.display());
    Some(path)
}
