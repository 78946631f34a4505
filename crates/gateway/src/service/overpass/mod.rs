//! Overpass QL: everything near the polylines of a region, asked in portions below the server's
//! limits. An answer with a remark was cut short, so its range is asked again in two halves.

mod answer;
mod ql;
mod tags;

use super::categories::Categories;
use super::http::form;
use super::remote::{Line, RemoteError};
use super::{Coming, Page, PlainService, Range, ServiceError};
use answer::Told;
use ql::Limits;
use serde::Deserialize;
use std::collections::BTreeMap;
use tags::Selector;

/// What Overpass alone needs.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct OverpassSettings {
    /// Bytes that a query may have.
    pub most_query_bytes: usize,
    /// Points that a polyline may have.
    pub most_points: usize,
    /// Seconds that the server may take, as it is told; one that refuses long ones wants fewer.
    pub server_timeout: u32,
    /// Bytes of memory that the server may take, as it is told.
    pub server_memory: u64,
}

impl Default for OverpassSettings {
    fn default() -> OverpassSettings {
        OverpassSettings {
            most_query_bytes: 32_000,
            most_points: 100,
            server_timeout: 10,
            server_memory: 64 << 20,
        }
    }
}

/// An Overpass server.
pub(crate) struct Overpass {
    line: Line,
    categories: BTreeMap<String, Vec<Selector>>,
    limits: Limits,
}

/// Overpass measures on a ball on which ten thousand kilometres reach from the equator to a pole.
/// Along a meridian at the equator its metres are half a percent too many.
const STRETCH: f64 = 1.006;

impl Overpass {
    /// The server at the end of the line. Categories are tags, `amenity=cafe`, or several with `|`
    /// between them; if none are set, the usual ones are known.
    pub(crate) fn new(
        line: Line,
        categories: &Categories,
        settings: &OverpassSettings,
    ) -> Result<Overpass, RemoteError> {
        let limits = Limits::new(settings)?;
        let categories =
            if categories.is_empty() { tags::usual() } else { tags::selectors(categories)? };
        Ok(Overpass { line, categories, limits })
    }

    async fn page(&self, range: Range<'_>) -> Result<Page, ServiceError> {
        let selectors = match range.category.name() {
            None => &[Selector::Any][..],
            Some(name) => match self.categories.get(name) {
                None => return Ok(Page::default()),
                Some(selectors) => selectors,
            },
        };
        let reach = self.line.ground.reach(&range, STRETCH);
        let lines = self.line.ground.lines(&reach.lines);
        let mut page = Page::default();
        for (number, query) in self.limits.queries(selectors, &lines, reach.metres).enumerate() {
            if number == self.line.most_requests {
                page.full = true;
                break;
            }
            let told = self.tell(&query).await?;
            page.full |= told.cut_short;
            let seen = told.seen.into_iter();
            page.rows.extend(seen.filter_map(|seen| {
                let category = tags::category(&seen.tags, range.category, &self.categories)?;
                self.line.ground.row([seen.id, seen.name, category], &seen.drawn)
            }));
            self.line.bound(&page)?;
        }
        Ok(page)
    }

    async fn tell(&self, query: &str) -> Result<Told, ServiceError> {
        let body = form(&[("data", query)]);
        let kind = "application/x-www-form-urlencoded";
        let text = self.line.caller.post(self.line.url.clone(), kind, body).await?;
        answer::parse(&text)
    }

    /// Finds out whether the server is there, by a question that is always the same.
    async fn greet(&self) -> Result<(), ServiceError> {
        let middle = [vec![self.line.ground.middle()]];
        for query in self.limits.queries(&[Selector::Any], &middle, 1.0) {
            self.tell(&query).await?;
        }
        Ok(())
    }
}

impl PlainService for Overpass {
    fn name(&self) -> &'static str {
        "overpass"
    }

    fn range<'a>(&'a self, range: Range<'a>) -> Coming<'a, Page> {
        Box::pin(self.page(range))
    }

    fn categories(&self) -> Coming<'_, Vec<String>> {
        Box::pin(async {
            self.greet().await?;
            Ok(self.categories.keys().cloned().collect())
        })
    }
}
