//! One turn of the cloaking engine (Algorithm 4, body of the loop): waiting and expiry are the
//! same for every scheme.

use crate::query::{Query, QueryId};
use crate::scheme::{Published, Scheme, Stage, State, Watch};
use crate::units::Time;

/// What has come in since the last turn.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    /// The time of the turn.
    pub now: Time,
    /// Who has asked, in order of arrival.
    pub arrivals: Vec<Query>,
    /// Who no longer wants an answer.
    pub cancelled: Vec<QueryId>,
}

/// What a turn did.
#[derive(Debug)]
pub struct Turn<'a> {
    /// The published sets, and who is served by them.
    pub published: &'a Published,
    /// Who is served: her query, and the number of her set; in order of arrival.
    pub served: Vec<(Query, u32)>,
    /// Whose patience was over.
    pub expired: Vec<Query>,
    /// Who was taken back.
    pub cancelled: Vec<Query>,
}

/// One turn: collect, expire, cloak, settle. Cannot fail; whatever can be wrong with a query is
/// refused before it gets here.
pub fn turn<'a>(
    scheme: &'a mut dyn Scheme,
    state: &mut State,
    batch: Batch,
    watch: &mut dyn Watch,
) -> Turn<'a> {
    watch.stage(Stage::Collect);
    state.waiting.extend(batch.arrivals); // lines 8–9
    let cancelled = take(&mut state.waiting, |query| batch.cancelled.contains(&query.id));
    let expired = take(&mut state.waiting, |query| query.has_expired(batch.now)); // lines 3–7
    let published = scheme.cloak(state, batch.now, watch); // lines 10–15
    watch.stage(Stage::Settle);
    let mut served = Vec::with_capacity(published.served().len());
    let mut next = published.served().iter().peekable();
    let mut place = 0;
    state.waiting.retain(|query| {
        let hers = next.next_if(|served| served.place == place);
        place += 1;
        served.extend(hers.map(|hers| (query.clone(), hers.set)));
        hers.is_none()
    }); // lines 16–17
    Turn { published, served, expired, cancelled }
}

/// Takes those out of the list that `wanted` picks, keeping the order of both.
fn take(list: &mut Vec<Query>, wanted: impl Fn(&Query) -> bool) -> Vec<Query> {
    if !list.iter().any(&wanted) {
        return Vec::new();
    }
    let (taken, kept) = list.drain(..).partition(wanted);
    *list = kept;
    taken
}
