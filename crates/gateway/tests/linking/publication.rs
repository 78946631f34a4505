//! Publications as the service sees them, with the truth.

use crate::recorder::Hit;
use gateway::inquiry::Inquiry;
use meshcloak::map::{StreetId, StreetMap};
use meshcloak::mix::mix64;
use meshcloak::units::Point;
use std::sync::Arc;

/// What the service sees of a publication beside region and time.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    pub question: usize,
    /// Place among the requests of the batch, 0 to 1.
    pub order: f64,
    /// Seconds since the first request of the batch.
    pub pace: f64,
    pub connection: u64,
    pub requests: f64,
    pub last_radius: f64,
    pub repeats: f64,
    pub bytes: f64,
}

/// A user's query in a request.
#[derive(Clone, Debug)]
pub struct Publication {
    pub user: usize,
    /// The first of the users who share the request.
    first_user: usize,
    pub tick: u32,
    /// Number of the request in the batch; users of one region and question share it.
    pub request: usize,
    pub seen: Seen,
    region: Arc<[StreetId]>,
    centre: Point,
}

impl Publication {
    /// Injects a leak: requests of a user have a socket of their own.
    pub fn leak_connection(&mut self) {
        self.seen.connection = mix64(self.first_user as u64) % 8;
    }

    /// Distance of the centres of two regions in metres.
    pub fn distance(&self, other: &Publication) -> f64 {
        self.centre.distance(other.centre)
    }

    /// Share of streets that two regions have in common.
    pub fn overlap(&self, other: &Publication) -> f64 {
        let common = self.region.iter().filter(|one| other.region.binary_search(one).is_ok());
        let common = common.count() as f64;
        common / ((self.region.len() + other.region.len()) as f64 - common)
    }
}

/// What the service has seen of a batch.
pub struct Batch<'a> {
    pub map: &'a StreetMap,
    pub tick: u32,
    pub requests: Vec<Inquiry>,
    pub hits: Vec<Hit>,
}

impl Batch<'_> {
    /// Returns the publications of users with their requests.
    pub fn publications(&self, truth: &[(usize, usize)]) -> Vec<Publication> {
        let mut of_request: Vec<Vec<&Hit>> = vec![Vec::new(); self.requests.len()];
        for hit in &self.hits {
            of_request[self.request(hit)].push(hit);
        }
        let mut firsts: Vec<&Hit> =
            of_request.iter().filter_map(|hits| hits.first().copied()).collect();
        firsts.sort_by_key(|hit| hit.at);
        let mut found = Vec::new();
        for &(user, request) in truth {
            let inquiry = &self.requests[request];
            let Some(seen) = seen(&of_request[request], &firsts) else { continue };
            let sharing = truth.iter().filter(|(_, other)| *other == request);
            let first_user = sharing.map(|(user, _)| *user).min().unwrap_or(user);
            found.push(Publication {
                user,
                first_user,
                tick: self.tick,
                request,
                seen,
                region: Arc::clone(inquiry.region()),
                centre: self.middle(inquiry.region()),
            });
        }
        found
    }

    /// Returns the index of the request that a hit belongs to: same category, nearest extent.
    fn request(&self, hit: &Hit) -> usize {
        let category = hit.value["properties"]["category"].as_str();
        let lines = hit.value["geometry"]["coordinates"].as_array().unwrap();
        let points = lines.iter().flat_map(|line| line.as_array().unwrap());
        let extent = extent(points.map(|p| [p[0].as_f64().unwrap(), p[1].as_f64().unwrap()]));
        let difference = |&index: &usize| {
            let own = self.extent(self.requests[index].region());
            own.iter().zip(extent).map(|(a, b)| (a - b).abs()).sum::<f64>()
        };
        let same = (0..self.requests.len())
            .filter(|&index| self.requests[index].kind().category.name() == category);
        same.min_by(|a, b| difference(a).total_cmp(&difference(b))).expect("a request was sent")
    }

    fn extent(&self, region: &[StreetId]) -> [f64; 4] {
        let frame = self.map.frame().unwrap();
        let points = region.iter().flat_map(|&street| self.map.shape(street));
        extent(points.map(|&point| {
            let at = frame.lon_lat(point);
            [at.lon, at.lat]
        }))
    }

    fn middle(&self, region: &[StreetId]) -> Point {
        let points = region.iter().flat_map(|&street| self.map.shape(street));
        let [left, low, right, high] = extent(points.map(|point| [point.x, point.y]));
        Point::new((left + right) / 2.0, (low + high) / 2.0)
    }
}

fn extent(points: impl Iterator<Item = [f64; 2]>) -> [f64; 4] {
    let none = [f64::MAX, f64::MAX, f64::MIN, f64::MIN];
    points.fold(none, |e, [x, y]| [e[0].min(x), e[1].min(y), e[2].max(x), e[3].max(y)])
}

/// Returns what the service sees of a request, beside region and time of the batch.
fn seen(hits: &[&Hit], firsts: &[&Hit]) -> Option<Seen> {
    let (first, last) = (hits.first()?, hits.last()?);
    let place = firsts.iter().position(|hit| hit.at == first.at)?;
    let repeats = hits.windows(2).filter(|pair| pair[0].body == pair[1].body).count();
    let category = first.value["properties"]["category"].as_str()?;
    Some(Seen {
        question: category.rsplit('-').next()?.parse().ok()?,
        order: place as f64 / firsts.len() as f64,
        pace: (first.at - firsts.first()?.at).as_secs_f64(),
        connection: first.connection.into(),
        requests: (hits.len() - repeats) as f64,
        last_radius: last.value["properties"]["radius_m"].as_f64()?,
        repeats: repeats as f64,
        bytes: first.body.len() as f64,
    })
}
