//! Ground truth of the demo: positions and states of all agents, and the anonymity sets of each
//! round. A real gateway neither keeps nor publishes it.

use crate::disclosed::{DisclosedQueries, DisclosedQuery};
use crate::frame::{AgentMark, DemoFrame, FrameCounts, MarkState, encode_agents};
use crate::recording::Recording;
use gateway::batch::Round;
use gateway::outcome::Outcome;
use gateway::requests::ServedSet;
use gateway::tiles::mercator;
use meshcloak::map::{Frame, Position, StreetMap};
use meshcloak::query::Query;
use meshcloak::units::{Point, Rectangle};
use parking_lot::{Mutex, MutexGuard};
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::sync::watch;

/// Ground truth behind a lock, and the frames made from it.
pub struct Board {
    state: Mutex<BoardState>,
    frames: watch::Sender<Arc<str>>,
    bounds: Rectangle,
    frame: Frame,
    /// Whether agents without a question report their presence.
    shares_presence: AtomicBool,
}

/// Ground truth.
#[derive(Default)]
pub struct BoardState {
    agents: Vec<AgentMark>,
    /// Waiting query of each agent.
    waiting: Vec<Option<Query>>,
    /// Queries submitted since the last round.
    asked: usize,
    /// Ended queries of the last [`SUCCESS_WINDOW`] rounds.
    ended: VecDeque<EndedCounts>,
    /// Queries of the last minute.
    pub recording: Recording,
    /// Outcomes of queries asked on the page.
    pub disclosed: DisclosedQueries,
    second: u64,
}

/// Queries that ended in one round.
#[derive(Clone, Copy, Default)]
struct EndedCounts {
    served: usize,
    expired: usize,
}

/// Number of rounds over which the success rate is averaged.
const SUCCESS_WINDOW: usize = 20;

/// Prefix of the agents' tickets; tickets of the page do not have it.
pub const AGENT_PREFIX: &str = "crowd-";

/// Returns the ticket of an agent's query.
pub fn agent_ticket(agent: u32, number: u32) -> String {
    format!("{AGENT_PREFIX}{agent}-{number}")
}

/// Returns the agent of a ticket; `None` for tickets of the page.
pub fn agent_of(ticket: &str) -> Option<usize> {
    ticket.strip_prefix(AGENT_PREFIX)?.split('-').next()?.parse().ok()
}

impl Board {
    /// Creates a board for this number of agents.
    pub fn new(users: u32, bounds: Rectangle, frame: Frame) -> Board {
        let absent = AgentMark { point: bounds.min, state: MarkState::Absent };
        let state = BoardState {
            agents: vec![absent; users as usize],
            waiting: vec![None; users as usize],
            ..BoardState::default()
        };
        let frames = watch::Sender::new(Arc::from(""));
        let shares_presence = AtomicBool::new(true);
        Board { state: Mutex::new(state), frames, bounds, frame, shares_presence }
    }

    /// Whether agents without a question report their presence.
    pub fn shares_presence(&self) -> bool {
        self.shares_presence.load(Ordering::Relaxed)
    }

    /// Lets agents without a question report their presence, or not.
    pub fn set_shares_presence(&self, shares: bool) {
        self.shares_presence.store(shares, Ordering::Relaxed);
    }

    /// Whether an agent has a waiting query.
    pub fn is_waiting(&self, agent: u32) -> bool {
        self.lock().waiting.get(agent as usize).is_some_and(Option::is_some)
    }

    /// Locks the ground truth.
    pub fn lock(&self) -> MutexGuard<'_, BoardState> {
        self.state.lock()
    }

    /// Subscribes to the frames, one JSON text per round.
    pub fn frames(&self) -> watch::Receiver<Arc<str>> {
        self.frames.subscribe()
    }

    /// Replaces the positions of all agents; agents without one are absent.
    pub fn set_positions(&self, map: &StreetMap, positions: impl Iterator<Item = (u32, Position)>) {
        let points: Vec<(usize, Point)> = positions
            .map(|(agent, position)| {
                (agent as usize, mercator::project(self.frame.lon_lat(map.point(position))))
            })
            .collect();
        let mut state = self.lock();
        state.agents.iter_mut().for_each(|mark| mark.state = MarkState::Absent);
        for (agent, point) in points {
            if let Some(mark) = state.agents.get_mut(agent) {
                *mark = AgentMark { point, state: MarkState::Idle };
            }
        }
    }

    /// Records a submitted query of an agent.
    pub fn add_waiting(&self, agent: u32, query: Query) {
        let mut state = self.lock();
        state.asked += 1;
        if let Some(waiting) = state.waiting.get_mut(agent as usize) {
            *waiting = Some(query);
        }
    }

    /// Records a round and publishes its frame.
    pub fn record_round(&self, map: &StreetMap, round: &Round) {
        let mut state = self.lock();
        let counts = state.remove_ended(round);
        state.disclosed.record(map, &self.frame, round);
        state.second += 1;
        let Rectangle { min, max } = self.bounds;
        let frame = DemoFrame {
            second: state.second,
            people: encode_agents(&state.marks(round), self.bounds),
            bounds: [min.x, min.y, max.x, max.y],
            counts,
            regions: regions(round),
        };
        drop(state);
        let text = serde_json::to_string(&frame).expect("strings and finite numbers are JSON");
        self.frames.send_replace(Arc::from(text));
    }

    /// Returns how a query of the page was disclosed.
    pub fn disclosed(&self, ticket: &str) -> Option<DisclosedQuery> {
        self.lock().disclosed.find(ticket)
    }
}

impl BoardState {
    /// Returns the waiting queries of the agents.
    pub fn waiting(&self) -> impl Iterator<Item = &Query> {
        self.waiting.iter().flatten()
    }

    /// Removes the waiting queries that ended in a round, and counts.
    fn remove_ended(&mut self, round: &Round) -> FrameCounts {
        let members = || round.sets.iter().flat_map(|set| &set.members);
        let (mut served, mut delay) = (0, 0.0);
        for member in members() {
            served += 1;
            delay += member.served.delay().as_secs_f64();
            self.remove_waiting(member.pending.origin.ticket.expose());
        }
        let mut expired = 0;
        for (pending, outcome) in &round.ended {
            expired += usize::from(*outcome == Outcome::Expired);
            self.remove_waiting(pending.origin.ticket.expose());
        }
        self.ended.push_back(EndedCounts { served, expired });
        if self.ended.len() > SUCCESS_WINDOW {
            self.ended.pop_front();
        }
        let recently_served: usize = self.ended.iter().map(|counts| counts.served).sum();
        let recently_expired: usize = self.ended.iter().map(|counts| counts.expired).sum();
        let sets = set_sizes(round);
        let mean = |sum: f64, count: usize| (count > 0).then(|| sum / count as f64);
        FrameCounts {
            present: self.agents.iter().filter(|mark| mark.state != MarkState::Absent).count(),
            asked: std::mem::take(&mut self.asked),
            served,
            expired,
            waiting: self.waiting().count(),
            sets: sets.len(),
            set_size: mean(sets.iter().sum::<usize>() as f64, sets.len()),
            delay: mean(delay, served),
            batch_ms: round.took.as_secs_f64() * 1000.0,
            success: mean(recently_served as f64, recently_served + recently_expired),
        }
    }

    fn remove_waiting(&mut self, ticket: &str) {
        if let Some(waiting) = agent_of(ticket).and_then(|agent| self.waiting.get_mut(agent)) {
            *waiting = None;
        }
    }

    /// Returns the marks of all agents, with their states after a round.
    fn marks(&self, round: &Round) -> Vec<AgentMark> {
        let mut marks = self.agents.clone();
        let mut set_state = |agent: usize, state| {
            if let Some(mark) = marks.get_mut(agent).filter(|mark| mark.state != MarkState::Absent)
            {
                mark.state = state;
            }
        };
        for (agent, _) in self.waiting.iter().enumerate().filter(|(_, query)| query.is_some()) {
            set_state(agent, MarkState::Waiting);
        }
        for member in round.sets.iter().flat_map(|set| &set.members) {
            if let Some(agent) = agent_of(member.pending.origin.ticket.expose()) {
                set_state(agent, MarkState::Hidden);
            }
        }
        marks
    }
}

/// Returns the distinct regions of a round.
fn regions(round: &Round) -> Vec<Vec<u32>> {
    let streets = |region: &[meshcloak::map::StreetId]| region.iter().map(|s| s.0).collect();
    let mut regions: Vec<Vec<u32>> =
        round.requests.iter().map(|request| streets(request.region())).collect();
    regions.sort_unstable();
    regions.dedup();
    regions
}

/// Returns the size of each anonymity set of a round.
fn set_sizes(round: &Round) -> Vec<usize> {
    let member = |set: &ServedSet| set.members.first().map(|member| member.served.set_size);
    round.sets.iter().filter_map(member).collect()
}
