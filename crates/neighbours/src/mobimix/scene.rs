//! Picture of one zone: the hidden streets, and the paths of a set of users in and out.

use super::anonymity_set::SetFinder;
use super::placement::Zones;
use super::visits::{Visit, visits};
use super::zone::{HiddenPart, Zone};
use crate::drawing::{Drawing, square};
use meshcloak::map::StreetMap;
use meshcloak::units::{Point, Rectangle};
use traffic::Journey;
use traffic::TrafficModel;

/// Milliseconds of a path that are drawn before and after the zone.
const SHOWN_TIME: u64 = 20_000;
/// Milliseconds between two points of a drawn path.
const STEP: usize = 250;
/// Size of the anonymity set that is drawn.
const DRAWN_USERS: usize = 5;

/// The zone and the visit whose anonymity set is drawn.
#[derive(Clone, Debug)]
pub struct ZoneScene {
    zone: usize,
    members: Vec<Visit>,
}

impl ZoneScene {
    /// Chooses the visit whose anonymity set is nearest in size to five users; `None` if no two users
    /// meet.
    pub fn choose(
        map: &StreetMap,
        zones: &Zones,
        model: &TrafficModel,
        journeys: &[Journey],
    ) -> Option<ZoneScene> {
        let mut best: Option<(usize, ZoneScene)> = None;
        let mut set = Vec::new();
        for (zone, visits) in visits(map, zones, model, journeys).iter().enumerate() {
            let finder = SetFinder::new(visits, zones.all()[zone].window);
            for target in 0..visits.len() {
                finder.find(target, &mut set);
                let rating = (set.len() + 1).abs_diff(DRAWN_USERS);
                if set.is_empty() || best.as_ref().is_some_and(|best| best.0 <= rating) {
                    continue;
                }
                let members = [target as u32].into_iter().chain(set.iter().copied());
                let members = members.map(|member| visits[member as usize]).collect();
                best = Some((rating, ZoneScene { zone, members }));
            }
        }
        best.map(|best| best.1)
    }

    /// Draws streets, hidden parts and paths. Layers: `street`, `hidden`, `before`, `after`,
    /// `entry`, `exit`.
    pub fn draw(
        &self,
        map: &StreetMap,
        zones: &Zones,
        model: &TrafficModel,
        journeys: &[Journey],
    ) -> Drawing {
        let zone = &zones.all()[self.zone];
        let mut paths = Drawing::default();
        for member in &self.members {
            let Some(journey) = journeys.get(member.user as usize) else { continue };
            let path = |from: u64, to: u64| -> Vec<Point> {
                let times = (from..to).step_by(STEP).chain([to]);
                times.filter_map(|at| journey.point(map, at)).collect()
            };
            let begin = member.entered.saturating_sub(SHOWN_TIME).max(journey.start());
            let end = (member.left + SHOWN_TIME).min(journey.end());
            paths.add("before", path(begin, member.entered));
            paths.add("after", path(member.left, end));
            paths.add("entry", path(member.entered, member.entered));
            paths.add("exit", path(member.left, member.left));
        }
        let mut drawing = Drawing::default();
        let hidden = hidden_lines(map, model, zone);
        let shown = paths.layers.iter().flat_map(|layer| layer.1.iter().copied());
        if let Some(bounds) = Rectangle::around(shown.chain(hidden.iter().flatten().copied())) {
            for street in map.streets_near(square(bounds)) {
                drawing.add("street", map.shape(street).to_vec());
            }
        }
        hidden.into_iter().for_each(|line| drawing.add("hidden", line));
        drawing.layers.append(&mut paths.layers);
        let users = self.members.len();
        drawing.notes.push(match zone.window {
            Some(window) => {
                format!("{users} users enter within {:.1} s", window as f64 / 1000.0)
            }
            None => format!("{users} users are inside at one time"),
        });
        drawing
    }
}

/// Lines along the hidden parts of a zone.
fn hidden_lines(map: &StreetMap, model: &TrafficModel, zone: &Zone) -> Vec<Vec<Point>> {
    const POINTS: u32 = 24;
    let line = |part: &HiddenPart| {
        let point = |step: u32| {
            let along = (part.to - part.from).part(f64::from(step) / f64::from(POINTS));
            map.point(part.leg.position(map, part.from + along))
        };
        (0..=POINTS).map(point).collect()
    };
    zone.hidden_parts(map, model).iter().map(line).collect()
}
