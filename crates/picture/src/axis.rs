//! Axis of a chart: range, ticks and tick labels.

use crate::number::decimal;

/// Range of an axis and its labelled ticks.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Axis {
    /// Value at the start.
    pub from: f64,
    /// Value at the end; greater than `from`.
    pub to: f64,
    /// Value and label of each tick, ascending.
    ticks: Vec<(f64, String)>,
}

/// Largest absolute value that is drawn.
const MAX_VALUE: f64 = 1e15;

/// Whether a value is finite and not beyond ±10¹⁵.
pub(crate) fn is_drawable(value: f64) -> bool {
    value.abs() <= MAX_VALUE
}

impl Axis {
    /// Creates an axis that contains all drawable `values`. Ticks are multiples of a step of 1, 2 or
    /// 5 times a power of ten; there are about `max_steps` steps or fewer.
    pub fn linear(values: impl Iterator<Item = f64>, max_steps: u32) -> Axis {
        let ends = values.filter(|&value| is_drawable(value)).fold(None, |ends, value| {
            let (min, max) = ends.unwrap_or((value, value));
            Some((value.min(min), value.max(max)))
        });
        let (min, max): (f64, f64) = ends.unwrap_or((0.0, 1.0));
        // A finer step would not change values of this magnitude.
        let finest = (min.abs().max(max.abs()) * 1e-12).max(1e-9);
        let span = (max - min).max(finest);
        let step = round_step(span / f64::from(max_steps.max(1)));
        let from = (min / step).floor() * step;
        let steps = ((max - from) / step).ceil().clamp(1.0, f64::from(2 * max_steps.max(1))) as u32;
        let tick = |number: u32| from + f64::from(number) * step;
        let labelled = (0..=steps).map(|number| (tick(number), label(tick(number), step)));
        Axis { from, to: tick(steps), ticks: labelled.collect() }
    }

    /// Creates an axis with the given ascending ticks and a margin at both ends.
    pub fn with_ticks(ticks: &[(f64, String)]) -> Axis {
        let ticks: Vec<_> = ticks.iter().filter(|tick| is_drawable(tick.0)).cloned().collect();
        let ends = ticks.first().zip(ticks.last()).map_or((0.0, 1.0), |(a, b)| (a.0, b.0));
        let span = ends.1 - ends.0;
        let margin = if span > 0.0 { span * 0.08 } else { 1.0 };
        Axis { from: ends.0 - margin, to: ends.1 + margin, ticks }
    }

    /// Creates an axis of decimal logarithms that contains those of all positive `values`. Ticks are
    /// whole powers of ten; there are about `max_steps` steps or fewer.
    pub fn logarithmic(values: impl Iterator<Item = f64>, max_steps: u32) -> Axis {
        let logs = values.filter(|&value| is_drawable(value) && value > 0.0).map(log10);
        let (min, max) = logs.fold((f64::MAX, f64::MIN), |(a, b), log| (log.min(a), log.max(b)));
        let (from, to) = if min > max { (0.0, 1.0) } else { (min.floor(), max.ceil()) };
        let to = if to > from { to } else { from + 1.0 };
        let stride = ((to - from) / f64::from(max_steps.max(1))).ceil().max(1.0) as usize;
        let powers = (from as i32..=to as i32).step_by(stride);
        let ticks = powers.map(|power| (f64::from(power), power_label(power)));
        Axis { from, to, ticks: ticks.collect() }
    }

    /// Returns the position of `value` on the axis: 0 at the start, 1 at the end.
    pub fn fraction(&self, value: f64) -> f64 {
        (value - self.from) / (self.to - self.from)
    }

    /// Values and labels of the ticks.
    pub fn ticks(&self) -> &[(f64, String)] {
        &self.ticks
    }
}

/// Formats a tick with as many decimals as its step has.
fn label(value: f64, mut step: f64) -> String {
    let mut decimals = 0;
    while step < 0.999 && decimals < 9 {
        step *= 10.0;
        decimals += 1;
    }
    decimal(value, decimals)
}

/// Formats a power of ten: 0.001, 10, 10k, 1M, 1e9.
fn power_label(power: i32) -> String {
    let zeros = |count: i32| "0".repeat(usize::try_from(count).unwrap_or(0));
    match power {
        0..3 => format!("1{}", zeros(power)),
        3..6 => format!("1{}k", zeros(power - 3)),
        6..9 => format!("1{}M", zeros(power - 6)),
        -4..0 => format!("0.{}1", zeros(-power - 1)),
        _ => format!("1e{power}"),
    }
}

/// Returns the decimal logarithm of a positive number to 10⁻⁶, or NaN. Unlike `f64::log10` it gives
/// the same bits on every platform.
pub(crate) fn log10(value: f64) -> f64 {
    if !(value > 0.0 && value <= MAX_VALUE) {
        return f64::NAN;
    }
    let (mut rest, mut log, mut bit) = (value.max(1e-30), 0.0, 1.0);
    while rest >= 10.0 {
        rest /= 10.0;
        log += 1.0;
    }
    while rest < 1.0 {
        rest *= 10.0;
        log -= 1.0;
    }
    // Squaring doubles the logarithm: each step yields one binary digit of the fraction.
    for _ in 0..22 {
        rest *= rest;
        bit /= 2.0;
        if rest >= 10.0 {
            rest /= 10.0;
            log += bit;
        }
    }
    log
}

/// Returns the smallest of 1, 2 and 5 times a power of ten that is at least `min`, which is positive.
fn round_step(min: f64) -> f64 {
    let mut power = 1.0;
    while power < min {
        power *= 10.0;
    }
    while power / 10.0 >= min {
        power /= 10.0;
    }
    let steps = [power / 5.0, power / 2.0];
    steps.into_iter().find(|&step| step >= min).unwrap_or(power)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(values: &[f64], ticks: u32) -> Vec<String> {
        Axis::linear(values.iter().copied(), ticks)
            .ticks()
            .iter()
            .map(|tick| tick.1.clone())
            .collect()
    }

    #[test]
    fn ticks_are_round_numbers_around_the_values() {
        assert_eq!(names(&[0.0, 3870.0], 5), ["0", "1,000", "2,000", "3,000", "4,000"]);
        assert_eq!(names(&[0.02, 0.31], 4), ["0.0", "0.1", "0.2", "0.3", "0.4"]);
        assert_eq!(names(&[-15.0, 12.0], 3), ["−20", "−10", "0", "10", "20"]);
    }

    #[test]
    fn every_drawable_value_lies_on_the_axis() {
        let cases: [&[f64]; 6] =
            [&[], &[7.0], &[f64::NAN, f64::INFINITY], &[1e15, 1e15 - 1.0], &[1e-300, 0.0], &[-3.0]];
        for values in cases {
            let axis = Axis::linear(values.iter().copied(), 6);
            assert!(axis.from < axis.to && axis.ticks().len() <= 14, "{values:?} {axis:?}");
            for &value in values.iter().filter(|&&value| is_drawable(value)) {
                assert!((-1e-9..=1.0 + 1e-9).contains(&axis.fraction(value)), "{value} {axis:?}");
            }
        }
    }

    #[test]
    fn logarithms_agree_with_the_platform_and_labels_are_powers_of_ten() {
        for value in [1e-12, 0.002, 0.5, 1.0, 2.0, 9.999, 10.0, 1234.5, 7e14] {
            assert!((log10(value) - value.log10()).abs() < 1e-6, "{value}");
        }
        assert!([0.0, -1.0, f64::NAN, 1e300].iter().all(|&value| log10(value).is_nan()));
        let names = |values: &[f64]| {
            let axis = Axis::logarithmic(values.iter().copied(), 5);
            axis.ticks().iter().map(|tick| tick.1.clone()).collect::<Vec<_>>()
        };
        assert_eq!(names(&[0.02, 30.0]), ["0.01", "0.1", "1", "10", "100"]);
        assert_eq!(names(&[2_000.0, 30_000.0, 0.0]), ["1k", "10k", "100k"]);
        assert_eq!(names(&[]), ["1", "10"]);
    }
}
