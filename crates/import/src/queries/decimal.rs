//! Exact decimal numbers: integers scaled by a power of ten.

/// The number `value / 10^decimals`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Decimal {
    pub value: i64,
    pub decimals: u32,
}

/// Appends a number with as many decimals as it needs.
#[expect(
    clippy::arithmetic_side_effects,
    reason = "`scale` is a power of ten, and so is `digit` as long as `rest` is not 0"
)]
pub(super) fn put(out: &mut Vec<u8>, Decimal { value: number, decimals }: Decimal) {
    if number < 0 {
        out.push(b'-');
    }
    let scale = 10_u64.pow(decimals);
    let (whole, mut rest) = (number.unsigned_abs() / scale, number.unsigned_abs() % scale);
    out.extend_from_slice(itoa::Buffer::new().format(whole).as_bytes());
    if rest == 0 {
        return;
    }
    out.push(b'.');
    let mut digit = scale / 10;
    while rest > 0 {
        out.push(b'0' + (rest / digit) as u8);
        rest %= digit;
        digit /= 10;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_written_as_needed() {
        let text = |number, decimals| {
            let mut out = Vec::new();
            put(&mut out, Decimal { value: number, decimals });
            String::from_utf8(out).unwrap()
        };
        assert_eq!(text(0, 3), "0");
        assert_eq!(text(12_000, 3), "12");
        assert_eq!(text(12_050, 3), "12.05");
        assert_eq!(text(-7, 6), "-0.000007");
        assert_eq!(text(i64::MAX, 0), "9223372036854775807");
        for number in [1_i64, 10, 999_999, 1_000_001, 123_456_789_012] {
            let back: f64 = text(number, 6).parse().unwrap();
            assert_eq!((back * 1e6).round() as i64, number);
        }
    }
}
