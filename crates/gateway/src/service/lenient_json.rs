//! Streaming readers of JSON that a service has sent. No tree is built: each reader takes the
//! values that it needs and skips everything else, so memory is bounded by what is kept.
//!
//! A value of an unexpected type is not an error; [`LenientValue::other`] says what it stands for.
//! Skipping does not recurse, so nesting costs no stack.

#[cfg(test)]
mod tests;

use super::ServiceError;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Number;
use std::fmt;

/// Reader of one JSON value of any type.
pub(crate) trait LenientValue<'de>: Sized {
    /// Result of reading.
    type Output;

    /// Result for a value of an unexpected type.
    fn other(self) -> Self::Output;

    fn bool(self, _: bool) -> Self::Output {
        self.other()
    }

    fn number(self, _: &Number) -> Self::Output {
        self.other()
    }

    fn text(self, _: &str) -> Self::Output {
        self.other()
    }

    fn list<A: SeqAccess<'de>>(self, list: A) -> Result<Self::Output, A::Error> {
        skip_list(list)?;
        Ok(self.other())
    }

    fn object<A: MapAccess<'de>>(self, mut object: A) -> Result<Self::Output, A::Error> {
        while object.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(self.other())
    }
}

/// Skips the rest of a list.
pub(crate) fn skip_list<'de, A: SeqAccess<'de>>(mut list: A) -> Result<(), A::Error> {
    while list.next_element::<IgnoredAny>()?.is_some() {}
    Ok(())
}

/// Adapter from a [`LenientValue`] to serde.
pub(crate) struct Lenient<T>(pub T);

impl<'de, T: LenientValue<'de>> DeserializeSeed<'de> for Lenient<T> {
    type Value = T::Output;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<T::Output, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de, T: LenientValue<'de>> Visitor<'de> for Lenient<T> {
    type Value = T::Output;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_unit<E>(self) -> Result<T::Output, E> {
        Ok(self.0.other())
    }

    fn visit_bool<E>(self, value: bool) -> Result<T::Output, E> {
        Ok(self.0.bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<T::Output, E> {
        Ok(self.0.number(&value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<T::Output, E> {
        Ok(self.0.number(&value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<T::Output, E> {
        Ok(match Number::from_f64(value) {
            Some(number) => self.0.number(&number),
            None => self.0.other(),
        })
    }

    fn visit_str<E>(self, text: &str) -> Result<T::Output, E> {
        Ok(self.0.text(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<T::Output, A::Error> {
        self.0.list(list)
    }

    fn visit_map<A: MapAccess<'de>>(self, object: A) -> Result<T::Output, A::Error> {
        self.0.object(object)
    }
}

/// Reads JSON with a [`LenientValue`]. `malformed` describes text that is not JSON.
pub(crate) fn read_json<'de, T: LenientValue<'de>>(
    text: &'de [u8],
    value: T,
    malformed: &'static str,
) -> Result<T::Output, ServiceError> {
    let malformed = |_| ServiceError::Malformed(malformed);
    let mut deserializer = serde_json::Deserializer::from_slice(text);
    let output = Lenient(value).deserialize(&mut deserializer).map_err(malformed)?;
    deserializer.end().map_err(malformed)?;
    Ok(output)
}

/// Reads a boolean.
pub(crate) struct AsBool;

impl LenientValue<'_> for AsBool {
    type Output = Option<bool>;

    fn other(self) -> Option<bool> {
        None
    }

    fn bool(self, value: bool) -> Option<bool> {
        Some(value)
    }
}

/// Reads a number.
pub(crate) struct AsNumber;

impl LenientValue<'_> for AsNumber {
    type Output = Option<f64>;

    fn other(self) -> Option<f64> {
        None
    }

    fn number(self, value: &Number) -> Option<f64> {
        value.as_f64()
    }
}

/// Reads a whole number that is not negative.
pub(crate) struct AsCount;

impl LenientValue<'_> for AsCount {
    type Output = Option<u64>;

    fn other(self) -> Option<u64> {
        None
    }

    fn number(self, value: &Number) -> Option<u64> {
        value.as_u64()
    }
}

/// Largest length of texts in bytes: longer ids are invalid, other texts are truncated.
pub(crate) const MAX_TEXT_BYTES: usize = 256;

/// Reads a text or number as text, truncated to [`MAX_TEXT_BYTES`]; empty for anything else.
pub(crate) struct AsText;

impl LenientValue<'_> for AsText {
    type Output = String;

    fn other(self) -> String {
        String::new()
    }

    fn number(self, value: &Number) -> String {
        value.to_string()
    }

    fn text(self, text: &str) -> String {
        truncate_text(text).to_owned()
    }
}

/// Reads a text or number of at most `max` bytes as text; `None` for anything else.
pub(crate) struct AsShortText {
    pub max: usize,
}

impl LenientValue<'_> for AsShortText {
    type Output = Option<String>;

    fn other(self) -> Option<String> {
        None
    }

    fn number(self, value: &Number) -> Option<String> {
        Some(value.to_string())
    }

    fn text(self, text: &str) -> Option<String> {
        (text.len() <= self.max).then(|| text.to_owned())
    }
}

/// Reads the texts of a list; longer texts than [`MAX_TEXT_BYTES`], and texts after the first
/// `max`, are dropped.
pub(crate) struct AsTexts {
    pub max: usize,
}

impl<'de> LenientValue<'de> for AsTexts {
    type Output = Option<Vec<String>>;

    fn other(self) -> Option<Vec<String>> {
        None
    }

    fn list<A: SeqAccess<'de>>(self, mut list: A) -> Result<Option<Vec<String>>, A::Error> {
        let mut texts = Vec::new();
        let text = || Lenient(AsShortText { max: MAX_TEXT_BYTES });
        while texts.len() < self.max
            && let Some(text) = list.next_element_seed(text())?
        {
            texts.extend(text);
        }
        skip_list(list)?;
        Ok(Some(texts))
    }
}

/// Reads the member `name` of an object with `AsTexts`.
pub(crate) struct TextsOf {
    pub name: &'static str,
    pub max: usize,
}

impl<'de> LenientValue<'de> for TextsOf {
    type Output = Option<Vec<String>>;

    fn other(self) -> Option<Vec<String>> {
        None
    }

    fn object<A: MapAccess<'de>>(self, mut object: A) -> Result<Self::Output, A::Error> {
        let mut texts = None;
        while let Some(key) = object.next_key_seed(Lenient(KeyAmong([self.name])))? {
            match key {
                Some(_) => texts = object.next_value_seed(Lenient(AsTexts { max: self.max }))?,
                None => drop(object.next_value::<IgnoredAny>()?),
            }
        }
        Ok(texts)
    }
}

/// Reads a key as its index among known keys.
pub(crate) struct KeyAmong<'a, const N: usize>(pub [&'a str; N]);

impl<const N: usize> LenientValue<'_> for KeyAmong<'_, N> {
    type Output = Option<usize>;

    fn other(self) -> Option<usize> {
        None
    }

    fn text(self, text: &str) -> Option<usize> {
        self.0.iter().position(|known| *known == text)
    }
}

/// Truncates a text to [`MAX_TEXT_BYTES`] at a character boundary.
pub(crate) fn truncate_text(text: &str) -> &str {
    let end = (0..=MAX_TEXT_BYTES).rev().find(|&end| text.is_char_boundary(end));
    end.and_then(|end| text.get(..end)).filter(|_| text.len() > MAX_TEXT_BYTES).unwrap_or(text)
}
