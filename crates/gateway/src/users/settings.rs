//! Settings of a user: the JSON form, and the checked form that the gateway uses.

use super::{RecentReports, UserProfile};
use crate::accounts::Account;
use crate::api::QuestionBody;
use crate::city::CityId;
use crate::city_map::CityMaps;
use crate::error::Refusal;
use crate::gateway::Gateway;
use crate::intake::{self, seconds};
use crate::spherical_cap::SpherePoint;
use crate::zones::{Zone, ZoneMinimum, ZoneRule, ZoneShape};
use meshcloak::map::StreetMap;
use meshcloak::units::{LonLat, Point};
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::Duration;
use utoipa::ToSchema;

/// Settings of a user.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SettingsBody {
    /// Size of the anonymity set, the user included: from 2, or from 1 without a question.
    #[schema(minimum = 1, example = 3)]
    pub k: u64,
    /// Temporal tolerance: longest waiting time in seconds. Without a question `presence.patience`
    /// counts instead.
    #[schema(minimum = 0, example = 20)]
    pub dt: f64,
    /// Question that each report asks. Without it the user is a present member of anonymity sets
    /// and no request is sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<QuestionBody>,
    /// Zones with rules of their own; at most 16.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub zones: Vec<ZoneBody>,
}

/// A zone: a `circle` or a `polygon`, and its rule: a larger `k`, a longer `dt`, or `never`.
#[derive(Clone, Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ZoneBody {
    /// Name of the zone, shown to its user only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 64, example = "home")]
    pub name: Option<String>,
    /// A circle.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub circle: Option<CircleBody>,
    /// A polygon of 3 to 100 corners, each lon, lat.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub polygon: Option<Vec<[f64; 2]>>,
    /// Smallest `k` inside the zone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub k: Option<u64>,
    /// Smallest `dt` inside the zone, in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dt: Option<f64>,
    /// Refuse every query from inside the zone.
    #[serde(default, skip_serializing_if = "is_false")]
    pub never: bool,
}

/// Prints no coordinates.
impl std::fmt::Debug for ZoneBody {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ZoneBody(…)")
    }
}

/// A circle in lon/lat.
#[derive(Clone, Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CircleBody {
    /// Longitude of the centre, degrees.
    #[schema(minimum = -180, maximum = 180, example = 8.2146)]
    pub lon: f64,
    /// Latitude of the centre, degrees.
    #[schema(minimum = -90, maximum = 90, example = 53.1435)]
    pub lat: f64,
    /// Radius, 1 to 20000 m.
    #[schema(minimum = 1, maximum = 20000, example = 150)]
    pub radius: f64,
}

/// Prints no coordinates.
impl std::fmt::Debug for CircleBody {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("CircleBody(…)")
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_false(value: &bool) -> bool {
    !value
}

/// Checked settings of a user.
pub struct UserSettings {
    /// The settings as received.
    pub body: SettingsBody,
    /// Zones by city.
    pub zones: Vec<CityZones>,
}

/// Zones of a user in one city, in the coordinates of its map.
#[derive(Debug)]
pub struct CityZones {
    /// City of the centres.
    pub city: CityId,
    /// The zones.
    pub zones: Vec<Zone>,
}

/// Prints no coordinates.
impl std::fmt::Debug for UserSettings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("UserSettings(…)")
    }
}

const MAX_ZONES: usize = 16;
const MAX_CORNERS: usize = 100;

impl UserSettings {
    /// Projects each zone onto the map of the city that its centre is in.
    ///
    /// # Errors
    /// [`Refusal::Zone`] names the rule that a zone breaks.
    pub fn new(body: SettingsBody, maps: &CityMaps) -> Result<UserSettings, Refusal> {
        if body.zones.len() > MAX_ZONES {
            return Err(Refusal::Zone(format!(
                "a user has at most {MAX_ZONES} zones, found {}",
                body.zones.len()
            )));
        }
        let mut zones: Vec<CityZones> = Vec::new();
        for zone in &body.zones {
            let map = maps.city_of_zone(zone.centre());
            let (city, zone) = (map.id(), zone.project(map.map())?);
            match zones.iter_mut().find(|known| known.city == city) {
                Some(known) => known.zones.push(zone),
                None => zones.push(CityZones { city, zones: vec![zone] }),
            }
        }
        Ok(UserSettings { body, zones })
    }
}

impl UserProfile {
    /// Builds a profile after checking the settings against the limits of the account.
    pub fn checked(
        gateway: &Gateway,
        account: &Account,
        name: &str,
        body: SettingsBody,
    ) -> Result<UserProfile, Refusal> {
        let limits = account.limits();
        let min = if body.question.is_some() { 2 } else { 1 };
        let within = |k: u64| (min..=u64::from(limits.k_max)).contains(&k);
        let ks = body.zones.iter().filter_map(|zone| zone.k);
        if !std::iter::once(body.k).chain(ks).all(within) {
            return Err(Refusal::K(limits.k_max));
        }
        let dts = body.zones.iter().filter_map(|zone| zone.dt);
        let within = |dt: f64| seconds(dt).is_some_and(|dt| dt <= limits.dt_max);
        if !std::iter::once(body.dt).chain(dts).all(within) {
            return Err(Refusal::Dt(limits.dt_max));
        }
        if let Some(question) = &body.question {
            intake::question(gateway, question)?;
        }
        let settings = UserSettings::new(body, gateway.cities().maps())?;
        Ok(UserProfile::new(account.name(), name, settings))
    }

    /// A user without tokens and reports.
    pub(super) fn new(account: &str, name: &str, settings: UserSettings) -> UserProfile {
        UserProfile {
            account: account.into(),
            name: name.into(),
            settings: Arc::new(settings),
            tokens: Vec::new(),
            recent_reports: Arc::new(Mutex::new(RecentReports::default())),
        }
    }
}

impl ZoneBody {
    /// Returns the centre of the circle, or the middle of the polygon's corners.
    fn centre(&self) -> LonLat {
        let circle = self.circle.iter().map(|circle| [circle.lon, circle.lat]);
        let corners = circle.chain(self.polygon.iter().flatten().copied());
        SpherePoint::middle(corners.map(|[lon, lat]| LonLat { lon, lat }))
    }

    fn project(&self, map: &StreetMap) -> Result<Zone, Refusal> {
        let invalid = |text: &str| Err(Refusal::Zone(text.to_owned()));
        if self.name.as_ref().is_some_and(|name| name.len() > 64) {
            return invalid("the `name` of a zone has at most 64 bytes");
        }
        let rule = match (self.never, self.k, self.dt) {
            (true, None, None) => ZoneRule::Never,
            (false, None, None) => return invalid("a zone needs `k`, `dt` or `never`"),
            (true, ..) => return invalid("a zone with `never` has neither `k` nor `dt`"),
            (false, k, dt) => ZoneRule::AtLeast(ZoneMinimum {
                k: k.and_then(|k| u32::try_from(k).ok()).unwrap_or(0),
                dt: dt.and_then(seconds).unwrap_or(Duration::ZERO),
            }),
        };
        let point = |lon: f64, lat: f64| -> Result<Point, Refusal> {
            let projected = LonLat::new(lon, lat).zip(map.frame());
            let point = projected.map(|(lon_lat, frame)| frame.point(lon_lat));
            point.filter(|point| point.x.is_finite() && point.y.is_finite()).ok_or_else(|| {
                Refusal::Zone("a zone needs lon from -180 to 180 and lat from -90 to 90".into())
            })
        };
        let shape = match (&self.circle, &self.polygon) {
            (Some(circle), None) if (1.0..=20_000.0).contains(&circle.radius) => {
                ZoneShape::Circle { centre: point(circle.lon, circle.lat)?, radius: circle.radius }
            }
            (Some(_), None) => return invalid("the `radius` of a zone is 1 to 20000 m"),
            (None, Some(corners)) if (3..=MAX_CORNERS).contains(&corners.len()) => {
                let ring = corners.iter().map(|&[lon, lat]| point(lon, lat));
                ZoneShape::Polygon(ring.collect::<Result<_, _>>()?)
            }
            (None, Some(_)) => return invalid("a `polygon` has 3 to 100 corners"),
            _ => return invalid("a zone needs either a `circle` or a `polygon`"),
        };
        Ok(Zone { shape, rule })
    }
}
