//! The door for people: from JSON to a query the engine can take, or a reason why not.
//!
//! Of several reasons the first of these is given: the account asks too often, malformed, k, dt,
//! dc, speed, question, off the map, a place from which she wants nothing sent, the person asks
//! too often; then, on submission, a ticket that is taken, too much under way, faster than
//! declared.

use crate::accounts::Account;
use crate::api::{AlongWord, Find, QueryRequest, QuestionBody};
use crate::error::Refusal;
use crate::gateway::Gateway;
use crate::question::{Along, Category, Operation, Question, Wish};
use meshcloak::guarantee::Guarantee;
use meshcloak::map::Position;
use meshcloak::query::UserId;
use meshcloak::units::{Length, LonLat, Point, Speed};
use std::sync::Arc;
use std::time::Duration;

/// A query that has passed every look but the last one.
pub struct Ask {
    /// By what the client knows it.
    pub ticket: Arc<str>,
    /// Of what was asked: the same ticket with another digest is another query.
    pub digest: u64,
    /// Who asks.
    pub user: UserId,
    /// Where from.
    pub position: Position,
    /// Among how many.
    pub k: u32,
    /// How long she waits.
    pub dt: Duration,
    /// How far she can move.
    pub dc: Length,
    /// How fast she is.
    pub speed: Option<Speed>,
    /// What she asks, if anything.
    pub wish: Option<Wish>,
}

/// Where somebody is never gets printed.
impl std::fmt::Debug for Ask {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Ask(…)")
    }
}

/// The longest ticket and the longest name of a person, in bytes.
const LONGEST_NAME: usize = 64;

impl Gateway {
    /// Looks at one query as it came.
    pub fn examine(
        &self,
        account: &Account,
        text: &[u8],
    ) -> Result<Ask, (Option<String>, Refusal)> {
        let request: QueryRequest<'_> = serde_json::from_slice(text).map_err(|error| {
            // What cannot be read counts as well: nonsense is no way around the limit.
            let refusal = Refusal::Malformed(error.to_string());
            (None, if account.may_ask() { refusal } else { Refusal::Rate })
        })?;
        self.look(account, &request).map_err(|refusal| (Some(request.ticket.into_owned()), refusal))
    }

    /// Looks at one query that could be read.
    pub(crate) fn look(
        &self,
        account: &Account,
        request: &QueryRequest<'_>,
    ) -> Result<Ask, Refusal> {
        if !account.may_ask() {
            return Err(Refusal::Rate);
        }
        name(&request.ticket, "ticket")?;
        name(&request.person, "person")?;
        let limits = account.limits();
        let k = u32::try_from(request.k).ok().filter(|k| (2..=limits.k_max).contains(k));
        let k = k.ok_or(Refusal::K(limits.k_max))?;
        let dt = patience(request.dt).filter(|dt| *dt <= limits.dt_max);
        let dt = dt.ok_or(Refusal::Dt(limits.dt_max))?;
        let (dc, speed) = reach(request)?;
        if dc < limits.dc_min || limits.dc_max < dc {
            return Err(Refusal::Dc(limits.dc_min, limits.dc_max));
        }
        if speed.is_none() && self.guarantee() == Guarantee::History {
            return Err(Refusal::Speed);
        }
        let wish = request.question.as_ref().map(|question| self.wish(question)).transpose()?;
        let (point, position) = self.place(request.lon, request.lat)?;
        let user = self.numbers().person(account, &request.person);
        let care = self.users().zone_minimum(
            user,
            self.clock(),
            [point, self.atlas().map().point(position)],
        )?;
        if !account.person_may_ask(user) {
            return Err(Refusal::PersonRate);
        }
        let asked = wish.as_ref().map(|wish| (&wish.asked, number(&wish.question)));
        let digest = self.numbers().digest((user.0, position, k, dt, dc, speed, asked));
        let ticket = Arc::from(&*request.ticket);
        let (k, dt) = (k.max(care.k), dt.max(care.dt));
        Ok(Ask { ticket, digest, user, position, k, dt, dc, speed, wish })
    }

    /// What somebody wants who asks that.
    pub(crate) fn wish(&self, body: &QuestionBody<'_>) -> Result<Wish, Refusal> {
        let question = self.question(body)?;
        Wish::of(question).map_err(|error| Refusal::Question(error.to_string()))
    }

    /// A question, if its words go together.
    fn question(&self, body: &QuestionBody<'_>) -> Result<Question, Refusal> {
        let wrong = |text: &str| Refusal::Question(text.to_owned());
        let along = match body.along {
            AlongWord::Streets => Along::Streets,
            AlongWord::Plane => Along::Plane,
        };
        let operation = match (body.find, body.radius, body.count) {
            (Find::Within, Some(radius), None) => {
                Operation::Within { radius: Length::metres_down(radius), along }
            }
            (Find::Nearest, None, Some(count)) => Operation::Nearest { count, along },
            (Find::Within, ..) => return Err(wrong("`within` needs `radius`, and no `count`")),
            (Find::Nearest, ..) => return Err(wrong("`nearest` needs `count`, and no `radius`")),
        };
        let category = match &body.category {
            None => Category::Any,
            Some(name) => self.category(name)?,
        };
        Ok(Question { operation, category })
    }

    /// A place on Earth in the plane of the map, and the position on the map that it snaps to.
    pub(crate) fn place(&self, lon: f64, lat: f64) -> Result<(Point, Position), Refusal> {
        let map = self.atlas().map();
        let place = LonLat::new(lon, lat).ok_or(Refusal::OffMap)?;
        let point = map.frame().map(|frame| frame.point(place)).ok_or(Refusal::OffMap)?;
        let snapped = map.snap(point, self.config().map.snap);
        snapped.map(|snapped| (point, snapped.position)).ok_or(Refusal::OffMap)
    }
}

/// Whether a text can be a ticket or the name of a person.
pub(crate) fn name(text: &str, what: &str) -> Result<(), Refusal> {
    let fits = !text.is_empty() && text.len() <= LONGEST_NAME && !text.contains(char::is_control);
    if fits {
        return Ok(());
    }
    let rule = format!("{what} must have 1 to {LONGEST_NAME} bytes and no control characters");
    Err(Refusal::Malformed(rule))
}

/// A number of seconds that can be waited for.
pub(crate) fn patience(seconds: f64) -> Option<Duration> {
    let fits = (0.0..=1e6).contains(&seconds);
    fits.then(|| Duration::from_millis((seconds * 1000.0).round() as u64))
}

/// dc as it was given, or as it follows from speed and interval.
fn reach(request: &QueryRequest<'_>) -> Result<(Length, Option<Speed>), Refusal> {
    let positive = |value: f64| (value > 0.0 && value.is_finite()).then_some(value);
    let speed = match request.speed {
        Some(speed) => Some(Speed::metres_per_second(positive(speed).ok_or(Refusal::Speed)?)),
        None => None,
    };
    let dc = match (request.dc, speed, request.interval) {
        (Some(dc), _, _) => Length::metres_down(positive(dc).unwrap_or(0.0)),
        (None, Some(speed), Some(interval)) => speed * patience(interval).unwrap_or_default(),
        (None, None, Some(_)) => return Err(Refusal::Speed),
        (None, _, None) => {
            return Err(Refusal::Malformed("dc is needed, or speed and interval".into()));
        }
    };
    Ok((dc, speed))
}

/// The number of a question before it was rounded.
fn number(question: &Question) -> u32 {
    match question.operation {
        Operation::Within { radius, .. } => radius.units(),
        Operation::Nearest { count, .. } => count,
    }
}
