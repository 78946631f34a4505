//! Writes the result of a turn to files and metrics.

use crate::error::Result;
use crate::files::OutputFiles;
use crate::outcomes::{Meshes, ServedQuery};
use crate::registry::Registry;
use crate::text::Labels;
use evaluation::metrics::{self, Tally};
use meshcloak::engine::Turn;
use meshcloak::map::StreetMap;
use meshcloak::query::QueryId;
use meshcloak::scheme::AnonymitySet;
use meshcloak::units::Time;

/// Destinations of the result of a turn.
pub(super) struct TurnWriter<'a> {
    pub(super) map: &'a StreetMap,
    pub(super) labels: &'a Labels,
    pub(super) files: &'a mut OutputFiles,
    pub(super) registry: &'a mut Registry,
    pub(super) tally: &'a mut Tally,
}

impl TurnWriter<'_> {
    /// Writes the outcomes of a turn, then removes departed queries from the registry. They are
    /// removed last because sets refer to them as members.
    pub(super) fn write(self, at: Time, turn: &Turn<'_>) -> Result<()> {
        let TurnWriter { map, labels, files, registry, tally } = self;
        for query in &turn.expired {
            match query.asks {
                true => files.outcomes.expired(registry, query.id, at)?,
                false => files.outcomes.present(registry, query.id, at)?,
            }
        }
        for query in &turn.replaced {
            files.outcomes.replaced(registry, query.id, at)?;
        }
        // Each set is measured once, even if it serves several queries.
        let sets: Vec<AnonymitySet<'_>> =
            (0..turn.published.set_count() as u32).map(|set| turn.published.set(set)).collect();
        let metres: Vec<f64> = sets.iter().map(|set| set.region.metres(map)).collect();
        let asking = metrics::count_asking(turn);
        let once = files.meshes == Meshes::Once && files.outcomes.has_references();
        let mut first: Vec<Option<QueryId>> = vec![None; sets.len()];
        for (query, number) in &turn.served {
            let number = *number as usize;
            if !query.asks {
                files.outcomes.present(registry, query.id, at)?;
                continue;
            }
            let (set, metres) = (sets[number].clone(), metres[number]);
            let (members, area) = (set.members.len(), set.region.area());
            let like = first[number].filter(|_| once);
            first[number].get_or_insert(query.id);
            let served = ServedQuery { query, at, set, metres, map, like };
            files.outcomes.succeeded(registry, labels, &served)?;
            tally.succeed(&metrics::Success {
                k: query.k,
                tolerance: query.temporal_tolerance,
                delay: at - query.asked_at,
                members,
                asking: asking[number],
                metres,
                area,
            });
        }
        if let Some(disclosures) = &mut files.disclosures {
            disclosures.write(labels, turn.published, at)?;
        }
        let served = turn.served.iter().map(|(query, _)| query);
        let ended = turn.expired.iter().chain(&turn.replaced).chain(served);
        ended.for_each(|query| registry.remove(query));
        Ok(())
    }
}
