//! Categories as tags of OpenStreetMap, in requests and answers.

use crate::error::Refusal;
use crate::gateway::Gateway;
use crate::service::{CATEGORY_KEYS, key_of_category};

/// Returns the category of `key=value`.
///
/// # Errors
/// A sentence that says why there is none.
pub(super) fn category_of(gateway: &Gateway, key: &str, value: &str) -> Result<String, String> {
    if !CATEGORY_KEYS.contains(&key) {
        let keys = CATEGORY_KEYS.join(", ");
        return Err(format!("the key `{key}` is not supported, only {keys}"));
    }
    if let Some(other) = key_of_category(value).filter(|&other| other != key) {
        return Err(format!("`{key}={value}` is not supported, only `{other}={value}`"));
    }
    match gateway.cities().category(value) {
        Ok(_) => Ok(value.to_owned()),
        Err(Refusal::Question(_)) => Err(format!("the category `{value}` is unknown")),
        Err(refusal) => Err(refusal.to_string()),
    }
}
