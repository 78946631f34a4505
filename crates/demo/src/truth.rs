//! What became of those who asked in the page: with whom they were hidden, and what was asked for
//! all of them. Told under `/demo` alone.

use gateway::batch::{Job, Round};
use gateway::inquiry::Inquiry;
use meshcloak::map::{Frame, Position, StreetMap};
use serde::Serialize;
use std::collections::VecDeque;
use std::sync::Arc;

/// What became of somebody.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Truth {
    /// Where she was, once snapped: lon, lat.
    pub me: Option<[f64; 2]>,
    /// Where everyone of her set was, herself among them.
    pub members: Vec<[f64; 2]>,
    /// The streets the service was asked about.
    pub streets: Vec<u32>,
    /// How long they are together.
    pub metres: f64,
    /// What the service was asked.
    #[serde(skip)]
    pub inquiry: Option<Inquiry>,
}

/// The last few of them, by ticket.
#[derive(Debug, Default)]
pub struct Truths {
    kept: VecDeque<(Arc<str>, Truth)>,
}

/// So many are remembered.
const MOST: usize = 64;

impl Truths {
    /// What became of a ticket.
    pub fn of(&self, ticket: &str) -> Option<Truth> {
        self.kept.iter().find(|(known, _)| &**known == ticket).map(|(_, truth)| truth.clone())
    }

    /// Looks through a round for people of the page.
    pub fn learn(&mut self, map: &StreetMap, frame: &Frame, round: &Round) {
        for (pending, _) in &round.ended {
            if !pending.ticket.expose().starts_with("crowd-") {
                self.keep(pending.ticket.expose(), Truth::default());
            }
        }
        for job in &round.jobs {
            for member in &job.members {
                if !member.pending.ticket.expose().starts_with("crowd-") {
                    let truth = hidden(map, frame, (round, job), *member.position.expose());
                    self.keep(member.pending.ticket.expose(), truth);
                }
            }
        }
    }

    fn keep(&mut self, ticket: &Arc<str>, truth: Truth) {
        self.kept.push_back((Arc::clone(ticket), truth));
        if self.kept.len() > MOST {
            self.kept.pop_front();
        }
    }
}

/// Somebody was hidden, and so was her set, by this job and by those of its other questions: they
/// share one list of streets, which another set has for itself even if the streets are the same.
fn hidden(map: &StreetMap, frame: &Frame, at: (&Round, &Job), me: Position) -> Truth {
    let (round, job) = at;
    let place = |position| {
        let place = frame.lon_lat(map.point(position));
        [place.lon, place.lat]
    };
    let region = job.inquiry.region();
    let same = round.jobs.iter().filter(|other| Arc::ptr_eq(other.inquiry.region(), region));
    Truth {
        me: Some(place(me)),
        members: same
            .flat_map(|job| &job.members)
            .map(|member| place(*member.position.expose()))
            .collect(),
        streets: region.iter().map(|street| street.0).collect(),
        metres: region.iter().map(|&street| map.metres(street)).sum(),
        inquiry: Some(job.inquiry.clone()),
    }
}
