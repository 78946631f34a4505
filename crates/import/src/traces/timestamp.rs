//! Instants as GPX writes them: `2013-07-01T00:00:58Z`, with a fraction or an offset perhaps.

const DAY: i64 = 86_400_000;

/// Milliseconds since 1970 of an ISO 8601 date and time; without a zone it is UTC.
pub(super) fn milliseconds(text: &str) -> Option<i64> {
    let text = text.trim();
    let (date, rest) = text.split_once(['T', 't', ' '])?;
    let (time, zone) = split_zone(rest)?;
    Some(days(date)? * DAY + time_of_day(time)? - zone)
}

/// Days since 1970 of `YYYY-MM-DD`.
fn days(date: &str) -> Option<i64> {
    let mut parts = date.split('-');
    let year = digits(parts.next()?, 4)?;
    let (month, day) = (digits(parts.next()?, 2)?, digits(parts.next()?, 2)?);
    let is_date = parts.next().is_none() && (1..=12).contains(&month);
    if !is_date || !(1..=days_in(month, year)).contains(&day) {
        return None;
    }
    let leap_days = |years: i64| years / 4 - years / 100 + years / 400;
    let before_year = |year: i64| year * 365 + leap_days(year - 1 + i64::from(year == 0));
    let months: i64 = (1..month).map(|month| days_in(month, year)).sum();
    (year > 0).then(|| before_year(year) - before_year(1970) + months + day - 1)
}

fn days_in(month: i64, year: i64) -> i64 {
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    match month {
        2 => 28 + i64::from(is_leap),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Milliseconds since midnight of `HH:MM:SS[.fff]`; a leap second counts as the next one.
fn time_of_day(time: &str) -> Option<i64> {
    let (whole, fraction) = time.split_once(['.', ',']).unwrap_or((time, ""));
    let mut parts = whole.split(':');
    let mut part = |limit: i64| digits(parts.next()?, 2).filter(|&value| value < limit);
    let (hours, minutes, seconds) = (part(24)?, part(60)?, part(61)?);
    let is_fraction = fraction.bytes().all(|byte| byte.is_ascii_digit());
    if parts.next().is_some() || !is_fraction {
        return None;
    }
    let thousandths = fraction.bytes().chain(*b"000").take(3);
    let thousandths = thousandths.fold(0, |sum, digit| sum * 10 + i64::from(digit - b'0'));
    Some(((hours * 60 + minutes) * 60 + seconds) * 1000 + thousandths)
}

/// Splits off `Z`, `+HH:MM` or `-HHMM`; the offset in milliseconds.
fn split_zone(text: &str) -> Option<(&str, i64)> {
    if let Some(time) = text.strip_suffix(['Z', 'z']) {
        return Some((time, 0));
    }
    let Some(at) = text.rfind(['+', '-']) else {
        return Some((text, 0));
    };
    let (time, zone) = text.split_at(at);
    let sign = if zone.starts_with('-') { -1 } else { 1 };
    let zone: String = zone.chars().skip(1).filter(|&c| c != ':').collect();
    let (hours, minutes) = (digits(zone.get(..2)?, 2)?, digits(zone.get(2..)?, 2)?);
    Some((time, sign * (hours * 60 + minutes) * 60_000))
}

/// A number of exactly `count` digits.
fn digits(text: &str, count: usize) -> Option<i64> {
    let is_number = text.len() == count && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::milliseconds;

    #[test]
    fn instants_count_from_1970() {
        let known = [
            ("1970-01-01T00:00:00Z", 0),
            ("2013-07-01T00:00:58Z", 1_372_636_858_000),
            ("2000-02-29T12:00:00.5Z", 951_825_600_500),
            ("2024-12-31T23:59:59.9999Z", 1_735_689_599_999),
            ("2013-07-01T02:00:58+02:00", 1_372_636_858_000),
            ("2013-06-30T19:30:58-0430", 1_372_636_858_000),
            ("1969-12-31T23:59:59", -1_000),
            (" 2100-03-01t00:00:00z ", 4_107_542_400_000),
        ];
        for (text, expected) in known {
            assert_eq!(milliseconds(text), Some(expected), "{text}");
        }
    }

    #[test]
    fn anything_else_is_no_instant() {
        let wrong = [
            "",
            "T",
            "2013-07-01",
            "2013-02-29T00:00:00Z",
            "2013-13-01T00:00:00Z",
            "2013-07-01T24:00:00Z",
            "2013-07-01T00:61:00Z",
            "2013-7-01T00:00:00Z",
            "2013-07-01T00:00Z",
            "2013-07-01T00:00:00.x",
            "2013-07-01T00:00:00+2",
            "0000-01-01T0",
            "2013-07-01T00:00:00+äö",
            "-2013-07-01T00:00:00Z",
        ];
        for text in wrong {
            assert_eq!(milliseconds(text), None, "{text}");
        }
    }
}
