//! GeoJSON geometries, read into one flat list of points.

use crate::service::ServiceError;
use crate::service::answer_budget::AnswerBudget;
use crate::service::lenient_json::{AsNumber, AsShortText, Lenient, LenientValue, skip_list};
use crate::service::object_geometry::ObjectGeometry;
use serde::Deserialize;
use serde::de::{IgnoredAny, MapAccess, SeqAccess};

/// Largest nesting of `coordinates`: polygons, rings, positions and numbers; also that of
/// `geometries`.
const MAX_DEPTH: usize = 4;

const TOO_DEEP: ServiceError = ServiceError::Malformed("its geometries are nested too deeply");

/// Whether a geometry is valid; one invalid part makes it invalid.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Validity {
    Valid,
    Invalid,
}

/// Reads a geometry object and adds its points to `target`.
pub(super) struct AsGeometry<'a> {
    pub target: &'a mut ObjectGeometry,
    pub budget: &'a AnswerBudget,
    /// Number of geometry collections around this one.
    pub depth: usize,
}

#[derive(Deserialize)]
#[serde(field_identifier, rename_all = "lowercase")]
enum GeometryKey {
    Type,
    Coordinates,
    Geometries,
    #[serde(other)]
    Other,
}

impl<'de> LenientValue<'de> for AsGeometry<'_> {
    type Output = Validity;

    fn other(self) -> Validity {
        Validity::Invalid
    }

    fn object<A: MapAccess<'de>>(self, mut object: A) -> Result<Validity, A::Error> {
        let AsGeometry { target, budget, depth } = self;
        let mut own = ObjectGeometry::default();
        let mut is_points = true;
        let mut validity = Validity::Valid;
        while let Some(key) = object.next_key()? {
            let part = match key {
                GeometryKey::Type => {
                    let name = object.next_value_seed(Lenient(AsShortText { max: 32 }))?;
                    is_points = name.is_none_or(|name| name.ends_with("Point"));
                    Validity::Valid
                }
                GeometryKey::Coordinates => {
                    own.clear();
                    let reader = Coordinates { target: &mut own, budget, depth: 1 };
                    match object.next_value_seed(Lenient(reader))? {
                        Element::Invalid | Element::Number(_) => Validity::Invalid,
                        Element::Position | Element::Positions => Validity::Valid,
                    }
                }
                GeometryKey::Geometries => {
                    let reader = Geometries { target: &mut *target, budget, depth };
                    object.next_value_seed(Lenient(reader))?
                }
                GeometryKey::Other => {
                    object.next_value::<IgnoredAny>()?;
                    Validity::Valid
                }
            };
            if part == Validity::Invalid {
                validity = part;
            }
        }
        own.end_chain();
        if is_points {
            own.disconnect();
        }
        target.append(&own);
        Ok(validity)
    }
}

/// Reads the list `geometries` of a geometry collection.
struct Geometries<'a> {
    target: &'a mut ObjectGeometry,
    budget: &'a AnswerBudget,
    depth: usize,
}

impl<'de> LenientValue<'de> for Geometries<'_> {
    type Output = Validity;

    fn other(self) -> Validity {
        Validity::Invalid
    }

    fn list<A: SeqAccess<'de>>(self, mut list: A) -> Result<Validity, A::Error> {
        let Geometries { target, budget, depth } = self;
        if depth == MAX_DEPTH {
            return Err(budget.fail(TOO_DEEP));
        }
        let depth = depth.saturating_add(1);
        let mut validity = Validity::Valid;
        loop {
            let reader = AsGeometry { target: &mut *target, budget, depth };
            match list.next_element_seed(Lenient(reader))? {
                None => return Ok(validity),
                Some(Validity::Valid) => {}
                Some(Validity::Invalid) => validity = Validity::Invalid,
            }
        }
    }
}

/// Reads nested lists of numbers. Positions are added to `target`; a list of positions is a chain.
struct Coordinates<'a> {
    target: &'a mut ObjectGeometry,
    budget: &'a AnswerBudget,
    /// Number of lists around this value, including its own.
    depth: usize,
}

/// What an element of `coordinates` was.
#[derive(Clone, Copy, PartialEq)]
enum Element {
    Number(f64),
    Position,
    /// A list of positions, at any depth; also an empty list.
    Positions,
    Invalid,
}

impl<'de> LenientValue<'de> for Coordinates<'_> {
    type Output = Element;

    fn other(self) -> Element {
        Element::Invalid
    }

    fn number(self, value: &serde_json::Number) -> Element {
        value.as_f64().map_or(Element::Invalid, Element::Number)
    }

    fn list<A: SeqAccess<'de>>(self, mut list: A) -> Result<Element, A::Error> {
        let Coordinates { target, budget, depth } = self;
        if depth > MAX_DEPTH {
            return Err(budget.fail(TOO_DEEP));
        }
        let mut first = None;
        loop {
            let inner = depth.saturating_add(1);
            let reader = Coordinates { target: &mut *target, budget, depth: inner };
            let Some(element) = list.next_element_seed(Lenient(reader))? else { break };
            match (element, first) {
                (Element::Number(lon), None) => {
                    budget.spend_point()?;
                    let lat = list.next_element_seed(Lenient(AsNumber))?.flatten();
                    skip_list(list)?;
                    let Some(lat) = lat else { return Ok(Element::Invalid) };
                    target.push([lon, lat]);
                    return Ok(Element::Position);
                }
                (Element::Position | Element::Positions, None) => first = Some(element),
                (Element::Position, Some(Element::Position))
                | (Element::Positions, Some(Element::Positions)) => {}
                _ => {
                    skip_list(list)?;
                    return Ok(Element::Invalid);
                }
            }
        }
        target.end_chain();
        Ok(Element::Positions)
    }
}
