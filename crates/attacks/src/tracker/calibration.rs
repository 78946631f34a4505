//! Calibration of densities: each is replaced by the number of publications of other users at streets
//! of about this density, relative to the usual number there. A density that says nothing becomes 1.

use super::scheme_model::{Example, SchemeModel};

/// Number of classes of densities: 0, and two for each factor of two.
const CLASSES: usize = 40;
/// Class of the density 1.
const ONE: f64 = 16.0;
/// Number of publications that the density itself counts for in each class.
const PRIOR_WEIGHT: f64 = 20.0;

/// Corrects the densities of all streets by tick.
pub(super) fn calibrate(
    model: &SchemeModel,
    first_tick: usize,
    densities: &mut [Vec<f32>],
    examples: &[Example],
) {
    let mut found = [0.0; CLASSES];
    for one in examples {
        let tick = one.tick.checked_sub(first_tick).and_then(|at| densities.get(at));
        if let Some(densities) = tick {
            found[class(densities[one.street.index()])] += 1.0;
        }
    }
    let (mut usual, mut sums) = ([0.0; CLASSES], [0.0; CLASSES]);
    for (tick, densities) in (first_tick..).zip(&*densities) {
        for (share, &density) in model.shares.iter().zip(densities) {
            let publications = share * model.volume(tick);
            usual[class(density)] += publications;
            sums[class(density)] += publications * f64::from(density);
        }
    }
    let scale = found.iter().sum::<f64>() / usual.iter().sum::<f64>();
    let ratios: [f64; CLASSES] = std::array::from_fn(|class| {
        let mean = if usual[class] > 0.0 { sums[class] / usual[class] } else { 1.0 };
        (found[class] + PRIOR_WEIGHT * mean) / (scale * usual[class] + PRIOR_WEIGHT)
    });
    for density in densities.iter_mut().flatten() {
        *density = ratios[class(*density)] as f32;
    }
}

fn class(density: f32) -> usize {
    if density <= 0.0 {
        return 0;
    }
    (2.0 * f64::from(density).log2() + ONE).round().clamp(1.0, CLASSES as f64 - 1.0) as usize
}

#[cfg(test)]
mod tests {
    use super::super::tests::random_scheme;
    use super::super::{Associations, Example};

    /// Mean density at the publications of other users.
    fn mean(associations: &Associations, examples: &[Example]) -> f64 {
        let sum: f64 = examples.iter().map(|one| associations.density(one.tick, one.street)).sum();
        sum / examples.len() as f64
    }

    #[test]
    fn regions_that_tell_nothing_have_density_one() {
        let scheme = random_scheme(400, 400, 2_000);
        let raw = Associations::new(&scheme.model, &scheme.stream, None, |_, _, _| 1.0);
        // The same streets in other ticks, whatever the regions are.
        let other = |(at, one): (usize, &Example)| Example { tick: 1 + at % 400, ..*one };
        let unrelated: Vec<Example> = scheme.examples.iter().enumerate().map(other).collect();
        let spread = |associations: &Associations| {
            let all = scheme
                .stream
                .window()
                .flat_map(|tick| scheme.town.map.streets().map(move |street| (tick, street)));
            let gaps = all.map(|(tick, street)| (associations.density(tick, street) - 1.0).abs());
            gaps.sum::<f64>()
        };
        let before = spread(&raw);
        let after = spread(&raw.calibrated(&scheme.model, &unrelated));
        assert!(after < 0.5 * before, "{after} {before}");
    }

    #[test]
    fn regions_around_their_users_keep_their_densities() {
        let scheme = random_scheme(401, 400, 2_000);
        let raw = Associations::new(&scheme.model, &scheme.stream, None, |_, _, _| 1.0);
        let before = mean(&raw, &scheme.examples);
        let after = mean(&raw.calibrated(&scheme.model, &scheme.examples), &scheme.examples);
        assert!(before > 1.5 && (after / before - 1.0).abs() < 0.3, "{before} {after}");
    }
}
