//! Numbers as people read them: thousands apart, as many decimals as matter.

/// A number that may be missing.
pub(super) fn shown(value: Option<f64>, decimals: usize) -> String {
    value.map_or("–".to_owned(), |value| decimal(value, decimals))
}

/// With that many decimals, thousands apart.
pub(super) fn decimal(value: f64, decimals: usize) -> String {
    if !value.is_finite() {
        return "–".to_owned();
    }
    let text = format!("{:.decimals$}", value.abs());
    let (whole, part) = text.split_at(text.find('.').unwrap_or(text.len()));
    let is_zero = text.bytes().all(|byte| matches!(byte, b'0' | b'.'));
    let sign = if value < 0.0 && !is_zero { "−" } else { "" };
    format!("{sign}{}{part}", apart(whole))
}

/// Three digits that matter, and no more.
pub(super) fn three(value: f64) -> String {
    let mut decimals = 0;
    let mut size = value.abs();
    while size < 100.0 && decimals < 6 && size > 0.0 {
        size *= 10.0;
        decimals += 1;
    }
    decimal(value, decimals)
}

/// A whole number.
pub(super) fn count(value: u64) -> String {
    apart(&value.to_string())
}

/// A share as per cent.
pub(super) fn percent(value: Option<f64>) -> String {
    value.map_or("–".to_owned(), |value| decimal(value * 100.0, 1) + " %")
}

/// From the least to the most, written once where they look the same.
pub(super) fn range(values: &[f64], write: impl Fn(f64) -> String) -> Option<String> {
    let least = values.iter().copied().reduce(f64::min)?;
    let most = values.iter().copied().reduce(f64::max)?;
    let (least, most) = (write(least), write(most));
    Some(if least == most { least } else { format!("{least} – {most}") })
}

fn apart(digits: &str) -> String {
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped_and_rounded() {
        assert_eq!(decimal(1_234_567.891, 2), "1,234,567.89");
        assert_eq!(decimal(-0.001, 2), "0.00");
        assert_eq!(decimal(-12.5, 1), "−12.5");
        assert_eq!(three(0.013_72), "0.0137");
        assert_eq!(
            (three(4.0), three(123.4), three(54_321.0)),
            ("4.00".into(), "123".into(), "54,321".into())
        );
        assert_eq!((percent(Some(0.8664)), shown(None, 3)), ("86.6 %".into(), "–".into()));
        assert_eq!(range(&[3.0, 1.0], |v| decimal(v, 0)).as_deref(), Some("1 – 3"));
        assert_eq!(range(&[1.01, 1.0], |v| decimal(v, 0)).as_deref(), Some("1"));
        assert_eq!(range(&[], |v| decimal(v, 0)), None);
    }
}
