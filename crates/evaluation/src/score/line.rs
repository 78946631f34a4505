//! Lines of outcome files (docs/SPEC.md §8). Extra fields are ignored; ids may be numbers.

use super::error::ScoreProblem;
use crate::reason::Reason;
use meshcloak::region::{Disc, Region};
use meshcloak::units::{Point, Rectangle};
use serde_json::{Map, Value};

/// Outcome of one query.
#[derive(Debug)]
pub struct OutcomeLine {
    /// Id of the query; `None` for a row without a readable id.
    pub query: Option<String>,
    /// Time in milliseconds.
    pub at: u64,
    /// How the query ended.
    pub outcome: RecordedOutcome,
}

/// How a query ended.
#[derive(Debug)]
pub enum RecordedOutcome {
    /// It was not accepted.
    Refused(Reason),
    /// Its temporal tolerance was exceeded.
    Expired,
    /// A newer query of the same user replaced it.
    Replaced,
    /// A presence report that was published or ran out.
    Present,
    /// It was published.
    Succeeded(SucceededOutcome),
}

/// What was published for a query.
#[derive(Debug)]
pub struct SucceededOutcome {
    /// Time of the batch in milliseconds.
    pub at: u64,
    /// Delay in milliseconds.
    pub delay: Option<u64>,
    /// Requested size of the set.
    pub k: Option<u32>,
    /// Ids of the members.
    pub set: Vec<String>,
    /// Labels of the streets of the region.
    pub mesh: Option<Vec<String>>,
    /// Rectangle or disc.
    pub shape: Option<Region<'static>>,
    /// Street length in metres.
    pub length: Option<f64>,
}

impl RecordedOutcome {
    /// Returns the name in files.
    pub fn name(&self) -> &'static str {
        match self {
            RecordedOutcome::Refused(_) => "refused",
            RecordedOutcome::Expired => "expired",
            RecordedOutcome::Replaced => "replaced",
            RecordedOutcome::Present => "present",
            RecordedOutcome::Succeeded(_) => "succeeded",
        }
    }
}

pub(super) type Read<T> = Result<T, ScoreProblem>;

impl OutcomeLine {
    /// Reads the members of an object.
    pub(crate) fn of_fields(fields: &Map<String, Value>) -> Read<OutcomeLine> {
        let query = fields.get("query").ok_or(ScoreProblem::Missing("query"))?;
        let query = match query {
            Value::Null => None,
            id => Some(text_of(id).ok_or_else(|| wrong("query", id, "an id"))?),
        };
        let at = millis(fields, "at")?.ok_or(ScoreProblem::Missing("at"))?;
        let outcome = fields.get("outcome").ok_or(ScoreProblem::Missing("outcome"))?;
        let outcome = match outcome.as_str() {
            Some("refused") => RecordedOutcome::Refused(reason(fields)?),
            Some("expired") => RecordedOutcome::Expired,
            Some("replaced") => RecordedOutcome::Replaced,
            Some("present") => RecordedOutcome::Present,
            Some("succeeded") => RecordedOutcome::Succeeded(success(fields, at)?),
            _ => {
                let expected = "succeeded, expired, replaced, present or refused";
                return Err(wrong("outcome", outcome, expected));
            }
        };
        Ok(OutcomeLine { query, at, outcome })
    }
}

fn reason(fields: &Map<String, Value>) -> Read<Reason> {
    let reason = fields.get("reason").ok_or(ScoreProblem::Missing("reason"))?;
    let known = Reason::ALL.into_iter().find(|known| reason.as_str() == Some(known.name()));
    known.ok_or_else(|| wrong("reason", reason, "a reason of docs/SPEC.md §8"))
}

fn success(fields: &Map<String, Value>, at: u64) -> Read<SucceededOutcome> {
    let k = fields.get("k").map(|value| {
        let k = value.as_u64().and_then(|k| u32::try_from(k).ok());
        k.ok_or_else(|| wrong("k", value, "a whole number"))
    });
    let length = fields.get("length").map(|value| {
        let metres = value.as_f64().filter(|metres| *metres >= 0.0);
        metres.ok_or_else(|| wrong("length", value, "metres"))
    });
    Ok(SucceededOutcome {
        at,
        delay: millis(fields, "delay")?,
        k: k.transpose()?,
        set: texts(fields, "set")?.ok_or(ScoreProblem::Missing("set"))?,
        mesh: texts(fields, "mesh")?,
        shape: shape(fields)?,
        length: length.transpose()?,
    })
}

fn shape(fields: &Map<String, Value>) -> Read<Option<Region<'static>>> {
    if let Some(value) = fields.get("rectangle") {
        let [x0, y0, x1, y1] =
            numbers(value).ok_or_else(|| wrong("rectangle", value, "[x0,y0,x1,y1]"))?;
        let (min, max) = (Point::new(x0, y0), Point::new(x1, y1));
        return Ok(Some(Region::Rectangle(Rectangle { min, max })));
    }
    let Some(value) = fields.get("disc") else { return Ok(None) };
    let [x, y, radius] = numbers(value).ok_or_else(|| wrong("disc", value, "[x,y,r]"))?;
    Ok(Some(Region::Disc(Disc { centre: Point::new(x, y), radius })))
}

fn numbers<const N: usize>(value: &Value) -> Option<[f64; N]> {
    let numbers: Option<Vec<f64>> = value.as_array()?.iter().map(Value::as_f64).collect();
    numbers?.try_into().ok()
}

/// Reads seconds with at most three decimals as milliseconds.
fn millis(fields: &Map<String, Value>, field: &'static str) -> Read<Option<u64>> {
    let Some(value) = fields.get(field) else { return Ok(None) };
    let thousandths = value.as_f64().unwrap_or(-1.0) * 1000.0;
    let exact = (thousandths - thousandths.round()).abs() <= 1e-3;
    if exact && (0.0..=1e15).contains(&thousandths) {
        return Ok(Some(thousandths.round() as u64));
    }
    Err(wrong(field, value, "seconds from 0 with at most three decimals"))
}

fn texts(fields: &Map<String, Value>, field: &'static str) -> Read<Option<Vec<String>>> {
    let Some(value) = fields.get(field) else { return Ok(None) };
    let texts: Option<Vec<String>> =
        value.as_array().and_then(|list| list.iter().map(text_of).collect());
    texts.map(Some).ok_or_else(|| wrong(field, value, "a list of ids"))
}

pub(super) fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

fn wrong(field: &'static str, value: &Value, expected: &'static str) -> ScoreProblem {
    ScoreProblem::Field { field, value: value.to_string(), expected }
}
