//! H: homogeneity. Many people are no cover if all of them are on one street: then the attacker
//! knows the street, whoever it was. People on one street count as one here.

use crate::attack::{Attack, Level};
use crate::inversion::publishers;
use crate::posterior::Posterior;
use crate::view::View;

/// The attack.
#[derive(Clone, Copy, Debug)]
pub struct Homogeneity;

impl Attack for Homogeneity {
    fn name(&self) -> &'static str {
        "homogeneity"
    }

    fn letter(&self) -> char {
        'H'
    }

    fn level(&self) -> Level {
        Level::Batch
    }

    fn needs(&self) -> &'static str {
        "the batch: on how many streets those are for whom this region is published; people on one \
         street count as one"
    }

    fn attack(&self, view: &View<'_>) -> Option<Posterior> {
        let mut who = publishers(view.atlas.map(), view.crowd?, &view.shown().region);
        who.sort_unstable_by_key(|person| (person.position.street, person.user));
        who.dedup_by_key(|person| person.position.street);
        Some(Posterior::people(who.iter().map(|person| (person.user, person.position)).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::again::Again;
    use crate::testing::{Lookout, batch, people_on, seconds};
    use crate::view::Crowd;
    use meshcloak::guarantee::Guarantee;
    use meshcloak::town::town;

    #[test]
    fn three_on_two_streets_count_as_two() {
        let mut lookout =
            Lookout::on(town("0 0,0 1 100,0 2 200,0 3 300,0 | 0-1 1-2 2-3"), 200.0, 10.0);
        let people = people_on(&lookout, 100.0, &[10.0, 90.0, 110.0], &[3, 3, 3]);
        let (state, served, make) = batch(&lookout, people, Guarantee::Reciprocal);
        let everyone = Again::people(&state);
        let again = Again { make: &*make, state: &state, now: seconds(1) };
        let crowd = Crowd::new(&everyone, &again);
        assert_eq!(served.len(), 3);
        lookout.show_region(seconds(1), served[0].1.clone());
        let left = Homogeneity.attack(&lookout.view_of(0, &crowd)).expect("a crowd");
        assert_eq!(left.people.map(|people| people.len()), Some(2));
    }
}
