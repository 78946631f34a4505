//! k-sharing regions with memorisation (Chow & Mokbel 2007): the users of a group share one region at
//! all times, and a user who asks again stays in the group of the first query.
//!
//! *k-sharing*: an adversary who knows all positions has k candidates, since all members of a group
//! publish its rectangle. *Memorisation*: the candidates of linked queries stay the same, since the
//! group does. A user without a waiting query is unknown to the scheme and has left its group.

mod groups;
#[cfg(test)]
mod tests;

use crate::distinct_users::DistinctUsers;
use crate::registry::{Crowd, KRule, OwnAttack, Parameter, SchemeEntry, ThreatModel};
use crate::rounded_rectangle::grow_to_area;
use groups::{Group, form_groups};
use meshcloak::distance::Atlas;
use meshcloak::history::{Horizon, Publication};
use meshcloak::query::{Query, UserId};
use meshcloak::region::Region;
use meshcloak::scheme::{
    Description, Observer, Pace, Published, RegionDependence, Scheme, Stage, State, Stats,
};
use meshcloak::units::Time;
use std::sync::Arc;
use std::time::Duration;

/// How long a user belongs to a group after the last query.
const HORIZON: Duration = Duration::from_secs(600);

/// Row in the table of schemes.
pub(crate) const ENTRY: SchemeEntry = SchemeEntry {
    name: "k-sharing",
    parameters: &[Parameter::min_area()],
    threat_model: ThreatModel {
        crowd: Crowd::Registered,
        k: KRule::Constant,
        attack: OwnAttack::Intersection,
        promise: "the same k users stay possible over all linked queries",
    },
    build: |atlas, arguments| {
        let min_area = arguments.number("min-area");
        Ok(Box::new(KSharing::new(Arc::clone(atlas), min_area)))
    },
};

/// The scheme and its buffers.
#[derive(Debug)]
pub struct KSharing {
    atlas: Arc<Atlas>,
    /// A_min: minimum published area in square metres.
    min_area: f64,
    users: DistinctUsers,
    published: Published,
}

impl KSharing {
    /// Creates the scheme for a map.
    pub fn new(atlas: Arc<Atlas>, min_area: f64) -> KSharing {
        KSharing {
            atlas,
            min_area,
            users: DistinctUsers::default(),
            published: Published::default(),
        }
    }

    /// Publishes a group and returns its set.
    fn publish(&mut self, waiting: &[Query], now: Time, group: &Group) -> u32 {
        let rectangle = grow_to_area(group.rectangle, self.min_area);
        let region = Arc::new(Region::Rectangle(rectangle));
        let members = || group.members.iter().map(|&index| &waiting[index as usize]);
        let set = self.published.add(members().map(|query| query.id), &region);
        let mut users: Vec<UserId> = members().map(|query| query.user).collect();
        users.sort_unstable();
        let users: Arc<[UserId]> = users.into();
        for query in members() {
            let (region, users) = (Arc::clone(&region), Arc::clone(&users));
            let publication = Publication { asked_at: query.asked_at, at: now, region, users };
            self.published.remember(query.id, Arc::new(publication));
        }
        set
    }
}

impl Scheme for KSharing {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn describe(&self) -> Description {
        Description {
            label: "k-sharing",
            summary: "Groups that keep sharing one region.",
            setting: "free space",
            cliques: "groups that users join and leave",
            constraint: "first group of a user",
            pace: Pace::Batch,
            regions: RegionDependence::Tight,
        }
    }

    fn history_horizon(&self) -> Option<Horizon> {
        Some(HORIZON.into())
    }

    fn cloak(&mut self, state: &State, now: Time, observer: &mut dyn Observer) -> &mut Published {
        let waiting = &state.waiting;
        observer.stage(Stage::Cliques);
        let groups = form_groups(self.atlas.map(), state, self.users.select(waiting));
        observer.stage(Stage::Mesh);
        self.published.clear();
        let mut served: Vec<(u32, u32)> = Vec::new();
        for group in &groups {
            let set = self.publish(waiting, now, group);
            served.extend(group.members.iter().map(|&index| (index, set)));
        }
        served.sort_unstable();
        served.into_iter().for_each(|(index, set)| self.published.serve(index, set));
        self.published.stats =
            Stats { nodes: waiting.len(), cliques: groups.len(), ..Stats::default() };
        &mut self.published
    }
}
