//! Walking where only rows of terminals fit into memory: each exit is walked on its own, so
//! somebody may be met several times, and the way back is looked up in the matrix.

use super::Coverage;
use super::walk::Walk;
use crate::distance::TerminalRows;
use crate::map::StreetId;

impl Walk<'_> {
    /// Everyone within her reach who comes after her, the nearest not necessarily first.
    pub(super) fn by_terminals(
        &self,
        street: StreetId,
        node: u32,
        rows: &TerminalRows,
        met: &mut Vec<u32>,
    ) {
        let map = self.atlas.map();
        let a = self.crowd.person(node);
        let (first, people) = self.crowd.on(street);
        let after = node + 1..first + people.len() as u32;
        met.extend(after.filter(|&b| self.along(street, node, b) <= u32::from(a.dc)));
        for (exit, leave) in map.exits(self.query(node).position) {
            let Some(left) = u32::from(a.dc).checked_sub(leave.units()) else { continue };
            let row = rows.row(exit).iter();
            for &(terminal, across) in row.take_while(|row| u32::from(row.1) <= left) {
                let left = left - u32::from(across);
                for arm in map.leaving(terminal) {
                    let entered = map.street(arm.street);
                    // One may enter at both ends here if the street is a loop.
                    let at_from = entered.from == terminal;
                    let at_to = entered.to == terminal && !entered.one_way;
                    let (first, people) = self.crowd.on(arm.street);
                    let numbered = (first..).zip(people);
                    for (number, b) in numbered.filter(|(_, b)| b.is_after(a)) {
                        let near = (at_from && u32::from(b.from) <= left)
                            || (at_to && u32::from(b.to) <= left);
                        if near {
                            met.push(number);
                        }
                    }
                }
            }
        }
        met.sort_unstable();
        met.dedup();
        met.retain(|&other| self.is_neighbour(node, other));
    }

    /// Whether somebody whom `a` reaches is another person and reaches her in turn.
    fn is_neighbour(&self, a: u32, b: u32) -> bool {
        let [hers, other] = [a, b].map(|node| self.query(node));
        let limit = match self.coverage {
            Coverage::Own => other.distance_constraint,
            Coverage::Both => hers.distance_constraint,
        };
        hers.user != other.user
            && self.atlas.distance(other.position, hers.position).is_some_and(|d| d <= limit)
    }
}
