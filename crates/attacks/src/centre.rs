//! C: centre. The guess is the length-weighted centre of the region, snapped to its nearest street.
//! It works against schemes that grow regions around their members.

use crate::attack::{Attack, Level};
use crate::posterior::{Piece, Posterior};
use crate::view::View;

/// The attack.
pub const CENTRE: Attack = Attack {
    name: "centre",
    letter: 'C',
    level: Level::Service,
    needs: "the region alone: its length-weighted centre, snapped to a street of it",
    run: attack,
};

fn attack(view: &View<'_>) -> Option<Posterior> {
    let map = view.atlas.map();
    let guess = view.disclosure().uniform(map).guess(map)?;
    Some(Posterior::of_pieces(vec![Piece::point(guess)]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Scenario, seconds};
    use meshcloak::region::{Disc, Region};
    use meshcloak::town::town;
    use meshcloak::units::Point;

    #[test]
    fn the_centre_of_a_disc_reveals_the_user() {
        //  A ─────────── B     400 m; a user at x = 200 and a disc of 90 m around it
        let mut scenario = Scenario::on(town("A 0,0  B 400,0 | A-B"), 200.0, 10.0);
        let disc = Disc { centre: Point::new(200.0, 0.0), radius: 90.0 };
        scenario.show_region(seconds(0), Region::Disc(disc));
        let posterior = CENTRE.attack(&scenario.view(0)).expect("a street is inside the disc");
        let map = &scenario.town.map;
        let error = posterior.expected_error(map, Point::new(200.0, 0.0)).expect("a guess");
        assert!(error <= 10.1, "{error}");
        // A uniform guess is 50 m off on average: pieces of 20 m extend to 100 m on both sides.
        let uniform = scenario.disclosures[0].uniform(map);
        let error = uniform.expected_error(map, Point::new(200.0, 0.0)).expect("pieces");
        assert!((error - 50.0).abs() < 1.0, "{error}");
    }

    #[test]
    fn the_guess_lies_on_a_street_of_the_region() {
        // A square without a middle: the centre is off every street.
        let town = town("A 0,0  B 200,0  C 200,200  D 0,200 | A-B B-C C-D D-A");
        let mut scenario = Scenario::on(town, 200.0, 10.0);
        scenario.show(seconds(0), &["A-B", "B-C", "C-D", "D-A"]);
        let posterior = CENTRE.attack(&scenario.view(0)).expect("streets");
        let guess = posterior.pieces[0].middle();
        assert!(scenario.disclosures[0].region.contains(&scenario.town.map, guess));
    }
}
