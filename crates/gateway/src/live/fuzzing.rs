//! Entry point of [`crate::fuzzing`]: messages of a WebSocket.

use super::connection::Connection;
use super::messages::ClientMessage;
use crate::fuzzing::FuzzedGateway;

const HELLO: &str = r#"{"type":"hello","person":"jo","ask":{"k":2,"dt":1}}"#;

/// Reads a message of a client: as the first one of a socket, and as a later one.
pub fn socket_message(bytes: &[u8]) -> bool {
    let is_valid = serde_json::from_slice::<ClientMessage>(bytes).is_ok();
    let Ok(text) = str::from_utf8(bytes) else { return is_valid };
    let fuzzed = FuzzedGateway::new();
    drop(Connection::open(&fuzzed.gateway, &fuzzed.account, text));
    if let Ok(connection) = Connection::open(&fuzzed.gateway, &fuzzed.account, HELLO) {
        drop(connection.handle(&fuzzed.account, text));
        fuzzed.run_batches();
    }
    is_valid
}
