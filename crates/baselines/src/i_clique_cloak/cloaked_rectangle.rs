//! The rectangle of a set: around its members, then enlarged until each member's last rectangle is
//! within the arrival boundary, then until it has the minimum area.
//!
//! A corner `c` of a last rectangle is within the arrival boundary if the rectangle is at most
//! `v·Δt` away. Otherwise the nearest corner of the rectangle moves straight towards `c`, which is
//! its shortest way. Sides only move outwards, so a corner that is near enough stays so, and one
//! pass over all members suffices.

use super::boundary::BoundedQuery;
use crate::rounded_rectangle::{corners, grow, grow_to_area};
use meshcloak::units::{Point, Rectangle};

/// Distance in metres by which enlargement exceeds what is needed, against rounding.
const MARGIN: f64 = 1e-6;

/// Returns the rectangle of a set; `None` if it has no member. It may leave the movement boundary of
/// a member, see [`prune`].
pub(super) fn cloaked_rectangle<'a>(
    members: impl Iterator<Item = &'a BoundedQuery> + Clone,
    min_area: f64,
) -> Option<Rectangle> {
    let around = Rectangle::around(members.clone().map(|member| member.point))?;
    let with_sides = members.clone().fold(around, enlarge_sides);
    let with_corners = members.fold(with_sides, enlarge_corners);
    Some(grow_to_area(with_corners, min_area))
}

/// Moves each side to within the travel range of that side of the member's last rectangle.
fn enlarge_sides(rectangle: Rectangle, member: &BoundedQuery) -> Rectangle {
    let Some(last) = member.last else { return rectangle };
    let needed = grow(last.rectangle(), -last.range);
    let Rectangle { min, max } = rectangle;
    Rectangle {
        min: Point::new(min.x.min(needed.min.x), min.y.min(needed.min.y)),
        max: Point::new(max.x.max(needed.max.x), max.y.max(needed.max.y)),
    }
}

/// Moves corners to within the travel range of the corners of the member's last rectangle.
fn enlarge_corners(rectangle: Rectangle, member: &BoundedQuery) -> Rectangle {
    let Some(last) = member.last else { return rectangle };
    corners(last.rectangle()).into_iter().fold(rectangle, |rectangle, corner| {
        let nearest = rectangle.nearest(corner);
        let distance = nearest.distance(corner);
        if distance <= last.range {
            return rectangle;
        }
        let fraction = 1.0 - (last.range - MARGIN).max(0.0) / distance;
        let moved = nearest.towards(corner, fraction);
        let Rectangle { min, max } = rectangle;
        Rectangle {
            min: Point::new(min.x.min(moved.x), min.y.min(moved.y)),
            max: Point::new(max.x.max(moved.x), max.y.max(moved.y)),
        }
    })
}

/// Prunes a clique to a publishable set and returns its rectangle; `None` if no member remains.
///
/// Removes all members whose k exceeds the size, then the one whose movement boundary the rectangle
/// exceeds most, to a fixpoint. Without that member the rectangle may shrink into the boundaries of
/// the others, which therefore stay.
pub(super) fn prune<'a, P: Copy>(
    members: &mut Vec<P>,
    query: impl Fn(P) -> &'a BoundedQuery,
    min_area: f64,
) -> Option<Rectangle> {
    loop {
        let size = members.len();
        members.retain(|&member| query(member).k as usize <= size);
        if members.len() < size {
            continue;
        }
        let rectangle = cloaked_rectangle(members.iter().map(|&member| query(member)), min_area)?;
        let excess = |&member: &P| {
            let boundary = query(member).movement_boundary()?;
            (!boundary.contains_all(rectangle)).then(|| boundary.excess(rectangle))
        };
        let excesses = members.iter().map(excess).enumerate();
        let outside = excesses.filter_map(|(index, excess)| Some((index, excess?)));
        let Some((worst, _)) = outside.max_by(|a, b| a.1.total_cmp(&b.1)) else {
            return Some(rectangle);
        };
        members.remove(worst);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::i_clique_cloak::testing::random_queries;
    use crate::rounded_rectangle::RoundedRectangle;

    /// Whether the rectangle can be reached from every point of the last one, on a grid of points.
    fn can_arrive(member: &BoundedQuery, rectangle: Rectangle) -> bool {
        let Some(last) = member.last else { return true };
        let Rectangle { min, max } = last.rectangle();
        let steps = || (0..=8).map(|step| f64::from(step) / 8.0);
        let points = steps().flat_map(|x| steps().map(move |y| (x, y)));
        points.into_iter().all(|(x, y)| {
            let point = Point::new(min.x + (max.x - min.x) * x, min.y + (max.y - min.y) * y);
            rectangle.nearest(point).distance(point) <= last.range + 1e-9
        })
    }

    #[test]
    fn the_rectangle_holds_the_members_arrives_and_has_the_minimum_area() {
        let (mut enlarged, mut cut) = (0, 0);
        for seed in 0..400 {
            let members = random_queries(seed, 1 + seed as usize % 9);
            let min_area = [0.0, 1e4, 1e6][seed as usize % 3];
            let found = cloaked_rectangle(members.iter(), min_area).unwrap();
            let around = Rectangle::around(members.iter().map(|member| member.point)).unwrap();
            assert!(corners(around).into_iter().all(|corner| found.nearest(corner) == corner));
            assert!(members.iter().all(|member| can_arrive(member, found)), "seed {seed}");
            assert!(found.width() * found.height() >= min_area, "seed {seed}");
            enlarged += usize::from(found != around);
            // Sides alone do not suffice: the corners of the arrival boundary are round.
            let sides = members.iter().fold(around, enlarge_sides);
            cut += usize::from(!members.iter().all(|member| can_arrive(member, sides)));
        }
        assert!(enlarged > 100 && cut > 30, "{enlarged} {cut}");
    }

    #[test]
    fn sides_move_no_farther_than_the_union_with_the_last_rectangles() {
        for seed in 0..400 {
            let members = random_queries(seed, 1 + seed as usize % 9);
            let found = cloaked_rectangle(members.iter(), 0.0).unwrap();
            let last = members.iter().filter_map(|member| member.last);
            let points = members.iter().map(|member| member.point);
            let all = points.chain(last.flat_map(|last| corners(last.rectangle())));
            let union = Rectangle::around(all).unwrap();
            let boundary = RoundedRectangle { rectangle: union, radius: MARGIN };
            assert!(boundary.contains_all(found), "seed {seed}");
        }
    }

    /// Whether a set with this rectangle meets every k and movement boundary.
    fn is_publishable(members: &[&BoundedQuery], rectangle: Rectangle) -> bool {
        members.iter().all(|member| {
            let boundary = member.movement_boundary();
            member.k as usize <= members.len()
                && boundary.is_none_or(|boundary| boundary.contains_all(rectangle))
        })
    }

    /// Size of the largest publishable subset, by trying all.
    fn largest_subset(all: &[BoundedQuery]) -> usize {
        let sets = (1..1_u32 << all.len()).filter_map(|set| {
            let chosen = (0..all.len()).filter(|index| set >> index & 1 == 1);
            let members: Vec<&BoundedQuery> = chosen.map(|index| &all[index]).collect();
            let rectangle = cloaked_rectangle(members.iter().copied(), 0.0)?;
            is_publishable(&members, rectangle).then_some(members.len())
        });
        sets.max().unwrap_or(0)
    }

    /// Size after removing all members outside their boundaries at once.
    fn size_without_all_outside(all: &[BoundedQuery]) -> usize {
        let mut members: Vec<&BoundedQuery> = all.iter().collect();
        while let Some(rectangle) = cloaked_rectangle(members.iter().copied(), 0.0) {
            let size = members.len();
            members.retain(|member| {
                let boundary = member.movement_boundary();
                member.k as usize <= size
                    && boundary.is_none_or(|boundary| boundary.contains_all(rectangle))
            });
            if members.len() == size {
                break;
            }
        }
        members.len()
    }

    #[test]
    fn pruning_keeps_nearly_as_many_members_as_the_largest_publishable_subset() {
        let (mut kept, mut largest, mut more) = (0, 0, 0);
        for seed in 0..600 {
            let all = random_queries(seed, 1 + seed as usize % 9);
            let mut members: Vec<usize> = (0..all.len()).collect();
            prune(&mut members, |index| &all[index], 0.0);
            let (best, at_once) = (largest_subset(&all), size_without_all_outside(&all));
            assert!((at_once..=best).contains(&members.len()), "seed {seed}");
            (kept, largest) = (kept + members.len(), largest + best);
            more += usize::from(members.len() > at_once);
        }
        assert!(kept * 10 >= largest * 9 && more > 20, "{kept} of {largest}, {more}");
    }

    #[test]
    fn a_pruned_clique_meets_every_k_and_movement_boundary() {
        let mut sizes = 0;
        for seed in 0..400 {
            let all = random_queries(seed, 1 + seed as usize % 9);
            let mut members: Vec<usize> = (0..all.len()).collect();
            let rectangle = prune(&mut members, |index| &all[index], 0.0);
            assert_eq!(rectangle.is_none(), members.is_empty());
            let members: Vec<&BoundedQuery> = members.iter().map(|&index| &all[index]).collect();
            assert!(rectangle.is_none_or(|rectangle| is_publishable(&members, rectangle)));
            sizes += members.len();
        }
        assert!(sizes > 200, "{sizes}");
    }
}
