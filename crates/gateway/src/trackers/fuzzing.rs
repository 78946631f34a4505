//! Entry points of [`crate::fuzzing`]: reports of each app.

use super::report::{ParsedReport, Tracker, submit_report};
use super::{
    TrackerReport, osmand as osmand_format, owntracks as owntracks_format, time,
    traccar as traccar_format,
};
use crate::fuzzing::FuzzedGateway;
use crate::users::UserProfile;
use std::sync::Arc;

/// Submits a report of a user with settings. Returns whether there is one.
fn submit(report: Option<&TrackerReport>, device: &str) -> bool {
    let Some(report) = report else { return false };
    let fuzzed = FuzzedGateway::new();
    let FuzzedGateway { gateway, account } = &fuzzed;
    let body = serde_json::from_str(r#"{"k":2,"dt":1,"question":{"find":"nearest","count":1}}"#);
    let user = UserProfile::checked(gateway, account, "jo", body.expect("valid settings"));
    let user = &Arc::new(user.expect("settings within the limits"));
    for _ in 0..2 {
        submit_report(gateway, Tracker { account, user, device }, report).ok();
        gateway.clock().advance(1_000);
    }
    fuzzed.run_batches();
    true
}

/// Reads and submits a message of OwnTracks.
pub fn owntracks(bytes: &[u8]) -> bool {
    submit(owntracks_format::parse(bytes).ok().flatten().as_ref(), "")
}

/// Reads and submits the parameters of OsmAnd.
pub fn osmand(bytes: &[u8]) -> bool {
    let parsed = osmand_format::parse(bytes);
    parsed.is_ok_and(|ParsedReport { report, device }| submit(report.as_ref(), &device))
}

/// Reads and submits a message of Traccar Client.
pub fn traccar(bytes: &[u8]) -> bool {
    let parsed = traccar_format::parse(bytes);
    parsed.is_ok_and(|ParsedReport { report, device }| submit(report.as_ref(), &device))
}

/// Reads a time.
pub fn timestamp(bytes: &[u8]) -> bool {
    time::parse(&String::from_utf8_lossy(bytes)).is_some()
}
