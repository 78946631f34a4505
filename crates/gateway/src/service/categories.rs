//! What people call a kind of place, and what a service calls it.

use super::remote::RemoteError;
use crate::question::Category;
use std::collections::BTreeMap;

/// Names, each with a word of the service; without any, both are the same.
pub(crate) struct Categories {
    words: BTreeMap<String, String>,
    names: BTreeMap<String, String>,
}

impl Categories {
    /// The categories of the settings; a name must be one that a person can ask for.
    pub(crate) fn new(words: &BTreeMap<String, String>) -> Result<Categories, RemoteError> {
        for (name, word) in words {
            let complaint = |why| RemoteError::Category(name.clone(), why);
            Category::named(name).map_err(|_| complaint("not a name one can ask for"))?;
            let plain = !word.is_empty() && !word.chars().any(char::is_control);
            plain.then_some(()).ok_or_else(|| complaint("the service's word for it is none"))?;
        }
        // Of two names for one word the first counts on the way back.
        let back = words.iter().rev().map(|(name, word)| (word.clone(), name.clone()));
        Ok(Categories { words: words.clone(), names: back.collect() })
    }

    /// Whether none are set.
    pub(crate) fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// The names, ascending.
    pub(crate) fn names(&self) -> Vec<String> {
        self.words.keys().cloned().collect()
    }

    /// What the service calls a name; `None` if it has no word for it.
    pub(crate) fn word<'a>(&'a self, name: &'a str) -> Option<&'a str> {
        if self.is_empty() { Some(name) } else { self.words.get(name).map(String::as_str) }
    }

    /// What people call a word of the service: the name that was asked for if the word means it.
    pub(crate) fn name(&self, word: &str, asked: &Category) -> String {
        match asked.name() {
            Some(name) if self.word(name) == Some(word) => name.to_owned(),
            _ => self.names.get(word).map_or(word, String::as_str).to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn categories(pairs: &[(&str, &str)]) -> Result<Categories, RemoteError> {
        let own = |&(name, word): &(&str, &str)| (name.to_owned(), word.to_owned());
        Categories::new(&pairs.iter().map(own).collect())
    }

    #[test]
    fn names_and_words_go_both_ways() {
        let known = categories(&[("tea", "cafe"), ("coffee", "cafe"), ("pub", "bar")]).unwrap();
        assert_eq!(known.names(), ["coffee", "pub", "tea"]);
        assert_eq!(known.word("tea"), Some("cafe"));
        assert_eq!(known.word("cafe"), None);
        assert_eq!(known.name("cafe", &Category::named("tea").unwrap()), "tea");
        assert_eq!(known.name("cafe", &Category::Any), "coffee");
        assert_eq!(known.name("zoo", &Category::Any), "zoo");
        assert_eq!(categories(&[]).unwrap().word("zoo"), Some("zoo"));
    }

    #[test]
    fn what_nobody_can_ask_for_is_refused() {
        for pair in [("a'b", "x"), ("", "x"), ("a", ""), ("a", "x\ny")] {
            assert!(categories(&[pair]).is_err(), "{pair:?}");
        }
    }
}
