//! What happens second by second (§V-B, query volume). A second holds what happens after the one
//! before it, its own end included, as a batch does.

/// One second.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Second {
    /// Its end, in seconds.
    pub time: u64,
    /// Queries accepted in it.
    pub new: u64,
    /// Queries published in it.
    pub succeeded: u64,
    /// Queries whose patience was found to be over.
    pub expired: u64,
    /// Who still waits at its end.
    pub waiting: u64,
    /// Nodes of the constraint graph in its last turn.
    pub nodes: usize,
    /// Its edges.
    pub edges: usize,
}

/// Seconds from the first in which something happens.
#[derive(Clone, Debug, Default)]
pub(super) struct Volume {
    first: Option<u64>,
    seconds: Vec<Second>,
}

impl Volume {
    /// The second that `millis` belongs to; not before the first that was asked for.
    pub(super) fn at(&mut self, millis: u64) -> &mut Second {
        let second = millis.div_ceil(1000);
        let first = *self.first.get_or_insert(second);
        let place = second.saturating_sub(first) as usize;
        if self.seconds.len() <= place {
            self.seconds.resize(place + 1, Second::default());
        }
        &mut self.seconds[place]
    }

    /// All of them, with who waits.
    pub(super) fn seconds(mut self) -> Vec<Second> {
        let mut waiting = 0;
        for (place, second) in self.seconds.iter_mut().enumerate() {
            waiting = waiting + second.new - second.succeeded - second.expired;
            second.time = self.first.unwrap_or(0) + place as u64;
            second.waiting = waiting;
        }
        self.seconds
    }
}
