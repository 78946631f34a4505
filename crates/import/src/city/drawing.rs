//! Runs all stages from a [`CityPlan`] to a [`Draft`].

use super::CityPlan;
use super::blocks::{Blocks, Park};
use super::density::Density;
use super::layout::Layout;
use super::lines::{Lines, Traffic};
use super::names::Names;
use super::pois::{PlacedPoi, PoiPlacer};
use super::road_network::RoadNetwork;
use super::skeleton::Skeleton;
use crate::draft::Draft;
use crate::progress::Progress;
use meshcloak::map::{Frame, MapBuilder, MapError, RawPoi, RawStreet, TerminalId};
use meshcloak::units::{LonLat, Point};
use rustc_hash::FxHashSet;

/// Origin of the city's frame: a rural area in south-west Germany.
const ORIGIN: LonLat = LonLat { lon: 9.0, lat: 48.0 };

/// A generated city before it is converted to a map.
pub(super) struct Drawing {
    pub net: RoadNetwork,
    pub lines: Lines,
    pub names: Vec<String>,
    pub pois: Vec<PlacedPoi>,
    /// Centre line of the river.
    #[cfg_attr(not(test), expect(dead_code, reason = "checked by tests"))]
    pub river: Vec<Point>,
    /// Number of streets across the river.
    #[cfg_attr(not(test), expect(dead_code, reason = "checked by tests"))]
    pub bridges: usize,
}

/// Generates the city of a plan as a draft map.
pub(crate) fn build(plan: CityPlan, progress: &dyn Progress) -> Draft {
    progress.begin("building the city", plan.streets() as u64);
    let drawing = draw(plan, progress);
    let builder = to_map(&drawing).expect("a drawn city has finite points and distinct ids");
    Draft {
        builder,
        format: "built-in city",
        nodes: nodes(&drawing.net),
        edges: edges(&drawing.net),
        notes: Vec::new(),
    }
}

/// Generates the city of a plan.
pub(super) fn draw(plan: CityPlan, progress: &dyn Progress) -> Drawing {
    let layout = Layout::new(plan.seed(), plan.streets());
    let density = Density::new(&layout);
    let Skeleton { mut plane, mut lines, river, elevated, bridges, roundabouts } =
        Skeleton::new(&layout);
    // Motorways and roundabouts (four streets each) are added after the blocks.
    let reserved = elevated.len() + 4 * roundabouts.len();
    let mut blocks = Blocks::new(&layout, &density, &plane);
    blocks.cut(&mut plane, &mut lines, plan.streets() - reserved, progress);
    let parks: Vec<Park> = std::mem::take(&mut blocks.parks);
    let mut net = RoadNetwork::new(&plane, &lines, elevated);
    for vertex in roundabouts {
        net.add_roundabout(&mut lines, plane.point(vertex));
    }
    net.make_strongly_connected();
    let mut names = Names::new(plan.seed(), layout.boulevard);
    let line_names = names.of_lines(&lines);
    let placer = PoiPlacer { layout: &layout, density: &density, lines: &lines, net: &net };
    let pois = placer.all(&mut names, &parks);
    Drawing { net, lines, names: line_names, pois, river, bridges }
}

fn to_map(drawing: &Drawing) -> Result<MapBuilder, MapError> {
    let mut builder = MapBuilder::new();
    builder.set_frame(Frame::at(ORIGIN));
    let label = |letter: char, n: usize| format!("{letter}{}", n + 1);
    for (n, point) in drawing.net.terminals.iter().enumerate() {
        builder.terminal(&label('t', n), *point)?;
    }
    for (n, road) in drawing.net.roads.iter().enumerate() {
        builder.street(RawStreet {
            label: &label('s', n),
            from: TerminalId(road.from),
            to: TerminalId(road.to),
            written_metres: None,
            one_way: road.traffic == Traffic::AsDrawn,
            bends: &road.bends,
            name: &drawing.names[road.line.0 as usize],
            class: drawing.lines.get(road.line).class.word(),
        })?;
    }
    for (n, poi) in drawing.pois.iter().enumerate() {
        let (point, category, name) = (poi.point, poi.category, poi.name.as_str());
        builder.poi(RawPoi { label: &label('p', n), point, category, name })?;
    }
    Ok(builder)
}

fn nodes(net: &RoadNetwork) -> u64 {
    (net.terminals.len() + net.roads.iter().map(|road| road.bends.len()).sum::<usize>()) as u64
}

/// Counts distinct pairs of points joined by a street. Bends are distinct points, so only straight
/// streets can repeat a pair.
fn edges(net: &RoadNetwork) -> u64 {
    let mut straight = FxHashSet::default();
    let mut pairs = 0;
    for road in &net.roads {
        if !road.bends.is_empty() {
            pairs += road.bends.len() as u64 + 1;
        } else if straight.insert((road.from.min(road.to), road.from.max(road.to))) {
            pairs += 1;
        }
    }
    pairs
}
