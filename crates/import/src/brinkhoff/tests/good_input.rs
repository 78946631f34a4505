//! Accepted variants of Brinkhoff maps.

use super::{EDGES, NODES, binary_edge, binary_edges, binary_node, binary_nodes, read};
use crate::brinkhoff::{Encoding, detect_edges, detect_nodes, read as read_files};
use crate::testing::{real_map, whole};
use meshcloak::map::{StreetId, TerminalId};
use meshcloak::units::Point;

#[test]
fn both_encodings_are_detected_and_give_the_same_map() {
    let text = whole(read(NODES.as_bytes(), EDGES.as_bytes()).unwrap());
    assert_eq!(whole(read(&binary_nodes(), &binary_edges()).unwrap()), text);
    assert_eq!(whole(read(&binary_nodes(), EDGES.as_bytes()).unwrap()), text);
    let windows = EDGES.replace('\n', "\r\n").replace(' ', "  ").replace("  Street", " Street");
    assert_eq!(whole(read(NODES.as_bytes(), windows.as_bytes()).unwrap()), text);
    assert_eq!(text.terminal_label(TerminalId(2)), "7");
    assert_eq!(text.terminal(TerminalId(2)), Point::new(100.0, 75.0));
    let (first, second) = (StreetId(0), StreetId(1));
    assert_eq!((text.street_label(first), text.street_label(second)), ("11", "12"));
    assert_eq!((text.street_name(first), text.street_name(second)), (None, Some("High Street")));
    assert_eq!((text.class(first), text.class(second)), (Some("3"), Some("0")));
    assert!(!text.street(first).one_way);
}

#[test]
fn repeated_edges_are_skipped_and_counted() {
    let edges = "1 3 1 2 first\n2 3 2 1 back\n3 3 1 2 again\n4 3 2 7 ?\n5 3 7 7\n";
    let draft = read(NODES.as_bytes(), edges.as_bytes()).unwrap();
    assert_eq!((draft.nodes, draft.edges), (3, 3));
    let note = "skipped 2 of 5 edges: another edge joins the same pair of nodes";
    assert_eq!(draft.notes, [note]);
    let map = whole(draft);
    assert_eq!(map.street_name(StreetId(0)), Some("first"));
    assert_eq!(map.street_name(StreetId(1)), None);
}

#[test]
fn names_in_latin_1_are_decoded_and_counted() {
    let edges = binary_edge([1, 2], b"Gr\xe4berstra\xdfe", 1, 6);
    let draft = read(&binary_nodes(), &edges).unwrap();
    assert_eq!(draft.notes, ["names that are not UTF-8, read as Latin-1: 1"]);
    assert_eq!(whole(draft).street_name(StreetId(0)), Some("Gräberstraße"));
}

#[test]
fn files_are_detected_by_their_first_bytes() {
    let cases: [(&[u8], Option<Encoding>, Option<Encoding>); 8] = [
        (NODES.as_bytes(), Some(Encoding::Text), None),
        (EDGES.as_bytes(), Some(Encoding::Text), Some(Encoding::Text)),
        (b"734407496 6 3700 3516 *\r\n", Some(Encoding::Text), Some(Encoding::Text)),
        (b"id,x,y\n1,2,3\n", None, None),
        (b"", None, None),
        (b"\x00\x00\x00\x0d\x0a\x09OSMHeader\x18\xb2\x01 is a packed file and no map", None, None),
        (&binary_nodes(), Some(Encoding::Binary), None),
        (&binary_edges(), None, Some(Encoding::Binary)),
    ];
    for (start, nodes, edges) in cases {
        assert_eq!(detect_nodes(start), nodes, "{start:?}");
        assert_eq!(detect_edges(start), edges, "{start:?}");
    }
    let nameless = binary_node(b"", 70_000, [-5, 5]);
    assert_eq!(detect_nodes(&nameless), Some(Encoding::Binary));
}

#[test]
fn oldenburg_is_the_same_map_in_both_encodings() {
    let Some(nodes) = real_map("oldenburg/oldenburgGen.node") else { return };
    let file = |name: &str| real_map(&format!("oldenburg/oldenburgGen.{name}")).unwrap();
    let draft = read_files(&nodes, &file("edge"), &()).unwrap();
    assert_eq!((draft.nodes, draft.edges), (6105, 7029));
    let bounds = draft.builder.bounds().unwrap();
    assert_eq!(format!("{:.2} {:.2}", bounds.width() / 1e3, bounds.height() / 1e3), "23.57 26.92");
    assert_eq!(format!("{:.2}", draft.builder.total_metres() / 1e3), "1301.47");
    assert!(draft.notes[0].starts_with("skipped 6 of 7035 edges"), "{:?}", draft.notes);
    let map = whole(draft);
    assert_eq!((map.terminal_count(), map.street_count()), (6105, 7029));
    let text = read_files(&file("node.txt"), &file("edge.txt"), &()).unwrap();
    assert_eq!(whole(text), map);
}

#[test]
fn stockton_has_the_documented_counts() {
    let Some(nodes) = real_map("stockton/stockton.node") else { return };
    let edges = real_map("stockton/stockton.edge").unwrap();
    let draft = read_files(&nodes, &edges, &()).unwrap();
    assert_eq!((draft.nodes, draft.edges), (61_350, 68_345));
    let bounds = draft.builder.bounds().unwrap();
    assert_eq!(format!("{:.2} {:.2}", bounds.width() / 1e3, bounds.height() / 1e3), "18.72 25.70");
    assert_eq!(format!("{:.0}", draft.builder.total_metres() / 1e3), "2481");
    let built = draft.builder.build(meshcloak::map::Extent::Whole).unwrap();
    assert_eq!(built.repairs.zero_length, 31);
}
