//! How the queries of the page were disclosed: anonymity set, region and inquiry.

use crate::board::agent_of;
use gateway::batch::Round;
use gateway::inquiry::Inquiry;
use gateway::requests::Job;
use meshcloak::map::{Frame, Position, StreetMap};
use serde::Serialize;
use std::collections::VecDeque;
use std::sync::Arc;

/// Disclosure of one query, with the positions of its anonymity set; empty if not published.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct DisclosedQuery {
    /// Snapped position of the user: lon, lat.
    pub me: Option<[f64; 2]>,
    /// Snapped positions of all members of the set, the user included.
    pub members: Vec<[f64; 2]>,
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
            if agent_of(pending.ticket.expose()).is_none() {
                self.push(pending.ticket.expose(), DisclosedQuery::default());
            }
        }
        for job in &round.jobs {
            for member in &job.members {
                if agent_of(member.pending.ticket.expose()).is_none() {
                    let set = PublishedSet { map, frame, round, job };
                    self.push(
                        member.pending.ticket.expose(),
                        set.disclosed(*member.position.expose()),
                    );
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

/// An anonymity set of a round, named by one of its jobs.
struct PublishedSet<'a> {
    map: &'a StreetMap,
    frame: &'a Frame,
    round: &'a Round,
    job: &'a Job,
}

impl PublishedSet<'_> {
    /// Describes the set for the member at `position`.
    ///
    /// The jobs of one set (one per question kind) share one list of streets; another set has its
    /// own list even if the streets are equal.
    fn disclosed(&self, position: Position) -> DisclosedQuery {
        let lon_lat = |position| {
            let lon_lat = self.frame.lon_lat(self.map.point(position));
            [lon_lat.lon, lon_lat.lat]
        };
        let region = self.job.inquiry.region();
        let jobs = self.round.jobs.iter();
        let of_set = jobs.filter(|other| Arc::ptr_eq(other.inquiry.region(), region));
        let members = of_set.flat_map(|job| &job.members);
        DisclosedQuery {
            me: Some(lon_lat(position)),
            members: members.map(|member| lon_lat(*member.position.expose())).collect(),
            streets: region.iter().map(|street| street.0).collect(),
            metres: region.iter().map(|&street| self.map.metres(street)).sum(),
            inquiry: Some(self.job.inquiry.clone()),
        }
    }
}
