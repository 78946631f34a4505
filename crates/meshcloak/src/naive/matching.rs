//! Reference for the condition of `history` (docs/SPEC.md §6): which places of a set a user can have
//! if everyone's past is known and places are assigned one to one.

/// Returns for each node the strongly connected component of `counts` that it is in, ascending, by
/// Warshall's algorithm.
pub fn components(nodes: &[u32], counts: &impl Fn(u32, u32) -> bool) -> Vec<Vec<u32>> {
    let len = nodes.len();
    let edge = |a: usize, b: usize| a == b || counts(nodes[a], nodes[b]);
    let row = |a: usize| (0..len).map(|b| edge(a, b)).collect::<Vec<bool>>();
    let mut reach: Vec<Vec<bool>> = (0..len).map(row).collect();
    for middle in 0..len {
        for from in 0..len {
            for to in 0..len {
                reach[from][to] |= reach[from][middle] && reach[middle][to];
            }
        }
    }
    let both = |a: usize, b: &usize| reach[a][*b] && reach[*b][a];
    let component = |a: usize| (0..len).filter(|b| both(a, b)).map(|b| nodes[b]).collect();
    (0..len).map(component).collect()
}

/// Returns for each node the nodes that count for it in its strongly connected component.
pub fn hiding_places(nodes: &[u32], counts: &impl Fn(u32, u32) -> bool) -> Vec<Vec<u32>> {
    let places = |(&a, component): (&u32, Vec<u32>)| {
        component.into_iter().filter(|&b| counts(a, b)).collect()
    };
    nodes.iter().zip(components(nodes, counts)).map(places).collect()
}

/// Returns the same by the definition: tries every assignment of nodes to places along `counts`, and
/// collects the places that each node has in one of them. Factorial.
pub fn assigned_places(nodes: &[u32], counts: &impl Fn(u32, u32) -> bool) -> Vec<Vec<u32>> {
    let mut places = vec![Vec::new(); nodes.len()];
    assign(nodes, counts, &mut Vec::new(), &mut places);
    for places in &mut places {
        places.sort_unstable();
        places.dedup();
    }
    places
}

/// Extends an assignment of the first nodes in every way.
fn assign(
    nodes: &[u32],
    counts: &impl Fn(u32, u32) -> bool,
    assigned: &mut Vec<u32>,
    places: &mut [Vec<u32>],
) {
    let Some(&next) = nodes.get(assigned.len()) else {
        places.iter_mut().zip(assigned).for_each(|(places, place)| places.push(*place));
        return;
    };
    for &place in nodes {
        if counts(next, place) && !assigned.contains(&place) {
            assigned.push(place);
            assign(nodes, counts, assigned, places);
            assigned.pop();
        }
    }
}

/// Returns whether every node `a` of a set counts for itself and has at least `k[a]` hiding places.
pub fn is_satisfied(nodes: &[u32], k: &[u32], counts: &impl Fn(u32, u32) -> bool) -> bool {
    let places = hiding_places(nodes, counts);
    let is_met =
        |(&a, places): (&u32, &Vec<u32>)| counts(a, a) && places.len() >= k[a as usize] as usize;
    nodes.iter().zip(&places).all(is_met)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::town::Town;
    use rand::RngExt as _;

    #[test]
    fn hiding_places_are_those_of_some_assignment() {
        let (mut fewer, mut equal) = (0, 0);
        for seed in 0..4_000 {
            let mut random = Town::generator(seed);
            let nodes: Vec<u32> = (0..random.random_range(1..=7)).collect();
            let density = random.random_range(0.1..0.8);
            let relation: Vec<Vec<bool>> = nodes
                .iter()
                .map(|a| nodes.iter().map(|b| a == b || random.random_bool(density)).collect())
                .collect();
            let counts = |a: u32, b: u32| relation[a as usize][b as usize];
            let places = hiding_places(&nodes, &counts);
            assert_eq!(places, assigned_places(&nodes, &counts), "seed {seed}: {relation:?}");
            for (&a, places) in nodes.iter().zip(&places) {
                let reached = nodes.iter().filter(|&&b| counts(a, b)).count();
                *(if places.len() < reached { &mut fewer } else { &mut equal }) += 1;
            }
        }
        assert!(fewer > 2_000 && equal > 2_000, "{fewer} {equal}");
    }

    #[test]
    fn two_users_who_can_only_swap_places_do_not_hide_a_third() {
        // B and C reach each other, A reaches all; none reaches A.
        let counts = |a: u32, b: u32| a == 0 || b != 0;
        assert_eq!(hiding_places(&[0, 1, 2], &counts), [vec![0], vec![1, 2], vec![1, 2]]);
        assert!(!is_satisfied(&[0, 1, 2], &[3, 2, 2], &counts));
        assert!(is_satisfied(&[1, 2], &[3, 2, 2], &counts));
    }
}
