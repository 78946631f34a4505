//! J: Bayes (Shokri et al. 2011). The popularity of streets among other users is the prior, which is
//! restricted to the region.

use crate::attack::{Attack, Level};
use crate::posterior::Posterior;
use crate::view::View;

/// The attack.
#[derive(Clone, Copy, Debug)]
pub struct Bayes;

impl Attack for Bayes {
    fn name(&self) -> &'static str {
        "bayes"
    }

    fn letter(&self) -> char {
        'J'
    }

    fn level(&self) -> Level {
        Level::Service
    }

    fn needs(&self) -> &'static str {
        "popularity of streets among other users, as a prior"
    }

    fn attack(&self, view: &View<'_>) -> Option<Posterior> {
        let prior = view.prior?;
        let mut left = view.shown().everywhere(view.atlas.map()).clone();
        for piece in &mut left.pieces {
            piece.weight *= prior.per_metre.get(piece.street.index()).copied().unwrap_or(0.0);
        }
        let possible = left.pieces.iter().any(|piece| piece.weight > 0.0);
        possible.then(|| Posterior::places(left.pieces))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Scenario, seconds};
    use crate::view::Prior;
    use meshcloak::town::town;
    use meshcloak::units::Point;

    #[test]
    fn popular_streets_get_more_weight() {
        let mut scenario = Scenario::on(town("A 0,0  B 100,0  C 200,0 | A-B B-C"), 200.0, 10.0);
        scenario.show(seconds(0), &["A-B", "B-C"]);
        assert!(
            Bayes.attack(&scenario.view(0)).is_none(),
            "without a prior the attack does not apply"
        );
        scenario.prior = Some(Prior { per_metre: vec![3.0, 1.0] });
        let left = Bayes.attack(&scenario.view(0)).expect("a prior");
        let first: f64 = left.pieces[..5].iter().map(|piece| piece.weight).sum();
        assert!((first - 0.75).abs() < 1e-9, "{first}");
        let flat = scenario.shown[0].everywhere(&scenario.town.map);
        assert!(left.entropy() < flat.entropy());
        let there = Point::new(50.0, 0.0);
        let map = &scenario.town.map;
        assert!(left.expected_error(map, there) < flat.expected_error(map, there));
    }
}
