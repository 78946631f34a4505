//! Many short texts in one string: ids, names, classes. No allocation per text.

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;
use std::hash::BuildHasher;

/// A list of texts stored back to back.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Texts {
    ends: Vec<u32>,
    bytes: String,
}

impl Texts {
    /// A list read back from its parts: where each text ends, and all of them joined.
    ///
    /// `None` if the ends run backwards, do not cover the bytes, or cut a character.
    pub fn from_parts(ends: Vec<u32>, bytes: String) -> Option<Texts> {
        let forward = ends.windows(2).all(|pair| pair[0] <= pair[1]);
        let covers = ends.last().map_or(0, |&end| end as usize) == bytes.len();
        let whole =
            forward && covers && ends.iter().all(|&end| bytes.is_char_boundary(end as usize));
        whole.then_some(Texts { ends, bytes })
    }

    /// Where each text ends in [`Texts::bytes`].
    pub fn ends(&self) -> &[u32] {
        &self.ends
    }

    /// All texts joined.
    pub fn bytes(&self) -> &str {
        &self.bytes
    }

    /// How many texts there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is no text.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The text at `index`.
    pub fn get(&self, index: usize) -> &str {
        let start = if index == 0 { 0 } else { self.ends[index - 1] as usize };
        &self.bytes[start..self.ends[index] as usize]
    }

    /// All texts in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        (0..self.len()).map(|index| self.get(index))
    }

    /// Whether `text` can still be added: all texts together stay below 4 GiB.
    pub(super) fn has_room_for(&self, text: &str) -> bool {
        u32::try_from(self.bytes.len() + text.len()).is_ok()
    }

    /// Adds a text at the end.
    ///
    /// # Panics
    /// If all texts together pass 4 GiB.
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

/// Texts of which no two are equal, each found again by its hash.
#[derive(Clone, Debug, Default)]
pub(super) struct DistinctTexts {
    texts: Texts,
    rows: HashTable<u32>,
}

impl DistinctTexts {
    /// A table whose row 0 is the empty text, that is, none.
    pub(super) fn with_none() -> DistinctTexts {
        let mut texts = DistinctTexts::default();
        texts.row_of("");
        texts
    }

    /// The row of `text`, if it is there.
    pub(super) fn find(&self, text: &str) -> Option<u32> {
        self.rows.find(hash(text), |&row| self.texts.get(row as usize) == text).copied()
    }

    /// The row of `text`, added if it is not there yet.
    pub(super) fn row_of(&mut self, text: &str) -> u32 {
        self.find(text).unwrap_or_else(|| self.append(text))
    }

    /// Adds `text` as a new row; `None` if it is there already.
    pub(super) fn add(&mut self, text: &str) -> Option<u32> {
        self.find(text).is_none().then(|| self.append(text))
    }

    /// Whether `text` can still be added.
    pub(super) fn has_room_for(&self, text: &str) -> bool {
        self.texts.has_room_for(text)
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
    fn texts_come_back_as_they_went_in() {
        let texts: Texts = ["", "Gräberstraße", "", "7.2"].into_iter().collect();
        assert_eq!(texts.iter().collect::<Vec<_>>(), ["", "Gräberstraße", "", "7.2"]);
        let again = Texts::from_parts(texts.ends().to_vec(), texts.bytes().to_owned());
        assert_eq!(again, Some(texts));
    }

    #[test]
    fn parts_that_do_not_fit_are_refused() {
        assert_eq!(Texts::from_parts(vec![2, 1], "ab".into()), None);
        assert_eq!(Texts::from_parts(vec![1], "ab".into()), None);
        assert_eq!(Texts::from_parts(vec![9], "ab".into()), None);
        assert_eq!(Texts::from_parts(vec![1, 2], "ä".into()), None);
        assert_eq!(Texts::from_parts(vec![], "a".into()), None);
    }

    #[test]
    fn each_distinct_text_has_one_row() {
        let mut texts = DistinctTexts::with_none();
        let rows: Vec<u32> = ["a", "", "b", "a"].iter().map(|text| texts.row_of(text)).collect();
        assert_eq!(rows, [1, 0, 2, 1]);
        assert_eq!(texts.add("b"), None);
        assert_eq!(texts.add("c"), Some(3));
        assert_eq!(texts.find("d"), None);
        assert_eq!(texts.into_texts().iter().collect::<Vec<_>>(), ["", "a", "b", "c"]);
    }
}
