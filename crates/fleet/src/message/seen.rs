//! What a process remembers of the log of a city, so that a loss is noticed.

use cluster::LogId;
use meshcloak::units::Time;
use serde::{Deserialize, Serialize};

/// How much of which log a process has seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seen {
    /// Number of the log; 0 if none was seen.
    pub log: u64,
    /// Sequence of its last known record.
    pub sequence: u64,
    /// Epoch of that record.
    pub epoch: u64,
    /// City time of that record, in milliseconds.
    pub at: u64,
}

impl From<Seen> for cluster::Seen {
    fn from(Seen { log, sequence, epoch, at }: Seen) -> cluster::Seen {
        cluster::Seen { log: LogId(log), sequence, epoch, at: Time::from_millis(at) }
    }
}

/// The newest record that a process has seen of the log of a city, and that of the log before it.
///
/// A log that holds one record holds all before it, so one record of any shard is enough.
#[derive(Clone, Copy, Debug, Default)]
pub struct SeenLog {
    newest: Seen,
    /// Newest record of a log that was replaced. An owner that has not admitted its loss must.
    replaced: Option<Seen>,
}

impl SeenLog {
    /// Notes a record.
    pub fn note(&mut self, seen: Seen) {
        if seen.log == 0 {
            return;
        }
        if self.newest.log != 0 && seen.log != self.newest.log {
            self.replaced = Some(self.newest);
        }
        if seen.log != self.newest.log || seen.sequence > self.newest.sequence {
            self.newest = seen;
        }
    }

    /// Notes the newest record of an owner whose log is complete since `complete_since`. Records
    /// before that are forgotten: the owner admits that it may not know them.
    pub fn note_owner(&mut self, seen: Seen, complete_since: u64) {
        self.note(seen);
        self.replaced = self.replaced.filter(|replaced| replaced.at >= complete_since);
        if self.newest.at < complete_since {
            self.newest = seen;
        }
    }

    /// Number of the log; 0 if none was seen.
    pub fn log(&self) -> u64 {
        self.newest.log
    }

    /// Returns the records that an owner must have read, or whose loss it must have admitted.
    pub fn records(&self) -> impl Iterator<Item = Seen> + use<> {
        self.replaced.into_iter().chain(Some(self.newest).filter(|seen| seen.log != 0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(log: u64, sequence: u64, at: u64) -> Seen {
        Seen { log, sequence, epoch: 1, at }
    }

    #[test]
    fn a_replaced_log_is_remembered_until_its_loss_is_admitted() {
        let mut known = SeenLog::default();
        assert_eq!(known.records().count(), 0);
        known.note_owner(seen(7, 50, 5_000), 0);
        known.note(seen(7, 40, 4_000));
        assert_eq!(known.records().collect::<Vec<_>>(), [seen(7, 50, 5_000)]);
        known.note_owner(seen(8, 2, 6_000), 0);
        known.note_owner(seen(8, 3, 7_000), 5_000);
        let both = [seen(7, 50, 5_000), seen(8, 3, 7_000)];
        assert_eq!(known.records().collect::<Vec<_>>(), both, "the owner claims to know 5.000 s");
        known.note_owner(seen(8, 4, 8_000), 5_001);
        assert_eq!(known.records().collect::<Vec<_>>(), [seen(8, 4, 8_000)]);
    }

    #[test]
    fn a_lost_end_is_remembered_until_it_is_admitted() {
        let mut known = SeenLog::default();
        known.note_owner(seen(7, 50, 5_000), 0);
        known.note_owner(seen(7, 48, 6_000), 0);
        assert_eq!(known.records().collect::<Vec<_>>(), [seen(7, 50, 5_000)]);
        known.note_owner(seen(7, 49, 7_000), 6_500);
        assert_eq!(known.records().collect::<Vec<_>>(), [seen(7, 49, 7_000)]);
    }
}
