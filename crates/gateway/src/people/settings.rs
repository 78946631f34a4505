//! What a person can set, as JSON and as the gateway uses it.

use super::{Person, Recent};
use crate::accounts::Account;
use crate::api::QuestionBody;
use crate::error::Refusal;
use crate::gateway::Gateway;
use crate::intake::{self, seconds};
use crate::places::{Care, Rule, Shape, Zone};
use crate::question::{Along, Find};
use meshcloak::map::StreetMap;
use meshcloak::units::{LonLat, Point};
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;
use utoipa::ToSchema;

/// How a person wants to be treated.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SettingsBody {
    /// Among how many people, herself included, she wants to be hidden.
    #[schema(minimum = 2, example = 3)]
    pub k: u64,
    /// How long she is willing to wait, in seconds.
    #[schema(minimum = 0, example = 20)]
    pub dt: f64,
    /// What each report of hers asks; without it she is there for others to hide among, and no
    /// request is made for her.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<StandingQuestion>,
    /// Places where something else holds; at most 16.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub zones: Vec<ZoneBody>,
}

/// A question, as in a query.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct StandingQuestion {
    /// What is wanted.
    pub find: Find,
    /// Metres, for `within`; at most 2000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub radius: Option<f64>,
    /// How many, for `nearest`; at most 30.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<u32>,
    /// How distance is measured.
    #[serde(default)]
    pub along: Along,
    /// Of which kind of place; any, if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
}

impl StandingQuestion {
    /// The same as part of a query.
    pub fn body(&self) -> QuestionBody<'_> {
        QuestionBody {
            find: self.find,
            radius: self.radius,
            count: self.count,
            along: self.along,
            category: self.category.as_deref().map(Cow::Borrowed),
        }
    }
}

/// A place, a `circle` or a `polygon`, and what holds there: a larger `k`, a longer `dt`, or
/// `never`.
#[derive(Clone, Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ZoneBody {
    /// What she calls it; for her alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 64, example = "home")]
    pub name: Option<String>,
    /// All within a radius.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub circle: Option<CircleBody>,
    /// Lon/lat of the corners, 3 to 100 of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub polygon: Option<Vec<[f64; 2]>>,
    /// Among at least how many.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub k: Option<u64>,
    /// With at least that many seconds of patience.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dt: Option<f64>,
    /// Nothing leaves from here.
    #[serde(default, skip_serializing_if = "is_not")]
    pub never: bool,
}

/// Where somebody lives never gets printed.
impl std::fmt::Debug for ZoneBody {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ZoneBody(…)")
    }
}

/// A circle on Earth.
#[derive(Clone, Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CircleBody {
    /// Degrees east.
    #[schema(minimum = -180, maximum = 180, example = 8.2146)]
    pub lon: f64,
    /// Degrees north.
    #[schema(minimum = -90, maximum = 90, example = 53.1435)]
    pub lat: f64,
    /// Metres, from 1 to 20000.
    #[schema(minimum = 1, maximum = 20000, example = 150)]
    pub radius: f64,
}

/// Where somebody lives never gets printed.
impl std::fmt::Debug for CircleBody {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("CircleBody(…)")
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands out references")]
fn is_not(truth: &bool) -> bool {
    !truth
}

/// How a person wants to be treated, checked.
pub struct Settings {
    /// As she said it.
    pub body: SettingsBody,
    /// Her places, in the plane of the map.
    pub zones: Vec<Zone>,
}

/// Where somebody lives never gets printed.
impl std::fmt::Debug for Settings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Settings(…)")
    }
}

const MOST_ZONES: usize = 16;
const MOST_CORNERS: usize = 100;

impl Settings {
    /// Settings whose places are places on the map's plane.
    pub fn of(body: SettingsBody, map: &StreetMap) -> Result<Settings, Refusal> {
        if body.zones.len() > MOST_ZONES {
            return Err(Refusal::Zone(format!("there can be at most {MOST_ZONES} zones")));
        }
        let zones = body.zones.iter().map(|zone| zone.compile(map)).collect::<Result<_, _>>()?;
        Ok(Settings { body, zones })
    }
}

impl Gateway {
    /// Somebody with these settings, if she may have them.
    pub fn person(
        &self,
        account: &Account,
        name: &str,
        body: SettingsBody,
    ) -> Result<Person, Refusal> {
        let limits = account.limits();
        let within = |k: u64| (2..=u64::from(limits.k_max)).contains(&k);
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
            intake::question(self, &question.body())?;
        }
        let settings = Settings::of(body, self.atlas().map())?;
        Ok(Person::new(account.name(), name, settings))
    }
}

impl Person {
    /// Somebody whose phone has said nothing yet.
    pub(super) fn new(account: &str, name: &str, settings: Settings) -> Person {
        Person {
            account: account.into(),
            name: name.into(),
            settings: Arc::new(settings),
            tokens: Vec::new(),
            recent: Arc::new(Mutex::new(Recent::default())),
        }
    }
}

impl ZoneBody {
    fn compile(&self, map: &StreetMap) -> Result<Zone, Refusal> {
        let wrong = |text: &str| Err(Refusal::Zone(text.to_owned()));
        if self.name.as_ref().is_some_and(|name| name.len() > 64) {
            return wrong("the name of a zone has at most 64 bytes");
        }
        let rule = match (self.never, self.k, self.dt) {
            (true, None, None) => Rule::Never,
            (false, None, None) => return wrong("a zone needs `k`, `dt` or `never`"),
            (true, ..) => return wrong("where nothing leaves there is no `k` and no `dt`"),
            (false, k, dt) => Rule::Care(Care {
                k: k.and_then(|k| u32::try_from(k).ok()).unwrap_or(0),
                dt: dt.and_then(seconds).unwrap_or(Duration::ZERO),
            }),
        };
        let point = |lon: f64, lat: f64| -> Result<Point, Refusal> {
            let place = LonLat::new(lon, lat).zip(map.frame());
            let point = place.map(|(place, frame)| frame.point(place));
            point.filter(|point| point.x.is_finite() && point.y.is_finite()).ok_or_else(|| {
                Refusal::Zone(
                    "a zone lies where lon is from -180 to 180, lat from -90 to 90".into(),
                )
            })
        };
        let shape = match (&self.circle, &self.polygon) {
            (Some(circle), None) if (1.0..=20_000.0).contains(&circle.radius) => {
                Shape::Circle { centre: point(circle.lon, circle.lat)?, radius: circle.radius }
            }
            (Some(_), None) => return wrong("the radius of a zone is from 1 to 20000 m"),
            (None, Some(corners)) if (3..=MOST_CORNERS).contains(&corners.len()) => {
                let ring = corners.iter().map(|&[lon, lat]| point(lon, lat));
                Shape::Polygon(ring.collect::<Result<_, _>>()?)
            }
            (None, Some(_)) => return wrong("a polygon has 3 to 100 corners"),
            _ => return wrong("a zone is either a `circle` or a `polygon`"),
        };
        Ok(Zone { shape, rule })
    }
}
