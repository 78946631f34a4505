//! How the arguments of `traces` are spelt.

use anyhow::{Context, Result};
use traffic::Profile;

/// A built-in profile, or that of a file.
pub fn profile(name: &str) -> Result<Profile> {
    if let Some(profile) = Profile::named(name) {
        return Ok(profile);
    }
    let text = std::fs::read_to_string(name).with_context(|| {
        format!("{name}: no such profile; expected {} or a file", Profile::NAMES.join(", "))
    })?;
    Profile::from_toml(&text).with_context(|| name.to_owned())
}

/// `2-5`, or one number for both.
pub fn k_range(text: &str) -> Result<(u32, u32), String> {
    let (least, most) = text.split_once('-').unwrap_or((text, text));
    match (least.trim().parse(), most.trim().parse()) {
        (Ok(least), Ok(most)) if 2 <= least && least <= most => Ok((least, most)),
        _ => Err("expected LEAST-MOST with 2 or more, as in 2-5".into()),
    }
}

/// Seconds with at most three decimals, as milliseconds.
pub fn milliseconds(text: &str) -> Result<u32, String> {
    match text.parse::<f64>() {
        Ok(seconds) if (0.0..=1e6).contains(&seconds) => Ok((seconds * 1000.0).round() as u32),
        _ => Err("expected seconds from 0 to 1000000".into()),
    }
}

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
