//! Fixed-size little-endian records of points, streets, points of interest and frames.

use crate::error::Problem;
use meshcloak::map::{Frame, Poi, Position, Street, StreetId, TerminalId};
use meshcloak::units::{Length, LonLat, Point};

pub(super) fn point_record(point: &Point) -> [u8; 16] {
    let mut record = [0; 16];
    record[..8].copy_from_slice(&point.x.to_le_bytes());
    record[8..].copy_from_slice(&point.y.to_le_bytes());
    record
}

#[inline]
pub(super) fn point_of(record: [u8; 16]) -> Point {
    let both = u128::from_le_bytes(record);
    Point::new(f64::from_bits(both as u64), f64::from_bits((both >> 64) as u64))
}

pub(super) fn street_record(street: &Street) -> [u8; 20] {
    let flags = u32::from(street.class) | u32::from(street.one_way) << 16;
    let numbers = [street.from.0, street.to.0, street.length.units(), street.name, flags];
    let mut record = [0; 20];
    fill(&mut record, &numbers);
    record
}

#[inline]
pub(super) fn street_of(record: [u8; 20]) -> Street {
    let [from, to, length, name, flags] = numbers_of(&record);
    Street {
        from: TerminalId(from),
        to: TerminalId(to),
        length: Length::from_units(length),
        name,
        class: flags as u16,
        one_way: flags >> 16 != 0,
    }
}

pub(super) fn poi_record(poi: &Poi) -> [u8; 32] {
    let Position { street, offset } = poi.position;
    let mut record = [0; 32];
    record[..16].copy_from_slice(&point_record(&poi.point));
    fill(&mut record[16..], &[street.0, offset.units(), poi.name, u32::from(poi.category)]);
    record
}

pub(super) fn poi_of(record: [u8; 32]) -> Poi {
    let [x_low, x_high, y_low, y_high, street, offset, name, category] = numbers_of(&record);
    let float = |low: u32, high: u32| f64::from_bits(u64::from(low) | u64::from(high) << 32);
    let point = Point::new(float(x_low, x_high), float(y_low, y_high));
    let position = Position { street: StreetId(street), offset: Length::from_units(offset) };
    Poi { point, position, name, category: category as u16 }
}

pub(super) fn frame_numbers(frame: Option<&Frame>) -> Vec<f64> {
    let numbers = |frame: &Frame| {
        let LonLat { lon, lat } = frame.origin();
        [lon, lat].into_iter().chain(frame.affine()).collect()
    };
    frame.map_or_else(Vec::new, numbers)
}

pub(super) fn frame_of(numbers: &[f64]) -> Result<Option<Frame>, Problem> {
    match *numbers {
        [] => Ok(None),
        [lon, lat, a, b, c, d, e, f] => Frame::from_parts(LonLat { lon, lat }, [a, b, c, d, e, f])
            .map(Some)
            .ok_or_else(|| Problem::Damaged("the geographic frame is invalid".into())),
        _ => Err(Problem::Damaged("the geographic frame is incomplete".into())),
    }
}

fn fill(record: &mut [u8], numbers: &[u32]) {
    for (bytes, number) in record.as_chunks_mut::<4>().0.iter_mut().zip(numbers) {
        *bytes = number.to_le_bytes();
    }
}

/// Returns the first `N` numbers of a record.
#[inline]
fn numbers_of<const N: usize>(record: &[u8]) -> [u32; N] {
    let mut numbers = [0; N];
    for (number, bytes) in numbers.iter_mut().zip(record.as_chunks().0) {
        *number = u32::from_le_bytes(*bytes);
    }
    numbers
}
