//! Conversion of a map to Brinkhoff's format: whole metres, straight two-way edges, numeric ids, at
//! most one edge per pair of nodes. Counts the data that the format cannot represent.

use super::collector::Node;
use meshcloak::map::{Rank, StreetId, StreetMap, Texts};
use meshcloak::units::{Length, Point};
use rustc_hash::FxHashSet;

/// Records to write.
#[derive(Debug)]
pub(super) struct ExportPlan {
    pub nodes: Vec<Node>,
    pub edges: Vec<PlannedEdge>,
    pairs: FxHashSet<(i64, i64)>,
    losses: FormatLosses,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct PlannedEdge {
    pub id: i64,
    pub from: i64,
    pub to: i64,
    pub class: u8,
    /// The street that has its name.
    pub street: StreetId,
}

/// Counts of data that the format cannot represent; in streets unless named otherwise.
#[derive(Debug, Default)]
struct FormatLosses {
    one_way: usize,
    lengths: usize,
    bent: usize,
    repeated_edges: usize,
    classes: usize,
    names: usize,
    moved_points: usize,
    pois: usize,
    node_ids: usize,
    street_ids: usize,
    lon_lat: usize,
}

impl ExportPlan {
    /// Plans the export: terminals in order, then the bends of streets as nodes.
    pub(super) fn of(map: &StreetMap) -> ExportPlan {
        let tables = map.tables();
        let bends = tables.shape_points.len() - 2 * map.street_count();
        let mut nodes = NumericIds::of(&tables.terminal_labels, bends);
        let mut streets = NumericIds::of(&tables.street_labels, bends);
        let losses = FormatLosses {
            node_ids: if nodes.kept { 0 } else { map.terminal_count() },
            street_ids: if streets.kept { 0 } else { map.street_count() },
            pois: map.pois().len(),
            lon_lat: usize::from(map.frame().is_some()),
            ..FormatLosses::default()
        };
        let pairs = FxHashSet::default();
        let mut plan = ExportPlan { nodes: Vec::new(), edges: Vec::new(), pairs, losses };
        for (&id, &point) in nodes.ids.iter().zip(&tables.terminals) {
            plan.add_node(id, point);
        }
        for street in map.streets() {
            plan.count_lost(map, street);
            plan.add_street(map, street, &mut nodes, &mut streets);
        }
        plan
    }

    /// Adds one edge per straight segment; the first keeps the street's id.
    fn add_street(
        &mut self,
        map: &StreetMap,
        street: StreetId,
        nodes: &mut NumericIds,
        streets: &mut NumericIds,
    ) {
        let (class, ends) = (class(map, street), map.street(street));
        let shape = map.shape(street);
        let mut from = nodes.ids[ends.from.index()];
        let mut id = streets.ids[street.index()];
        for &bend in &shape[1..shape.len() - 1] {
            let to = nodes.allocate();
            self.add_node(to, bend);
            self.add_edge(PlannedEdge { id, from, to, class, street });
            (from, id) = (to, streets.allocate());
        }
        let to = nodes.ids[ends.to.index()];
        self.add_edge(PlannedEdge { id, from, to, class, street });
    }

    fn add_edge(&mut self, edge: PlannedEdge) {
        if self.pairs.insert((edge.from.min(edge.to), edge.from.max(edge.to))) {
            self.edges.push(edge);
        } else {
            self.losses.repeated_edges += 1;
        }
    }

    /// Returns notes about data that the format cannot represent.
    pub(super) fn notes(&self) -> Vec<String> {
        let losses = &self.losses;
        let texts = [
            (losses.one_way, "one-way streets converted to two-way"),
            (losses.lengths, "street lengths replaced by the shorter length of the geometry"),
            (losses.bent, "streets with bends divided into edges, with nodes at the bends"),
            (losses.repeated_edges, "skipped edges between nodes that are already joined"),
            (losses.classes, "street classes replaced by the number of their rank, 0 to 6"),
            (losses.names, "street names shortened to one line of at most 255 bytes"),
            (losses.moved_points, "points rounded to whole metres"),
            (losses.node_ids, "nodes renumbered from 1, because some ids are not whole numbers"),
            (
                losses.street_ids,
                "streets renumbered from 1, because some ids are not whole numbers",
            ),
            (losses.pois, "skipped points of interest"),
        ];
        let counted = texts.iter().filter(|(count, _)| *count > 0);
        let mut notes: Vec<String> =
            counted.map(|(count, what)| format!("{what}: {count}")).collect();
        if losses.lon_lat > 0 {
            notes.push("lon/lat of the map are not stored".to_owned());
        }
        notes
    }

    fn add_node(&mut self, id: i64, point: Point) {
        let (x, y) = (point.x.round(), point.y.round());
        self.losses.moved_points += usize::from(point != Point::new(x, y));
        self.nodes.push(Node { id, x: x as i32, y: y as i32 });
    }

    fn count_lost(&mut self, map: &StreetMap, id: StreetId) {
        let (street, shape) = (map.street(id), map.shape(id));
        let metres: f64 = shape.windows(2).map(|ends| ends[0].distance(ends[1])).sum();
        let losses = &mut self.losses;
        losses.one_way += usize::from(street.one_way);
        losses.bent += usize::from(shape.len() > 2);
        losses.lengths += usize::from(street.length > Length::metres(metres).max(Length::UNIT));
        let written_class = class(map, id).to_string();
        losses.classes += usize::from(map.class(id) != Some(&written_class));
        let name = map.street_name(id).unwrap_or_default();
        losses.names += usize::from(fitting_name(name) != name);
    }
}

/// Returns the class of a street as a number: its own if it is 0 to 6, otherwise its rank.
fn class(map: &StreetMap, street: StreetId) -> u8 {
    let rank = map.rank(street);
    Rank::ALL.iter().position(|&other| other == rank).map_or(5, |number| number as u8)
}

/// Converts a name to the format: one line, trimmed, at most 255 bytes.
pub(super) fn fitting_name(name: &str) -> String {
    let mut line: String = name.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    while line.len() > 255 {
        line.pop();
    }
    let line = line.trim_ascii();
    if matches!(line, "*" | "?") { String::new() } else { line.to_owned() }
}

/// Numeric ids: the labels if all are whole numbers, otherwise 1, 2, 3, …
struct NumericIds {
    ids: Vec<i64>,
    /// Next free id, larger than all others.
    next: i64,
    /// Whether the ids are the labels.
    kept: bool,
}

impl NumericIds {
    /// Returns the ids of labels; `additional` more ids can be allocated without overflow.
    fn of(labels: &Texts, additional: usize) -> NumericIds {
        NumericIds::kept(labels, additional).unwrap_or_else(|| {
            let next = labels.len() as i64 + 1;
            NumericIds { ids: (1..next).collect(), next, kept: false }
        })
    }

    /// Allocates a new id.
    fn allocate(&mut self) -> i64 {
        self.next += 1;
        self.next - 1
    }

    fn kept(labels: &Texts, additional: usize) -> Option<NumericIds> {
        let mut seen = FxHashSet::default();
        let number = |label: &str| {
            let number: i64 = label.parse().ok()?;
            (number.to_string() == label && seen.insert(number)).then_some(number)
        };
        let ids: Vec<i64> = labels.iter().map(number).collect::<Option<_>>()?;
        let next = ids.iter().copied().max().unwrap_or(0).max(0).checked_add(1)?;
        next.checked_add(additional as i64)?;
        Some(NumericIds { ids, next, kept: true })
    }
}
