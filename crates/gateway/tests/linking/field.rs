//! What a service sees of a publication beside its region and time.

use crate::publication::Publication;

/// A field of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// Kind of question.
    Question,
    /// Place among the requests of the batch.
    Order,
    /// Time since the first request of the batch.
    Pace,
    /// Socket.
    Connection,
    /// Number of requests and last radius of a question that needs several.
    FollowUps,
    /// Repetitions of a request that failed.
    Repeats,
    /// Bytes of the first request.
    Size,
}

impl Field {
    pub const ALL: [Field; 7] = [
        Field::Question,
        Field::Order,
        Field::Pace,
        Field::Connection,
        Field::FollowUps,
        Field::Repeats,
        Field::Size,
    ];

    /// Whether the field tells which question was asked.
    pub fn depends_on_question(self) -> bool {
        matches!(self, Field::FollowUps | Field::Size)
    }

    /// Returns features of a pair of publications: how much the field differs.
    pub fn features(self, a: &Publication, b: &Publication) -> Vec<f64> {
        let (x, y) = (&a.seen, &b.seen);
        let differ = |holds: bool| f64::from(u8::from(holds));
        match self {
            Field::Question => vec![differ(x.question != y.question), y.question as f64],
            Field::Order => vec![(x.order - y.order).abs(), y.order],
            Field::Pace => vec![(x.pace - y.pace).abs(), y.pace],
            Field::Connection => vec![differ(x.connection != y.connection)],
            Field::FollowUps => {
                vec![(x.requests - y.requests).abs(), (x.last_radius - y.last_radius).abs()]
            }
            Field::Repeats => vec![(x.repeats - y.repeats).abs(), y.repeats],
            Field::Size => vec![(x.bytes - y.bytes).abs(), y.bytes],
        }
    }
}
