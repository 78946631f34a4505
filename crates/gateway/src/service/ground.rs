//! Between the plane of our map and the lon/lat of a service: how a range is told, and where what
//! comes back lies.

use super::drawn::Drawn;
use super::postgis::stretch;
use super::remote::RemoteError;
use super::spot::{Spot, chained};
use super::{Range, Row};
use crate::walk::Walker;
use meshcloak::map::Frame;
use meshcloak::units::{LonLat, Point};
use std::borrow::Cow;
use std::sync::Arc;

/// A map with a place on Earth.
pub(crate) struct Ground {
    walker: Arc<Walker>,
    frame: Frame,
    /// How many metres on the ground a metre of the map can be.
    stretch: f64,
    outline: f64,
}

/// A range as a service is told of it.
pub(crate) struct Reach<'a> {
    /// Around which lines in the plane.
    pub lines: Cow<'a, [Vec<Point>]>,
    /// So many metres, and more than our plane and the service's idea of a metre can differ.
    pub metres: f64,
}

/// How far beyond the map the world of a service ends; metres.
const BEYOND: f64 = 64_000.0;

impl Ground {
    /// The ground of the walker's map.
    pub(crate) fn new(walker: Arc<Walker>, outline: f64) -> Result<Ground, RemoteError> {
        let frame = walker.map().frame().ok_or(RemoteError::NoFrame)?.clone();
        let stretch = stretch(&frame);
        Ok(Ground { walker, frame, stretch, outline })
    }

    /// A range with what must be added to it; `slack` is 1 or more. Anywhere is around a line
    /// through the whole map.
    pub(crate) fn reach<'a>(&self, range: &Range<'a>, slack: f64) -> Reach<'a> {
        let (lines, metres) = match range.around {
            Some((piece, metres)) => (Cow::Borrowed(piece.lines()), metres),
            None => {
                let bounds = self.walker.map().bounds();
                let across = bounds.min.distance(bounds.max);
                (Cow::Owned(vec![vec![bounds.min, bounds.max]]), across / 2.0 + BEYOND)
            }
        };
        Reach { lines, metres: metres * self.stretch * slack + 1.0 + self.outline }
    }

    /// Lines of the plane as lines on Earth, end to end where they meet.
    pub(crate) fn lines(&self, lines: &[Vec<Point>]) -> Vec<Vec<Spot>> {
        let on_earth = |line: &Vec<Point>| line.iter().map(|&point| self.spot(point)).collect();
        chained(lines.iter().map(on_earth).collect())
    }

    /// The middle of the map.
    pub(crate) fn middle(&self) -> Spot {
        self.spot(self.walker.map().bounds().centre())
    }

    /// A point of the plane on Earth.
    pub(crate) fn spot(&self, point: Point) -> Spot {
        Spot::of(self.frame.lon_lat(point))
    }

    /// An object that is drawn so on Earth; `None` if there is no such place.
    pub(crate) fn row(&self, texts: [String; 3], drawn: &Drawn) -> Option<Row> {
        let [id, name, category] = texts;
        let point = drawn.place(self.outline, |[lon, lat]| {
            let point = self.frame.point(LonLat::new(lon, lat)?);
            (point.x.is_finite() && point.y.is_finite()).then_some(point)
        })?;
        Some(Row { id, name, category, point })
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::question::Category;
    use crate::service::Piece;
    use import::{Options, read_map};
    use meshcloak::distance::Atlas;
    use meshcloak::units::Length;

    pub(crate) fn city() -> Arc<Walker> {
        let source = "city:500:7".parse().unwrap();
        let map = read_map(&source, &Options::default(), &()).unwrap().map;
        Arc::new(Walker::new(Arc::new(Atlas::new(map, Length::metres(500.0)))))
    }

    #[test]
    fn anywhere_holds_the_whole_map() {
        let walker = city();
        let ground = Ground::new(walker.clone(), 0.0).unwrap();
        let anywhere = ground.reach(&Range { around: None, category: &Category::Any }, 1.002);
        let line = &anywhere.lines[0];
        for terminal in walker.map().terminals() {
            let point = walker.map().terminal(terminal);
            let nearest = line[0].towards(line[1], point.nearest_fraction(line[0], line[1]));
            assert!(nearest.distance(point) + BEYOND <= anywhere.metres);
        }
    }

    #[test]
    fn a_region_is_told_as_few_lines_and_comes_back_where_it_was() {
        let walker = city();
        let map = walker.map();
        let streets: Vec<_> = map.streets().collect();
        let piece = Piece::of(map, &streets);
        let ground = Ground::new(walker.clone(), 30.0).unwrap();
        let range = Range { around: Some((&piece, 500.0)), category: &Category::Any };
        assert_eq!(ground.reach(&range, 1.002).metres, 532.0);
        let lines = ground.lines(piece.lines());
        assert!(lines.len() * 3 < streets.len() * 2, "{} of {}", lines.len(), streets.len());
        for spot in lines.iter().flatten() {
            let [lon, lat]: [f64; 2] =
                serde_json::from_value(serde_json::to_value(spot).unwrap()).unwrap();
            let row = ground.row(Default::default(), &Drawn::point([lon, lat])).unwrap();
            assert!(piece.distance(row.point) < 0.02);
        }
        assert_eq!(ground.row(Default::default(), &Drawn::point([200.0, 0.0])), None);
        assert_eq!(ground.row(Default::default(), &Drawn::point([f64::NAN, 0.0])), None);
    }
}
