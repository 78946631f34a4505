//! Decoder of vector tiles for tests, independent of the encoder.

use super::encode::{TilePoint, Value};

#[derive(Debug, PartialEq)]
pub enum DecodedGeometry {
    Point(TilePoint),
    Lines(Vec<Vec<TilePoint>>),
}

#[derive(Debug)]
pub struct DecodedFeature {
    pub id: Option<u64>,
    pub tags: Vec<(String, Value)>,
    pub geometry: DecodedGeometry,
}

#[derive(Debug)]
pub struct DecodedLayer {
    pub name: String,
    pub extent: u64,
    pub features: Vec<DecodedFeature>,
}

/// A field of a message: field number, and either a varint or bytes.
type Field<'a> = (u64, u64, &'a [u8]);

fn varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(value);
        }
    }
    None
}

fn fields(mut bytes: &[u8]) -> Option<Vec<Field<'_>>> {
    let mut fields = Vec::new();
    while !bytes.is_empty() {
        let key = varint(&mut bytes)?;
        let value = varint(&mut bytes)?;
        let run =
            if key & 7 == 2 { bytes.split_at_checked(value as usize)? } else { (&[][..], bytes) };
        bytes = run.1;
        fields.push((key >> 3, value, run.0));
    }
    Some(fields)
}

fn numbers(mut bytes: &[u8]) -> Option<Vec<u64>> {
    let mut numbers = Vec::new();
    while !bytes.is_empty() {
        numbers.push(varint(&mut bytes)?);
    }
    Some(numbers)
}

fn text(bytes: &[u8]) -> Option<String> {
    String::from_utf8(bytes.to_vec()).ok()
}

pub fn decode(tile: &[u8]) -> Option<Vec<DecodedLayer>> {
    fields(tile)?.into_iter().map(|(_, _, bytes)| layer(bytes)).collect()
}

fn layer(bytes: &[u8]) -> Option<DecodedLayer> {
    let fields = fields(bytes)?;
    let of = |number| fields.iter().filter(move |field| field.0 == number);
    let keys: Vec<String> = of(3).map(|field| text(field.2)).collect::<Option<_>>()?;
    let values: Vec<Value> = of(4).map(|field| value(field.2)).collect::<Option<_>>()?;
    let name = text(of(1).next()?.2)?;
    let features = of(2).map(|field| feature(field.2, &keys, &values)).collect::<Option<_>>()?;
    Some(DecodedLayer { name, extent: of(5).next()?.1, features })
}

fn value(bytes: &[u8]) -> Option<Value> {
    let (field, number, run) = *fields(bytes)?.first()?;
    Some(match field {
        1 => Value::Text(text(run)?),
        5 => Value::Number(number),
        _ => Value::Bool(number == 1),
    })
}

fn feature(bytes: &[u8], keys: &[String], values: &[Value]) -> Option<DecodedFeature> {
    let fields = fields(bytes)?;
    let of = |number| fields.iter().find(move |field| field.0 == number);
    let tags = numbers(of(2)?.2)?
        .chunks(2)
        .map(|pair| {
            Some((keys.get(pair[0] as usize)?.clone(), values.get(pair[1] as usize)?.clone()))
        })
        .collect::<Option<_>>()?;
    let lines = lines(&numbers(of(4)?.2)?);
    let geometry = match of(3)?.1 {
        1 => DecodedGeometry::Point(lines[0][0]),
        _ => DecodedGeometry::Lines(lines),
    };
    Some(DecodedFeature { id: of(1).map(|field| field.1), tags, geometry })
}

fn lines(commands: &[u64]) -> Vec<Vec<TilePoint>> {
    let (mut lines, mut at, mut next) = (Vec::new(), (0, 0), 0);
    let signed = |value: u64| (value >> 1) as i32 ^ -((value & 1) as i32);
    while next < commands.len() {
        let (command, count) = (commands[next] & 7, commands[next] >> 3);
        next += 1;
        for _ in 0..count {
            at = (at.0 + signed(commands[next]), at.1 + signed(commands[next + 1]));
            next += 2;
            if command == 1 {
                lines.push(Vec::new());
            }
            lines.last_mut().expect("a line begins with a move").push(at);
        }
    }
    lines
}
