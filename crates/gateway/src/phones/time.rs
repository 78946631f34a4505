//! Times as phones write them: ISO 8601, or seconds or milliseconds since 1970.

/// Milliseconds since 1970 of a text; `None` if it is no time that a phone could mean.
pub(super) fn parse(text: &str) -> Option<u64> {
    let text = text.trim();
    match text.parse::<f64>() {
        Ok(number) => of_number(number),
        Err(_) => iso(text),
    }
}

/// Seconds, or milliseconds if as seconds it would be after the year 2100.
pub(super) fn of_number(number: f64) -> Option<u64> {
    let millis = if number < 4_102_444_800.0 { number * 1000.0 } else { number };
    (0.0..1e15).contains(&millis).then_some(millis as u64)
}

/// `2026-01-31T23:59:59.999Z`, with a space for the T, without fraction, or with an offset.
fn iso(text: &str) -> Option<u64> {
    let (date, rest) = text.split_once(['T', 't', ' '])?;
    let mut date = date.splitn(3, '-').map(number);
    let (year, month, day) = (date.next()??, date.next()??, date.next()??);
    let (time, offset) = match rest.find(['Z', 'z', '+', '-']) {
        Some(at) => (&rest[..at], offset(&rest[at..])?),
        None => (rest, 0),
    };
    let mut parts = time.splitn(3, ':');
    let (hour, minute) = (number(parts.next()?)?, number(parts.next()?)?);
    let seconds: f64 = parts.next().unwrap_or("0").parse().ok()?;
    let fits = (1970..=9999).contains(&year)
        && (1..=12).contains(&month)
        && (1..=31).contains(&day)
        && hour < 24
        && minute < 60
        && (0.0..61.0).contains(&seconds);
    if !fits {
        return None;
    }
    let minutes = (days(year, month, day) * 24 + hour) * 60 + minute - offset;
    u64::try_from(minutes * 60_000 + (seconds * 1000.0) as i64).ok()
}

fn number(digits: &str) -> Option<i64> {
    let plain = (1..=4).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit());
    plain.then(|| digits.parse().ok()).flatten()
}

/// Minutes east of Greenwich.
fn offset(text: &str) -> Option<i64> {
    if text.eq_ignore_ascii_case("z") {
        return Some(0);
    }
    let (sign, digits) = text.split_at(1);
    let (hours, minutes) = match digits.split_once(':') {
        Some((hours, minutes)) => (number(hours)?, number(minutes)?),
        None if digits.len() == 4 => (number(&digits[..2])?, number(&digits[2..])?),
        None => (number(digits)?, 0),
    };
    let east = hours * 60 + minutes;
    (hours < 24 && minutes < 60).then_some(if sign == "-" { -east } else { east })
}

/// Days from 1 January 1970 to a date: years begin in March, so that a leap day is their last.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    year * 365 + year / 4 - year / 100 + year / 400 + of_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_ways_in_which_phones_write_a_time_mean_the_same() {
        for text in [
            "2016-01-27T18:55:47Z",
            "2016-01-27T18:55:47.000Z",
            "2016-01-27 18:55:47",
            "2016-01-27T20:25:47+01:30",
            "2016-01-27T17:55:47-0100",
            "1453920947",
            "1453920947000",
            " 1453920947.0 ",
        ] {
            assert_eq!(parse(text), Some(1_453_920_947_000), "{text}");
        }
        assert_eq!(parse("2000-02-29T00:00:00.5Z"), Some(951_782_400_500));
        assert_eq!(parse("1970-01-01T00:00:00Z"), Some(0));
        for text in [
            "",
            "now",
            "NaN",
            "-5",
            "inf",
            "1e300",
            "2016-13-01T00:00:00Z",
            "2016-1",
            "T",
            "-T:",
            "2016-01-01T25:00:00Z",
            "2016-01-01T00:00:00+é9",
            "2016-01-01T00:00:00+",
            "é-é-éTé:é",
            "1970-01-01T00:00:00+05:00",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
