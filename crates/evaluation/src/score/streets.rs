//! Streets of a map by label.

use super::error::ScoreProblem;
use meshcloak::map::{StreetId, StreetMap};
use rustc_hash::FxHashMap;

/// Index of street labels.
pub(crate) struct StreetLabels<'a> {
    streets: FxHashMap<&'a str, StreetId>,
}

impl<'a> StreetLabels<'a> {
    /// Indexes the streets of a map.
    pub(crate) fn new(map: &'a StreetMap) -> StreetLabels<'a> {
        let streets = map.streets().map(|street| (map.street_label(street), street));
        StreetLabels { streets: streets.collect() }
    }

    /// Returns the streets of the region of query `id`, ascending.
    pub(crate) fn find_all(
        &self,
        id: &str,
        labels: &[String],
    ) -> Result<Vec<StreetId>, ScoreProblem> {
        let find = |label: &String| {
            let street = self.streets.get(label.as_str()).copied();
            street.ok_or_else(|| ScoreProblem::Street(id.to_owned(), label.clone()))
        };
        let mut streets: Vec<StreetId> = labels.iter().map(find).collect::<Result<_, _>>()?;
        streets.sort_unstable();
        Ok(streets)
    }
}
