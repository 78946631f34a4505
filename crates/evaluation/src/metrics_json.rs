//! Metrics of outcomes as JSON fields.

use crate::metrics::Tally;
use crate::reason::Reason;
use serde_json::{Map, Value, json};

/// Returns all metrics that do not depend on a clock as JSON fields (docs/SPEC.md §8).
pub fn metrics_json(tally: &Tally) -> Map<String, Value> {
    let refusals = Reason::ALL.iter().zip(&tally.refusals);
    let refusals: Map<String, Value> =
        refusals.map(|(reason, &count)| (reason.name().to_owned(), count.into())).collect();
    let fields = json!({
        "queries": tally.queries(),
        "succeeded": tally.succeeded,
        "expired": tally.expired,
        "replaced": tally.replaced,
        "present": tally.present,
        "refused": tally.refused(),
        "refusals": refusals,
        "success_rate": tally.success_rate(),
        "printed_success_rate": tally.printed_success_rate.value(),
        "mesh_length": tally.region_metres.value(),
        "mesh_length_per_member": tally.region_metres_per_member.value(),
        "region_area": tally.region_area.value(),
        "max_region_area": tally.max_region_area,
        "relative_k": tally.relative_k.value(),
        "k_by_users": tally.k_by_users.value(),
        "k_by_askers": tally.k_by_askers.value(),
        "relative_dt": tally.relative_dt.value(),
        "mean_delay": tally.delay.value(),
        "served_within_2s": tally.within_two_seconds.value(),
    });
    match fields {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}
