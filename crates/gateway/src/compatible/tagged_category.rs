//! Categories as tags of OpenStreetMap, in requests and answers.

use crate::error::Refusal;
use crate::gateway::Gateway;
use crate::service::{CATEGORY_KEYS, key_of_category};

/// Returns the category of `key=value`.
///
/// # Errors
/// [`Refusal::Question`] says why there is none; [`Refusal::Busy`] if the categories are not known yet.
pub(super) fn category_of(gateway: &Gateway, key: &str, value: &str) -> Result<String, Refusal> {
    if !CATEGORY_KEYS.contains(&key) {
        let keys = CATEGORY_KEYS.join(", ");
        let sentence = format!("the key `{key}` is not supported, only {keys}");
        return Err(Refusal::Question(sentence));
    }
    if let Some(other) = key_of_category(value).filter(|&other| other != key) {
        let sentence = format!("`{key}={value}` is not supported, only `{other}={value}`");
        return Err(Refusal::Question(sentence));
    }
    let unknown = format!("the category `{value}` is unknown");
    check_category(gateway, value, unknown).map(|()| value.to_owned())
}

/// Checks that a category is known; `unknown` is the sentence if it is not.
///
/// # Errors
/// As [`category_of`].
pub(super) fn check_category(
    gateway: &Gateway,
    name: &str,
    unknown: String,
) -> Result<(), Refusal> {
    match gateway.cities().category(name) {
        Ok(_) => Ok(()),
        Err(Refusal::Question(_)) => Err(Refusal::Question(unknown)),
        Err(refusal) => Err(refusal),
    }
}
