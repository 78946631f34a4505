//! How a person moves: along legs, at the lower of the own speed and the street's, trip after trip.
//!
//! All in whole micrometres and milliseconds: a speed in millimetres per second times a span in
//! milliseconds is a number of micrometres, so nothing is rounded but where the speed changes.

use crate::leg::{Leg, MICROMETRES};
use crate::person::{Person, State};
use crate::routes::{Departure, Planner};
use crate::simulation::World;
use meshcloak::units::Length;

/// What moving people needs and leaves behind; one per thread.
pub(crate) struct Tools {
    pub planner: Planner,
    legs: Vec<Leg>,
}

/// So many destinations may turn out to be unreachable before a person gives up and stands.
const TRIES: u32 = 16;
/// So many trips may end within one advance; more happen on towns of a few metres only.
const ARRIVALS: u32 = 4;
/// A stretch is no longer than this many legs unless people look for faster routes on the way.
const LONGEST: usize = 64;

impl Tools {
    pub(crate) fn new(planner: Planner) -> Tools {
        Tools { planner, legs: Vec::new() }
    }
}

impl Person {
    /// Moves for `span` milliseconds from `now` on; returns the micrometres moved.
    pub(crate) fn advance(&mut self, world: &World, now: u64, span: u64, tools: &mut Tools) -> u64 {
        if self.state != State::Moving {
            return 0;
        }
        let mut pace = self.pace(world);
        let mut budget = pace * span;
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
            if self.arriving && self.stretch.is_empty() {
                arrivals += 1;
                self.arrive(world, now, tools);
            } else {
                self.next_leg(world, now, tools);
            }
            if self.state != State::Moving || arrivals == ARRIVALS {
                return moved;
            }
            let next = self.pace(world);
            if next != pace {
                budget = budget * next / pace;
                pace = next;
            }
        }
    }

    fn pace(&self, world: &World) -> u64 {
        u64::from(self.speed.min(world.streets.paces[self.leg.index()]))
    }

    /// How far this leg is to be followed, in micrometres.
    fn goal(&self, world: &World) -> u64 {
        let length = if self.arriving && self.stretch.is_empty() {
            self.leg.along(world.map, self.destination)
        } else {
            world.map.street(self.leg.street()).length
        };
        u64::from(length.units()) * MICROMETRES
    }

    fn next_leg(&mut self, world: &World, now: u64, tools: &mut Tools) {
        if self.stretch.is_empty() {
            let ends = (Departure::Terminal(self.leg.head(world.map)), self.destination);
            let routes = &world.tables[usize::from(self.routes)];
            let cost = routes.cheapest(world.map, &mut tools.planner, ends, &mut tools.legs);
            if cost.is_none() {
                return self.stop(world);
            }
            self.keep(world, now, &tools.legs);
        }
        if let Some(next) = self.stretch.pop() {
            world.streets.leave(self.leg);
            world.streets.enter(next);
            self.leg = next;
            self.along = 0;
        }
    }

    fn arrive(&mut self, world: &World, now: u64, tools: &mut Tools) {
        if world.profile.appear.leave.happens(&mut self.random) {
            return self.go(world);
        }
        let before = self.leg;
        self.set_out(world, now, tools);
        if self.state == State::Standing {
            world.streets.leave(before);
        } else if self.leg != before {
            world.streets.leave(before);
            world.streets.enter(self.leg);
        }
    }

    /// No way on: stays for good.
    fn stop(&mut self, world: &World) {
        world.streets.leave(self.leg);
        self.state = State::Standing;
    }

    /// Chooses a destination and a route from a place of whole units; stands if there is none.
    pub(crate) fn set_out(&mut self, world: &World, now: u64, tools: &mut Tools) {
        let from = self.position(world);
        let routes = &world.tables[usize::from(self.routes)];
        for _ in 0..TRIES {
            let to = self.choose(world);
            let ends = (Departure::Place(from), to);
            let cost = routes.cheapest(world.map, &mut tools.planner, ends, &mut tools.legs);
            if let (Some(_), Some(&first)) = (cost, tools.legs.first()) {
                self.destination = to;
                self.leg = first;
                self.along = u64::from(first.along(world.map, from).units()) * MICROMETRES;
                self.state = State::Moving;
                self.keep(world, now, &tools.legs[1..]);
                return;
            }
        }
        self.state = State::Standing;
    }

    fn choose(&mut self, world: &World) -> meshcloak::map::Position {
        let class = &world.profile.class_table[usize::from(self.class)];
        let avoided = world.avoided[usize::from(self.class)];
        match &class.distances {
            None => world.popularity.draw(world.map, avoided, &mut self.random),
            Some(distances) => {
                let band = distances.draw(&mut self.random);
                let from = world.map.point(self.position(world));
                let wished = (from, band);
                world.popularity.draw_within(wished, world.map, avoided, &mut self.random)
            }
        }
    }

    /// Keeps as many of `legs` as the person can travel while it is there, the rest is asked for
    /// again when it comes to that: a part of a fastest route is a fastest route.
    fn keep(&mut self, world: &World, now: u64, legs: &[Leg]) {
        let mut count = legs.len();
        if world.profile.reroute.is_none() {
            let span = self.last_due(world).saturating_sub(now);
            let mut far = (span * u64::from(self.speed) / MICROMETRES) as i64;
            let near = legs.iter().take(LONGEST).take_while(|leg| {
                let within = far >= 0;
                far -= i64::from(world.map.street(leg.street()).length.units());
                within
            });
            count = near.count().max(1).min(legs.len());
        }
        self.arriving = count == legs.len();
        self.stretch.clear();
        self.stretch.reserve_exact(count);
        self.stretch.extend(legs[..count].iter().rev());
    }

    /// Every so often: takes another route to the same destination if it is so much faster.
    pub(crate) fn look_for_a_faster_route(
        &mut self,
        world: &World,
        second: u64,
        tools: &mut Tools,
    ) {
        let Some(reroute) = world.profile.reroute else { return };
        let turn = (second + u64::from(self.number)).is_multiple_of(u64::from(reroute.every));
        if !turn || self.state != State::Moving || self.stretch.is_empty() {
            return;
        }
        let routes = &world.tables[usize::from(self.routes)];
        let ends = (Departure::Terminal(self.leg.head(world.map)), self.destination);
        let cost = routes.cheapest(world.map, &mut tools.planner, ends, &mut tools.legs);
        if cost.is_some_and(|cost| cost * 1000 < self.cost_ahead(world) * reroute.thousandths) {
            self.keep(world, second * 1000, &tools.legs);
            world.count_change_of_route();
        }
    }

    /// What the rest of the route costs after this leg, at the present paces.
    fn cost_ahead(&self, world: &World) -> u64 {
        let routes = &world.tables[usize::from(self.routes)];
        let Some((&last, before)) = self.stretch.split_first() else { return 0 };
        let part: Length = last.along(world.map, self.destination);
        let whole: u64 = before.iter().map(|&leg| routes.cost(leg)).sum();
        whole + routes.part_cost(world.map, last, part)
    }
}
