//! Writer of Brinkhoff's format, binary or text.

use super::Encoding;
use super::collector::Node;
use super::export_plan::{ExportPlan, PlannedEdge, fitting_name};
use crate::detect::with_extension;
use crate::error::ImportError;
use crate::output::Output;
use meshcloak::map::StreetMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Files of a map.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BrinkhoffFiles {
    pub nodes: PathBuf,
    pub edges: PathBuf,
}

impl BrinkhoffFiles {
    /// Returns `STEM.node` and `STEM.edge`, or `STEM.node.txt` and `STEM.edge.txt`, each followed by
    /// `suffix`, which is empty or `.gz`.
    pub(crate) fn of_stem(stem: &Path, encoding: Encoding, suffix: &str) -> BrinkhoffFiles {
        let text = if encoding == Encoding::Text { ".txt" } else { "" };
        let named = |kind: &str| with_extension(stem, &format!(".{kind}{text}{suffix}"));
        BrinkhoffFiles { nodes: named("node"), edges: named("edge") }
    }
}

/// Writes a map. Returns notes about data that the format cannot represent.
pub(crate) fn write(
    map: &StreetMap,
    files: &BrinkhoffFiles,
    encoding: Encoding,
) -> Result<Vec<String>, ImportError> {
    let plan = ExportPlan::of(map);
    let mut output = Output::new();
    output.file(&files.nodes, |out| {
        plan.nodes.iter().try_for_each(|node| write_node(out, node, encoding))
    })?;
    output.file(&files.edges, |out| {
        plan.edges.iter().try_for_each(|edge| {
            let name = fitting_name(map.street_name(edge.street).unwrap_or_default());
            write_edge(out, edge, if name.is_empty() { NO_NAME } else { &name }, encoding)
        })
    })?;
    output.commit()?;
    Ok(plan.notes())
}

const NO_NAME: &str = "*";

fn write_node(out: &mut dyn Write, node: &Node, encoding: Encoding) -> io::Result<()> {
    let Node { id, x, y } = *node;
    match encoding {
        Encoding::Text => writeln!(out, "{id}\t{x} {y} {NO_NAME}"),
        Encoding::Binary => {
            write_name(out, NO_NAME)?;
            out.write_all(&id.to_be_bytes())?;
            out.write_all(&x.to_be_bytes())?;
            out.write_all(&y.to_be_bytes())
        }
    }
}

fn write_edge(
    out: &mut dyn Write,
    edge: &PlannedEdge,
    name: &str,
    encoding: Encoding,
) -> io::Result<()> {
    let PlannedEdge { id, from, to, class, .. } = *edge;
    match encoding {
        Encoding::Text => writeln!(out, "{id} {class} {from} {to} {name}"),
        Encoding::Binary => {
            out.write_all(&from.to_be_bytes())?;
            out.write_all(&to.to_be_bytes())?;
            write_name(out, name)?;
            out.write_all(&id.to_be_bytes())?;
            out.write_all(&i32::from(class).to_be_bytes())
        }
    }
}

fn write_name(out: &mut dyn Write, name: &str) -> io::Result<()> {
    let length = u8::try_from(name.len()).expect("a fitting name has at most 255 bytes");
    out.write_all(&[length])?;
    out.write_all(name.as_bytes())
}
