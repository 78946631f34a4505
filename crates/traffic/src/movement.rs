//! Movement of agents along legs at the lower of their own and the street's speed.
//!
//! Distances are whole micrometres and times whole milliseconds: mm/s × ms = µm, so rounding occurs
//! only where the speed changes.

use crate::agent::{Agent, AgentState};
use crate::journey::{Waypoint, WaypointEvent};
use crate::leg::{Leg, MICROMETRES};
use crate::popularity::Annulus;
use crate::recorded_journeys::AgentWaypoint;
use crate::routes::{Planner, RouteEnds, RouteStart};
use crate::simulation::World;
use meshcloak::map::Position;
use meshcloak::units::Length;

/// Buffers for moving agents, one per thread.
pub(crate) struct MoveScratch {
    pub planner: Planner,
    legs: Vec<Leg>,
    /// Recorded waypoints; `None` if the simulation does not record them.
    pub waypoints: Option<Vec<AgentWaypoint>>,
}

/// Maximum number of unreachable destinations before an agent stands still.
const MAX_TRIES: u32 = 16;
/// Maximum number of arrivals in one advance; exceeded only on maps of a few metres.
const MAX_ARRIVALS: u32 = 4;
/// Maximum number of stored legs, unless the profile has rerouting.
const MAX_LEGS: usize = 64;

impl MoveScratch {
    pub(crate) fn new(planner: Planner) -> MoveScratch {
        MoveScratch { planner, legs: Vec::new(), waypoints: None }
    }

    /// Records where `agent` is `at` milliseconds.
    pub(crate) fn record(&mut self, agent: &Agent, at: u64, event: WaypointEvent) {
        if let Some(waypoints) = &mut self.waypoints {
            let along = Length::from_units((agent.along / MICROMETRES) as u32);
            let waypoint = Waypoint { at, leg: agent.leg, along, event };
            waypoints.push(AgentWaypoint { agent: agent.number, waypoint });
        }
    }
}

impl Agent {
    /// Moves for `span` milliseconds from `now`; returns the micrometres moved.
    pub(crate) fn advance(
        &mut self,
        world: &World,
        now: u64,
        span: u64,
        scratch: &mut MoveScratch,
    ) -> u64 {
        if self.state != AgentState::Moving {
            return 0;
        }
        let mut speed = self.current_speed(world);
        let mut budget = speed * span;
        let (mut moved, mut arrivals) = (0, 0);
        loop {
            let goal = self.goal(world);
            if budget < goal - self.along {
                self.along += budget;
                return moved + budget;
            }
            moved += goal - self.along;
            budget -= goal - self.along;
            self.along = goal;
            let at = now + span - budget / speed;
            if self.is_complete && self.next_legs.is_empty() {
                arrivals += 1;
                scratch.record(self, at, WaypointEvent::Continues);
                self.arrive(world, now, scratch);
                scratch.record(self, at, WaypointEvent::SetsOut);
            } else {
                self.next_leg(world, now, scratch);
                let stopped = self.state != AgentState::Moving;
                let event = if stopped { WaypointEvent::Continues } else { WaypointEvent::Enters };
                scratch.record(self, at, event);
            }
            if self.state != AgentState::Moving || arrivals == MAX_ARRIVALS {
                return moved;
            }
            let next = self.current_speed(world);
            if next != speed {
                budget = budget * next / speed;
                speed = next;
            }
        }
    }

    fn current_speed(&self, world: &World) -> u64 {
        u64::from(self.speed.min(world.streets.speeds[self.leg.index()]))
    }

    /// End of travel on this leg in micrometres.
    fn goal(&self, world: &World) -> u64 {
        let length = if self.is_complete && self.next_legs.is_empty() {
            self.leg.along(world.map, self.destination)
        } else {
            world.map.street(self.leg.street()).length
        };
        u64::from(length.units()) * MICROMETRES
    }

    fn next_leg(&mut self, world: &World, now: u64, scratch: &mut MoveScratch) {
        if self.next_legs.is_empty() {
            let from = RouteStart::Terminal(self.leg.head(world.map));
            let trip = RouteEnds { from, to: self.destination };
            let routes = &world.tables[usize::from(self.routes)];
            let cost = routes.cheapest(world.map, &mut scratch.planner, trip, &mut scratch.legs);
            if cost.is_none() {
                return self.stop(world);
            }
            self.store_legs(world, now, &scratch.legs);
        }
        if let Some(next) = self.next_legs.pop() {
            world.streets.leave(self.leg);
            world.streets.enter(next);
            self.leg = next;
            self.along = 0;
        }
    }

    fn arrive(&mut self, world: &World, now: u64, scratch: &mut MoveScratch) {
        if world.profile.appear.leave.draw(&mut self.random) {
            return self.depart(world);
        }
        let before = self.leg;
        self.set_out(world, now, scratch);
        if self.state == AgentState::Standing {
            world.streets.leave(before);
        } else if self.leg != before {
            world.streets.leave(before);
            world.streets.enter(self.leg);
        }
    }

    /// Stands still for good, since there is no route.
    fn stop(&mut self, world: &World) {
        world.streets.leave(self.leg);
        self.state = AgentState::Standing;
    }

    /// Chooses a destination and a route; stands still if there is none.
    pub(crate) fn set_out(&mut self, world: &World, now: u64, scratch: &mut MoveScratch) {
        let from = self.position(world);
        let routes = &world.tables[usize::from(self.routes)];
        for _ in 0..MAX_TRIES {
            let to = self.choose_destination(world);
            let trip = RouteEnds { from: RouteStart::Position(from), to };
            let cost = routes.cheapest(world.map, &mut scratch.planner, trip, &mut scratch.legs);
            if let (Some(_), Some(&first)) = (cost, scratch.legs.first()) {
                self.destination = to;
                self.leg = first;
                self.along = u64::from(first.along(world.map, from).units()) * MICROMETRES;
                self.state = AgentState::Moving;
                self.store_legs(world, now, &scratch.legs[1..]);
                return;
            }
        }
        self.state = AgentState::Standing;
    }

    fn choose_destination(&mut self, world: &World) -> Position {
        let class = &world.profile.class_table[usize::from(self.class)];
        let avoided = world.avoided[usize::from(self.class)];
        match &class.distances {
            None => world.popularity.draw(world.map, avoided, &mut self.random),
            Some(distances) => {
                let band = distances.draw(&mut self.random);
                let origin = world.map.point(self.position(world));
                let annulus = Annulus { origin, band };
                world.popularity.draw_within(annulus, world.map, avoided, &mut self.random)
            }
        }
    }

    /// Stores as many of `legs` as the agent can travel while present. The rest is computed again on
    /// demand: a part of a fastest route is a fastest route.
    fn store_legs(&mut self, world: &World, now: u64, legs: &[Leg]) {
        let mut count = legs.len();
        if world.profile.reroute.is_none() {
            let span = self.last_query_time(world).saturating_sub(now);
            let mut range = (span * u64::from(self.speed) / MICROMETRES) as i64;
            let near = legs.iter().take(MAX_LEGS).take_while(|leg| {
                let is_within = range >= 0;
                range -= i64::from(world.map.street(leg.street()).length.units());
                is_within
            });
            count = near.count().max(1).min(legs.len());
        }
        self.is_complete = count == legs.len();
        self.next_legs.clear();
        self.next_legs.reserve_exact(count);
        self.next_legs.extend(legs[..count].iter().rev());
    }

    /// At the rerouting interval: changes to another route if it saves enough time.
    pub(crate) fn reroute(&mut self, world: &World, second: u64, scratch: &mut MoveScratch) {
        let Some(reroute) = world.profile.reroute else { return };
        let is_due = (second + u64::from(self.number)).is_multiple_of(u64::from(reroute.every));
        if !is_due || self.state != AgentState::Moving || self.next_legs.is_empty() {
            return;
        }
        let routes = &world.tables[usize::from(self.routes)];
        let from = RouteStart::Terminal(self.leg.head(world.map));
        let trip = RouteEnds { from, to: self.destination };
        let cost = routes.cheapest(world.map, &mut scratch.planner, trip, &mut scratch.legs);
        if cost.is_some_and(|cost| cost * 1000 < self.remaining_cost(world) * reroute.thousandths) {
            self.store_legs(world, second * 1000, &scratch.legs);
            world.count_route_change();
        }
    }

    /// Cost of the route after this leg at current speeds.
    fn remaining_cost(&self, world: &World) -> u64 {
        let routes = &world.tables[usize::from(self.routes)];
        let Some((&last, before)) = self.next_legs.split_first() else { return 0 };
        let part: Length = last.along(world.map, self.destination);
        let whole: u64 = before.iter().map(|&leg| routes.cost(leg)).sum();
        whole + routes.part_cost(world.map, last, part)
    }
}
