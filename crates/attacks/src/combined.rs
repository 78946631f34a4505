//! L: the strongest L1 attack. Combines reachability and region inversion; the guess is the centre of the
//! remaining part of the region.

use crate::attack::{Attack, Level};
use crate::posterior::{Piece, Posterior};
use crate::reachability::BETWEEN_REGIONS;
use crate::region_inversion::REGION_INVERSION;
use crate::view::View;

/// The attack.
pub const COMBINED: Attack = Attack {
    // `together` is kept for scripts that select attacks by name.
    name: "together",
    letter: 'L',
    level: Level::Service,
    needs: "all that the service has: the centre of what reachability and region inversion leave",
    run: attack,
};

fn attack(view: &View<'_>) -> Option<Posterior> {
    let guess = remaining(view).guess(view.atlas.map())?;
    Some(Posterior::of_pieces(vec![Piece::point(guess)]))
}

/// Returns the part of the region that both attacks leave.
pub fn remaining(view: &View<'_>) -> Posterior {
    let uniform = || view.disclosure().uniform(view.atlas.map()).clone();
    let reachable = BETWEEN_REGIONS.attack(view);
    match (reachable, REGION_INVERSION.attack(view)) {
        (Some(reachable), Some(inverted)) => {
            let both = reachable.and(&inverted);
            // Contradictory posteriors: one of the attacks misjudged the algorithm.
            if both.pieces.is_empty() { reachable } else { both }
        }
        (reachable, inverted) => reachable.or(inverted).unwrap_or_else(uniform),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Scenario, seconds};
    use meshcloak::town::town;
    use meshcloak::units::Point;

    #[test]
    fn the_combination_leaves_less_than_each_attack() {
        // 0 ─ 1 ─ … ─ 9, 100 m each, dc 150; the previous region was 0-1, 40 s ago, at 10 m/s.
        let text = "0 0,0 1 100,0 2 200,0 3 300,0 4 400,0 5 500,0 6 600,0 7 700,0 8 800,0 9 900,0 \
                    | 0-1 1-2 2-3 3-4 4-5 5-6 6-7 7-8 8-9";
        let mut scenario = Scenario::on(town(text), 150.0, 10.0);
        scenario.show(seconds(0), &["0-1"]);
        let streets = ["1-2", "2-3", "3-4", "4-5", "5-6", "6-7", "7-8"];
        scenario.show(seconds(40), &streets);
        // Inversion leaves x = 300 to 600, reachability x = 0 to 500.
        let found = remaining(&scenario.view(1));
        assert_eq!(found.metres(), 200.0);
        let guess = COMBINED.attack(&scenario.view(1)).expect("a guess");
        let error = guess.expected_error(&scenario.town.map, Point::new(390.0, 0.0));
        assert!(error < Some(60.0), "{error:?}");
    }
}
