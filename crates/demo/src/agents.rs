//! Simulated agents that move on the map in real time. Their queries are JSON and pass the same
//! checks as those of any client. All agents have one account: its limits must have room for them, or
//! their queries are refused.

#[cfg(test)]
mod tests;

use crate::board::{AGENT_PREFIX, Board, agent_ticket};
use gateway::gateway::Gateway;
use gateway::intake::parse_query;
use gateway::submit::submit;
use gateway::tickets::Route;
use meshcloak::map::{Frame, Position};
use meshcloak::query::QueryId;
use meshcloak::units::Time;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::{oneshot, watch};
use traffic::{Profile, SimulatedQuery, Simulation, SimulationSettings};

/// Traffic profile of the agents.
const PROFILE: &str = include_str!("../profiles/demo.toml");

/// Steps per second: spreads the queries of one second.
const STEPS: u64 = 10;

/// Default map of the demo: small enough for a few thousand agents to form sets.
pub const CITY: &str = "city:1500:1";

/// Settings of the agents.
#[derive(Clone, Copy, Debug)]
pub struct AgentSettings {
    /// Number of agents.
    pub users: u32,
    /// Smallest and largest k.
    pub k: (u32, u32),
    /// Temporal tolerance of each query.
    pub temporal_tolerance: Duration,
    /// Random seed.
    pub seed: u64,
}

impl Default for AgentSettings {
    fn default() -> AgentSettings {
        AgentSettings {
            users: 5_000,
            k: (2, 5),
            temporal_tolerance: Duration::from_secs(8),
            seed: 1,
        }
    }
}

/// The simulated agents.
pub struct Agents {
    gateway: Arc<Gateway>,
    board: Arc<Board>,
    frame: Frame,
    categories: Vec<String>,
    /// Id of the next query.
    next_id: u64,
    /// Last query of each agent: its speed and dc hold for presence reports, too.
    last: Vec<Option<SimulatedQuery>>,
}

/// Seconds between two presence reports of an agent.
const REPORT_INTERVAL: u64 = 8;

/// Smallest k: present agents hide others, and need not be hidden themselves.
const PRESENT_K: u32 = 1;

impl Agents {
    /// Creates agents that query a gateway and are shown on a board.
    pub fn new(gateway: Arc<Gateway>, board: Arc<Board>, frame: Frame) -> Agents {
        let map = gateway.city().atlas().map();
        let categories = map.tables().categories.iter().filter(|name| !name.is_empty());
        let categories = categories.map(ToOwned::to_owned).collect();
        Agents { gateway, board, frame, categories, next_id: 1, last: Vec::new() }
    }

    /// Runs the simulation in real time until the gateway stops. Blocks the thread.
    pub fn run(self, settings: AgentSettings, stopping: &watch::Receiver<bool>) {
        let start = Instant::now();
        self.run_steps(settings, |due| {
            let is_stopping = *stopping.borrow();
            if !is_stopping {
                std::thread::sleep(due.saturating_sub(start.elapsed()));
            }
            !is_stopping
        });
    }

    /// Runs the simulation. `wait` is called before each step with the time since the start at which
    /// the step is due; it returns `false` to end the simulation.
    fn run_steps(mut self, agents: AgentSettings, mut wait: impl FnMut(Duration) -> bool) {
        let profile = Profile::from_toml(PROFILE).expect("the built-in profile is valid");
        let atlas = Arc::clone(self.gateway.city().atlas());
        let settings = SimulationSettings {
            users: agents.users,
            k: agents.k,
            temporal_tolerance: u32::try_from(agents.temporal_tolerance.as_millis())
                .unwrap_or(u32::MAX),
            seed: agents.seed,
        };
        let mut simulation = Simulation::new(atlas.map(), &profile, settings);
        self.last = vec![None; agents.users as usize];
        let mut second = 0;
        while let Some(batch) = simulation.step() {
            let positions: Vec<(u32, Position)> =
                simulation.agents().map(|agent| (agent.agent, agent.position)).collect();
            self.board.set_positions(atlas.map(), positions.iter().copied());
            self.record(second, &batch.queries);
            for step in 0..STEPS {
                if !wait(Duration::from_millis(second * 1000 + step * 1000 / STEPS)) {
                    return;
                }
                let end = second.saturating_sub(1) * 1000 + (step + 1) * 1000 / STEPS;
                let from = end.saturating_sub(1000 / STEPS);
                // Queries of time 0 belong to the first step.
                let is_due =
                    |query: &&SimulatedQuery| (from + 1..=end).contains(&query.asked_at.max(1));
                self.submit(batch.queries.iter().filter(is_due));
                let turn = second * STEPS + step;
                let reports = |agent: u32| {
                    u64::from(agent) % (REPORT_INTERVAL * STEPS) == turn % (REPORT_INTERVAL * STEPS)
                };
                self.report(turn, positions.iter().filter(|(agent, _)| reports(*agent)));
            }
            second += 1;
        }
    }

    /// Records the queries of one second for the arena.
    fn record(&mut self, second: u64, queries: &[SimulatedQuery]) {
        for query in queries {
            if let Some(last) = self.last.get_mut(query.user as usize) {
                *last = Some(*query);
            }
        }
        let first = self.next_id;
        self.next_id += queries.len() as u64;
        let ids = (first..).map(QueryId);
        let queries = queries.iter().zip(ids).map(|(query, id)| query.as_query(id)).collect();
        self.board.lock().recording.push(Time::from_millis(second * 1000), queries);
    }

    /// Submits queries to the gateway.
    fn submit<'a>(&self, queries: impl Iterator<Item = &'a SimulatedQuery>) {
        let directory = self.gateway.directory();
        let Some(account) = directory.account(None) else { return };
        for query in queries {
            let text = self.query_body(query);
            // A refused query is not repeated.
            let Ok(ask) = parse_query(&self.gateway, account, text.as_bytes()) else { continue };
            let mut waiting = query.as_query(QueryId(0));
            waiting.position = *ask.position.expose();
            self.board.add_waiting(query.user, waiting);
            // Agents do not read their answers.
            let route = || Route::One(oneshot::channel().0);
            submit(&self.gateway, account, [ask], route, |_, _| ());
        }
    }

    /// Reports the presence of agents without a waiting query, if they share it. `turn` makes tickets
    /// distinct.
    fn report<'a>(&self, turn: u64, agents: impl Iterator<Item = &'a (u32, Position)>) {
        if !self.board.shares_presence() {
            return;
        }
        let directory = self.gateway.directory();
        let Some(account) = directory.account(None) else { return };
        for &(agent, position) in agents {
            let last = self.last.get(agent as usize).copied().flatten();
            let Some(last) = last.filter(|_| !self.board.is_waiting(agent)) else { continue };
            let mut body = self.body(&SimulatedQuery { position, ..last });
            body["ticket"] = format!("present-{agent}-{turn}").into();
            body["k"] = PRESENT_K.into();
            body["dt"] = REPORT_INTERVAL.into();
            let text = body.to_string();
            let Ok(report) = parse_query(&self.gateway, account, text.as_bytes()) else { continue };
            let route = || Route::One(oneshot::channel().0);
            submit(&self.gateway, account, [report], route, |_, _| ());
        }
    }

    /// Builds the JSON of a query. Agents ask for objects of different categories, two of three for the
    /// nearest ones.
    fn query_body(&self, query: &SimulatedQuery) -> String {
        let mut question = match query.user % 3 {
            0 => json!({ "find": "within", "radius": 500, "along": "streets" }),
            _ => json!({ "find": "nearest", "count": 3, "along": "streets" }),
        };
        if !self.categories.is_empty() {
            let index = query.user as usize % self.categories.len();
            question["category"] = self.categories[index].as_str().into();
        }
        let mut body = self.body(query);
        body["ticket"] = agent_ticket(query.user, query.number).into();
        body["question"] = question;
        body.to_string()
    }

    /// Builds the JSON of a query or report without ticket and question.
    fn body(&self, query: &SimulatedQuery) -> Value {
        let lon_lat = self.frame.lon_lat(self.gateway.city().atlas().map().point(query.position));
        json!({
            "person": format!("{AGENT_PREFIX}{}", query.user),
            "lon": lon_lat.lon,
            "lat": lon_lat.lat,
            "k": query.k,
            "dt": f64::from(query.temporal_tolerance) / 1000.0,
            "dc": query.distance_constraint.as_metres(),
            "speed": f64::from(query.speed) / 1000.0,
        })
    }
}
