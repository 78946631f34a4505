//! All pages of an answer, by the links from each to the next. A link that leads to another host
//! is not followed: whoever is there would learn the region.

use crate::service::ServiceError;
use crate::service::geojson::{Collection, Feature};
use crate::service::remote::Line;
use reqwest::Url;
use std::collections::BTreeSet;

/// Whether all pages were seen and held what they promised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Whole {
    Yes,
    No,
}

/// The features of all pages from `first` on, each once. Every request takes one from `left`.
pub(super) async fn all(
    line: &Line,
    first: Url,
    left: &mut usize,
) -> Result<(Vec<Feature>, Whole), ServiceError> {
    let mut features: Vec<Feature> = Vec::new();
    let mut ids = BTreeSet::new();
    let mut url = first;
    loop {
        if *left == 0 {
            return Ok((features, Whole::No));
        }
        *left -= 1;
        let page = Collection::parse(&line.caller.get(url.clone()).await?)?;
        let before = ids.len();
        features.extend(page.features.into_iter().filter(|f| ids.insert(f.id.clone())));
        if ids.len() > line.most_objects {
            return Err(ServiceError::Endless(line.most_objects));
        }
        let Some(next) = page.next else {
            // What has no place or id counts too, so fewer than promised is not always a loss;
            // but nobody can tell.
            let whole = page.matched.is_none_or(|matched| ids.len() as u64 >= matched);
            return Ok((features, if whole { Whole::Yes } else { Whole::No }));
        };
        if ids.len() == before {
            return Err(ServiceError::Malformed("its pages do not end"));
        }
        url = follow(&url, &next)?;
    }
}

/// The address of the next page: on the same server, or it is refused.
fn follow(here: &Url, next: &str) -> Result<Url, ServiceError> {
    let url = here
        .join(next)
        .map_err(|_| ServiceError::Malformed("its link to the next page is no address"))?;
    let stranger = ServiceError::Malformed("its next page is on another host");
    (url.origin() == here.origin()).then_some(url).ok_or(stranger)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_is_followed_on_the_same_host_alone() {
        let here = Url::parse("http://a.example:8080/c/items?limit=2").unwrap();
        let there = follow(&here, "http://a.example:8080/c/items?offset=2").unwrap();
        assert_eq!(there.as_str(), "http://a.example:8080/c/items?offset=2");
        assert_eq!(follow(&here, "?offset=4").unwrap().query(), Some("offset=4"));
        for other in [
            "http://b.example:8080/c/items",
            "https://a.example:8080/c/items",
            "http://a.example/c/items",
            "//b.example/",
            "file:///etc/passwd",
            "http://[",
        ] {
            assert!(follow(&here, other).is_err(), "{other}");
        }
    }
}
