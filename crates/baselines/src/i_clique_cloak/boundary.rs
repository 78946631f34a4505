//! Movement and arrival boundaries derived from a user's last published rectangle (Pan, Xu and Meng
//! 2012).
//!
//! Both are rectangles grown by the travel range `v·Δt`, with quarter circles at the corners. The
//! movement boundary grows the last rectangle: the user is inside it at the time of the query. The
//! arrival boundary grows the new rectangle: the last rectangle lies inside it if the new one can be
//! reached from each of its points.

use crate::rounded_rectangle::{RoundedRectangle, grow};
use meshcloak::distance::Atlas;
use meshcloak::history::History;
use meshcloak::query::{Query, QueryId, UserId};
use meshcloak::region::Region;
use meshcloak::units::{Point, Rectangle, Time};

/// A query with the user's last published rectangle.
#[derive(Clone, Copy, Debug)]
pub(super) struct BoundedQuery {
    pub(super) id: QueryId,
    pub(super) user: UserId,
    pub(super) k: u32,
    pub(super) asked_at: Time,
    pub(super) point: Point,
    pub(super) last: Option<LastPublication>,
}

/// A published rectangle and the time of the query that it answered.
#[derive(Clone, Copy, Debug, PartialEq)]
struct PublishedRectangle {
    asked_at: Time,
    rectangle: Rectangle,
}

impl PublishedRectangle {
    /// Returns the last one of a user.
    fn last(history: &History, user: UserId) -> Option<PublishedRectangle> {
        let publication = history.publication(user)?;
        let Region::Rectangle(rectangle) = *publication.region else { return None };
        Some(PublishedRectangle { asked_at: publication.asked_at, rectangle })
    }
}

/// Last published rectangle of a user.
#[derive(Clone, Copy, Debug)]
pub(super) struct LastPublication {
    published: PublishedRectangle,
    /// Largest distance in metres that the user can have travelled since.
    pub(super) range: f64,
}

impl LastPublication {
    /// The last published rectangle.
    pub(super) fn rectangle(&self) -> Rectangle {
        self.published.rectangle
    }

    /// Where the user can be now.
    fn movement_boundary(&self) -> RoundedRectangle {
        RoundedRectangle { rectangle: self.rectangle(), radius: self.range }
    }

    /// Whether some rectangle can follow both last rectangles, by the sides alone: it must reach to
    /// within `range` of each side of `self`, and not beyond the movement boundary of `other`.
    fn can_precede_with(&self, other: &LastPublication) -> bool {
        let (inner, outer) = (self.rectangle(), other.movement_boundary().bounds());
        let needed = grow(inner, -self.range);
        outer.min.x <= needed.min.x
            && outer.min.y <= needed.min.y
            && needed.max.x <= outer.max.x
            && needed.max.y <= outer.max.y
    }
}

impl BoundedQuery {
    pub(super) fn new(atlas: &Atlas, history: &History, query: &Query) -> BoundedQuery {
        let last = PublishedRectangle::last(history, query.user)
            .map(|published| LastPublication { published, range: travel_range(query, published) });
        BoundedQuery {
            id: query.id,
            user: query.user,
            k: query.k,
            asked_at: query.asked_at,
            point: atlas.map().point(query.position),
            last,
        }
    }

    /// The same query after a publication of that rectangle.
    #[cfg(test)]
    pub(super) fn with_published(self, rectangle: Rectangle, range: f64) -> BoundedQuery {
        let published = PublishedRectangle { asked_at: Time::default(), rectangle };
        BoundedQuery { last: Some(LastPublication { published, range }), ..self }
    }

    /// Whether the stored rectangle is still the user's last one.
    pub(super) fn is_up_to_date(&self, history: &History) -> bool {
        self.last.map(|last| last.published) == PublishedRectangle::last(history, self.user)
    }

    /// Maximum movement boundary: where the user can be now. `None` if nothing was published, so the
    /// user may be anywhere.
    pub(super) fn movement_boundary(&self) -> Option<RoundedRectangle> {
        self.last.map(|last| last.movement_boundary())
    }

    /// Whether a point is within the movement boundary.
    fn may_be_at(&self, point: Point) -> bool {
        self.movement_boundary().is_none_or(|boundary| boundary.contains(point))
    }

    /// Whether the query lies in its own movement boundary; a user faster than declared has no
    /// neighbours.
    fn is_plausible(&self) -> bool {
        self.may_be_at(self.point)
    }

    /// Whether each is within the other's movement boundary. Pairs that no rectangle can follow are
    /// excluded, since no clique with both can be published.
    pub(super) fn is_adjacent(&self, other: &BoundedQuery) -> bool {
        self.user != other.user
            && self.may_be_at(other.point)
            && other.may_be_at(self.point)
            && self.is_plausible()
            && other.is_plausible()
            && self.last.zip(other.last).is_none_or(|(own, others)| {
                own.can_precede_with(&others) && others.can_precede_with(&own)
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
