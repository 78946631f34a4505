//! What the demo knows about everyone: where they are, who waits, who was hidden with whom. The
//! truth, in other words, which a real gateway forgets and never tells.

use crate::frame::{Counts, How, Second, base64, pack};
use crate::tape::Tape;
use crate::truth::{Truth, Truths};
use gateway::batch::Round;
use gateway::outcome::Outcome;
use gateway::tiles::mercator;
use meshcloak::map::{Frame, Position, StreetMap};
use meshcloak::query::Query;
use meshcloak::units::{Point, Rectangle};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::watch;

/// The board.
pub struct Board {
    inside: Mutex<Inside>,
    seconds: watch::Sender<Arc<str>>,
    bounds: Rectangle,
    frame: Frame,
}

/// What is on it.
#[derive(Default)]
pub struct Inside {
    people: Vec<(Point, How)>,
    /// By person, her query that waits.
    waiting: Vec<Option<Query>>,
    asked: usize,
    /// How many were hidden and how many gave up, second by second.
    ended: VecDeque<(usize, usize)>,
    /// The last minute.
    pub tape: Tape,
    /// What became of those who asked in the page.
    pub truths: Truths,
    second: u64,
}

/// Success is told of the last so many seconds.
const LATELY: usize = 20;

/// The crowd's tickets begin with this; the page's do not.
const CROWD: &str = "crowd-";

/// The ticket of somebody's question.
pub fn ticket(person: u32, number: u32) -> String {
    format!("{CROWD}{person}-{number}")
}

/// Whose ticket it is, if she is of the crowd.
fn person(ticket: &str) -> Option<usize> {
    ticket.strip_prefix(CROWD)?.split('-').next()?.parse().ok()
}

impl Board {
    /// A board for so many people.
    pub fn new(users: u32, bounds: Rectangle, frame: Frame) -> Board {
        let nowhere = (bounds.min, How::Absent);
        let inside = Inside {
            people: vec![nowhere; users as usize],
            waiting: vec![None; users as usize],
            ..Inside::default()
        };
        let seconds = watch::Sender::new(Arc::from(""));
        Board { inside: Mutex::new(inside), seconds, bounds, frame }
    }

    /// What is on it, for as long as the lock is held.
    pub fn lock(&self) -> MutexGuard<'_, Inside> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Every second as it comes, as JSON.
    pub fn seconds(&self) -> watch::Receiver<Arc<str>> {
        self.seconds.subscribe()
    }

    /// Where everyone is now.
    pub fn moved(&self, map: &StreetMap, people: impl Iterator<Item = (u32, Position)>) {
        let places: Vec<(usize, Point)> = people
            .map(|(number, at)| {
                (number as usize, mercator::world(self.frame.lon_lat(map.point(at))))
            })
            .collect();
        let mut inside = self.lock();
        inside.people.iter_mut().for_each(|person| person.1 = How::Absent);
        for (number, place) in places {
            if let Some(person) = inside.people.get_mut(number) {
                *person = (place, How::Idle);
            }
        }
    }

    /// Somebody of the crowd has asked, and waits.
    pub fn asked(&self, person: u32, query: Query) {
        let mut inside = self.lock();
        inside.asked += 1;
        if let Some(waiting) = inside.waiting.get_mut(person as usize) {
            *waiting = Some(query);
        }
    }

    /// A batch is over: everyone who looks is told.
    pub fn round(&self, map: &StreetMap, round: &Round) {
        let mut inside = self.lock();
        let counts = inside.settle(round);
        inside.truths.learn(map, &self.frame, round);
        inside.second += 1;
        let Rectangle { min, max } = self.bounds;
        let second = Second {
            second: inside.second,
            people: base64(&pack(&inside.shown(round), self.bounds)),
            bounds: [min.x, min.y, max.x, max.y],
            counts,
            regions: regions(round),
        };
        drop(inside);
        let text = serde_json::to_string(&second).expect("strings and finite numbers are JSON");
        self.seconds.send_replace(Arc::from(text));
    }

    /// What became of somebody who asked in the page.
    pub fn truth(&self, ticket: &str) -> Option<Truth> {
        self.lock().truths.of(ticket)
    }
}

impl Inside {
    /// Everyone who waits.
    pub fn waiting(&self) -> impl Iterator<Item = &Query> {
        self.waiting.iter().flatten()
    }

    /// Takes out whose queries have ended, and counts.
    fn settle(&mut self, round: &Round) -> Counts {
        let members = || round.jobs.iter().flat_map(|job| &job.members);
        let (mut served, mut delay) = (0, 0.0);
        for member in members() {
            served += 1;
            delay += member.served.delay().as_secs_f64();
            self.leave(member.pending.ticket.expose());
        }
        let mut expired = 0;
        for (pending, outcome) in &round.ended {
            expired += usize::from(*outcome == Outcome::Expired);
            self.leave(pending.ticket.expose());
        }
        self.ended.push_back((served, expired));
        if self.ended.len() > LATELY {
            self.ended.pop_front();
        }
        let (hidden, gone) =
            self.ended.iter().fold((0, 0), |sum, second| (sum.0 + second.0, sum.1 + second.1));
        let sets = sizes(round);
        let mean = |sum: f64, count: usize| (count > 0).then(|| sum / count as f64);
        Counts {
            present: self.people.iter().filter(|person| person.1 != How::Absent).count(),
            asked: std::mem::take(&mut self.asked),
            served,
            expired,
            waiting: self.waiting().count(),
            sets: sets.len(),
            set_size: mean(sets.iter().sum::<usize>() as f64, sets.len()),
            delay: mean(delay, served),
            batch_ms: round.took.as_secs_f64() * 1000.0,
            success: mean(hidden as f64, hidden + gone),
        }
    }

    fn leave(&mut self, ticket: &str) {
        if let Some(waiting) = person(ticket).and_then(|number| self.waiting.get_mut(number)) {
            *waiting = None;
        }
    }

    /// Everyone, and how they are.
    fn shown(&self, round: &Round) -> Vec<(Point, How)> {
        let mut people = self.people.clone();
        let mut mark = |number: usize, how| {
            if let Some(person) = people.get_mut(number).filter(|person| person.1 != How::Absent) {
                person.1 = how;
            }
        };
        for (number, _) in self.waiting.iter().enumerate().filter(|(_, query)| query.is_some()) {
            mark(number, How::Waiting);
        }
        for member in round.jobs.iter().flat_map(|job| &job.members) {
            if let Some(number) = person(member.pending.ticket.expose()) {
                mark(number, How::Hidden);
            }
        }
        people
    }
}

/// The distinct regions of a round.
fn regions(round: &Round) -> Vec<Vec<u32>> {
    let streets = |region: &[meshcloak::map::StreetId]| region.iter().map(|s| s.0).collect();
    let mut regions: Vec<Vec<u32>> =
        round.jobs.iter().map(|job| streets(job.inquiry.region())).collect();
    regions.sort_unstable();
    regions.dedup();
    regions
}

/// How many people are in each set of a round; jobs of one set share one list of streets.
fn sizes(round: &Round) -> Vec<usize> {
    let mut sets: Vec<_> = round
        .jobs
        .iter()
        .filter_map(|job| {
            Some((job.inquiry.region().as_ptr(), job.members.first()?.served.set_size))
        })
        .collect();
    sets.sort_unstable();
    sets.dedup();
    sets.into_iter().map(|(_, size)| size).collect()
}
