//! Serde of a byte string as one run. The default for `Vec<u8>` visits every byte as an element of a
//! sequence; the encoded form is the same.

use serde::de::{Error, Visitor};
use serde::{Deserializer, Serializer};
use std::fmt;

/// Encodes bytes.
pub fn serialize<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_bytes(bytes)
}

/// Decodes bytes.
pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
    deserializer.deserialize_byte_buf(ByteVisitor)
}

struct ByteVisitor;

impl Visitor<'_> for ByteVisitor {
    type Value = Vec<u8>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("bytes")
    }

    fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Vec<u8>, E> {
        Ok(bytes.to_vec())
    }
}

#[cfg(test)]
mod tests {
    use crate::message::{decode, encode};
    use serde::{Deserialize, Serialize};

    #[derive(Serialize, Deserialize)]
    struct Run(#[serde(with = "super")] Vec<u8>);

    #[test]
    fn a_run_has_the_form_of_a_sequence_and_bounded_length() {
        for length in [0, 1, 127, 128, 70_000] {
            let bytes: Vec<u8> = (0..length).map(|number: u32| number as u8).collect();
            let encoded = encode(&Run(bytes.clone()));
            assert_eq!(encoded, encode(&bytes));
            assert_eq!(decode::<Run>(&encoded).unwrap().0, bytes);
            assert!(length == 0 || decode::<Run>(&encoded[..encoded.len() - 1]).is_err());
        }
    }
}
