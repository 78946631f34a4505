//! How the queries of the page were disclosed: anonymity set, region and inquiry.

use crate::board::agent_of;
use gateway::batch::Round;
use gateway::inquiry::Inquiry;
use gateway::requests::{Member, ServedSet};
use meshcloak::map::{Frame, StreetMap};
use serde::Serialize;
use std::collections::VecDeque;
use std::sync::Arc;

/// Disclosure of one query, with the positions of those who asked in its anonymity set; empty if not
/// published.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct DisclosedQuery {
    /// Snapped position of the user: lon, lat.
    pub me: Option<[f64; 2]>,
    /// Snapped positions of the members of the set that asked, the user included; of a user with
    /// several questions once for each.
    pub askers: Vec<[f64; 2]>,
    /// Number of users in the set.
    pub set_size: usize,
    /// Number of them that asked; the others were present.
    pub asking: usize,
    /// Streets of the region.
    pub streets: Vec<u32>,
    /// Total length of the region in metres.
    pub metres: f64,
    /// Inquiry that was sent to the service.
    #[serde(skip)]
    pub inquiry: Option<Inquiry>,
}

/// The last `CAPACITY` disclosed queries, by ticket.
#[derive(Debug, Default)]
pub struct DisclosedQueries {
    queries: VecDeque<(Arc<str>, DisclosedQuery)>,
}

/// Largest number of queries kept.
const CAPACITY: usize = 64;

impl DisclosedQueries {
    /// Returns the query of a ticket.
    pub fn find(&self, ticket: &str) -> Option<DisclosedQuery> {
        self.queries.iter().find(|(known, _)| &**known == ticket).map(|(_, query)| query.clone())
    }

    /// Records the queries of the page that ended in a round.
    pub fn record(&mut self, map: &StreetMap, frame: &Frame, round: &Round) {
        for (pending, _) in &round.ended {
            if agent_of(pending.origin.ticket.expose()).is_none() {
                self.push(pending.origin.ticket.expose(), DisclosedQuery::default());
            }
        }
        for set in &round.sets {
            for member in &set.members {
                if agent_of(member.pending.origin.ticket.expose()).is_none() {
                    let set = PublishedSet { map, frame, set };
                    let disclosed = set.disclosed(member, &round.requests[member.request]);
                    self.push(member.pending.origin.ticket.expose(), disclosed);
                }
            }
        }
    }

    fn push(&mut self, ticket: &Arc<str>, query: DisclosedQuery) {
        self.queries.push_back((Arc::clone(ticket), query));
        if self.queries.len() > CAPACITY {
            self.queries.pop_front();
        }
    }
}

/// An anonymity set of a round.
struct PublishedSet<'a> {
    map: &'a StreetMap,
    frame: &'a Frame,
    set: &'a ServedSet,
}

impl PublishedSet<'_> {
    /// Describes the set for a member and the inquiry of its question.
    fn disclosed(&self, member: &Member, inquiry: &Inquiry) -> DisclosedQuery {
        let lon_lat = |member: &Member| {
            let lon_lat = self.frame.lon_lat(self.map.point(*member.position.expose()));
            [lon_lat.lon, lon_lat.lat]
        };
        let region = inquiry.region();
        DisclosedQuery {
            me: Some(lon_lat(member)),
            askers: self.set.members.iter().map(lon_lat).collect(),
            set_size: member.served.set_size,
            asking: member.served.asking,
            streets: region.iter().map(|street| street.0).collect(),
            metres: region.iter().map(|&street| self.map.metres(street)).sum(),
            inquiry: Some(inquiry.clone()),
        }
    }
}
