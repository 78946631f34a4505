//! Legs that meet at a terminal.

use meshcloak::map::{Arm, StreetMap, TerminalId};
use traffic::Leg;

/// Legs that leave a terminal, in order.
pub(crate) fn leaving_legs(map: &StreetMap, terminal: TerminalId) -> Vec<Leg> {
    legs(map, map.leaving(terminal), |leg| leg.tail(map) == terminal)
}

/// Legs that arrive at a terminal, in order.
pub(crate) fn arriving_legs(map: &StreetMap, terminal: TerminalId) -> Vec<Leg> {
    legs(map, map.arriving(terminal), |leg| leg.head(map) == terminal)
}

fn legs(map: &StreetMap, arms: &[Arm], meets: impl Fn(Leg) -> bool) -> Vec<Leg> {
    let both = arms.iter().flat_map(|arm| Leg::both(arm.street));
    let mut legs: Vec<Leg> = both.filter(|&leg| leg.is_allowed(map) && meets(leg)).collect();
    // A two-way loop has two arms, and both directions for each.
    legs.sort_unstable();
    legs.dedup();
    legs
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshcloak::town::town;

    #[test]
    fn one_way_streets_leave_one_end_and_loops_leave_and_arrive_twice() {
        let town = town("A 0,0 B 90,0 | A>B B-A A-A:50");
        let map = &town.map;
        let [a, b] = [TerminalId(0), TerminalId(1)];
        assert_eq!((leaving_legs(map, a).len(), arriving_legs(map, a).len()), (4, 3));
        assert_eq!((leaving_legs(map, b).len(), arriving_legs(map, b).len()), (1, 2));
    }
}
