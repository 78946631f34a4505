//! Patching: the last region, and what can be reached of the new one, are published together.
//! Regions only grow. Users inside who cannot have come from the last region are no members.

use super::crowd::Crowd;
use super::{OF, WrappedScheme, travel_range};
use crate::registry::{SchemeEntry, SchemeError, ThreatModel};
use crate::rounded_rectangle::RoundedRectangle;
use meshcloak::distance::Atlas;
use meshcloak::history::Horizon;
use meshcloak::map::{Position, StreetMap};
use meshcloak::query::Query;
use meshcloak::region::Region;
use meshcloak::scheme::{
    Description, Observer, Published, RegionDependence, Requirement, Scheme, Stage, State, Stats,
};
use meshcloak::units::Time;
use std::sync::Arc;

/// Row in the table of schemes.
pub(crate) const ENTRY: SchemeEntry = SchemeEntry {
    name: "patching",
    parameters: &[OF],
    threat_model: ThreatModel::MOVEMENT,
    build: |atlas, arguments| {
        let wrapped = WrappedScheme::build(atlas, arguments)?;
        Ok::<Box<dyn Scheme>, SchemeError>(Box::new(Patching::new(Arc::clone(atlas), wrapped)))
    },
};

/// Where the user of a query can be, by the last region: part of a patched region can be outside.
#[derive(Clone, Copy)]
enum MovementBoundary {
    /// Nothing was published before.
    Unbounded,
    /// The last rectangle grown by what can be travelled. The corners of the region are outside.
    Plane(RoundedRectangle),
    /// The range of the last search of [`RegionReach`](crate::region_reach::RegionReach). The far end
    /// of a street that can be entered is outside.
    Streets,
}

/// A region and the movement boundary.
struct Patched {
    region: Region<'static>,
    boundary: MovementBoundary,
}

/// The wrapper.
pub struct Patching {
    atlas: Arc<Atlas>,
    wrapped: WrappedScheme,
    crowd: Crowd,
    published: Published,
}

impl Patching {
    fn new(atlas: Arc<Atlas>, wrapped: WrappedScheme) -> Patching {
        let crowd = Crowd::new(atlas.map());
        Patching { atlas, wrapped, crowd, published: Published::default() }
    }

    /// The region of a query: patched if something was published for its user before.
    fn region(&mut self, state: &State, query: &Query, new: Region<'_>) -> Patched {
        let Some(last) = self.wrapped.last(state, query.user) else {
            let (region, boundary) = (new.into_owned(), MovementBoundary::Unbounded);
            return Patched { region, boundary };
        };
        // The later of two waiting queries may be published first.
        let (t, previous) = (query.asked_at, last.asked_at);
        let range = travel_range(query, (t - previous).max(previous - t));
        let boundary = match *last.region {
            Region::Rectangle(rectangle) => {
                MovementBoundary::Plane(RoundedRectangle { rectangle, radius: range })
            }
            Region::Mesh(_) => MovementBoundary::Streets,
            // Discs are noise: a region has one member.
            Region::Disc(_) => MovementBoundary::Unbounded,
        };
        Patched { region: self.wrapped.reach.patch(&last.region, &new, range), boundary }
    }

    /// Waiting indices of the users inside a region and its movement boundary.
    fn members(
        &self,
        waiting: &[Query],
        asker: u32,
        region: &Region<'_>,
        boundary: MovementBoundary,
    ) -> Vec<u32> {
        let map = self.atlas.map();
        let mut members = self.crowd.inside(map, waiting, region, asker);
        // An adversary excludes users outside the boundary.
        let can_reach = |position: Position| match boundary {
            MovementBoundary::Unbounded => true,
            MovementBoundary::Plane(shape) => shape.contains(map.point(position)),
            MovementBoundary::Streets => self.wrapped.reach.can_reach(position),
        };
        members.retain(|&index| can_reach(waiting[index as usize].position));
        members
    }

    /// Whether a region holds what the wrapped scheme requires, and the asker.
    fn suffices(&self, query: &Query, region: &Region<'_>, members: &[u32], asker: u32) -> bool {
        let needed = self.requirement(self.atlas.map(), query, region);
        members.len() >= needed.users as usize
            && needed.places.is_none_or(|places| places.present >= places.required)
            && members.contains(&asker)
    }
}

impl Scheme for Patching {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn describe(&self) -> Description {
        let summary = "A scheme whose regions are united with the last ones.";
        let regions = RegionDependence::Fixed;
        Description { regions, ..self.wrapped.describe("Patching", summary) }
    }

    fn history_horizon(&self) -> Option<Horizon> {
        Some(self.wrapped.horizon())
    }

    fn requirement(&self, map: &StreetMap, query: &Query, region: &Region<'_>) -> Requirement {
        self.wrapped.scheme.requirement(map, query, region)
    }

    fn cloak(&mut self, state: &State, now: Time, observer: &mut dyn Observer) -> &mut Published {
        let proposal = self.wrapped.propose(state, now, observer);
        observer.stage(Stage::Mesh);
        let waiting = &state.waiting;
        self.crowd.fill(self.atlas.map(), waiting);
        self.published.clear();
        for served in proposal.served() {
            let query = &waiting[served.index as usize];
            if !query.asks {
                continue; // a report is a member of sets, and nothing is published for it
            }
            let Patched { region, boundary } =
                self.region(state, query, proposal.set(served.set).region);
            let has_sets = proposal.set(served.set).members.len() >= query.k as usize;
            let members = match has_sets {
                true => self.members(waiting, served.index, &region, boundary),
                // A wrapped scheme without anonymity sets, such as noise, has no k to keep.
                false => vec![served.index],
            };
            if has_sets && !self.suffices(query, &region, &members, served.index) {
                continue;
            }
            let ids = members.iter().map(|&index| waiting[index as usize].id);
            let set = self.published.add(ids, &region);
            self.published.serve(served.index, set);
            self.wrapped.remember(&mut self.published, query, now, Arc::new(region));
        }
        let (nodes, cliques) = (waiting.len(), self.published.set_count());
        self.published.stats = Stats { nodes, cliques, ..Stats::default() };
        &mut self.published
    }
}
