//! How the arguments of `cloak` are spelt.

use meshcloak::distance::MAX_DC_MAX;
use meshcloak::units::Length;

/// Metres above 0 that distances can be known up to, rounded down.
pub fn dc_max(text: &str) -> Result<Length, String> {
    let length = text.parse().map(Length::metres_down).unwrap_or_default();
    if Length::ZERO < length && length <= MAX_DC_MAX {
        return Ok(length);
    }
    Err(format!("expected metres above 0, at most {}", MAX_DC_MAX.as_metres()))
}

/// Seconds above 0 with at most three decimals, in milliseconds.
pub fn batch_length(text: &str) -> Result<u64, String> {
    let decimals = text.split_once('.').map_or(0, |(_, decimals)| decimals.len());
    match text.parse::<f64>() {
        Ok(seconds) if decimals <= 3 && (0.001..=1e6).contains(&seconds) => {
            Ok((seconds * 1000.0).round() as u64)
        }
        _ => Err("expected seconds from 0.001 to 1000000 with at most three decimals".into()),
    }
}

/// Metres from 0.
pub fn metres(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(metres) if (0.0..=1e6).contains(&metres) => Ok(metres),
        _ => Err("expected metres from 0 to 1000000; 0: any distance".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_that_make_no_sense_are_refused() {
        assert_eq!(dc_max("2000"), Ok(Length::metres(2000.0)));
        assert_eq!(dc_max("2047"), Ok(MAX_DC_MAX));
        for bad in ["0", "-5", "2047.1", "nan", "far", "0.01"] {
            assert!(dc_max(bad).is_err(), "{bad}");
        }
        assert_eq!(batch_length("0.25"), Ok(250));
        for bad in ["0", "0.0005", "1.0005", "-1", "inf", "soon"] {
            assert!(batch_length(bad).is_err(), "{bad}");
        }
        assert!(metres("-1").is_err() && metres("NaN").is_err());
    }
}
