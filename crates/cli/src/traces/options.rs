//! How the arguments of `traces` are spelt.

use crate::simulate::options::milliseconds;

/// Seconds, a tenth at least, as milliseconds.
pub fn above_zero(text: &str) -> Result<u32, String> {
    let least = |&milliseconds: &u32| milliseconds >= 100;
    let given = milliseconds(text).ok().filter(least);
    given.ok_or_else(|| "expected seconds from 0.1 to 1000000".into())
}

/// Metres from 0.
pub fn metres(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(metres) if (0.0..=1e6).contains(&metres) => Ok(metres),
        _ => Err("expected metres from 0 to 1000000".into()),
    }
}
