//! Places nearby as in Google's API, over the operator's own objects.

mod field_mask;
pub(super) mod legacy;
pub(super) mod nearby;

use super::nearby::MAX_WANTS;
use super::nearby_plan::{Limit, NearbyWant};
use super::tagged_category::check_category;
use crate::error::Refusal;
use crate::gateway::Gateway;

/// Largest number of places of an answer, and the default.
const MAX_RESULTS: usize = 20;

/// Returns a want for each type, or one for all types.
fn wants(
    gateway: &Gateway,
    types: &[String],
    radius: f64,
    limit: Limit,
) -> Result<Vec<NearbyWant>, Refusal> {
    if types.len() > MAX_WANTS {
        return Err(Refusal::Question(format!("at most {MAX_WANTS} types are supported")));
    }
    check_types(gateway, types)?;
    let want = |category| NearbyWant { category, radius, limit };
    Ok(match types {
        [] => vec![want(None)],
        types => types.iter().map(|name| want(Some(name.clone()))).collect(),
    })
}

/// Refuses types that are no category.
fn check_types(gateway: &Gateway, types: &[String]) -> Result<(), Refusal> {
    let check =
        |name: &String| check_category(gateway, name, format!("Unsupported types: {name}."));
    types.iter().try_for_each(check)
}
