//! Records the journeys of all agents of a simulation.

use crate::journey::{Journey, Waypoint, WaypointEvent};
use crate::simulation::Simulation;

/// A waypoint and the number of its agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AgentWaypoint {
    pub agent: u32,
    pub waypoint: Waypoint,
}

impl Simulation<'_> {
    /// Simulates up to `seconds` seconds and returns the journeys of all agents that appeared, by
    /// agent number. `each_second` is called after every second.
    ///
    /// Speed is constant between two waypoints of a journey; waypoints are where a leg or a route
    /// begins or ends.
    pub fn record_journeys(mut self, seconds: u32, each_second: &dyn Fn()) -> Vec<Journey> {
        self.world.records_waypoints = true;
        let mut passed = 0;
        while passed < seconds && self.step().is_some() {
            passed += 1;
            each_second();
        }
        let end = u64::from(passed.saturating_sub(1)) * 1000;
        let mut waypoints = std::mem::take(&mut self.waypoints);
        waypoints.sort_by_key(|waypoint| waypoint.agent);
        let mut last = self.agents().peekable();
        let by_agent = waypoints.chunk_by(|a, b| a.agent == b.agent);
        by_agent
            .map(|waypoints| {
                let agent = waypoints[0].agent;
                let mut own: Vec<Waypoint> = waypoints.iter().map(|one| one.waypoint).collect();
                while last.next_if(|position| position.agent < agent).is_some() {}
                let present = last.next_if(|position| position.agent == agent);
                if let (Some(present), Some(&waypoint)) = (present, own.last()) {
                    let along = waypoint.leg.along(self.world.map, present.position);
                    let event = WaypointEvent::Continues;
                    own.push(Waypoint { at: end.max(waypoint.at), along, event, ..waypoint });
                }
                Journey::from_waypoints(self.world.map, agent.to_string(), &own)
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use crate::{Profile, Simulation, SimulationSettings};
    use meshcloak::town::Town;

    #[test]
    fn journeys_pass_through_the_positions_of_the_agents() {
        for seed in 0..120 {
            let town = Town::random(seed);
            let settings = SimulationSettings { users: 8, seed, ..SimulationSettings::default() };
            for name in Profile::NAMES {
                let profile = Profile::named(name).unwrap();
                let seconds = 40 + 60 * (seed as u32 % 3);
                let journeys =
                    Simulation::new(&town.map, &profile, settings).record_journeys(seconds, &|| ());
                let mut again = Simulation::new(&town.map, &profile, settings);
                for _ in 0..seconds {
                    let Some(batch) = again.step() else { break };
                    let at = u64::from(batch.second) * 1000;
                    for agent in again.agents() {
                        let context = format!("seed {seed} {name} {agent:?} at {at}\n{town}");
                        let name = agent.agent.to_string();
                        let journey = journeys.iter().find(|journey| journey.name == name);
                        let found = journey.and_then(|journey| journey.point(&town.map, at));
                        let found = found.unwrap_or_else(|| panic!("missing: {context}"));
                        let gap = found.distance(town.map.point(agent.position));
                        // Speeds change within a leg under congestion; without it they are constant.
                        let tolerance = if profile.duration.is_none() { 0.6 } else { 60.0 };
                        assert!(gap <= tolerance, "{gap} m: {context}");
                    }
                }
            }
        }
    }
}
