//! Text columns of any Arrow type that holds text, and whole numbers as text (ids).

use super::numbers::whole_numbers;
use arrow_array::cast::AsArray as _;
use arrow_array::{Array, ArrayRef, LargeStringArray, StringArray, StringViewArray};
use arrow_schema::DataType;

/// A column of optional texts.
#[derive(Debug)]
pub(crate) enum TextColumn {
    Short(StringArray),
    Long(LargeStringArray),
    View(StringViewArray),
    /// Index of the text of each row in `texts`.
    Dictionary {
        keys: Vec<Option<usize>>,
        texts: Box<TextColumn>,
    },
    Whole(Vec<Option<i128>>),
    Absent,
}

impl TextColumn {
    /// Returns the texts of an array; `None` if its type does not hold text.
    pub(crate) fn of(array: &ArrayRef) -> Option<TextColumn> {
        Some(match array.data_type() {
            DataType::Utf8 => TextColumn::Short(array.as_string::<i32>().clone()),
            DataType::LargeUtf8 => TextColumn::Long(array.as_string::<i64>().clone()),
            DataType::Utf8View => TextColumn::View(array.as_string_view().clone()),
            DataType::Null => TextColumn::Absent,
            DataType::Dictionary(_, _) => {
                let dictionary = array.as_any_dictionary_opt()?;
                let texts = Box::new(TextColumn::of(dictionary.values())?);
                let keys = whole_numbers(dictionary.keys())?;
                let index = |key: Option<i128>| usize::try_from(key?).ok();
                TextColumn::Dictionary { keys: keys.into_iter().map(index).collect(), texts }
            }
            _ => TextColumn::Whole(whole_numbers(array)?),
        })
    }

    /// Returns the text of a row; `None` if it is null or empty.
    pub(crate) fn get(&self, row: usize) -> Option<String> {
        let text = match self {
            TextColumn::Short(array) => array.is_valid(row).then(|| array.value(row).to_owned()),
            TextColumn::Long(array) => array.is_valid(row).then(|| array.value(row).to_owned()),
            TextColumn::View(array) => array.is_valid(row).then(|| array.value(row).to_owned()),
            TextColumn::Dictionary { keys, texts } => {
                let key = keys.get(row).copied().flatten()?;
                (key < texts.len()).then(|| texts.get(key)).flatten()
            }
            TextColumn::Whole(numbers) => {
                numbers.get(row).copied().flatten().map(|number| number.to_string())
            }
            TextColumn::Absent => None,
        };
        text.filter(|text| !text.is_empty())
    }

    fn len(&self) -> usize {
        match self {
            TextColumn::Short(array) => array.len(),
            TextColumn::Long(array) => array.len(),
            TextColumn::View(array) => array.len(),
            TextColumn::Dictionary { keys, .. } => keys.len(),
            TextColumn::Whole(numbers) => numbers.len(),
            TextColumn::Absent => 0,
        }
    }
}
