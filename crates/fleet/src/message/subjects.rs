//! Subjects of the messages.

use cluster::NodeId;

/// Returns the subject of the owner of a shard.
pub fn engine_subject(city: &str, shard: u16) -> String {
    format!("mc.engine.{city}.{shard}")
}

/// Returns the subject of a frontend.
pub fn frontend_subject(frontend: u64) -> String {
    format!("mc.frontend.{}", NodeId(frontend))
}

/// Subject of the signs of life of owners and frontends.
pub const BEATS: &str = "mc.beat.>";

/// Subject of the users who arrive in a city. Engines alone may use it.
pub const CLAIMS: &str = "mc.claim";

/// Returns the subject of the signs of life of an owner.
pub fn owner_beat_subject(city: &str, shard: u16) -> String {
    format!("mc.beat.engine.{city}.{shard}")
}

/// Returns the subject of the signs of life of an engine process.
pub fn engine_beat_subject(engine: u64) -> String {
    format!("mc.beat.process.{}", NodeId(engine))
}

/// Returns the subject on which an engine takes shards over.
pub fn handover_subject(engine: u64) -> String {
    format!("mc.handover.{}", NodeId(engine))
}

/// Returns the subject of the signs of life of a frontend.
pub fn frontend_beat_subject(frontend: u64) -> String {
    format!("mc.beat.frontend.{}", NodeId(frontend))
}
