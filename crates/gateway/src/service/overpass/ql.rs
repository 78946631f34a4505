//! Text of an Overpass query:
//!
//! ```text
//! [out:json][timeout:10][maxsize:67108864];
//! (nwr["amenity"="cafe"](around:202.0,50.8684000,9.7012000,50.8691000,9.7030000);…);
//! out body geom qt;
//! ```
//!
//! Settings, a union of statements by tag and distance, and the output: ids, tags and geometry,
//! ordered by quadtile. `around` finds a way by its segments and a relation by its members, not by
//! the area they enclose, so the point of `out center` could be far from the range. `out tags`
//! would omit the members of relations and thereby their geometry.

use super::OverpassSettings;
use super::tags::Selector;
use crate::service::fixed_lonlat::FixedLonLat;
use crate::service::remote::RemoteError;

/// Limits of the server on a query.
pub(super) struct QueryLimits {
    /// Settings that precede the union.
    head: String,
    max_query_bytes: usize,
    max_points: usize,
}

const TAIL: &str = ");out body geom qt;";

impl QueryLimits {
    /// Checks the settings.
    pub(super) fn new(settings: &OverpassSettings) -> Result<QueryLimits, RemoteError> {
        let &OverpassSettings { max_query_bytes, max_points, server_timeout, server_memory } =
            settings;
        let head = format!("[out:json][timeout:{server_timeout}][maxsize:{server_memory}];(");
        // One statement with a tag and two points fits into 1000 bytes.
        if max_query_bytes < 1_000 {
            return Err(RemoteError::Setting("overpass.max_query_bytes", "must be at least 1000"));
        }
        if max_points < 2 {
            return Err(RemoteError::Setting("overpass.max_points", "must be at least 2"));
        }
        if server_timeout == 0 || server_memory == 0 {
            let why = "needs `server_timeout` and `server_memory` of at least 1";
            return Err(RemoteError::Setting("overpass", why));
        }
        Ok(QueryLimits { head, max_query_bytes, max_points })
    }

    /// Returns queries that together select all objects within `metres` of the lines.
    pub(super) fn queries(
        &self,
        selectors: &[Selector],
        lines: &[Vec<FixedLonLat>],
        metres: f64,
    ) -> impl Iterator<Item = String> {
        let max_bytes =
            self.max_query_bytes.saturating_sub(self.head.len()).saturating_sub(TAIL.len());
        let mut unions: Vec<String> = Vec::new();
        for selector in selectors {
            let opening = format!("nwr{selector}(around:{:.1}", (metres * 10.0).ceil() / 10.0);
            for line in lines {
                for statement in self.statements(&opening, line, max_bytes) {
                    match unions.last_mut() {
                        Some(last) if last.len().saturating_add(statement.len()) <= max_bytes => {
                            last.push_str(&statement);
                        }
                        _ => unions.push(statement),
                    }
                }
            }
        }
        unions.into_iter().map(|union| format!("{}{union}{TAIL}", self.head))
    }

    /// Cuts a line into statements; each starts at the last point of the one before.
    fn statements(&self, opening: &str, line: &[FixedLonLat], max_bytes: usize) -> Vec<String> {
        // A point has at most 25 bytes: `,-90.0000000,-180.0000000`.
        let fitting = max_bytes.saturating_sub(opening.len()).saturating_sub(2) / 25;
        let max_points = self.max_points.min(fitting).max(2);
        let mut statements = Vec::new();
        let mut start = 0;
        while start < line.len() {
            let end = start.saturating_add(max_points).min(line.len());
            let mut statement = opening.to_owned();
            for point in line.get(start..end).unwrap_or_default() {
                statement.push(',');
                statement.push_str(&point.lat_lon());
            }
            statement.push_str(");");
            statements.push(statement);
            if end == line.len() {
                break;
            }
            start = end.saturating_sub(1);
        }
        statements
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshcloak::units::LonLat;

    fn line(from: u32, count: u32) -> Vec<FixedLonLat> {
        let point = |n: u32| LonLat { lon: -170.0 - f64::from(n) * 1e-3, lat: -50.0 };
        (from..from + count).map(|n| FixedLonLat::of(point(n))).collect()
    }

    fn limits(max_query_bytes: usize, max_points: usize) -> QueryLimits {
        let settings =
            OverpassSettings { max_query_bytes, max_points, ..OverpassSettings::default() };
        QueryLimits::new(&settings).unwrap()
    }

    #[test]
    fn a_query_follows_the_grammar() {
        let cafe = Selector::Tag("amenity".into(), "cafe".into());
        let queries: Vec<_> = limits(9_000, 2).queries(&[cafe], &[line(0, 3)], 201.32).collect();
        assert_eq!(
            queries,
            ["[out:json][timeout:10][maxsize:67108864];(\
              nwr[\"amenity\"=\"cafe\"](around:201.4,-50.0000000,-170.0000000,-50.0000000,-170.0010000);\
              nwr[\"amenity\"=\"cafe\"](around:201.4,-50.0000000,-170.0010000,-50.0000000,-170.0020000);\
              );out body geom qt;"]
        );
    }

    #[test]
    fn every_query_is_within_the_limits_and_every_segment_is_in_one() {
        for (bytes, points) in [(1_000, 100), (1_500, 3), (32_000, 100), (32_000, 7)] {
            let lines = [line(0, 90), line(100, 1), line(200, 150), line(400, 2)];
            let selectors = [Selector::Any, Selector::Tag("shop".into(), "k".repeat(64))];
            let queries: Vec<_> = limits(bytes, points).queries(&selectors, &lines, 9.0).collect();
            let all = queries.concat();
            assert!(queries.iter().all(|query| query.len() <= bytes));
            for line in &lines {
                for pair in line.windows(2).chain(std::iter::once(&line[..1])) {
                    let texts = pair.iter().map(|point| point.lat_lon());
                    let segment = texts.collect::<Vec<_>>().join(",");
                    assert!(all.matches(&segment).count() >= 2, "{bytes} {points} {segment}");
                }
            }
            for statement in all.split(';').filter(|text| text.contains("around")) {
                assert!(statement.matches(',').count() <= points * 2);
            }
        }
    }

    #[test]
    fn limits_below_one_statement_are_refused() {
        let base = OverpassSettings::default();
        for settings in [
            OverpassSettings { max_query_bytes: 999, ..base.clone() },
            OverpassSettings { max_points: 1, ..base.clone() },
            OverpassSettings { server_timeout: 0, ..base },
        ] {
            assert!(QueryLimits::new(&settings).is_err());
        }
    }
}
