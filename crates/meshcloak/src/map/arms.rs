//! Adjacency lists of terminals, in compressed sparse row form.

use super::{Street, StreetId, TerminalId};

/// An adjacent street of a terminal and its other end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arm {
    /// The street.
    pub street: StreetId,
    /// The terminal at the other end.
    pub terminal: TerminalId,
}

/// Arms grouped by terminal: `arms[starts[t]..starts[t + 1]]` belong to terminal `t`.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Arms {
    starts: Vec<u32>,
    arms: Vec<Arm>,
}

/// Direction of travel.
#[derive(Clone, Copy, Debug)]
pub(super) enum Travel {
    Forward,
    Backward,
}

impl Travel {
    /// Returns the tail and the head of a street.
    fn ends(self, street: &Street) -> (TerminalId, TerminalId) {
        match self {
            Travel::Forward => (street.from, street.to),
            Travel::Backward => (street.to, street.from),
        }
    }
}

impl Arms {
    /// Groups the arms of all terminals by counting sort, in street order.
    ///
    /// Plain loops: this dominates the time to open a prepared map.
    pub(super) fn group(terminals: usize, streets: &[Street], travel: Travel) -> Arms {
        let mut starts = vec![0_u32; terminals + 2];
        for street in streets {
            let (tail, head) = travel.ends(street);
            starts[tail.index() + 2] += 1;
            starts[head.index() + 2] += u32::from(!street.one_way);
        }
        for index in 2..starts.len() {
            starts[index] += starts[index - 1];
        }
        let unset = Arm { street: StreetId(0), terminal: TerminalId(0) };
        let mut arms = vec![unset; starts[terminals + 1] as usize];
        let mut put = |from: TerminalId, arm: Arm| {
            let slot = &mut starts[from.index() + 1];
            arms[*slot as usize] = arm;
            *slot += 1;
        };
        for (index, street) in streets.iter().enumerate() {
            let id = StreetId(index as u32);
            let (tail, head) = travel.ends(street);
            put(tail, Arm { street: id, terminal: head });
            if !street.one_way {
                put(head, Arm { street: id, terminal: tail });
            }
        }
        starts.pop();
        Arms { starts, arms }
    }

    /// Returns the arms of a terminal.
    pub(super) fn of(&self, terminal: TerminalId) -> &[Arm] {
        let index = terminal.index();
        &self.arms[self.starts[index] as usize..self.starts[index + 1] as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::town::town;

    #[test]
    fn a_one_way_street_leaves_one_end_and_arrives_at_the_other() {
        //  A ─▶ B ── C
        let map = town("A 0,0  B 100,0  C 200,0 | A>B B-C").map;
        let heads = |arms: &[Arm]| -> Vec<u32> { arms.iter().map(|arm| arm.terminal.0).collect() };
        let [a, b, c] = [TerminalId(0), TerminalId(1), TerminalId(2)];
        assert_eq!(heads(map.leaving(a)), [1]);
        assert_eq!(heads(map.arriving(a)), Vec::<u32>::new());
        assert_eq!(heads(map.leaving(b)), [2]);
        assert_eq!(heads(map.arriving(b)), [0, 2]);
        assert_eq!(heads(map.leaving(c)), [1]);
    }

    #[test]
    fn a_two_way_loop_is_listed_twice() {
        let map = town("A 0,0 | A-A:500").map;
        assert_eq!(map.leaving(TerminalId(0)).len(), 2);
        assert_eq!(map.arriving(TerminalId(0)).len(), 2);
    }
}
