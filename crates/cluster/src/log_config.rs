//! Settings of the stream that holds a log.

use crate::error::ClusterError;
use crate::log::LogSettings;
use crate::names::City;
use async_nats::jetstream::stream::{Config, DiscardPolicy, Republish, StorageType};
use std::time::Duration;

/// Returns the settings of the stream of a city.
pub(crate) fn config(city: &City, settings: &LogSettings) -> Config {
    Config {
        name: city.stream(),
        subjects: vec![city.records()],
        storage: StorageType::Memory,
        num_replicas: settings.replicas,
        max_age: settings.max_age,
        max_bytes: -1,
        max_messages: -1,
        max_messages_per_subject: -1,
        max_consumers: -1,
        // Only age removes records. A full server refuses appends.
        discard: DiscardPolicy::New,
        deny_delete: true,
        deny_purge: true,
        allow_message_ttl: true,
        // No record has an id; the server's shortest window.
        duplicate_window: Duration::from_millis(100),
        republish: Some(Republish {
            source: city.records(),
            destination: city.news().replace('*', "{{wildcard(1)}}"),
            headers_only: true,
        }),
        description: Some("MeshCloak: past of a city, in memory only".into()),
        ..Config::default()
    }
}

/// Checks the settings on which safety rests.
pub(crate) fn check(wanted: &Config, found: &Config) -> Result<(), ClusterError> {
    let seconds = |config: &Config| format!("{} s", config.max_age.as_secs_f64());
    let text = |value: &dyn std::fmt::Debug| format!("{value:?}").to_lowercase();
    let limits = |config: &Config| {
        [config.max_bytes, config.max_messages, config.max_messages_per_subject]
            .map(|limit| limit.max(-1))
    };
    let is_unlimited = limits(found).iter().all(|&limit| limit <= 0);
    let rows: [(&'static str, bool, String, String); 7] = [
        ("storage", found.storage == wanted.storage, text(&found.storage), text(&wanted.storage)),
        (
            "num_replicas",
            found.num_replicas == wanted.num_replicas,
            text(&found.num_replicas),
            text(&wanted.num_replicas),
        ),
        // Shorter forgets within the horizon; longer keeps positions beyond it.
        ("max_age", found.max_age == wanted.max_age, seconds(found), seconds(wanted)),
        (
            "subjects",
            found.subjects == wanted.subjects,
            text(&found.subjects),
            text(&wanted.subjects),
        ),
        ("limits", is_unlimited, text(&limits(found)), "unlimited".into()),
        (
            "deny_purge",
            found.deny_purge && found.deny_delete,
            "false".into(),
            "true, as deny_delete".into(),
        ),
        ("allow_msg_ttl", found.allow_message_ttl, "false".into(), "true".into()),
    ];
    let stream = &found.name;
    match rows.into_iter().find(|row| !row.1) {
        Some((field, _, found, expected)) => {
            Err(ClusterError::StreamSettings { stream: stream.clone(), field, found, expected })
        }
        None => Ok(()),
    }
}
