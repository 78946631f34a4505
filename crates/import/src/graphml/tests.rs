use super::*;
use crate::testing::whole;

/// Keys as OSMnx declares them.
const HEAD: &str = r#"<?xml version='1.0' encoding='utf-8'?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<key id="d9" for="edge" attr.name="highway" attr.type="string"/>
<key id="d8" for="edge" attr.name="geometry" attr.type="string"/>
<key id="d7" for="edge" attr.name="name" attr.type="string"/>
<key id="d6" for="edge" attr.name="length" attr.type="string"/>
<key id="d5" for="edge" attr.name="osmid" attr.type="string"/>
<key id="d4" for="node" attr.name="x" attr.type="string"/>
<key id="d3" for="node" attr.name="y" attr.type="string"/>
<key id="d0" for="graph" attr.name="crs" attr.type="string"/>
<graph edgedefault="directed">"#;

fn node(id: &str, x: &str, y: &str) -> String {
    format!(r#"<node id="{id}"><data key="d3">{y}</data><data key="d4">{x}</data></node>"#)
}

fn edge(source: &str, target: &str, osmid: &str, length: &str, more: &str) -> String {
    format!(
        r#"<edge source="{source}" target="{target}" id="0"><data key="d5">{osmid}</data>
        <data key="d6">{length}</data>{more}</edge>"#
    )
}

fn file(crs: &str, content: &[String]) -> String {
    format!("{HEAD}<data key=\"d0\">{crs}</data>{}</graph></graphml>", content.concat())
}

fn read_text(text: &str) -> Result<Draft, ImportError> {
    assert!(is_graphml(text.as_bytes()));
    read(Input::from_bytes("g.graphml", text.as_bytes()))
}

/// A triangle in metres: A-B both ways, B-C one way with a bend, C-A both ways with other details.
fn triangle() -> Vec<String> {
    let bend = r#"<data key="d8">LINESTRING (100 0, 100 50, 100 100)</data>"#;
    let named = r#"<data key="d7">A &amp; B</data><data key="d9">residential</data>"#;
    vec![
        node("A", "0", "0"),
        node("B", "100", "0"),
        node("C", "100", "100"),
        edge("A", "B", "[8, 7]", "100.00000000000001", named),
        edge("B", "A", "[7, 8]", "100", ""),
        edge("B", "C", "9", "100", bend),
        edge("C", "A", "10", "141.4", ""),
        edge("A", "C", "10", "200", ""),
    ]
}

#[test]
fn opposite_edges_of_one_way_are_a_two_way_street() {
    let map = whole(read_text(&file("epsg:32632", &triangle())).unwrap());
    let street = |label: &str| map.streets().find(|&id| map.street_label(id) == label).unwrap();
    let is_one_way = |label: &str| map.street(street(label)).one_way;
    assert_eq!(map.street_count(), 4);
    assert!(!is_one_way("A-B") && is_one_way("B-C") && is_one_way("C-A") && is_one_way("A-C"));
    assert_eq!(map.shape(street("B-C")).len(), 3);
    assert_eq!(map.street_name(street("A-B")), Some("A & B"));
    assert!(map.frame().is_none());
}

#[test]
fn degrees_are_projected() {
    let content = [
        node("1", "8.20", "53.10"),
        node("2", "8.21", "53.10"),
        edge(
            "1",
            "2",
            "5",
            "669",
            r#"<data key="d8">LINESTRING (8.2 53.1, 8.205 53.1, 8.21 53.1)</data>"#,
        ),
        edge("2", "1", "5", "669", ""),
    ];
    for crs in ["epsg:4326", ""] {
        let map = whole(read_text(&file(crs, &content)).unwrap());
        assert!(map.frame().is_some());
        let metres: f64 = map.streets().map(|id| map.street(id).length.as_metres()).sum();
        assert!((665.0..675.0).contains(&metres), "{metres}");
    }
}

#[test]
fn parallel_edges_have_labels_of_their_own() {
    let mut content = triangle();
    content.push(edge("B", "C", "11", "300", ""));
    let map = whole(read_text(&file("epsg:32632", &content)).unwrap());
    assert!(map.streets().any(|id| map.street_label(id) == "B-C#2"));
}

#[test]
fn damaged_files_are_explained() {
    let message = |text: &str| read_text(text).map(|_| ()).unwrap_err().to_string();
    let with = |edge: String| file("epsg:32632", &[triangle(), vec![edge]].concat());
    let whole = file("epsg:32632", &triangle());
    for (text, expected) in [
        (whole.replace("</graphml>", ""), "unexpected end of file before `</graphml>`"),
        (with(edge("A", "Z", "1", "1", "")), "field `target` refers to unknown node `Z`"),
        (with(node("D", "x", "0")), "field `x` is `x`; expected a number"),
        (with(node("A", "1", "1")), "A"),
        (file("", &[node("A", "200", "0")]), "expected lon from -180 to 180"),
        (file("epsg:32632", &[node("A", "0", "0")]), "no content; expected edges"),
        (
            with(edge("A", "B", "1", "1", r#"<data key="d8">POINT (1 2)</data>"#)),
            "field `geometry` is `POINT (1 2)`; expected `LINESTRING",
        ),
    ] {
        let found = message(&text);
        assert!(found.starts_with("g.graphml") && found.contains(expected), "{found}");
    }
}

#[test]
fn cut_files_never_panic() {
    let text = file("", &triangle());
    for end in (HEAD.len()..text.len()).step_by(3) {
        let bytes = text.as_bytes()[..end].to_vec();
        assert!(read(Input::from_bytes("g", bytes)).is_err());
    }
}
