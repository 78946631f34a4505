//! Validation of profiles.

use super::raw::{
    RawAppear, RawCapacity, RawChoose, RawClass, RawLimits, RawPlaces, RawProfile, RawReroute,
};
use super::{
    AgentClass, Appear, Capacity, DistanceBand, Places, Profile, ProfileError, Reroute, Standing,
};
use crate::avoided_streets::AvoidedStreets;
use crate::random::{Distribution, Probability};
use meshcloak::units::Length;
use std::fmt::Display;

type Checked<T> = Result<T, ProfileError>;

pub(super) fn read(text: &str) -> Checked<Profile> {
    let raw: RawProfile = toml::from_str(text)
        .map_err(|error| ProfileError::Syntax(error.to_string().trim_end().to_owned()))?;
    let queries = raw.queries.map(|number| whole("queries", number, 1..=1_000_000)).transpose()?;
    let duration = raw
        .duration
        .map(|seconds| thousandths("duration", seconds, 86_400.0 * 30.0))
        .transpose()?;
    if queries.is_none() && duration.is_none() {
        return Err(needs("a profile", "`queries` or `duration`; without them it never ends"));
    }
    if raw.capacity.is_some() && raw.limits.is_none() {
        return Err(needs("capacity", "`limits`, the speeds that congestion reduces"));
    }
    if raw.reroute.is_some() && raw.capacity.is_none() {
        return Err(needs("reroute", "`capacity`; without it speeds never change"));
    }
    let shares: Vec<f64> = raw.class.iter().map(|class| class.share).collect();
    let seconds = raw.interval.seconds.iter();
    let interval = seconds.map(|&s| thousandths("interval.seconds", s, 86_400.0));
    let interval: Vec<u32> = interval.collect::<Checked<_>>()?;
    Ok(Profile {
        queries,
        duration: duration.map(u64::from),
        appear: appear(&raw.appear)?,
        interval: distribution("interval.shares", interval, &raw.interval.shares)?,
        standing: Standing {
            share: share("standing.share", raw.standing.share)?,
            leave: share("standing.leave", raw.standing.leave)?,
            floor: Length::metres_down(within("standing.dc", raw.standing.dc, 0.0, 100_000.0)?),
        },
        classes: distribution("class.share", (0..raw.class.len()).collect(), &shares)?,
        class_table: raw.class.iter().map(class).collect::<Checked<_>>()?,
        places: places(&raw.places)?,
        limits: raw.limits.as_ref().map(limits).transpose()?,
        capacity: raw.capacity.as_ref().map(capacity).transpose()?,
        reroute: raw.reroute.as_ref().map(reroute).transpose()?,
    })
}

fn appear(raw: &RawAppear) -> Checked<Appear> {
    let from = whole("appear.from", raw.from, 0..=86_400)?;
    let to = whole("appear.to", raw.to, 0..=86_400)?;
    if to < from {
        return Err(value("appear.to", to, "a second not before `appear.from`"));
    }
    let shares = raw.shares.clone().unwrap_or_else(|| vec![1.0]);
    let (seconds, count) = (u64::from(to - from + 1), shares.len() as u64);
    if count > seconds {
        return Err(value("appear.shares", count, "at most one share per second"));
    }
    let edge = |slice: u64| from + (seconds * slice / count) as u32;
    let slices = (0..count).map(|slice| (edge(slice), edge(slice + 1) - 1)).collect();
    let slices = distribution("appear.shares", slices, &shares)?;
    Ok(Appear { slices, leave: share("appear.leave", raw.leave)? })
}

fn class(raw: &RawClass) -> Checked<AgentClass> {
    let speeds = raw.speeds.iter().map(|&speed| thousandths("class.speeds", speed, 1000.0));
    let speeds =
        distribution("class.speed_shares", speeds.collect::<Checked<_>>()?, &raw.speed_shares)?;
    let distances = match (&raw.distances, &raw.distance_shares) {
        (None, None) => None,
        (Some(ends), Some(shares)) => {
            Some(distribution("class.distance_shares", bands(ends)?, shares)?)
        }
        (Some(_), None) => return Err(needs("class.distances", "`distance_shares`")),
        (None, Some(_)) => return Err(needs("class.distance_shares", "`distances`")),
    };
    let avoided = AvoidedStreets::named(raw.avoid.iter().map(String::as_str))
        .map_err(|unknown| value("class.avoid", unknown, AVOIDABLE))?;
    Ok(AgentClass { name: raw.name.clone(), speeds, distances, avoided })
}

/// Converts ascending upper ends to consecutive bands from 0.
fn bands(ends: &[f64]) -> Checked<Vec<DistanceBand>> {
    let mut min = 0.0;
    ends.iter()
        .map(|&metres| {
            let band = DistanceBand { min, max: within("class.distances", metres, 1.0, 1e7)? };
            if metres <= min {
                return Err(value("class.distances", metres, "ascending distances"));
            }
            min = metres;
            Ok(band)
        })
        .collect()
}

fn places(raw: &RawPlaces) -> Checked<Places> {
    match raw.choose {
        RawChoose::Uniform | RawChoose::Terminals if raw.centre.or(raw.poi).is_some() => {
            Err(needs("places.centre` and `places.poi", "`choose = \"popular\"`"))
        }
        RawChoose::Uniform => Ok(Places::Uniform),
        RawChoose::Terminals => Ok(Places::Terminals),
        RawChoose::Popular => Ok(Places::Popular {
            centre: within("places.centre", raw.centre.unwrap_or(0.0), 0.0, 1000.0)?,
            poi: within("places.poi", raw.poi.unwrap_or(0.0), 0.0, 100_000.0)?,
        }),
    }
}

fn limits(raw: &RawLimits) -> Checked<[u32; 7]> {
    let RawLimits { motorway, trunk, primary, secondary, tertiary, residential, service } = *raw;
    let mut speeds = [0; 7];
    let all = [motorway, trunk, primary, secondary, tertiary, residential, service];
    for (speed, kmh) in speeds.iter_mut().zip(all) {
        *speed = (within("limits", kmh, 1.0, 1000.0)? * 1000.0 / 3.6).floor() as u32;
    }
    Ok(speeds)
}

fn capacity(raw: &RawCapacity) -> Checked<Capacity> {
    let mut lanes = [0; 7];
    for (lane, number) in lanes.iter_mut().zip(raw.lanes) {
        *lane = whole("capacity.lanes", number, 1..=100)?;
    }
    Ok(Capacity {
        metres: within("capacity.metres", raw.metres, 0.1, 1000.0)?,
        slowest: thousandths("capacity.slowest", raw.slowest, 100.0)?,
        lanes,
    })
}

fn reroute(raw: &RawReroute) -> Checked<Reroute> {
    let every = whole("reroute.every", raw.every, 1..=86_400)?;
    let saving = within("reroute.saving", raw.saving, 0.0, 1.0)?;
    Ok(Reroute { every, thousandths: 1000 - (saving * 1000.0).round() as u64 })
}

fn distribution<T: Copy>(key: &str, values: Vec<T>, shares: &[f64]) -> Checked<Distribution<T>> {
    for &one in shares {
        share(key, one)?;
    }
    let (expected, sum) = (values.len(), shares.iter().sum::<f64>());
    if expected == 0 {
        return Err(needs(key, "at least one value"));
    }
    if expected != shares.len() {
        return Err(ProfileError::Count { key: key.to_owned(), found: shares.len(), expected });
    }
    if (sum - 1.0).abs() > 1e-6 {
        return Err(ProfileError::Sum { key: key.to_owned(), sum });
    }
    Distribution::new(values, shares).ok_or_else(|| needs(key, "at least one value"))
}

fn share(key: &str, share: f64) -> Checked<Probability> {
    if (0.0..=1.0).contains(&share) {
        return Ok(Probability::new(share));
    }
    Err(value(key, share, "a share from 0 to 1"))
}

fn within(key: &str, number: f64, min: f64, max: f64) -> Checked<f64> {
    if (min..=max).contains(&number) {
        return Ok(number);
    }
    Err(value(key, number, format!("a number from {min} to {max}")))
}

const AVOIDABLE: &str = "motorway, trunk, primary, secondary, tertiary, residential, service or \
                         footway";

fn whole(key: &str, number: i64, range: std::ops::RangeInclusive<u32>) -> Checked<u32> {
    let found = u32::try_from(number).ok().filter(|found| range.contains(found));
    let (min, max) = (range.start(), range.end());
    found.ok_or_else(|| value(key, number, format!("a whole number from {min} to {max}")))
}

/// Converts a positive number to whole thousandths: milliseconds, or millimetres per second.
fn thousandths(key: &str, number: f64, max: f64) -> Checked<u32> {
    Ok((within(key, number, 0.001, max)? * 1000.0).round() as u32)
}

fn value(key: &str, value: impl Display, expected: impl Into<String>) -> ProfileError {
    let expected = expected.into();
    ProfileError::Value { key: key.to_owned(), value: value.to_string(), expected }
}

fn needs(key: &str, needed: &'static str) -> ProfileError {
    ProfileError::Needs { key: key.to_owned(), needed }
}
