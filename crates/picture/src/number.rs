//! Numbers as text, with thousands separators.

/// Formats an integer with thousands separators, as in 1,301.
pub fn grouped(number: u64) -> String {
    group_thousands(&number.to_string())
}

/// Formats a finite number with `decimals` decimals, thousands separators and a typographic minus.
pub fn decimal(value: f64, decimals: usize) -> String {
    let text = format!("{:.decimals$}", value.abs());
    let (whole, part) = text.split_at(text.find('.').unwrap_or(text.len()));
    let is_zero = text.bytes().all(|byte| matches!(byte, b'0' | b'.'));
    let sign = if value < 0.0 && !is_zero { "−" } else { "" };
    format!("{sign}{}{part}", group_thousands(whole))
}

/// Formats a finite number with three significant digits (all integer digits, at most six decimals).
pub fn significant(value: f64) -> String {
    let mut decimals = 0;
    let mut size = value.abs();
    while size < 100.0 && decimals < 6 && size > 0.0 {
        size *= 10.0;
        decimals += 1;
    }
    decimal(value, decimals)
}

fn group_thousands(digits: &str) -> String {
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
    fn numbers_are_grouped_by_thousands_and_zero_has_no_sign() {
        let texts = [0, 7, 999, 1_000, 61_350, 1_234_567].map(grouped);
        assert_eq!(texts, ["0", "7", "999", "1,000", "61,350", "1,234,567"]);
        assert_eq!(decimal(1_234_567.891, 2), "1,234,567.89");
        assert_eq!(decimal(-0.001, 2), "0.00");
        assert_eq!(decimal(-12.5, 1), "−12.5");
    }
}
