//! An agent: drawn from the profile, present for a while, submitting queries at intervals.

use crate::journey::WaypointEvent;
use crate::leg::{Leg, MICROMETRES};
use crate::movement::MoveScratch;
use crate::profile::Profile;
use crate::random::generator;
use crate::simulated_query::SimulatedQuery;
use crate::simulation::World;
use meshcloak::map::Position;
use meshcloak::units::Length;
use rand::RngExt as _;
use rand_pcg::Pcg64Mcg;

/// State of one agent; compact, since there may be a million.
#[derive(Clone, Debug)]
pub(crate) struct Agent {
    pub random: Pcg64Mcg,
    /// Distance from the start of `leg` in micrometres.
    pub along: u64,
    /// Time of the next query in milliseconds; before appearance, time of appearance.
    due: u64,
    /// Next legs in reverse order.
    pub next_legs: Vec<Leg>,
    pub destination: Position,
    pub leg: Leg,
    /// Top speed in millimetres per second; 0 for standing agents.
    pub speed: u32,
    /// Query interval in milliseconds.
    interval: u32,
    /// Number of submitted queries.
    query_count: u32,
    pub number: u32,
    /// Index into the class table.
    pub class: u16,
    /// Index into the route tables.
    pub routes: u16,
    pub state: AgentState,
    /// Whether the last of `next_legs` holds the destination.
    pub is_complete: bool,
}

/// Phase of an agent's life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AgentState {
    /// Not yet on the map.
    Pending,
    Moving,
    /// Stands still, by profile or because no destination is reachable.
    Standing,
    /// Removed from the map.
    Departed,
}

/// `dc = v × Δt` (§III-E), rounded down, at least `floor`.
pub(crate) fn constraint(speed: u32, interval: u32, floor: Length) -> Length {
    let units = u64::from(speed) * u64::from(interval) / MICROMETRES;
    let units = u32::try_from(units).unwrap_or(u32::MAX);
    Length::from_units(units).max(floor).max(Length::UNIT)
}

impl Agent {
    /// Draws the agent of that number from the profile.
    pub(crate) fn new(profile: &Profile, seed: u64, number: u32) -> Agent {
        let mut random = generator(seed, number);
        let (first, last) = profile.appear.slices.draw(&mut random);
        let appears = random.random_range(first..=last);
        let class = profile.classes.draw(&mut random);
        let speed = profile.class_table[class].speeds.draw(&mut random);
        let interval = profile.interval.draw(&mut random);
        let stands = profile.standing.share.draw(&mut random);
        Agent {
            random,
            along: 0,
            due: u64::from(appears) * 1000,
            next_legs: Vec::new(),
            destination: Leg::from_index(0).start(),
            leg: Leg::from_index(0),
            speed: if stands { 0 } else { speed },
            interval,
            query_count: 0,
            number,
            class: class as u16,
            routes: 0,
            state: AgentState::Pending,
            is_complete: false,
        }
    }

    /// Whether the agent is on the map.
    pub(crate) fn is_present(&self) -> bool {
        matches!(self.state, AgentState::Moving | AgentState::Standing)
    }

    /// Current position.
    pub(crate) fn position(&self, world: &World) -> Position {
        self.leg.position(world.map, Length::from_units((self.along / MICROMETRES) as u32))
    }

    /// Simulates the second that ends at `end` milliseconds; returns the micrometres moved.
    pub(crate) fn step(
        &mut self,
        world: &World,
        end: u64,
        scratch: &mut MoveScratch,
        queries: &mut Vec<SimulatedQuery>,
    ) -> u64 {
        let mut now = end.saturating_sub(1000);
        let mut moved = 0;
        if self.state == AgentState::Pending {
            if self.due > end {
                return 0;
            }
            now = self.due;
            self.appear(world, scratch);
            scratch.record(self, now, WaypointEvent::SetsOut);
        }
        self.reroute(world, end / 1000, scratch);
        while self.is_present() && self.due <= end.min(world.end) {
            moved += self.advance(world, now, self.due - now, scratch);
            now = self.due;
            if self.is_present() {
                queries.push(self.submit_query(world));
                if !self.is_present() {
                    scratch.record(self, now, WaypointEvent::Continues);
                }
            }
        }
        if self.is_present() {
            moved += self.advance(world, now, end - now, scratch);
        }
        moved
    }

    fn appear(&mut self, world: &World, scratch: &mut MoveScratch) {
        let avoided = world.avoided[usize::from(self.class)];
        let start = world.popularity.draw(world.map, avoided, &mut self.random);
        self.leg = Leg::new(start.street, crate::leg::Direction::Forward);
        self.along = u64::from(start.offset.units()) * MICROMETRES;
        self.state = AgentState::Standing;
        if self.speed > 0 {
            self.set_out(world, self.due, scratch);
            if self.state == AgentState::Moving {
                world.streets.enter(self.leg);
            }
        }
    }

    /// Submits a query, and departs after the last one. The position is rounded down to whole units,
    /// so that consecutive queries are never farther apart than dc.
    fn submit_query(&mut self, world: &World) -> SimulatedQuery {
        self.along -= self.along % MICROMETRES;
        let settings = &world.settings;
        let standing = &world.profile.standing;
        let stands = self.speed == 0;
        let dc = constraint(self.speed, self.interval, standing.floor);
        let allowed = (u64::from(dc.units()) * MICROMETRES).div_ceil(u64::from(self.interval));
        let query = SimulatedQuery {
            user: self.number,
            number: self.query_count,
            asked_at: self.due,
            position: self.position(world),
            k: self.random.random_range(settings.k.0..=settings.k.1.max(settings.k.0)),
            temporal_tolerance: settings.temporal_tolerance,
            distance_constraint: dc,
            speed: if stands { allowed as u32 } else { self.speed },
            query_interval: self.interval,
        };
        self.query_count += 1;
        self.due += u64::from(self.interval);
        let is_last = world.profile.queries.is_some_and(|max| self.query_count >= max);
        if is_last || (stands && standing.leave.draw(&mut self.random)) {
            self.depart(world);
        }
        query
    }

    /// Removes the agent from the map.
    pub(crate) fn depart(&mut self, world: &World) {
        if self.state == AgentState::Moving {
            world.streets.leave(self.leg);
        }
        self.state = AgentState::Departed;
        self.next_legs = Vec::new();
    }

    /// Time of the last query in milliseconds.
    pub(crate) fn last_query_time(&self, world: &World) -> u64 {
        let remaining = world.profile.queries.map_or(u32::MAX, |max| max - self.query_count);
        (self.due + u64::from(self.interval) * u64::from(remaining.saturating_sub(1)))
            .min(world.end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dc_is_speed_times_interval_rounded_down() {
        let floor = Length::metres(60.0);
        assert_eq!(constraint(10_000, 5000, Length::ZERO), Length::metres(50.0));
        assert_eq!(constraint(1, 5000, Length::ZERO), Length::UNIT);
        assert_eq!(constraint(1234, 5000, Length::ZERO).units(), 197);
        assert_eq!(constraint(0, 5000, floor), floor);
    }
}
