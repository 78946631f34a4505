//! Parameters of a query string, each known and at most once unless it may repeat.

use super::user_queries::Here;
use std::borrow::Cow;
use std::str::FromStr;

/// Largest number of parameters.
const MAX_PARAMETERS: usize = 32;

/// Parameters in order. Has no `Debug`: they hold the position.
pub(super) struct Parameters<'a>(Vec<(Cow<'a, str>, Cow<'a, str>)>);

impl<'a> Parameters<'a> {
    /// Splits a query string. Refuses names that are in neither list, and repeated names of `once`.
    pub fn parse(
        query: &'a str,
        once: &[&str],
        repeated: &[&str],
    ) -> Result<Parameters<'a>, String> {
        let mut known: Vec<(Cow<'a, str>, Cow<'a, str>)> = Vec::new();
        for (name, value) in form_urlencoded::parse(query.as_bytes()) {
            if !once.contains(&&*name) && !repeated.contains(&&*name) {
                return Err(unsupported(&name));
            }
            if once.contains(&&*name) && known.iter().any(|(other, _)| *other == name) {
                return Err(format!("the parameter `{name}` occurs twice"));
            }
            if known.len() >= MAX_PARAMETERS {
                return Err(format!("more than {MAX_PARAMETERS} parameters"));
            }
            known.push((name, value));
        }
        Ok(Parameters(known))
    }

    /// Returns the value of a parameter.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.all(name).next()
    }

    /// Returns all values of a parameter.
    pub fn all(&self, name: &str) -> impl Iterator<Item = &str> {
        self.0.iter().filter(move |(known, _)| known == name).map(|(_, value)| &**value)
    }

    /// Returns a parsed value; the sentence of the error does not repeat it.
    pub fn number<T: FromStr>(&self, name: &str) -> Result<Option<T>, String> {
        let parse = |text: &str| text.trim().parse();
        let value = self.get(name).map(parse).transpose();
        value.map_err(|_| format!("the parameter `{name}` is not a number"))
    }
}

/// Whether a text can be the name of a parameter.
pub(super) fn is_parameter_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || "_$".contains(c))
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_$-.".contains(&byte))
}

/// Names an unsupported parameter, unless it is another text, which may hold a position.
fn unsupported(name: &str) -> String {
    match is_parameter_name(name) {
        true => format!("the parameter `{name}` is not supported"),
        false => "a parameter without a name is not supported".to_owned(),
    }
}

/// Checks a position in degrees.
pub(super) fn here(lon: f64, lat: f64) -> Result<Here, String> {
    let is_valid = (-180.0..=180.0).contains(&lon) && (-90.0..=90.0).contains(&lat);
    is_valid.then_some(Here { lon, lat }).ok_or_else(|| {
        "the latitude must be from -90 to 90 and the longitude from -180 to 180".to_owned()
    })
}

/// Checks a radius in metres.
pub(super) fn radius(metres: f64) -> Result<f64, String> {
    let is_valid = metres > 0.0 && metres.is_finite();
    is_valid.then_some(metres).ok_or_else(|| "the radius must be above 0".to_owned())
}
