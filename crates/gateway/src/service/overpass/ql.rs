//! The text of a query:
//!
//! ```text
//! [out:json][timeout:10][maxsize:67108864];
//! (nwr["amenity"="cafe"](around:202.0,50.8684000,9.7012000,50.8691000,9.7030000);…);
//! out body geom qt;
//! ```
//!
//! Settings, a union of queries by tag and distance, and what is printed: ids and tags, by
//! quadtile, with how it is drawn. `around` finds a way by its segments and a relation by its
//! members, never by what they enclose; the middle that `center` would tell can be far from there.
//! `tags` alone would leave out the members of relations, and so their geometry.

use super::OverpassSettings;
use super::tags::Selector;
use crate::service::remote::RemoteError;
use crate::service::spot::Spot;
use std::fmt::Write as _;

/// What a server bears.
pub(super) struct Limits {
    head: String,
    most_query_bytes: usize,
    most_points: usize,
}

const TAIL: &str = ");out body geom qt;";

impl Limits {
    /// The limits of the settings, if a query fits into them.
    pub(super) fn new(settings: &OverpassSettings) -> Result<Limits, RemoteError> {
        let &OverpassSettings { most_query_bytes, most_points, server_timeout, server_memory } =
            settings;
        let head = format!("[out:json][timeout:{server_timeout}][maxsize:{server_memory}];(");
        // A statement of a category's tag and two points always fits.
        if most_query_bytes < 1_000 {
            return Err(RemoteError::Setting("overpass.most_query_bytes", "is below 1000"));
        }
        if most_points < 2 {
            return Err(RemoteError::Setting("overpass.most_points", "is below 2"));
        }
        if server_timeout == 0 || server_memory == 0 {
            return Err(RemoteError::Setting("overpass", "leaves the server no time or memory"));
        }
        Ok(Limits { head, most_query_bytes, most_points })
    }

    /// Queries that together ask for everything selected within `metres` of the lines.
    pub(super) fn queries(
        &self,
        selectors: &[Selector],
        lines: &[Vec<Spot>],
        metres: f64,
    ) -> impl Iterator<Item = String> {
        let room = self.most_query_bytes - self.head.len() - TAIL.len();
        let mut portions: Vec<String> = Vec::new();
        for selector in selectors {
            let opening = format!("nwr{selector}(around:{:.1}", (metres * 10.0).ceil() / 10.0);
            for line in lines {
                for statement in self.statements(&opening, line, room) {
                    match portions.last_mut() {
                        Some(last) if last.len() + statement.len() <= room => {
                            last.push_str(&statement);
                        }
                        _ => portions.push(statement),
                    }
                }
            }
        }
        portions.into_iter().map(|portion| format!("{}{portion}{TAIL}", self.head))
    }

    /// A line cut into statements; each begins where the one before ends.
    fn statements(&self, opening: &str, line: &[Spot], room: usize) -> Vec<String> {
        // A point takes 25 bytes at most: `,-90.0000000,-180.0000000`.
        let fitting = room.saturating_sub(opening.len() + 2) / 25;
        let most = self.most_points.min(fitting).max(2);
        let mut statements = Vec::new();
        let mut start = 0;
        while start < line.len() {
            let end = (start + most).min(line.len());
            let mut statement = opening.to_owned();
            for spot in &line[start..end] {
                write!(statement, ",{}", spot.lat_lon()).expect("a text takes what is written");
            }
            statement.push_str(");");
            statements.push(statement);
            if end == line.len() {
                break;
            }
            start = end - 1;
        }
        statements
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshcloak::units::LonLat;

    fn line(from: u32, count: u32) -> Vec<Spot> {
        let place = |n: u32| LonLat { lon: -170.0 - f64::from(n) * 1e-3, lat: -50.0 };
        (from..from + count).map(|n| Spot::of(place(n))).collect()
    }

    fn limits(most_query_bytes: usize, most_points: usize) -> Limits {
        let settings =
            OverpassSettings { most_query_bytes, most_points, ..OverpassSettings::default() };
        Limits::new(&settings).unwrap()
    }

    #[test]
    fn a_query_is_written_as_the_grammar_wants_it() {
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
    fn every_portion_is_below_the_limits_and_every_piece_of_line_is_in_one() {
        for (bytes, points) in [(1_000, 100), (1_500, 3), (32_000, 100), (32_000, 7)] {
            let lines = [line(0, 90), line(100, 1), line(200, 150), line(400, 2)];
            let selectors = [Selector::Any, Selector::Tag("shop".into(), "k".repeat(64))];
            let queries: Vec<_> = limits(bytes, points).queries(&selectors, &lines, 9.0).collect();
            let all = queries.concat();
            assert!(queries.iter().all(|query| query.len() <= bytes));
            for line in &lines {
                for pair in line.windows(2).chain(std::iter::once(&line[..1])) {
                    let texts = pair.iter().map(|spot| spot.lat_lon().to_string());
                    let piece = texts.collect::<Vec<_>>().join(",");
                    assert!(all.matches(&piece).count() >= 2, "{bytes} {points} {piece}");
                }
            }
            for statement in all.split(';').filter(|text| text.contains("around")) {
                assert!(statement.matches(',').count() <= points * 2);
            }
        }
    }

    #[test]
    fn limits_that_nothing_fits_into_are_refused() {
        let base = OverpassSettings::default();
        for settings in [
            OverpassSettings { most_query_bytes: 999, ..base.clone() },
            OverpassSettings { most_points: 1, ..base.clone() },
            OverpassSettings { server_timeout: 0, ..base },
        ] {
            assert!(Limits::new(&settings).is_err());
        }
    }
}
