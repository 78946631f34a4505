//! Invalid Brinkhoff maps and their messages.

use super::{EDGES, NODES, binary_edge, binary_edges, binary_node, binary_nodes, read};
use std::io::Write as _;

fn of(nodes: &[u8], edges: &[u8]) -> String {
    read(nodes, edges).map(|draft| draft.nodes).unwrap_err().to_string()
}

fn of_nodes(nodes: &str) -> String {
    of(nodes.as_bytes(), EDGES.as_bytes())
}

fn of_edges(edges: &str) -> String {
    of(NODES.as_bytes(), edges.as_bytes())
}

#[test]
fn empty_files_are_rejected() {
    assert_eq!(of_nodes(""), "t.node: no content; expected nodes");
    assert_eq!(of_nodes("\r\n \n"), "t.node: no content; expected nodes");
    assert_eq!(of_edges(""), "t.edge: no content; expected edges");
}

#[test]
fn a_truncated_binary_file_is_reported_at_its_last_record() {
    let nodes = binary_nodes();
    for length in 37..54 {
        let expected =
            "t.node, byte 36: unexpected end of file in the middle of the node that begins here";
        assert_eq!(of(&nodes[..length], &binary_edges()), expected);
    }
    let edges = binary_edges();
    for length in 31..edges.len() {
        let expected =
            "t.edge, byte 30: unexpected end of file in the middle of the edge that begins here";
        assert_eq!(of(&nodes, &edges[..length]), expected);
    }
}

#[test]
fn truncated_gzip_is_rejected() {
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packer.write_all(&binary_nodes()).unwrap();
    let packed = packer.finish().unwrap();
    let error = of(&packed[..packed.len() - 4], EDGES.as_bytes());
    assert_eq!(
        error,
        "t.node, byte 54 after decompression: unexpected end of file in the middle of the data"
    );
}

#[test]
fn duplicate_ids_are_rejected() {
    assert_eq!(
        of_nodes("1\t0 0 *\n2\t5 5 *\n1\t9 9 *\n"),
        "t.node, line 3: duplicate terminal id `1`"
    );
    let nodes = [binary_nodes(), binary_node(b"*", 7, [3, 3])].concat();
    assert_eq!(of(&nodes, EDGES.as_bytes()), "t.node, byte 54: duplicate terminal id `7`");
    assert_eq!(of_edges("5 3 1 2 *\n5 3 2 7 *\n"), "t.edge, line 2: duplicate street id `5`");
}

#[test]
fn an_unknown_node_is_named() {
    let text = "t.edge, line 2: field `to` refers to unknown node `9`";
    assert_eq!(of_edges("5 3 1 2 *\n6 3 2 9 *\n"), text);
    let edges = [binary_edges(), binary_edge([-1, 2], b"*", 5, 3)].concat();
    let binary = "t.edge, byte 70: field `from` refers to unknown node `-1`";
    assert_eq!(of(&binary_nodes(), &edges), binary);
}

#[test]
fn a_class_is_from_0_to_6() {
    let text = "t.edge, line 1: field `class` is `7`; expected a class from 0 to 6";
    assert_eq!(of_edges("5 7 1 2 *\n"), text);
    let binary = "t.edge, byte 0: field `class` is `-1`; expected a class from 0 to 6";
    assert_eq!(of(&binary_nodes(), &binary_edge([1, 2], b"*", 5, -1)), binary);
}

#[test]
fn numbers_must_be_whole() {
    let x = "t.node, line 2: field `x` is `NaN`; expected a whole number";
    assert_eq!(of_nodes("1\t0 0 *\n2\tNaN 0 *\n"), x);
    let y = "t.node, line 1: field `y` is ``; expected a whole number";
    assert_eq!(of_nodes("1\t0\n"), y);
    let large = "t.node, line 1: field `x` is `3000000000`; expected a whole number";
    assert_eq!(of_nodes("1\t3000000000 0 *\n"), large);
    let from = "t.edge, line 1: field `from` is `*`; expected a whole number";
    assert_eq!(of_edges("5 3 * 2\n"), from);
    let far = "t.node, byte 0: `1` is at 2000000000, 0; expected finite metres within ±40,000 km";
    assert_eq!(of(&binary_node(b"*", 1, [2_000_000_000, 0]), EDGES.as_bytes()), far);
}

#[test]
fn an_overlong_line_is_rejected() {
    let long = format!("1\t0 0 *\n2\t0 0 {}\n", "x".repeat(1 << 20));
    assert_eq!(of_nodes(&long), "t.node, line 2: damaged: the line is longer than 65536 bytes");
}
