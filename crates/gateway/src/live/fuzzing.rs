//! Entry point of [`crate::fuzzing`]: messages of a WebSocket.

use super::messages::ClientMessage;

/// Reads a message of a client.
pub fn socket_message(bytes: &[u8]) -> bool {
    serde_json::from_slice::<ClientMessage>(bytes).is_ok()
}
