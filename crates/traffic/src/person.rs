//! A person: drawn from the profile, there for a while, asking at intervals.

use crate::chance::generator;
use crate::leg::{Leg, MICROMETRES};
use crate::movement::Tools;
use crate::profile::Profile;
use crate::simulation::World;
use crate::tape::Query;
use meshcloak::map::Position;
use meshcloak::units::Length;
use rand::RngExt as _;
use rand_pcg::Pcg64Mcg;

/// Everything about one person. Small, since there are a million of them.
#[derive(Clone, Debug)]
pub(crate) struct Person {
    pub random: Pcg64Mcg,
    /// How far along `leg`, in micrometres.
    pub along: u64,
    /// When the next query is due, in milliseconds; before appearing: when the person appears.
    due: u64,
    /// The legs to come, the next one last.
    pub stretch: Vec<Leg>,
    pub destination: Position,
    pub leg: Leg,
    /// Own top speed in millimetres per second; 0 of those who never move.
    pub speed: u32,
    /// In milliseconds.
    interval: u32,
    asked: u32,
    pub number: u32,
    /// Row of the class table.
    pub class: u16,
    /// Row of the table of routes.
    pub routes: u16,
    pub state: State,
    /// Whether the last leg of the stretch is the one that holds the destination.
    pub arriving: bool,
}

/// What a person is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// Has yet to appear.
    Coming,
    Moving,
    /// Stands still, as the profile wants it or because there is no way to anywhere.
    Standing,
    Gone,
}

/// `dc = v × Δt` (§III-E), rounded down, and not below the floor.
pub(crate) fn constraint(speed: u32, interval: u32, floor: Length) -> Length {
    let units = u64::from(speed) * u64::from(interval) / MICROMETRES;
    let units = u32::try_from(units).unwrap_or(u32::MAX);
    Length::from_units(units).max(floor).max(Length::UNIT)
}

impl Person {
    /// The person of that number, not yet there.
    pub(crate) fn new(profile: &Profile, seed: u64, number: u32) -> Person {
        let mut random = generator(seed, number);
        let (first, last) = profile.appear.slices.draw(&mut random);
        let appears = random.random_range(first..=last);
        let class = profile.classes.draw(&mut random);
        let speed = profile.class_table[class].speeds.draw(&mut random);
        let interval = profile.interval.draw(&mut random);
        let stands = profile.standing.share.happens(&mut random);
        Person {
            random,
            along: 0,
            due: u64::from(appears) * 1000,
            stretch: Vec::new(),
            destination: Leg::from_index(0).start(),
            leg: Leg::from_index(0),
            speed: if stands { 0 } else { speed },
            interval,
            asked: 0,
            number,
            class: class as u16,
            routes: 0,
            state: State::Coming,
            arriving: false,
        }
    }

    /// Whether the person is on the map.
    pub(crate) fn is_there(&self) -> bool {
        matches!(self.state, State::Moving | State::Standing)
    }

    /// Where the person is.
    pub(crate) fn position(&self, world: &World) -> Position {
        self.leg.position(world.map, Length::from_units((self.along / MICROMETRES) as u32))
    }

    /// Lives through the second that ends at `end` milliseconds; returns the micrometres moved.
    pub(crate) fn live(
        &mut self,
        world: &World,
        end: u64,
        tools: &mut Tools,
        asked: &mut Vec<Query>,
    ) -> u64 {
        let mut now = end.saturating_sub(1000);
        let mut moved = 0;
        if self.state == State::Coming {
            if self.due > end {
                return 0;
            }
            now = self.due;
            self.appear(world, tools);
        }
        self.look_for_a_faster_route(world, end / 1000, tools);
        while self.is_there() && self.due <= end.min(world.end) {
            moved += self.advance(world, now, self.due - now, tools);
            now = self.due;
            if self.is_there() {
                asked.push(self.ask(world));
            }
        }
        if self.is_there() {
            moved += self.advance(world, now, end - now, tools);
        }
        moved
    }

    fn appear(&mut self, world: &World, tools: &mut Tools) {
        let avoided = world.avoided[usize::from(self.class)];
        let start = world.popularity.draw(world.map, avoided, &mut self.random);
        self.leg = Leg::new(start.street, crate::leg::Direction::Forward);
        self.along = u64::from(start.offset.units()) * MICROMETRES;
        self.state = State::Standing;
        if self.speed > 0 {
            self.set_out(world, self.due, tools);
            if self.state == State::Moving {
                world.streets.enter(self.leg);
            }
        }
    }

    /// Asks, and leaves if that was the last time. What is less than a unit of length on the way
    /// is dropped, so that no two queries are farther apart than the distance constraint.
    fn ask(&mut self, world: &World) -> Query {
        self.along -= self.along % MICROMETRES;
        let settings = &world.settings;
        let standing = &world.profile.standing;
        let stands = self.speed == 0;
        let dc = constraint(self.speed, self.interval, standing.floor);
        let allowed = (u64::from(dc.units()) * MICROMETRES).div_ceil(u64::from(self.interval));
        let query = Query {
            user: self.number,
            number: self.asked,
            asked_at: self.due,
            position: self.position(world),
            k: self.random.random_range(settings.k.0..=settings.k.1.max(settings.k.0)),
            temporal_tolerance: settings.temporal_tolerance,
            distance_constraint: dc,
            speed: if stands { allowed as u32 } else { self.speed },
            query_interval: self.interval,
        };
        self.asked += 1;
        self.due += u64::from(self.interval);
        let is_last = world.profile.queries.is_some_and(|most| self.asked >= most);
        if is_last || (stands && standing.leave.happens(&mut self.random)) {
            self.go(world);
        }
        query
    }

    /// Disappears.
    pub(crate) fn go(&mut self, world: &World) {
        if self.state == State::Moving {
            world.streets.leave(self.leg);
        }
        self.state = State::Gone;
        self.stretch = Vec::new();
    }

    /// When the person will have asked for the last time, in milliseconds.
    pub(crate) fn last_due(&self, world: &World) -> u64 {
        let left = world.profile.queries.map_or(u32::MAX, |most| most - self.asked);
        (self.due + u64::from(self.interval) * u64::from(left.saturating_sub(1))).min(world.end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_constraint_is_speed_times_interval_rounded_down() {
        let floor = Length::metres(60.0);
        assert_eq!(constraint(10_000, 5000, Length::ZERO), Length::metres(50.0));
        assert_eq!(constraint(1, 5000, Length::ZERO), Length::UNIT);
        assert_eq!(constraint(1234, 5000, Length::ZERO).units(), 197);
        assert_eq!(constraint(0, 5000, floor), floor);
    }
}
