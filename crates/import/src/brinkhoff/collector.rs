//! Collects nodes and edges of either encoding into a draft.

#![cfg_attr(
    not(test),
    deny(clippy::indexing_slicing, clippy::string_slice, clippy::arithmetic_side_effects)
)]

use crate::draft::Draft;
use crate::error::Problem;
use meshcloak::map::{MapBuilder, RawStreet, TerminalId};
use meshcloak::units::Point;
use rustc_hash::{FxHashMap, FxHashSet};
use std::borrow::Cow;
use std::fmt::Write as _;

/// A node of a file. Its name is ignored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Node {
    pub id: i64,
    pub x: i32,
    pub y: i32,
}

/// An edge of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Edge<'a> {
    pub id: i64,
    pub class: i32,
    pub from: i64,
    pub to: i64,
    pub name: &'a [u8],
}

/// Valid classes of an edge.
const CLASSES: [&str; 7] = ["0", "1", "2", "3", "4", "5", "6"];

/// Content read so far.
pub(super) struct Collector {
    builder: MapBuilder,
    terminals: FxHashMap<i64, TerminalId>,
    pairs: FxHashSet<(TerminalId, TerminalId)>,
    label: String,
    edges: u64,
    latin_1_names: u64,
}

impl Collector {
    pub(super) fn new() -> Collector {
        Collector {
            builder: MapBuilder::new(),
            terminals: FxHashMap::default(),
            pairs: FxHashSet::default(),
            label: String::new(),
            edges: 0,
            latin_1_names: 0,
        }
    }

    /// Returns the number of nodes read.
    pub(super) fn nodes(&self) -> usize {
        self.builder.terminal_count()
    }

    /// Returns the number of edges read, including duplicates.
    pub(super) fn edges(&self) -> u64 {
        self.edges
    }

    pub(super) fn node(&mut self, node: Node) -> Result<(), Problem> {
        let label = relabel(&mut self.label, node.id);
        let point = Point::new(f64::from(node.x), f64::from(node.y));
        let terminal = self.builder.terminal(label, point)?;
        self.terminals.insert(node.id, terminal);
        Ok(())
    }

    pub(super) fn edge(&mut self, edge: Edge) -> Result<(), Problem> {
        let class = usize::try_from(edge.class).ok().and_then(|class| CLASSES.get(class));
        let class = class.ok_or_else(|| Problem::BadField {
            field: "class",
            value: edge.class.to_string(),
            expected: "a class from 0 to 6",
        })?;
        let (from, to) = (self.find("from", edge.from)?, self.find("to", edge.to)?);
        self.edges = self.edges.saturating_add(1);
        if !self.pairs.insert((from.min(to), from.max(to))) {
            return Ok(());
        }
        let name = self.name(edge.name);
        let raw = RawStreet {
            label: relabel(&mut self.label, edge.id),
            from,
            to,
            written_metres: None,
            one_way: false,
            bends: &[],
            name: &name,
            class,
        };
        self.builder.street(raw)?;
        Ok(())
    }

    pub(super) fn finish(self) -> Draft {
        let streets = self.builder.street_count() as u64;
        let mut notes = Vec::new();
        if self.edges > streets {
            notes.push(format!(
                "skipped {} of {} edges: another edge joins the same pair of nodes",
                self.edges.saturating_sub(streets),
                self.edges
            ));
        }
        if self.latin_1_names > 0 {
            notes
                .push(format!("names that are not UTF-8, read as Latin-1: {}", self.latin_1_names));
        }
        let nodes = self.nodes() as u64;
        Draft { builder: self.builder, format: "Brinkhoff", nodes, edges: streets, notes }
    }

    fn find(&self, field: &'static str, id: i64) -> Result<TerminalId, Problem> {
        let found = self.terminals.get(&id).copied();
        found.ok_or_else(|| Problem::UnknownNode { field, value: id.to_string() })
    }

    /// Decodes a name; `*` and `?` mean no name.
    fn name<'a>(&mut self, bytes: &'a [u8]) -> Cow<'a, str> {
        match std::str::from_utf8(bytes.trim_ascii()) {
            Ok("*" | "?") => Cow::Borrowed(""),
            Ok(name) => Cow::Borrowed(name),
            Err(_) => {
                self.latin_1_names = self.latin_1_names.saturating_add(1);
                Cow::Owned(bytes.trim_ascii().iter().map(|&byte| char::from(byte)).collect())
            }
        }
    }
}

fn relabel(label: &mut String, id: i64) -> &str {
    label.clear();
    write!(label, "{id}").expect("writing to a String cannot fail");
    label
}
