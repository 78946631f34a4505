//! Where somebody can be, and can have been, by what was last shown of her (Pan, Xu and Meng 2012).

use meshcloak::distance::Atlas;
use meshcloak::history::{History, PublishedRectangle};
use meshcloak::query::{Query, QueryId, UserId};
use meshcloak::units::{Point, Rectangle};

/// A query as ICliqueCloak sees it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Person {
    pub(super) id: QueryId,
    pub(super) user: UserId,
    pub(super) k: u32,
    pub(super) point: Point,
    /// What was last shown of her, and how far she can have come since.
    shown: Option<(PublishedRectangle, f64)>,
}

impl Person {
    pub(super) fn of(atlas: &Atlas, history: &History, query: &Query) -> Person {
        let shown = history.published_rectangle(query.user).map(|shown| (shown, far(query, shown)));
        let point = atlas.map().point(query.position);
        Person { id: query.id, user: query.user, k: query.k, point, shown }
    }

    /// The same person, of whom that rectangle was shown.
    #[cfg(test)]
    pub(super) fn shown_as(self, rectangle: Rectangle, far: f64) -> Person {
        let asked_at = meshcloak::units::Time::default();
        Person { shown: Some((PublishedRectangle { asked_at, rectangle }, far)), ..self }
    }

    /// Whether this is still what was last shown of her.
    pub(super) fn is_up_to_date(&self, history: &History) -> bool {
        self.shown.map(|(shown, _)| shown) == history.published_rectangle(self.user)
    }

    /// Her maximum movement boundary: the rectangle last shown, grown by how far she can have come.
    /// `None`: nothing was shown, and she may be anywhere.
    pub(super) fn movement_boundary(&self) -> Option<Rectangle> {
        self.shown.map(|(shown, far)| grown(shown.rectangle, far))
    }

    /// Whether a point is within her movement boundary.
    fn may_be_at(&self, point: Point) -> bool {
        self.movement_boundary().is_none_or(|boundary| holds(boundary, point))
    }

    /// Whether she is where she can be; somebody faster than she says is hidden with nobody.
    fn is_plausible(&self) -> bool {
        self.may_be_at(self.point)
    }

    /// Whether each is within the other's movement boundary. The boundaries are rectangles, so the
    /// bounding rectangle of people who are pairwise adjacent is within the boundary of each.
    pub(super) fn is_adjacent(&self, other: &Person) -> bool {
        self.user != other.user
            && self.may_be_at(other.point)
            && other.may_be_at(self.point)
            && self.is_plausible()
            && other.is_plausible()
    }

    /// The backward test: whether all of what was last shown of her is within the maximum arrival
    /// boundary of `rectangle`, from which one can have come into it.
    pub(super) fn may_have_come_into(&self, rectangle: Rectangle) -> bool {
        self.shown.is_none_or(|(shown, far)| {
            let arrival = grown(rectangle, far);
            holds(arrival, shown.rectangle.min) && holds(arrival, shown.rectangle.max)
        })
    }
}

/// How far she can have come since the query whose rectangle was shown, in metres: `v·(t − t_prev)`.
/// Without a speed it is her distance constraint, which is how far she can move between two
/// queries. Of two waiting queries the later may be shown first, so time counts both ways.
fn far(query: &Query, shown: PublishedRectangle) -> f64 {
    let span = (query.asked_at - shown.asked_at).max(shown.asked_at - query.asked_at);
    let far = query.speed.map_or(query.distance_constraint, |speed| speed * span);
    far.as_metres()
}

fn grown(rectangle: Rectangle, by: f64) -> Rectangle {
    let Rectangle { min, max } = rectangle;
    Rectangle { min: Point::new(min.x - by, min.y - by), max: Point::new(max.x + by, max.y + by) }
}

fn holds(rectangle: Rectangle, point: Point) -> bool {
    rectangle.nearest(point) == point
}
