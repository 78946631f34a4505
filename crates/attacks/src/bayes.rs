//! J: Bayes (Shokri et al. 2011). The popularity of streets among other users is the prior,
//! restricted to the region.

use crate::attack::{Attack, Level};
use crate::posterior::Posterior;
use crate::view::View;

/// The attack.
pub const BAYES: Attack = Attack {
    name: "bayes",
    letter: 'J',
    level: Level::Service,
    needs: "popularity of streets among other users, as a prior",
    run: attack,
};

fn attack(view: &View<'_>) -> Option<Posterior> {
    let prior = view.prior?;
    let mut posterior = view.disclosure().uniform(view.atlas.map()).clone();
    for piece in &mut posterior.pieces {
        piece.weight *= prior.per_metre.get(piece.street.index()).copied().unwrap_or(0.0);
    }
    let is_possible = posterior.pieces.iter().any(|piece| piece.weight > 0.0);
    is_possible.then(|| Posterior::of_pieces(posterior.pieces))
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
        assert!(BAYES.attack(&scenario.view(0)).is_none(), "the attack needs a prior");
        scenario.prior = Some(Prior { per_metre: vec![3.0, 1.0] });
        let posterior = BAYES.attack(&scenario.view(0)).expect("a prior");
        let first: f64 = posterior.pieces[..5].iter().map(|piece| piece.weight).sum();
        assert!((first - 0.75).abs() < 1e-9, "{first}");
        let uniform = scenario.disclosures[0].uniform(&scenario.town.map);
        assert!(posterior.entropy() < uniform.entropy());
        let truth = Point::new(50.0, 0.0);
        let map = &scenario.town.map;
        assert!(posterior.expected_error(map, truth) < uniform.expected_error(map, truth));
    }
}
