//! One axis of a chart: from where to where it goes, where its ticks are, and how they are called.

/// Numbers along a line, and ticks with names.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Axis {
    /// Where it begins.
    pub from: f64,
    /// Where it ends.
    pub to: f64,
    ticks: Vec<(f64, String)>,
}

/// Numbers beyond this are no measurements, and are not drawn.
const MOST: f64 = 1e15;

/// Whether a number can be drawn.
pub(crate) fn is_drawable(number: f64) -> bool {
    number.abs() <= MOST
}

impl Axis {
    /// An axis of at most about `ticks` steps that holds all drawable `values`, with ticks at
    /// multiples of a step of 1, 2 or 5 times a power of ten.
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
        let steps = ((most - from) / step).ceil().clamp(1.0, f64::from(2 * ticks.max(1))) as u32;
        let tick = |number: u32| from + f64::from(number) * step;
        let named = (0..=steps).map(|number| (tick(number), name(tick(number), step)));
        Axis { from, to: tick(steps), ticks: named.collect() }
    }

    /// An axis with these ticks, ascending, and some room on both sides of them.
    pub fn with_ticks(ticks: &[(f64, String)]) -> Axis {
        let ticks: Vec<_> = ticks.iter().filter(|tick| is_drawable(tick.0)).cloned().collect();
        let ends = ticks.first().zip(ticks.last()).map_or((0.0, 1.0), |(a, b)| (a.0, b.0));
        let span = ends.1 - ends.0;
        let room = if span > 0.0 { span * 0.08 } else { 1.0 };
        Axis { from: ends.0 - room, to: ends.1 + room, ticks }
    }

    /// An axis of powers of ten that holds the logarithms (to base ten) of all positive `values`,
    /// with at most about so many steps.
    pub fn of_powers(values: impl Iterator<Item = f64>, steps: u32) -> Axis {
        let logs = values.filter(|&value| is_drawable(value) && value > 0.0).map(log10);
        let (least, most) = logs.fold((f64::MAX, f64::MIN), |(a, b), log| (log.min(a), log.max(b)));
        let (from, to) = if least > most { (0.0, 1.0) } else { (least.floor(), most.ceil()) };
        let to = if to > from { to } else { from + 1.0 };
        // Every second or third power where they are many.
        let stride = ((to - from) / f64::from(steps.max(1))).ceil().max(1.0) as usize;
        let powers = (from as i32..=to as i32).step_by(stride);
        let ticks = powers.map(|power| (f64::from(power), power_name(power)));
        Axis { from, to, ticks: ticks.collect() }
    }

    /// Which part of the axis lies before `value`: 0 at its beginning, 1 at its end.
    pub fn part(&self, value: f64) -> f64 {
        (value - self.from) / (self.to - self.from)
    }

    /// Its ticks, with their names.
    pub fn ticks(&self) -> &[(f64, String)] {
        &self.ticks
    }
}

/// A number with as many decimals as the step has, thousands apart.
fn name(value: f64, mut step: f64) -> String {
    let mut decimals = 0;
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

/// A power of ten written out.
fn power_name(power: i32) -> String {
    let zeros = |count: i32| "0".repeat(usize::try_from(count).unwrap_or(0));
    match power {
        0..3 => format!("1{}", zeros(power)),
        3..6 => format!("1{}k", zeros(power - 3)),
        6..9 => format!("1{}M", zeros(power - 6)),
        9.. => format!("1e{power}"),
        -4..0 => format!("0.{}1", zeros(-power - 1)),
        _ => format!("1e{power}"),
    }
}

/// The logarithm of a positive number to base ten, to a millionth, by arithmetic that is the same
/// on every machine.
pub(crate) fn log10(value: f64) -> f64 {
    if !(value > 0.0 && value <= MOST) {
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
        Axis::holding(values.iter().copied(), ticks)
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
    fn any_numbers_have_an_axis_that_holds_them() {
        let cases: [&[f64]; 6] =
            [&[], &[7.0], &[f64::NAN, f64::INFINITY], &[1e15, 1e15 - 1.0], &[1e-300, 0.0], &[-3.0]];
        for values in cases {
            let axis = Axis::holding(values.iter().copied(), 6);
            assert!(axis.from < axis.to && axis.ticks().len() <= 14, "{values:?} {axis:?}");
            for &value in values.iter().filter(|&&value| is_drawable(value)) {
                assert!((-1e-9..=1.0 + 1e-9).contains(&axis.part(value)), "{value} {axis:?}");
            }
        }
    }
    #[test]
    fn logarithms_are_those_of_the_platform_and_powers_are_written_out() {
        for value in [1e-12, 0.002, 0.5, 1.0, 2.0, 9.999, 10.0, 1234.5, 7e14] {
            assert!((log10(value) - value.log10()).abs() < 1e-6, "{value}");
        }
        assert!([0.0, -1.0, f64::NAN, 1e300].iter().all(|&value| log10(value).is_nan()));
        let names = |values: &[f64]| {
            let axis = Axis::of_powers(values.iter().copied(), 5);
            axis.ticks().iter().map(|tick| tick.1.clone()).collect::<Vec<_>>()
        };
        assert_eq!(names(&[0.02, 30.0]), ["0.01", "0.1", "1", "10", "100"]);
        assert_eq!(names(&[2_000.0, 30_000.0, 0.0]), ["1k", "10k", "100k"]);
        assert_eq!(names(&[]), ["1", "10"]);
    }
}
