//! Places nearby as in Google's API, over the operator's own objects.

mod field_mask;
pub(super) mod legacy;
pub(super) mod nearby;

use super::nearby::MAX_WANTS;
use super::nearby_plan::{Limit, NearbyWant};
use crate::gateway::Gateway;

/// Largest number of places of an answer, and the default.
const MAX_RESULTS: usize = 20;

/// Returns a want for each type, or one for all types.
fn wants(
    gateway: &Gateway,
    types: &[String],
    radius: f64,
    limit: Limit,
) -> Result<Vec<NearbyWant>, String> {
    if types.len() > MAX_WANTS {
        return Err(format!("at most {MAX_WANTS} types are supported"));
    }
    let unknown = |name: &&String| gateway.cities().category(name).is_err();
    if let Some(name) = types.iter().find(unknown) {
        return Err(format!("Unsupported types: {name}."));
    }
    let want = |category| NearbyWant { category, radius, limit };
    Ok(match types {
        [] => vec![want(None)],
        types => types.iter().map(|name| want(Some(name.clone()))).collect(),
    })
}
