//! Translation between the categories of users and those of a service.

use super::remote::RemoteError;
use crate::question::Category;
use std::collections::BTreeMap;

/// Categories of users, each with the service's name for it. An empty table translates every
/// category to itself.
pub(crate) struct CategoryNames {
    to_service: BTreeMap<String, String>,
    from_service: BTreeMap<String, String>,
}

/// Category to request from a service.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum ServiceCategory<'a> {
    /// Objects of all categories.
    Any,
    /// Objects of the category with this name in the service.
    Named(&'a str),
    /// The service has no such category.
    Unknown,
}

impl CategoryNames {
    /// Builds the table from the settings: category of users → name in the service.
    pub(crate) fn new(names: &BTreeMap<String, String>) -> Result<CategoryNames, RemoteError> {
        for (category, service_name) in names {
            let error = |why| RemoteError::Category(category.clone(), why);
            Category::named(category).map_err(|_| error("is not a valid category name"))?;
            if service_name.is_empty() || service_name.chars().any(char::is_control) {
                return Err(error("its name in the service is empty or has control characters"));
            }
        }
        // Two categories may share one name in the service: the first one is used for answers.
        let back = names.iter().rev().map(|(category, name)| (name.clone(), category.clone()));
        Ok(CategoryNames { to_service: names.clone(), from_service: back.collect() })
    }

    /// Returns whether the settings list no categories.
    pub(crate) fn is_empty(&self) -> bool {
        self.to_service.is_empty()
    }

    /// Returns the categories of users, ascending.
    pub(crate) fn categories(&self) -> Vec<String> {
        self.to_service.keys().cloned().collect()
    }

    /// Returns the service's name of a category; `None` if it has none.
    pub(crate) fn service_name<'a>(&'a self, category: &'a str) -> Option<&'a str> {
        if self.is_empty() {
            return Some(category);
        }
        self.to_service.get(category).map(String::as_str)
    }

    /// Translates the category of a question.
    pub(crate) fn to_request<'a>(&'a self, asked: &'a Category) -> ServiceCategory<'a> {
        match asked.name() {
            None => ServiceCategory::Any,
            Some(name) => {
                self.service_name(name).map_or(ServiceCategory::Unknown, ServiceCategory::Named)
            }
        }
    }

    /// Translates the category of an answered object: to the category asked for if that has this
    /// name in the service.
    pub(crate) fn category(&self, service_name: &str, asked: &Category) -> String {
        match asked.name() {
            Some(name) if self.service_name(name) == Some(service_name) => name.to_owned(),
            _ => self.from_service.get(service_name).map_or(service_name, |name| name).to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(pairs: &[(&str, &str)]) -> Result<CategoryNames, RemoteError> {
        let owned = |&(name, word): &(&str, &str)| (name.to_owned(), word.to_owned());
        CategoryNames::new(&pairs.iter().map(owned).collect())
    }

    #[test]
    fn names_are_translated_in_both_directions() {
        let names_of = names(&[("tea", "cafe"), ("coffee", "cafe"), ("pub", "bar")]).unwrap();
        let tea = Category::named("tea").unwrap();
        assert_eq!(names_of.categories(), ["coffee", "pub", "tea"]);
        assert_eq!(names_of.to_request(&tea), ServiceCategory::Named("cafe"));
        assert_eq!(names_of.to_request(&Category::Any), ServiceCategory::Any);
        let cafe = Category::named("cafe").unwrap();
        assert_eq!(names_of.to_request(&cafe), ServiceCategory::Unknown);
        assert_eq!(names_of.category("cafe", &tea), "tea");
        assert_eq!(names_of.category("cafe", &Category::Any), "coffee");
        assert_eq!(names_of.category("zoo", &Category::Any), "zoo");
        assert_eq!(names(&[]).unwrap().service_name("zoo"), Some("zoo"));
    }

    #[test]
    fn invalid_names_are_refused() {
        for pair in [("a'b", "x"), ("", "x"), ("a", ""), ("a", "x\ny")] {
            assert!(names(&[pair]).is_err(), "{pair:?}");
        }
    }
}
