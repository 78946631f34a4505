//! Groups of a batch: the groups that users already belong to, joined until every k is met.

use meshcloak::map::StreetMap;
use meshcloak::query::{Query, UserId};
use meshcloak::scheme::State;
use meshcloak::units::{Point, Rectangle};
use rustc_hash::FxHashMap;

/// Users that publish together.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Group {
    /// Waiting indices.
    pub(super) members: Vec<u32>,
    /// Smallest rectangle around the members.
    pub(super) rectangle: Rectangle,
    /// Largest k of the members.
    k: usize,
}

impl Group {
    fn of(map: &StreetMap, waiting: &[Query], index: u32) -> Group {
        let query = &waiting[index as usize];
        let point = map.point(query.position);
        let rectangle = Rectangle { min: point, max: point };
        Group { members: vec![index], rectangle, k: query.k as usize }
    }

    fn is_complete(&self) -> bool {
        self.members.len() >= self.k
    }

    fn join(&mut self, other: Group) {
        self.rectangle = union(self.rectangle, other.rectangle);
        self.k = self.k.max(other.k);
        self.members.extend(other.members);
    }
}

/// Forms the groups of a batch from one query of each user; users whose k cannot be met are in none.
///
/// Users who were last published together are a group. A user without a group, or a group that has
/// too few members because others left, joins the group with which its rectangle is smallest (by
/// perimeter), until every k is met.
pub(super) fn form_groups(map: &StreetMap, state: &State, indices: &[u32]) -> Vec<Group> {
    let waiting = &state.waiting;
    let mut complete: Vec<Group> = Vec::new();
    let mut incomplete: Vec<Group> = Vec::new();
    for group in known_groups(map, state, indices) {
        if group.is_complete() { complete.push(group) } else { incomplete.push(group) }
    }
    // The oldest is last; it chooses first.
    incomplete.sort_by_key(|group| std::cmp::Reverse(group.members.iter().min().copied()));
    while let Some(mut group) = incomplete.pop() {
        while !group.is_complete() {
            let nearest = |groups: &[Group]| {
                let costs = groups.iter().map(|other| cost(&group, other)).enumerate();
                costs.min_by(|a, b| a.1.total_cmp(&b.1))
            };
            let other = match (nearest(&incomplete), nearest(&complete)) {
                (Some(a), Some(b)) if a.1 <= b.1 => incomplete.remove(a.0),
                (_, Some(b)) => complete.swap_remove(b.0),
                (Some(a), None) => incomplete.remove(a.0),
                (None, None) => break,
            };
            group.join(other);
        }
        if !group.is_complete() {
            // All users are in this group, and they are too few for some.
            return satisfied_part(map, waiting, group).into_iter().collect();
        }
        complete.push(group);
    }
    complete
}

/// Groups of users who were last published together, and one group for each other user.
fn known_groups(map: &StreetMap, state: &State, indices: &[u32]) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    let mut group_of: FxHashMap<&[UserId], usize> = FxHashMap::default();
    for &index in indices {
        let one = Group::of(map, &state.waiting, index);
        let publication = state.history.publication(state.waiting[index as usize].user);
        let known = publication
            .map(|publication| *group_of.entry(&publication.users).or_insert(groups.len()));
        match known.filter(|&known| known < groups.len()) {
            Some(known) => groups[known].join(one),
            None => groups.push(one),
        }
    }
    groups
}

/// Members whose k is met by the rest; `None` if there are none.
fn satisfied_part(map: &StreetMap, waiting: &[Query], group: Group) -> Option<Group> {
    let mut members = group.members;
    loop {
        let size = members.len();
        members.retain(|&index| waiting[index as usize].k as usize <= size);
        if members.len() == size {
            break;
        }
    }
    let parts = members.into_iter().map(|index| Group::of(map, waiting, index));
    parts.reduce(|mut group, one| {
        group.join(one);
        group
    })
}

/// Half the perimeter of the rectangle around two groups.
fn cost(a: &Group, b: &Group) -> f64 {
    let rectangle = union(a.rectangle, b.rectangle);
    rectangle.width() + rectangle.height()
}

fn union(a: Rectangle, b: Rectangle) -> Rectangle {
    Rectangle {
        min: Point::new(a.min.x.min(b.min.x), a.min.y.min(b.min.y)),
        max: Point::new(a.max.x.max(b.max.x), a.max.y.max(b.max.y)),
    }
}
