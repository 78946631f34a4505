//! Brinkhoff maps, read and written.

mod bad_input;
mod good_input;
mod round_trip;

use super::read_inputs;
use crate::draft::Draft;
use crate::error::ImportError;
use crate::input::Input;

const NODES: &str = "1\t0 0 *\n2\t100 0 *\n7\t100 75 *\n";
const EDGES: &str = "11 3 1 2 *\n12 0 2 7 High Street\n";

fn read(nodes: &[u8], edges: &[u8]) -> Result<Draft, ImportError> {
    let input = |name, bytes: &[u8]| Input::from_bytes(name, bytes.to_vec());
    read_inputs(input("t.node", nodes), input("t.edge", edges))
}

fn binary_node(name: &[u8], id: i64, point: [i32; 2]) -> Vec<u8> {
    let mut bytes = vec![name.len() as u8];
    bytes.extend_from_slice(name);
    bytes.extend_from_slice(&id.to_be_bytes());
    point.iter().for_each(|side| bytes.extend_from_slice(&side.to_be_bytes()));
    bytes
}

fn binary_edge(ends: [i64; 2], name: &[u8], id: i64, class: i32) -> Vec<u8> {
    let mut bytes = Vec::new();
    ends.iter().for_each(|end| bytes.extend_from_slice(&end.to_be_bytes()));
    bytes.push(name.len() as u8);
    bytes.extend_from_slice(name);
    bytes.extend_from_slice(&id.to_be_bytes());
    bytes.extend_from_slice(&class.to_be_bytes());
    bytes
}

/// The nodes of [`NODES`].
fn binary_nodes() -> Vec<u8> {
    [(1, [0, 0]), (2, [100, 0]), (7, [100, 75])]
        .iter()
        .flat_map(|&(id, point)| binary_node(b"*", id, point))
        .collect()
}

/// The edges of [`EDGES`].
fn binary_edges() -> Vec<u8> {
    [binary_edge([1, 2], b"*", 11, 3), binary_edge([2, 7], b"High Street", 12, 0)].concat()
}
