//! Movement and arrival boundaries derived from a user's last published rectangle (Pan, Xu and Meng
//! 2012).

use meshcloak::distance::Atlas;
use meshcloak::history::{History, PublishedRectangle};
use meshcloak::query::{Query, QueryId, UserId};
use meshcloak::units::{Point, Rectangle};

/// A query with the user's last published rectangle.
#[derive(Clone, Copy, Debug)]
pub(super) struct BoundedQuery {
    pub(super) id: QueryId,
    pub(super) user: UserId,
    pub(super) k: u32,
    pub(super) point: Point,
    last: Option<LastPublication>,
}

/// Last published rectangle of a user.
#[derive(Clone, Copy, Debug)]
struct LastPublication {
    published: PublishedRectangle,
    /// Largest distance in metres that the user can have travelled since.
    range: f64,
}

impl BoundedQuery {
    pub(super) fn new(atlas: &Atlas, history: &History, query: &Query) -> BoundedQuery {
        let last = history
            .published_rectangle(query.user)
            .map(|published| LastPublication { published, range: travel_range(query, published) });
        let point = atlas.map().point(query.position);
        BoundedQuery { id: query.id, user: query.user, k: query.k, point, last }
    }

    /// The same query after a publication of that rectangle.
    #[cfg(test)]
    pub(super) fn with_published(self, rectangle: Rectangle, range: f64) -> BoundedQuery {
        let asked_at = meshcloak::units::Time::default();
        let published = PublishedRectangle { asked_at, rectangle };
        BoundedQuery { last: Some(LastPublication { published, range }), ..self }
    }

    /// Whether the stored rectangle is still the user's last one.
    pub(super) fn is_up_to_date(&self, history: &History) -> bool {
        self.last.map(|last| last.published) == history.published_rectangle(self.user)
    }

    /// Maximum movement boundary: the last published rectangle, enlarged by the travel range. `None`
    /// if nothing was published, so the user may be anywhere.
    pub(super) fn movement_boundary(&self) -> Option<Rectangle> {
        self.last.map(|last| enlarge(last.published.rectangle, last.range))
    }

    /// Whether a point is within the movement boundary.
    fn may_be_at(&self, point: Point) -> bool {
        self.movement_boundary().is_none_or(|boundary| contains(boundary, point))
    }

    /// Whether the query lies in its own movement boundary; a user faster than declared has no
    /// neighbours.
    fn is_plausible(&self) -> bool {
        self.may_be_at(self.point)
    }

    /// Whether each is within the other's movement boundary. Boundaries are rectangles, so the
    /// bounding rectangle of a clique lies within the boundary of each member.
    pub(super) fn is_adjacent(&self, other: &BoundedQuery) -> bool {
        self.user != other.user
            && self.may_be_at(other.point)
            && other.may_be_at(self.point)
            && self.is_plausible()
            && other.is_plausible()
    }

    /// Whether a set of this size and bounding rectangle meets the query's k and the backward test.
    pub(super) fn fits(&self, size: usize, rectangle: Rectangle) -> bool {
        self.k as usize <= size && self.can_arrive_in(rectangle)
    }

    /// Backward test: whether the last published rectangle lies within the maximum arrival boundary
    /// of `rectangle`, from which it can be reached.
    fn can_arrive_in(&self, rectangle: Rectangle) -> bool {
        self.last.is_none_or(|last| {
            let arrival = enlarge(rectangle, last.range);
            let before = last.published.rectangle;
            contains(arrival, before.min) && contains(arrival, before.max)
        })
    }
}

/// Largest distance in metres between the query and the one with the published rectangle:
/// `v·|t − t_prev|`, or the distance constraint if the query has no speed. The later of two waiting
/// queries may be published first, hence the absolute value.
fn travel_range(query: &Query, published: PublishedRectangle) -> f64 {
    let (t, previous) = (query.asked_at, published.asked_at);
    let span = (t - previous).max(previous - t);
    query.speed.map_or(query.distance_constraint, |speed| speed * span).as_metres()
}

fn enlarge(rectangle: Rectangle, by: f64) -> Rectangle {
    let Rectangle { min, max } = rectangle;
    Rectangle { min: Point::new(min.x - by, min.y - by), max: Point::new(max.x + by, max.y + by) }
}

fn contains(rectangle: Rectangle, point: Point) -> bool {
    rectangle.nearest(point) == point
}
