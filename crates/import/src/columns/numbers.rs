//! Numeric and boolean columns of any Arrow type that holds such values.

use super::texts::TextColumn;
use crate::csv_map::table::parse_boolean;
use arrow_array::cast::AsArray as _;
use arrow_array::types::{
    Decimal128Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type,
    UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, ArrowPrimitiveType, PrimitiveArray};
use arrow_schema::DataType;

/// Returns the numbers of an array; `None` if its type does not hold numbers.
pub(crate) fn numbers(array: &ArrayRef) -> Option<Vec<Option<f64>>> {
    Some(match array.data_type() {
        DataType::Float64 => array.as_primitive::<Float64Type>().iter().collect(),
        DataType::Float32 => values(array.as_primitive::<Float32Type>(), f64::from),
        DataType::Decimal128(_, scale) => {
            let unit = 10_f64.powi(i32::from(*scale));
            values(array.as_primitive::<Decimal128Type>(), |value| value as f64 / unit)
        }
        DataType::Null => vec![None; array.len()],
        _ => {
            let whole = whole_numbers(array)?;
            whole.into_iter().map(|number| number.map(|number| number as f64)).collect()
        }
    })
}

/// Returns the integers of an array; `None` if its type does not hold integers.
pub(super) fn whole_numbers(array: &dyn Array) -> Option<Vec<Option<i128>>> {
    Some(match array.data_type() {
        DataType::Int8 => values(array.as_primitive::<Int8Type>(), i128::from),
        DataType::Int16 => values(array.as_primitive::<Int16Type>(), i128::from),
        DataType::Int32 => values(array.as_primitive::<Int32Type>(), i128::from),
        DataType::Int64 => values(array.as_primitive::<Int64Type>(), i128::from),
        DataType::UInt8 => values(array.as_primitive::<UInt8Type>(), i128::from),
        DataType::UInt16 => values(array.as_primitive::<UInt16Type>(), i128::from),
        DataType::UInt32 => values(array.as_primitive::<UInt32Type>(), i128::from),
        DataType::UInt64 => values(array.as_primitive::<UInt64Type>(), i128::from),
        _ => return None,
    })
}

/// Returns the booleans of an array: a value that is neither true nor false is returned as text.
/// `None` if the type does not hold booleans, integers or text.
pub(crate) fn booleans(array: &ArrayRef) -> Option<Vec<Option<Result<bool, String>>>> {
    if let Some(booleans) = array.as_boolean_opt() {
        return Some(booleans.iter().map(|value| value.map(Ok)).collect());
    }
    let texts = TextColumn::of(array)?;
    let parse = |text: String| parse_boolean(text.as_bytes()).ok_or(text);
    Some((0..array.len()).map(|row| texts.get(row).map(parse)).collect())
}

fn values<T: ArrowPrimitiveType, N>(
    array: &PrimitiveArray<T>,
    convert: impl Fn(T::Native) -> N,
) -> Vec<Option<N>> {
    array.iter().map(|value| value.map(&convert)).collect()
}
