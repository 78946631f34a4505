//! The protobuf wire format: fields of a message, one after another, borrowed from its bytes.
//!
//! Every length is checked against the bytes that are there before anything is done with it, and
//! nothing is copied or reserved. What the fields mean is left to others.

/// What contradicts the format.
pub(super) type Malformed = &'static str;

/// What a field holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Value<'a> {
    /// A number, before it is decided whether it is signed.
    Number(u64),
    /// Bytes: a text, a message, or many numbers.
    Bytes(&'a [u8]),
    /// Four or eight bytes, which OSM never uses.
    Fixed,
}

/// The fields of a message in the order written; nothing follows an error.
#[derive(Clone, Debug)]
pub(super) struct Fields<'a> {
    rest: &'a [u8],
}

impl<'a> Fields<'a> {
    pub(super) fn of(message: &'a [u8]) -> Fields<'a> {
        Fields { rest: message }
    }

    fn field(&mut self) -> Result<(u64, Value<'a>), Malformed> {
        let tag = number(&mut self.rest)?;
        let value = match tag & 7 {
            0 => Value::Number(number(&mut self.rest)?),
            1 => self.take(8).map(|_| Value::Fixed)?,
            2 => {
                let length = number(&mut self.rest)?;
                Value::Bytes(self.take(length)?)
            }
            5 => self.take(4).map(|_| Value::Fixed)?,
            _ => return Err("a field of a kind that does not exist"),
        };
        Ok((tag >> 3, value))
    }

    fn take(&mut self, length: u64) -> Result<&'a [u8], Malformed> {
        let length = usize::try_from(length).ok().filter(|&length| length <= self.rest.len());
        let (taken, rest) = self.rest.split_at(length.ok_or("a field runs past its message")?);
        self.rest = rest;
        Ok(taken)
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = Result<(u64, Value<'a>), Malformed>;

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

/// Takes a number of one to ten bytes from the front.
fn number(bytes: &mut &[u8]) -> Result<u64, Malformed> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = bytes.split_first().ok_or("a number runs past its message")?;
        *bytes = rest;
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Ok(value);
        }
    }
    Err("a number of more than ten bytes")
}

/// Appends the numbers of a repeated field, which may be packed or come one by one.
pub(super) fn append<T>(
    value: Value,
    into: &mut Vec<T>,
    meaning: impl Fn(u64) -> T,
) -> Result<(), Malformed> {
    match value {
        Value::Number(value) => into.push(meaning(value)),
        Value::Bytes(mut bytes) => {
            while !bytes.is_empty() {
                into.push(meaning(number(&mut bytes)?));
            }
        }
        Value::Fixed => return Err("a list of numbers of the wrong kind"),
    }
    Ok(())
}

/// The signed number that a `sint` field holds.
pub(super) fn signed(value: u64) -> i64 {
    (value >> 1) as i64 ^ -((value & 1) as i64)
}

/// Turns differences into the numbers they were taken from; wraps around as writers do.
pub(super) fn add_up(differences: &mut [i64]) {
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
    fn fields_come_in_order_with_their_values() {
        let message = [0x08, 0xac, 0x02, 0x12, 0x02, b'h', b'i', 0x1d, 1, 2, 3, 4];
        let fields: Result<Vec<_>, _> = Fields::of(&message).collect();
        let expected = vec![(1, Value::Number(300)), (2, Value::Bytes(b"hi")), (3, Value::Fixed)];
        assert_eq!(fields, Ok(expected));
    }

    #[test]
    fn a_length_beyond_the_message_is_an_error_and_ends_it() {
        // Field 2 claims 3 GB.
        let message = [0x12, 0x80, 0x80, 0x80, 0x80, 0x0c, b'h'];
        let mut fields = Fields::of(&message);
        assert_eq!(fields.next(), Some(Err("a field runs past its message")));
        assert_eq!(fields.next(), None);
    }

    #[test]
    fn numbers_that_never_end_are_errors() {
        for message in [&[0x80_u8; 11][..], &[0x80; 3], &[0x08], &[0x0b, 0]] {
            assert!(Fields::of(message).next().is_some_and(|field| field.is_err()), "{message:?}");
        }
    }

    #[test]
    fn signed_numbers_zigzag() {
        assert_eq!([0, 1, 2, 3].map(signed), [0, -1, 1, -2]);
        assert_eq!(signed(u64::MAX), i64::MIN);
        let mut values = [5, -2, i64::MAX, 10];
        add_up(&mut values);
        assert_eq!(values[..2], [5, 3]);
    }

    #[test]
    fn a_list_may_be_packed_or_not() {
        let mut list = Vec::new();
        append(Value::Bytes(&[1, 2]), &mut list, signed).unwrap();
        append(Value::Number(4), &mut list, signed).unwrap();
        assert_eq!(list, [-1, 1, 2]);
        assert!(append(Value::Bytes(&[0x80]), &mut list, signed).is_err());
        assert!(append(Value::Fixed, &mut list, signed).is_err());
    }
}
