//! Published sets of a frontend in a cluster. This process or others ask the service and refine the
//! answers.

use crate::answers::{MemberAnswer, ReleasedMember, ReleasedSet};
use crate::gateway::Gateway;
use crate::mailbox::Pending;
use crate::open_sets::{OpenSet, OpenSets};
use crate::receipt::ServedQuery;
use crate::refined_answer::RefinedAnswer;
use crate::service::ServiceError;
use meshcloak::query::QueryId;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Instant;
use tokio::sync::mpsc;

/// Members of this process, of one published set.
pub struct AwaitedSet {
    /// Members with a question.
    pub members: Vec<AwaitedMember>,
    /// Presence reports, released with the answers.
    pub present: Vec<Pending>,
    /// Numbers of the requests of the set, distinct. Its answers are released when all have ended.
    pub requests: Vec<usize>,
}

/// A member whose answer is refined elsewhere.
pub struct AwaitedMember {
    /// Account, ticket and question.
    pub pending: Pending,
    /// Facts for the receipt.
    pub served: ServedQuery,
    /// Number of the request that answers the question.
    pub request: usize,
}

/// How a request ended. The answers of its members are told before.
pub type RequestResult = Result<(), ServiceError>;

/// Sets that wait for their requests.
pub struct OpenRound {
    gateway: Arc<Gateway>,
    open: OpenSets<AwaitedSet, RequestResult>,
    release: Release,
}

/// What a released set carries.
struct Release {
    published: Instant,
    alive: mpsc::Sender<Infallible>,
}

impl OpenRound {
    /// Creates a round whose sets wait for their answers.
    pub fn new(gateway: &Arc<Gateway>, sets: Vec<AwaitedSet>) -> OpenRound {
        let (published, (alive, _)) = (Instant::now(), mpsc::channel(1));
        let open = OpenSets::new(sets.into_iter().map(|mut set| {
            let requests = std::mem::take(&mut set.requests);
            (set, requests)
        }));
        OpenRound { gateway: Arc::clone(gateway), open, release: Release { published, alive } }
    }

    /// Ends a request, and releases the sets whose last it is. `take` returns the answer of a query.
    /// Must be called in a Tokio runtime.
    pub fn end(
        &mut self,
        request: usize,
        result: &Arc<RequestResult>,
        mut take: impl FnMut(QueryId) -> Option<RefinedAnswer>,
    ) {
        let OpenRound { gateway, open, release } = self;
        open.end(request, result, |set| release.set(gateway, set, &mut take));
    }

    /// Fails the requests that have not ended.
    pub fn fail(&mut self, error: &ServiceError) {
        let OpenRound { gateway, open, release } = self;
        open.end_all(&Arc::new(Err(error.clone())), |set| release.set(gateway, set, |_| None));
    }

    /// Number of sets that wait.
    pub fn open_count(&self) -> usize {
        self.open.count()
    }
}

impl Release {
    /// Hands a complete set to the delivery.
    fn set(
        &self,
        gateway: &Arc<Gateway>,
        set: OpenSet<AwaitedSet, RequestResult>,
        mut take: impl FnMut(QueryId) -> Option<RefinedAnswer>,
    ) {
        let (AwaitedSet { members, present, .. }, ends) = set.into_parts();
        let released = |AwaitedMember { pending, served, request }| {
            let answer = take(pending.id).ok_or(ServiceError::Internal);
            let end = ends.iter().find(|(ended, _)| *ended == request);
            let answer = match end.map(|(_, end)| &**end) {
                Some(Err(error)) => Err(error.clone()),
                _ => answer,
            };
            ReleasedMember { pending, served, answer: MemberAnswer::Refined(answer) }
        };
        let members = members.into_iter().map(released).collect();
        let (published, alive) = (self.published, self.alive.clone());
        gateway.delivery().push(gateway, ReleasedSet { members, present, published, alive });
    }
}
