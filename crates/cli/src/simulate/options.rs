//! How the arguments of `simulate` are spelt.

use clap::ValueEnum;

/// Where people start and go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PlacesArg {
    /// Every street alike, as in the paper.
    Uniform,
    /// As the profile says.
    Profile,
}

/// `2-5`, or one number for both.
pub fn k_range(text: &str) -> Result<(u32, u32), String> {
    let (least, most) = text.split_once('-').unwrap_or((text, text));
    match (least.trim().parse(), most.trim().parse()) {
        (Ok(least), Ok(most)) if 2 <= least && least <= most => Ok((least, most)),
        _ => Err("expected LEAST-MOST with 2 or more, as in 2-5".into()),
    }
}

/// Seconds with at most three decimals.
pub fn milliseconds(text: &str) -> Result<u32, String> {
    match text.parse::<f64>() {
        Ok(seconds) if (0.0..=1e6).contains(&seconds) => Ok((seconds * 1000.0).round() as u32),
        _ => Err("expected seconds from 0 to 1000000".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_of_k_are_two_numbers_that_ascend() {
        assert_eq!(k_range("2-5"), Ok((2, 5)));
        assert_eq!(k_range("7"), Ok((7, 7)));
        for bad in ["", "5-2", "1-5", "2-", "a-b", "-3"] {
            assert!(k_range(bad).is_err(), "{bad}");
        }
        assert_eq!(milliseconds("2.5"), Ok(2500));
        assert!(milliseconds("-1").is_err() && milliseconds("nan").is_err());
    }
}
