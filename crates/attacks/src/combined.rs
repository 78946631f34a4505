//! L: all that the service can do alone: reachability and region inversion combined, and the centre of
//! the remainder as guess.

use crate::attack::{Attack, Level};
use crate::posterior::{Piece, Posterior};
use crate::reachability::Reachability;
use crate::region_inversion::RegionInversion;
use crate::view::View;

/// The attack.
#[derive(Clone, Copy, Debug)]
pub struct Combined;

impl Combined {
    /// Returns the remaining part of the region.
    pub fn left(view: &View<'_>) -> Posterior {
        let everywhere = || view.shown().everywhere(view.atlas.map()).clone();
        let by_reach = Reachability::BETWEEN_REGIONS.attack(view);
        match (by_reach, RegionInversion.attack(view)) {
            (Some(one), Some(other)) => {
                let both = one.and(&other);
                // Contradictory posteriors: one of the attacks misjudged the algorithm.
                if both.pieces.is_empty() { one } else { both }
            }
            (one, other) => one.or(other).unwrap_or_else(everywhere),
        }
    }
}

impl Attack for Combined {
    fn name(&self) -> &'static str {
        "together"
    }

    fn letter(&self) -> char {
        'L'
    }

    fn level(&self) -> Level {
        Level::Service
    }

    fn needs(&self) -> &'static str {
        "all that the service has: reachability and region inversion, then the centre of the remainder"
    }

    fn attack(&self, view: &View<'_>) -> Option<Posterior> {
        let guess = Combined::left(view).guess(view.atlas.map())?;
        Some(Posterior::places(vec![Piece::point(guess)]))
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
        let shown = ["1-2", "2-3", "3-4", "4-5", "5-6", "6-7", "7-8"];
        scenario.show(seconds(40), &shown);
        // Inversion leaves x = 300 to 600, reachability x = 0 to 500.
        let left = Combined::left(&scenario.view(1));
        assert_eq!(left.metres(), 200.0);
        let guess = Combined.attack(&scenario.view(1)).expect("a guess");
        let error = guess.expected_error(&scenario.town.map, Point::new(390.0, 0.0));
        assert!(error < Some(60.0), "{error:?}");
    }
}
