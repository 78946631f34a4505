//! Where the outcomes of a batch go.

use super::files::Files;
use super::outcomes::Success;
use super::roster::Roster;
use super::text::Labels;
use anyhow::Result;
use evaluation::metrics::{self, Tally};
use meshcloak::engine::Turn;
use meshcloak::map::StreetMap;
use meshcloak::scheme::AnonymitySet;
use meshcloak::units::Time;

/// Where the outcomes of a batch go.
pub(super) struct Ledger<'a> {
    pub(super) map: &'a StreetMap,
    pub(super) labels: &'a Labels,
    pub(super) files: &'a mut Files,
    pub(super) roster: &'a mut Roster,
    pub(super) tally: &'a mut Tally,
}

impl Ledger<'_> {
    /// Writes what a turn did; then those who left are forgotten, not before: each is a member of
    /// the sets of others.
    pub(super) fn enter(self, at: Time, done: &Turn<'_>) -> Result<()> {
        let Ledger { map, labels, files, roster, tally } = self;
        for query in &done.expired {
            files.outcomes.expired(roster, query.id, at)?;
        }
        // A set is measured once, however many it serves.
        let sets: Vec<AnonymitySet<'_>> =
            (0..done.published.set_count() as u32).map(|set| done.published.set(set)).collect();
        let metres: Vec<f64> = sets.iter().map(|set| set.region.metres(map)).collect();
        let streets: Vec<_> = sets.iter().map(|set| set.region.streets(map)).collect();
        for (query, number) in &done.served {
            let number = *number as usize;
            let (set, streets, metres) = (sets[number].clone(), &streets[number], metres[number]);
            let (members, area) = (set.members.len(), set.region.area());
            let success = Success { query, at, set, streets, metres };
            files.outcomes.succeeded(roster, labels, &success)?;
            tally.succeed(&metrics::Success {
                k: query.k,
                tolerance: query.temporal_tolerance,
                delay: at - query.asked_at,
                members,
                metres,
                area,
            });
        }
        if let Some(disclosures) = &mut files.disclosures {
            disclosures.write(labels, done.published, at)?;
        }
        let served = done.served.iter().map(|(query, _)| query);
        done.expired.iter().chain(served).for_each(|query| roster.leave(query));
        Ok(())
    }
}
