//! Entry points of the fuzz targets and the mutation tests: any bytes in, no panic, bounded output.
//! Each returns whether the bytes are valid. Input of clients goes on to a gateway: what is accepted
//! waits for a batch, and the batch runs.

mod fuzzed_gateway;
#[cfg(test)]
mod tests;

pub use crate::compatible::fuzzing::overpass_query;
pub use crate::live::fuzzing::socket_message;
pub use crate::service::fuzzing::{feature_collection, overpass_answer, text_list};
pub use crate::trackers::fuzzing::{osmand, owntracks, timestamp, traccar};
pub(crate) use fuzzed_gateway::FuzzedGateway;

use crate::api::QueryRequest;
use crate::config::{Config, Source, Sources};
use crate::intake::parse_query;
use crate::service::RemoteSettings;
use crate::submit::submit;
use crate::tickets::Route;
use crate::users::{SettingsBody, UserProfile};

/// Reads one line of a stream, which is also the body of a query, and submits it.
pub fn stream_line(bytes: &[u8]) -> bool {
    let is_valid = serde_json::from_slice::<QueryRequest<'_>>(bytes).is_ok();
    let fuzzed = FuzzedGateway::new();
    if let Ok(query) = parse_query(&fuzzed.gateway, &fuzzed.account, bytes) {
        let route = || Route::One(tokio::sync::oneshot::channel().0);
        submit(&fuzzed.gateway, &fuzzed.account, [query], route, |_, _| ());
        fuzzed.run_batches();
    }
    is_valid
}

/// Reads the settings of the gateway.
pub fn settings(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    Config::load(&Sources::new().file(Source::from_text("fuzz.toml", &text))).is_ok()
}

/// Reads the settings of a remote service.
pub fn service_settings(bytes: &[u8]) -> bool {
    RemoteSettings::of_toml(&String::from_utf8_lossy(bytes)).is_ok()
}

/// Reads the settings of a user and checks them, zones included.
pub fn user_settings(bytes: &[u8]) -> bool {
    let Ok(body) = serde_json::from_slice::<SettingsBody>(bytes) else { return false };
    let FuzzedGateway { gateway, account } = FuzzedGateway::new();
    drop(UserProfile::checked(&gateway, &account, "jo", body));
    true
}
