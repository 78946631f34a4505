//! Decoder of the protobuf wire format: iterates over the fields of a message without copying.
//!
//! Every length is checked against the available bytes before use; nothing is allocated.

/// Description of a format violation.
pub(super) type Malformed = &'static str;

/// FieldValue of a field.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum FieldValue<'a> {
    /// A varint; signedness depends on the field.
    Number(u64),
    /// Length-delimited: a string, a message, or packed numbers.
    Bytes(&'a [u8]),
    /// A fixed-size value of four or eight bytes; not used by OSM.
    Fixed,
}

/// Iterator over the fields of a message; ends after an error.
#[derive(Clone, Debug)]
pub(super) struct Fields<'a> {
    rest: &'a [u8],
}

impl<'a> Fields<'a> {
    pub(super) fn of(message: &'a [u8]) -> Fields<'a> {
        Fields { rest: message }
    }

    fn field(&mut self) -> Result<(u64, FieldValue<'a>), Malformed> {
        let tag = number(&mut self.rest)?;
        let value = match tag & 7 {
            0 => FieldValue::Number(number(&mut self.rest)?),
            1 => self.take(8).map(|_| FieldValue::Fixed)?,
            2 => {
                let length = number(&mut self.rest)?;
                FieldValue::Bytes(self.take(length)?)
            }
            5 => self.take(4).map(|_| FieldValue::Fixed)?,
            _ => return Err("a field has an unknown wire type"),
        };
        Ok((tag >> 3, value))
    }

    fn take(&mut self, length: u64) -> Result<&'a [u8], Malformed> {
        let parts =
            usize::try_from(length).ok().and_then(|length| self.rest.split_at_checked(length));
        let (taken, rest) = parts.ok_or("a field exceeds its message")?;
        self.rest = rest;
        Ok(taken)
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = Result<(u64, FieldValue<'a>), Malformed>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let field = self.field();
        if field.is_err() {
            self.rest = &[];
        }
        Some(field)
    }
}

/// Consumes a varint of one to ten bytes.
fn number(bytes: &mut &[u8]) -> Result<u64, Malformed> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = bytes.split_first().ok_or("a number exceeds its message")?;
        *bytes = rest;
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Ok(value);
        }
    }
    Err("a number has more than ten bytes")
}

/// Appends the numbers of a repeated field, packed or not, converted by `decode`.
pub(super) fn append<T>(
    value: FieldValue,
    into: &mut Vec<T>,
    decode: impl Fn(u64) -> T,
) -> Result<(), Malformed> {
    match value {
        FieldValue::Number(value) => into.push(decode(value)),
        FieldValue::Bytes(mut bytes) => {
            while !bytes.is_empty() {
                into.push(decode(number(&mut bytes)?));
            }
        }
        FieldValue::Fixed => return Err("a list of numbers has the wrong wire type"),
    }
    Ok(())
}

/// Decodes the ZigZag number of a `sint` field.
pub(super) fn signed(value: u64) -> i64 {
    (value >> 1) as i64 ^ ((value & 1) as i64).wrapping_neg()
}

/// Delta decoding in place: prefix sums with wrap-around.
pub(super) fn undo_deltas(differences: &mut [i64]) {
    let mut sum = 0_i64;
    for value in differences {
        sum = sum.wrapping_add(*value);
        *value = sum;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_decoded_in_order() {
        let message = [0x08, 0xac, 0x02, 0x12, 0x02, b'h', b'i', 0x1d, 1, 2, 3, 4];
        let fields: Result<Vec<_>, _> = Fields::of(&message).collect();
        let expected = vec![
            (1, FieldValue::Number(300)),
            (2, FieldValue::Bytes(b"hi")),
            (3, FieldValue::Fixed),
        ];
        assert_eq!(fields, Ok(expected));
    }

    #[test]
    fn a_length_beyond_the_message_is_an_error_and_ends_the_iteration() {
        // Field 2 has a length of 3 GB.
        let message = [0x12, 0x80, 0x80, 0x80, 0x80, 0x0c, b'h'];
        let mut fields = Fields::of(&message);
        assert_eq!(fields.next(), Some(Err("a field exceeds its message")));
        assert_eq!(fields.next(), None);
    }

    #[test]
    fn unterminated_numbers_are_errors() {
        for message in [&[0x80_u8; 11][..], &[0x80; 3], &[0x08], &[0x0b, 0]] {
            assert!(Fields::of(message).next().is_some_and(|field| field.is_err()), "{message:?}");
        }
    }

    #[test]
    fn signed_numbers_are_zigzag_encoded() {
        assert_eq!([0, 1, 2, 3].map(signed), [0, -1, 1, -2]);
        assert_eq!(signed(u64::MAX), i64::MIN);
        let mut values = [5, -2, i64::MAX, 10];
        undo_deltas(&mut values);
        assert_eq!(values[..2], [5, 3]);
    }

    #[test]
    fn a_list_may_be_packed_or_not() {
        let mut list = Vec::new();
        append(FieldValue::Bytes(&[1, 2]), &mut list, signed).unwrap();
        append(FieldValue::Number(4), &mut list, signed).unwrap();
        assert_eq!(list, [-1, 1, 2]);
        assert!(append(FieldValue::Bytes(&[0x80]), &mut list, signed).is_err());
        assert!(append(FieldValue::Fixed, &mut list, signed).is_err());
    }
}
