//! Brinkhoff maps, binary and text.
