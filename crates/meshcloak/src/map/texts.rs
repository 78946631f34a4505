//! Lists of short texts in one string: ids, names, classes. No allocation per text.

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;
use std::hash::BuildHasher;

/// A list of texts, concatenated in one string.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Texts {
    ends: Vec<u32>,
    bytes: String,
}

impl Texts {
    /// Restores a list from the end offsets and the concatenated texts.
    ///
    /// `None` if the offsets are not ascending, do not cover the bytes, or split a character.
    pub fn from_parts(ends: Vec<u32>, bytes: String) -> Option<Texts> {
        let forward = ends.windows(2).all(|pair| pair[0] <= pair[1]);
        let covers = ends.last().map_or(0, |&end| end as usize) == bytes.len();
        let whole =
            forward && covers && ends.iter().all(|&end| bytes.is_char_boundary(end as usize));
        whole.then_some(Texts { ends, bytes })
    }

    /// Returns the end offset of each text in [`Texts::bytes`].
    pub fn ends(&self) -> &[u32] {
        &self.ends
    }

    /// Returns all texts, concatenated.
    pub fn bytes(&self) -> &str {
        &self.bytes
    }

    /// Returns the number of texts.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns whether the list is empty.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Returns the text at `index`.
    pub fn get(&self, index: usize) -> &str {
        let start = if index == 0 { 0 } else { self.ends[index - 1] as usize };
        &self.bytes[start..self.ends[index] as usize]
    }

    /// Iterates over all texts.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        (0..self.len()).map(|index| self.get(index))
    }

    /// Returns whether `text` can be added within the limit of 4 GiB.
    pub(super) fn has_capacity_for(&self, text: &str) -> bool {
        u32::try_from(self.bytes.len() + text.len()).is_ok()
    }

    /// Appends a text.
    ///
    /// # Panics
    /// If the total size exceeds 4 GiB.
    pub fn push(&mut self, text: &str) {
        self.bytes.push_str(text);
        self.ends.push(u32::try_from(self.bytes.len()).expect("texts of a map stay below 4 GiB"));
    }
}

impl<'a> FromIterator<&'a str> for Texts {
    fn from_iter<I: IntoIterator<Item = &'a str>>(texts: I) -> Texts {
        let mut list = Texts::default();
        for text in texts {
            list.push(text);
        }
        list
    }
}

/// A list of distinct texts with a hash index.
#[derive(Clone, Debug, Default)]
pub(super) struct DistinctTexts {
    texts: Texts,
    rows: HashTable<u32>,
}

impl DistinctTexts {
    /// Returns a list whose row 0 is the empty text.
    pub(super) fn with_empty() -> DistinctTexts {
        let mut texts = DistinctTexts::default();
        texts.row_of("");
        texts
    }

    /// Returns the row of `text`, if it exists.
    pub(super) fn find(&self, text: &str) -> Option<u32> {
        self.rows.find(hash(text), |&row| self.texts.get(row as usize) == text).copied()
    }

    /// Returns the row of `text`; adds it if necessary.
    pub(super) fn row_of(&mut self, text: &str) -> u32 {
        self.find(text).unwrap_or_else(|| self.append(text))
    }

    /// Adds `text` as a new row; `None` if it exists.
    pub(super) fn add(&mut self, text: &str) -> Option<u32> {
        self.find(text).is_none().then(|| self.append(text))
    }

    /// Returns whether `text` can be added.
    pub(super) fn has_capacity_for(&self, text: &str) -> bool {
        self.texts.has_capacity_for(text)
    }

    pub(super) fn into_texts(self) -> Texts {
        self.texts
    }

    fn append(&mut self, text: &str) -> u32 {
        let row = self.texts.len() as u32;
        self.texts.push(text);
        let texts = &self.texts;
        self.rows.insert_unique(hash(text), row, |&row| hash(texts.get(row as usize)));
        row
    }
}

impl<'a> FromIterator<&'a str> for DistinctTexts {
    fn from_iter<I: IntoIterator<Item = &'a str>>(texts: I) -> DistinctTexts {
        let mut distinct = DistinctTexts::default();
        for text in texts {
            distinct.append(text);
        }
        distinct
    }
}

fn hash(text: &str) -> u64 {
    FxBuildHasher.hash_one(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_round_trip() {
        let texts: Texts = ["", "Gräberstraße", "", "7.2"].into_iter().collect();
        assert_eq!(texts.iter().collect::<Vec<_>>(), ["", "Gräberstraße", "", "7.2"]);
        let again = Texts::from_parts(texts.ends().to_vec(), texts.bytes().to_owned());
        assert_eq!(again, Some(texts));
    }

    #[test]
    fn inconsistent_parts_are_rejected() {
        assert_eq!(Texts::from_parts(vec![2, 1], "ab".into()), None);
        assert_eq!(Texts::from_parts(vec![1], "ab".into()), None);
        assert_eq!(Texts::from_parts(vec![9], "ab".into()), None);
        assert_eq!(Texts::from_parts(vec![1, 2], "ä".into()), None);
        assert_eq!(Texts::from_parts(vec![], "a".into()), None);
    }

    #[test]
    fn each_distinct_text_has_one_row() {
        let mut texts = DistinctTexts::with_empty();
        let rows: Vec<u32> = ["a", "", "b", "a"].iter().map(|text| texts.row_of(text)).collect();
        assert_eq!(rows, [1, 0, 2, 1]);
        assert_eq!(texts.add("b"), None);
        assert_eq!(texts.add("c"), Some(3));
        assert_eq!(texts.find("d"), None);
        assert_eq!(texts.into_texts().iter().collect::<Vec<_>>(), ["", "a", "b", "c"]);
    }
}
