//! OGC API Features: a collection asked by area, with CQL2 if the server can, page by page.
//!
//! CQL2 has no distance, so a range is asked as a polygon around it (`cover`). A server that has
//! `S_DWITHIN` nevertheless can be told lines and metres; one without filters gets a box. All
//! three are supersets.

mod cover;
mod filter;
mod pages;

use super::categories::Categories;
use super::geojson::Feature;
use super::ground::Reach;
use super::remote::{Line, RemoteError};
use super::{Coming, Page, PlainService, Range, Row, ServiceError};
use reqwest::Url;
use serde::Deserialize;
use tokio::sync::OnceCell;

/// What OGC API Features alone needs.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct OgcSettings {
    /// The queryable that holds the place.
    pub geometry: String,
    /// The property that holds the category.
    pub category: String,
    /// The property that holds the name.
    pub name: String,
    /// How ranges are asked.
    pub filter: OgcFilter,
    /// Features on a page.
    pub limit: u32,
    /// Bytes that an address may have.
    pub most_url_bytes: usize,
}

/// How ranges are asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OgcFilter {
    /// By polygons if the server says that it knows filters, by boxes if not.
    #[default]
    Auto,
    /// `S_INTERSECTS` with polygons.
    Intersects,
    /// `S_DWITHIN` with lines and metres: no standard, so no server announces it.
    Dwithin,
    /// Boxes.
    Bbox,
}

impl Default for OgcSettings {
    fn default() -> OgcSettings {
        OgcSettings {
            geometry: "geom".into(),
            category: "category".into(),
            name: "name".into(),
            filter: OgcFilter::Auto,
            limit: 1000,
            most_url_bytes: 7_000,
        }
    }
}

/// A collection of an OGC API Features server.
pub(crate) struct Ogc {
    line: Line,
    categories: Categories,
    settings: OgcSettings,
    /// Found out once, the same for everyone.
    filter: OnceCell<OgcFilter>,
}

#[derive(Deserialize)]
struct Conformance {
    #[serde(rename = "conformsTo")]
    classes: Vec<String>,
}

impl Ogc {
    /// The collection at the end of the line. No server says which categories there are, so they
    /// must be set.
    pub(crate) fn new(
        line: Line,
        categories: Categories,
        settings: &OgcSettings,
    ) -> Result<Ogc, RemoteError> {
        let bad = |setting, why| Err(RemoteError::Setting(setting, why));
        let identifier = |text: &str| {
            let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
            text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
                && text.chars().all(plain)
        };
        if categories.is_empty() {
            return bad("categories", "must be listed for OGC API Features");
        }
        if !identifier(&settings.geometry) || !identifier(&settings.category) {
            return bad("ogc", "needs plain names of properties: letters, digits and `_`");
        }
        if settings.most_url_bytes < line.url.as_str().len() + 1_500 {
            return bad("ogc.most_url_bytes", "leaves less than 1500 bytes for a filter");
        }
        if settings.limit == 0 {
            return bad("ogc.limit", "is zero");
        }
        if !line.url.path().contains("/collections/") || line.url.query().is_some() {
            return bad("url", "must end in /collections/NAME");
        }
        Ok(Ogc { line, categories, settings: settings.clone(), filter: OnceCell::new() })
    }

    async fn page(&self, range: Range<'_>) -> Result<Page, ServiceError> {
        let word = match range.category.name() {
            None => None,
            Some(name) => match self.categories.word(name) {
                None => return Ok(Page::default()),
                word => word,
            },
        };
        let reach = self.line.ground.reach(&range, 1.002);
        let mut page = Page::default();
        let mut left = self.line.most_requests;
        for url in self.urls(&reach, word).await? {
            if left == 0 {
                page.full = true;
                break;
            }
            let (features, whole) = pages::all(&self.line, url, &mut left).await?;
            page.full |= whole == pages::Whole::No;
            page.rows.extend(features.into_iter().filter_map(|f| self.row(f, &range)));
            self.line.bound(&page)?;
        }
        Ok(page)
    }

    fn row(&self, feature: Feature, range: &Range<'_>) -> Option<Row> {
        let word = feature.text(&self.settings.category);
        let category = self.categories.name(&word, range.category);
        let name = feature.text(&self.settings.name);
        self.line.ground.row([feature.id, name, category], &feature.drawn)
    }

    /// First pages that together hold everything within reach.
    async fn urls(&self, reach: &Reach<'_>, word: Option<&str>) -> Result<Vec<Url>, ServiceError> {
        let mut items = self.line.url.clone();
        let path = format!("{}/items", items.path().trim_end_matches('/'));
        items.set_path(&path);
        items.query_pairs_mut().append_pair("limit", &self.settings.limit.to_string());
        let ground = &self.line.ground;
        let with = |pairs: &[(&str, &str)]| {
            let mut url = items.clone();
            url.query_pairs_mut().extend_pairs(pairs);
            url
        };
        let cql = |filter: String| with(&[("filter-lang", "cql2-text"), ("filter", &filter)]);
        let of_category = filter::category(&self.settings.category, word);
        let room = self.settings.most_url_bytes - cql(of_category.clone()).as_str().len();
        let geometry = &self.settings.geometry;
        Ok(match *self.filter.get_or_try_init(|| self.find_out()).await? {
            OgcFilter::Bbox => vec![with(&[("bbox", &filter::bbox(ground, reach))])],
            OgcFilter::Dwithin => {
                let filters = filter::dwithin(ground, reach, geometry, room);
                filters.map(|filter| cql(format!("{of_category}{filter}"))).collect()
            }
            OgcFilter::Auto | OgcFilter::Intersects => {
                let filter = filter::intersects(ground, reach, geometry, room);
                vec![cql(format!("{of_category}{filter}"))]
            }
        })
    }

    /// How ranges are asked, by what the server says that it can.
    async fn find_out(&self) -> Result<OgcFilter, ServiceError> {
        if self.settings.filter != OgcFilter::Auto {
            return Ok(self.settings.filter);
        }
        let mut url = self.line.url.clone();
        let path = url.path().rsplit_once("/collections/").map_or("", |(root, _)| root);
        let path = format!("{path}/conformance");
        url.set_path(&path);
        let answer = self.line.caller.get(url).await?;
        let Conformance { classes } = serde_json::from_slice(&answer)
            .map_err(|_| ServiceError::Malformed("it is no list of conformance classes"))?;
        let knows = filter::knows_polygons(&classes);
        Ok(if knows { OgcFilter::Intersects } else { OgcFilter::Bbox })
    }
}

impl PlainService for Ogc {
    fn name(&self) -> &'static str {
        "ogc-features"
    }

    fn range<'a>(&'a self, range: Range<'a>) -> Coming<'a, Page> {
        Box::pin(self.page(range))
    }

    fn categories(&self) -> Coming<'_, Vec<String>> {
        Box::pin(async {
            // Nobody is asked about; that the server and the collection are there is worth knowing.
            self.filter.get_or_try_init(|| self.find_out()).await?;
            self.line.caller.get(self.line.url.clone()).await?;
            Ok(self.categories.names())
        })
    }
}
