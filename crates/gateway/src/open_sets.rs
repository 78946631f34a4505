//! Sets of a round that wait for responses of the service.

use crate::requests::{Member, ServedSet};
use crate::service::{HeldObjects, ServiceError};
use std::sync::Arc;

/// Response to a request.
pub type Response = Result<HeldObjects, ServiceError>;

/// Sets by the requests that they wait for.
pub(crate) struct OpenSets {
    /// `None` once the set is complete.
    sets: Vec<Option<OpenSet>>,
    /// Indices of the sets that wait for each request.
    waiting: Vec<Vec<usize>>,
}

struct OpenSet {
    members: Vec<Member>,
    /// Number of distinct requests of the set.
    requests: usize,
    /// Responses so far, with their requests.
    responses: Vec<(usize, Arc<Response>)>,
}

/// A set whose requests have all ended.
pub(crate) struct CompleteSet {
    members: Vec<Member>,
    responses: Vec<(usize, Arc<Response>)>,
}

impl OpenSets {
    /// Creates sets without responses.
    pub(crate) fn new(sets: Vec<ServedSet>) -> OpenSets {
        let mut waiting: Vec<Vec<usize>> = Vec::new();
        let open = sets.into_iter().enumerate().map(|(index, ServedSet { members, requests })| {
            for &request in &requests {
                if waiting.len() <= request {
                    waiting.resize_with(request.saturating_add(1), Vec::new);
                }
                waiting.get_mut(request).into_iter().for_each(|sets| sets.push(index));
            }
            Some(OpenSet { members, requests: requests.len(), responses: Vec::new() })
        });
        OpenSets { sets: open.collect(), waiting }
    }

    /// Records the response to a request. Calls `complete` with each set whose last it is.
    pub(crate) fn end(
        &mut self,
        request: usize,
        response: &Arc<Response>,
        mut complete: impl FnMut(CompleteSet),
    ) {
        for index in self.waiting.get_mut(request).map(std::mem::take).unwrap_or_default() {
            let Some(entry) = self.sets.get_mut(index) else { continue };
            let Some(open) = entry else { continue };
            open.responses.push((request, Arc::clone(response)));
            if open.responses.len() == open.requests
                && let Some(OpenSet { members, responses, .. }) = entry.take()
            {
                complete(CompleteSet { members, responses });
            }
        }
    }

    /// Completes all sets with an error for the missing responses.
    pub(crate) fn fail(&mut self, error: &ServiceError, mut complete: impl FnMut(CompleteSet)) {
        for request in 0..self.waiting.len() {
            self.end(request, &Arc::new(Err(error.clone())), &mut complete);
        }
    }

    /// Number of sets that wait.
    pub(crate) fn count(&self) -> usize {
        self.sets.iter().flatten().count()
    }
}

impl CompleteSet {
    /// Returns the members with the responses to their questions.
    pub(crate) fn into_members(self) -> impl Iterator<Item = (Member, Arc<Response>)> {
        let CompleteSet { members, responses } = self;
        members.into_iter().map(move |member| {
            let of_member = responses.iter().find(|(request, _)| *request == member.request);
            let response = of_member.map(|(_, response)| Arc::clone(response));
            (member, response.unwrap_or_else(|| Arc::new(Err(ServiceError::Internal))))
        })
    }
}
