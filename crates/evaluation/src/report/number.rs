//! Number formatting: thousands separators, fixed decimals or significant digits. Missing and
//! non-finite values are written as a dash.

pub(super) use picture::grouped as count;

/// Formats an optional number with `decimals` decimals.
pub(super) fn decimal_or_dash(value: Option<f64>, decimals: usize) -> String {
    value.map_or("–".to_owned(), |value| decimal(value, decimals))
}

/// Formats a number with `decimals` decimals and thousands separators.
pub(super) fn decimal(value: f64, decimals: usize) -> String {
    if !value.is_finite() {
        return "–".to_owned();
    }
    picture::decimal(value, decimals)
}

/// Formats a number with three significant digits.
pub(super) fn significant(value: f64) -> String {
    if value.is_finite() { picture::significant(value) } else { "–".to_owned() }
}

/// Formats a fraction as a percentage with one decimal.
pub(super) fn percent(value: Option<f64>) -> String {
    value.map_or("–".to_owned(), |value| decimal(value * 100.0, 1) + " %")
}

/// Formats the 95 % interval of a share of `cases` independent cases (Wilson).
pub(super) fn interval(share: Option<f64>, cases: u64) -> String {
    const Z: f64 = 1.96;
    let Some(share) = share.filter(|_| cases > 0) else { return "–".to_owned() };
    let n = cases as f64;
    let centre = (share + Z * Z / (2.0 * n)) / (1.0 + Z * Z / n);
    let spread = (share * (1.0 - share) / n + Z * Z / (4.0 * n * n)).max(0.0).sqrt();
    let half = Z * spread / (1.0 + Z * Z / n);
    let bound = |value: f64| decimal(value.clamp(0.0, 1.0) * 100.0, 1);
    format!("{}–{} %", bound(centre - half), bound(centre + half))
}

/// Formats minimum and maximum of `values` as `min – max`, or once if both read the same.
pub(super) fn range(values: &[f64], write: impl Fn(f64) -> String) -> Option<String> {
    let min = values.iter().copied().reduce(f64::min)?;
    let max = values.iter().copied().reduce(f64::max)?;
    let (min, max) = (write(min), write(max));
    Some(if min == max { min } else { format!("{min} – {max}") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped_and_rounded() {
        assert_eq!((decimal(-12.5, 1), decimal(f64::NAN, 1)), ("−12.5".into(), "–".into()));
        assert_eq!(significant(0.013_72), "0.0137");
        assert_eq!(
            (significant(4.0), significant(123.4), significant(54_321.0)),
            ("4.00".into(), "123".into(), "54,321".into())
        );
        assert_eq!(
            (percent(Some(0.8664)), decimal_or_dash(None, 3)),
            ("86.6 %".into(), "–".into())
        );
        assert_eq!(range(&[3.0, 1.0], |v| decimal(v, 0)).as_deref(), Some("1 – 3"));
        assert_eq!(range(&[1.01, 1.0], |v| decimal(v, 0)).as_deref(), Some("1"));
        assert_eq!(range(&[], |v| decimal(v, 0)), None);
        // Wilson: 0 of 40 allows 8.8 %; half of 100 is 40 to 60 %.
        assert_eq!(interval(Some(0.0), 40), "0.0–8.8 %");
        assert_eq!(interval(Some(0.5), 100), "40.4–59.6 %");
        assert_eq!((interval(None, 9), interval(Some(0.1), 0)), ("–".into(), "–".into()));
    }
}
