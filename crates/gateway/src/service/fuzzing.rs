//! Entry points of [`crate::fuzzing`]: answers of each connector. What is kept of them is checked
//! against their limits.

pub use super::overpass::fuzz_answer as overpass_answer;

use super::geojson::{FeatureCollection, FeatureFormat};
use super::lenient_json::{MAX_TEXT_BYTES, TextsOf, read_json};
use meshcloak::units::Point;

/// Largest number of objects in the fuzzed answers.
pub(super) const MAX_OBJECTS: usize = 3;

/// Reads a GeoJSON answer: webhook and OGC API Features.
pub fn feature_collection(bytes: &[u8]) -> bool {
    let (name, category) = ("name".to_owned(), "category".to_owned());
    let format = FeatureFormat { name, category, max_objects: MAX_OBJECTS };
    let parsed = FeatureCollection::parse(bytes, &format, |geometry| {
        geometry.representative_point(9.0, |[x, y]| x.is_finite().then(|| Point::new(x, y)))
    });
    let Ok(FeatureCollection { features, .. }) = parsed else { return false };
    assert!(features.len() <= MAX_OBJECTS);
    let texts = features.iter().flat_map(|feature| [&feature.id, &feature.name, &feature.category]);
    texts.for_each(|text| assert!(text.len() <= MAX_TEXT_BYTES));
    true
}

/// Reads a list of texts: categories of a webhook, conformance classes of OGC API Features.
pub fn text_list(bytes: &[u8]) -> bool {
    let texts = read_json(bytes, TextsOf { name: "names", max: MAX_OBJECTS }, "no list");
    let Ok(Some(texts)) = texts else { return false };
    assert!(texts.len() <= MAX_OBJECTS);
    true
}
