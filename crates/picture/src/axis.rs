//! One axis of a chart: from where to where it goes, where its ticks are, and how they are called.

/// Numbers along a line, with ticks at multiples of a step of 1, 2 or 5 times a power of ten.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Axis {
    /// Where it begins; a multiple of the step.
    pub from: f64,
    step: f64,
    ticks: u32,
}

/// Numbers beyond this are no measurements, and are not drawn.
const MOST: f64 = 1e15;

/// Whether a number can be drawn.
pub(crate) fn is_drawable(number: f64) -> bool {
    number.abs() <= MOST
}

impl Axis {
    /// An axis of at most about `ticks` steps that holds all drawable `values`.
    pub fn holding(values: impl Iterator<Item = f64>, ticks: u32) -> Axis {
        let ends = values.filter(|&value| is_drawable(value)).fold(None, |ends, value| {
            let (least, most) = ends.unwrap_or((value, value));
            Some((value.min(least), value.max(most)))
        });
        let (least, most): (f64, f64) = ends.unwrap_or((0.0, 1.0));
        // Finer steps than this would not change numbers of that size.
        let finest = (least.abs().max(most.abs()) * 1e-12).max(1e-9);
        let span = (most - least).max(finest);
        let step = step_above(span / f64::from(ticks.max(1)));
        let from = (least / step).floor() * step;
        let steps = ((most - from) / step).ceil().clamp(1.0, f64::from(2 * ticks.max(1)));
        Axis { from, step, ticks: steps as u32 }
    }

    /// Where it ends.
    pub fn to(&self) -> f64 {
        self.tick(self.ticks)
    }

    /// Which part of the axis lies before `value`: 0 at its beginning, 1 at its end.
    pub fn part(&self, value: f64) -> f64 {
        (value - self.from) / (self.to() - self.from)
    }

    /// Its ticks, with their names.
    pub fn ticks(&self) -> impl Iterator<Item = (f64, String)> {
        (0..=self.ticks).map(|number| (self.tick(number), self.name(self.tick(number))))
    }

    fn tick(&self, number: u32) -> f64 {
        self.from + f64::from(number) * self.step
    }

    /// A number with as many decimals as the step has, thousands apart.
    fn name(&self, value: f64) -> String {
        let (mut step, mut decimals) = (self.step, 0);
        while step < 0.999 && decimals < 9 {
            step *= 10.0;
            decimals += 1;
        }
        let text = format!("{:.decimals$}", value.abs());
        let (whole, part) = text.split_at(text.find('.').unwrap_or(text.len()));
        let is_zero = text.bytes().all(|byte| matches!(byte, b'0' | b'.'));
        let mut name = if value < 0.0 && !is_zero { "−".to_owned() } else { String::new() };
        for (index, digit) in whole.chars().enumerate() {
            if index > 0 && (whole.len() - index).is_multiple_of(3) {
                name.push(',');
            }
            name.push(digit);
        }
        name + part
    }
}

/// The smallest of 1, 2, 5 times a power of ten that is not below `least`, which is positive.
fn step_above(least: f64) -> f64 {
    let mut power = 1.0;
    while power < least {
        power *= 10.0;
    }
    while power / 10.0 >= least {
        power /= 10.0;
    }
    let steps = [power / 5.0, power / 2.0];
    steps.into_iter().find(|&step| step >= least).unwrap_or(power)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(values: &[f64], ticks: u32) -> Vec<String> {
        Axis::holding(values.iter().copied(), ticks).ticks().map(|tick| tick.1).collect()
    }

    #[test]
    fn ticks_are_round_numbers_around_the_values() {
        assert_eq!(names(&[0.0, 3870.0], 5), ["0", "1,000", "2,000", "3,000", "4,000"]);
        assert_eq!(names(&[0.02, 0.31], 4), ["0.0", "0.1", "0.2", "0.3", "0.4"]);
        assert_eq!(names(&[-15.0, 12.0], 3), ["−20", "−10", "0", "10", "20"]);
    }

    #[test]
    fn any_numbers_have_an_axis_that_holds_them() {
        let cases: [&[f64]; 6] =
            [&[], &[7.0], &[f64::NAN, f64::INFINITY], &[1e15, 1e15 - 1.0], &[1e-300, 0.0], &[-3.0]];
        for values in cases {
            let axis = Axis::holding(values.iter().copied(), 6);
            assert!(axis.from < axis.to() && axis.ticks().count() <= 14, "{values:?} {axis:?}");
            for &value in values.iter().filter(|&&value| is_drawable(value)) {
                assert!((-1e-9..=1.0 + 1e-9).contains(&axis.part(value)), "{value} {axis:?}");
            }
        }
    }
}
