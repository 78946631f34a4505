//! The GeoJSON webhook: lines and a radius are posted, points come back. The contract is in
//! `docs/CONNECT.md`, and a server that keeps it in `examples/webhook`.

use super::categories::Categories;
use super::geojson::{Collection, Feature};
use super::remote::Line;
use super::spot::Spot;
use super::{Coming, Page, PlainService, Range, Row, ServiceError};
use crate::question::Category;
use serde::{Deserialize, Serialize};

/// A service behind a webhook.
pub(crate) struct Webhook {
    line: Line,
    categories: Categories,
}

/// Objects that are wanted at once.
const PAGE: u32 = 10_000;

#[derive(Serialize)]
struct Request<'a> {
    r#type: &'static str,
    geometry: Geometry<'a>,
    properties: Properties<'a>,
}

#[derive(Serialize)]
struct Geometry<'a> {
    r#type: &'static str,
    coordinates: &'a [Vec<Spot>],
}

#[derive(Serialize)]
struct Properties<'a> {
    radius_m: f64,
    category: Option<&'a str>,
    limit: u32,
    after: Option<&'a str>,
}

#[derive(Deserialize)]
struct Listing {
    categories: Vec<String>,
}

impl Webhook {
    /// The service at the end of the line.
    pub(crate) fn new(line: Line, categories: Categories) -> Webhook {
        Webhook { line, categories }
    }

    async fn page(&self, range: Range<'_>) -> Result<Page, ServiceError> {
        let category = match range.category.name() {
            None => None,
            Some(name) => match self.categories.word(name) {
                None => return Ok(Page::default()),
                Some(word) => Some(word),
            },
        };
        let reach = self.line.ground.reach(&range, 1.002);
        let mut coordinates = self.line.ground.lines(&reach.lines);
        // A line in GeoJSON has two places at least.
        coordinates.iter_mut().filter(|line| line.len() == 1).for_each(|line| line.push(line[0]));
        let radius_m = (reach.metres * 10.0).ceil() / 10.0;
        let mut page = Page::default();
        let mut after: Option<String> = None;
        for _ in 0..self.line.most_requests {
            let properties =
                Properties { radius_m, category, limit: PAGE, after: after.as_deref() };
            let told = self.tell(&coordinates, properties).await?;
            let complete =
                told.complete.ok_or(ServiceError::Malformed("it does not say `complete`"))?;
            let last = told.features.iter().map(|feature| feature.id.clone()).max();
            page.rows.extend(told.features.into_iter().filter_map(|f| self.row(f, &range)));
            self.line.bound(&page)?;
            if complete {
                return Ok(page);
            }
            // Who does not go on after the last id has no pages: the range must be cut.
            if last <= after {
                break;
            }
            after = last;
        }
        page.full = true;
        Ok(page)
    }

    async fn tell(
        &self,
        coordinates: &[Vec<Spot>],
        properties: Properties<'_>,
    ) -> Result<Collection, ServiceError> {
        let geometry = Geometry { r#type: "MultiLineString", coordinates };
        let request = Request { r#type: "Feature", geometry, properties };
        let body = serde_json::to_string(&request).expect("numbers and texts are JSON");
        let url = self.line.url.clone();
        let answer = self.line.caller.post(url, "application/geo+json", body).await?;
        Collection::parse(&answer)
    }

    fn row(&self, feature: Feature, range: &Range<'_>) -> Option<Row> {
        let category = self.categories.name(&feature.text("category"), range.category);
        let name = feature.text("name");
        self.line.ground.row([feature.id, name, category], &feature.drawn)
    }

    async fn listed(&self) -> Result<Vec<String>, ServiceError> {
        if !self.categories.is_empty() {
            return Ok(self.categories.names());
        }
        let answer = self.line.caller.get(self.line.url.clone()).await?;
        let listing: Listing = serde_json::from_slice(&answer)
            .map_err(|_| ServiceError::Malformed("it is no list of categories"))?;
        let mut names = listing.categories;
        names.retain(|name| Category::named(name).is_ok());
        names.sort();
        names.dedup();
        Ok(names)
    }
}

impl PlainService for Webhook {
    fn name(&self) -> &'static str {
        "webhook"
    }

    fn range<'a>(&'a self, range: Range<'a>) -> Coming<'a, Page> {
        Box::pin(self.page(range))
    }

    fn categories(&self) -> Coming<'_, Vec<String>> {
        Box::pin(self.listed())
    }
}
