//! The parser: what it reads, and how it names what it does not.

use super::ql::{Detail, Elements, OverpassQuery, parse};
use meshcloak::town::Town;
use rand::RngExt as _;

fn read(text: &str) -> OverpassQuery {
    parse(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

const AROUND: &str = "(around:500,48.5,9.25)";

#[test]
fn the_subset_is_read_in_all_its_spellings() {
    for text in [
        format!("[out:json];node{AROUND}[amenity=cafe];out;"),
        format!("[out:json][timeout:25];node[\"amenity\"=\"cafe\"]{AROUND};out body;"),
        format!(" [ out : json ] ; // a comment\n node['amenity'='cafe'] {AROUND} /* x */ ; out ;"),
        "[out:json];node(around: 500.0 , 48.50 , 9.25)[amenity=cafe];out;".to_owned(),
        format!("[out:json];node{AROUND}[amenity=cafe];out qt;"),
    ] {
        let query = read(&text);
        assert_eq!((query.here.lon, query.here.lat), (9.25, 48.5), "{text}");
        let [selection] = &query.selections[..] else { panic!("{text}") };
        assert_eq!((selection.elements, selection.radius), (Elements::Nodes, 500.0));
        assert_eq!((&*selection.key, &*selection.value), ("amenity", "cafe"));
        assert_eq!(query.output.detail, Detail::Body);
    }
    let union = format!(
        "[out:json];(nwr[amenity=bar]{AROUND}[name=\"O'Neil \\\"x\\\"\"];way[shop=books]{AROUND};);\
         out tags center asc 7;"
    );
    let query = read(&union);
    assert_eq!(query.selections.len(), 2);
    assert_eq!(query.selections[0].name.as_deref(), Some("O'Neil \"x\""));
    assert_eq!(query.selections[1].elements, Elements::Ways);
    assert_eq!((query.output.center, query.output.limit), (true, Some(7)));
}

#[test]
fn what_is_not_supported_is_named() {
    let selection = format!("node[amenity=cafe]{AROUND}");
    for (text, named) in [
        (format!("{selection};out;"), "without `[out:json]`"),
        (format!("[out:xml];{selection};out;"), "`[out:xml]`"),
        (format!("[out:json][date:\"2020\"];{selection};out;"), "`[date:…]`"),
        (format!("[out:json];relation[amenity=cafe]{AROUND};out;"), "`relation`"),
        ("[out:json];node[amenity=cafe](1,2,3,4);out;".into(), "(a number…)"),
        ("[out:json];node[amenity=cafe](area.a);out;".into(), "(`area.a`…)"),
        ("[out:json];node[amenity=cafe];out;".into(), "without `around`"),
        (format!("[out:json];node{AROUND};out;"), "without `[key=value]`"),
        (format!("[out:json];node[amenity]{AROUND};out;"), "other than `[key=value]`"),
        (format!("[out:json];node[amenity~\"cafe|bar\"]{AROUND};out;"), "other than `[key=value]`"),
        (format!("[out:json];node[amenity!=cafe]{AROUND};out;"), "other than `[key=value]`"),
        (format!("[out:json];node[!amenity]{AROUND};out;"), "other than `[key=value]`"),
        (format!("[out:json];{selection}[cuisine=thai];out;"), "a second tag filter"),
        (format!("[out:json][bbox:48.5,9.25];{selection};out;"), "`[bbox:…]`"),
        (format!("[out:json];{selection}{AROUND};out;"), "a second `(…)` filter"),
        (format!("[out:json];{selection};out meta;"), "`meta` in `out`"),
        (format!("[out:json];{selection};out geom;"), "`geom` in `out`"),
        (format!("[out:json];{selection};out qt 7;"), "`qt` together with a number"),
        (format!("[out:json];{selection};out 7 8;"), "a number in `out`"),
        (format!("[out:json];{selection};out 48.5;"), "a number in `out`"),
        (format!("[out:json];{selection};out 7 qt;"), "`qt` together with a number"),
        (format!("[out:json];{selection};out;>;out;"), "a second statement"),
        (format!("[out:json];{selection}->.a;.a out;"), "`->` (named sets)"),
        (format!("[out:json];.a;{selection};out;"), "begins with `.a`"),
        (format!("[out:json];node.a{AROUND}[amenity=cafe];out;"), "`node.a`"),
        (format!("[out:json];nwr[amenity=cafe]{AROUND};out center;"), "use `out tags center`"),
        (format!("[out:json];way[amenity=cafe]{AROUND};out;"), "ways with their members"),
        (
            format!("[out:json];({selection};node[amenity=bar](around:5,48,9););out;"),
            "several positions",
        ),
        ("[out:json];();out;".into(), "an empty union"),
        ("[out:json];node[amenity=cafe](around:5,48,9,49,9);out;".into(), "`around` a line"),
        ("[out:json];node[amenity=cafe](around:0,48,9);out;".into(), "above 0"),
        ("[out:json];node[amenity=cafe](around:5,98,9);out;".into(), "latitude"),
        ("[out:json];node[amenity=cafe](around:nan,48,9);out;".into(), "a radius"),
        ("[out:json];node[amenity=cafe](around:5 48.5,9.25);out;".into(), "`,` expected, a number"),
        ("[out:json];node[amenity=cafe](48.5,9.25,48.6,9.3);out;".into(), "(a number…)"),
        (format!("[out:json];node[amenity=\"\\uZZZZ\"]{AROUND};out;"), "`\\` found"),
        (format!("[out:json];node[amenity=\"\\ud83d\"]{AROUND};out;"), "`\\` found"),
        (format!("[out:json];({});out;", format!("{selection};").repeat(9)), "more than 8"),
    ] {
        let error = parse(&text).err().unwrap_or_else(|| panic!("{text} is accepted")).to_string();
        assert!(error.contains(named), "{text}: {error}");
        assert!(!error.contains("48.5") && !error.contains("9.25"), "{error}");
    }
}

#[test]
fn escape_sequences_of_texts_are_those_of_overpass() {
    for (escaped, text) in [
        (r"Caf\u00e9", "Café"),
        (r"\uD83D\uDE00!", "😀!"),
        (r"a\nb\tc", "a\nb\tc"),
        (r#"\"\\\'\x"#, r#""\'x"#),
        ("Café", "Café"),
    ] {
        let query = format!("[out:json];node[amenity=cafe][name=\"{escaped}\"]{AROUND};out;");
        assert_eq!(read(&query).selections[0].name.as_deref(), Some(text), "{escaped}");
    }
    // A text that ends within a sequence, at any place.
    for end in [r"\", r"\u", r"\u00", r"\u00é", r"\ud83d\", r"\ud83d\u", r"\ud83d\u00e9"] {
        assert!(parse(&format!("[out:json];node[amenity=cafe][name=\"{end}")).is_err(), "{end}");
    }
}

/// Renders a query with random spelling.
fn spelled(random: &mut impl rand::Rng, selections: &[(Elements, f64, &str, &str)]) -> String {
    let mut blank = || ["", " ", "\n", "/* ; */", "\t// [\n"][random.random_range(0..5)];
    let mut text = format!("{}[out:json]{};", blank(), blank());
    let is_union = selections.len() > 1;
    text.push_str(if is_union { "(" } else { "" });
    for (elements, radius, key, value) in selections {
        let word = match elements {
            Elements::Nodes => "node",
            Elements::Ways => "way",
            Elements::All => "nwr",
        };
        let around = format!("({}around{}:{radius},{}48.5,9.25)", blank(), blank(), blank());
        let tag = format!("[{}\"{key}\"{}={}'{value}'{}]", blank(), blank(), blank(), blank());
        text.push_str(&format!("{}{word}{}", blank(), blank()));
        text.push_str(&if blank().is_empty() { tag.clone() + &around } else { around + &tag });
        text.push_str(&format!("{};", blank()));
    }
    text.push_str(if is_union { ");" } else { "" });
    text + blank() + "out tags;"
}

#[test]
fn every_spelling_of_a_query_is_read_as_the_same_query() {
    for seed in 0..500 {
        let mut random = Town::generator(seed);
        let elements = [Elements::Nodes, Elements::Ways, Elements::All];
        let tags = [("amenity", "cafe"), ("shop", "ice cream; x"), ("office", "é-1.2")];
        let count = random.random_range(1..=8);
        let selections: Vec<_> = (0..count)
            .map(|_| {
                let (key, value) = tags[random.random_range(0..3)];
                let radius = f64::from(random.random_range(1..20_000_u32)) / 8.0;
                (elements[random.random_range(0..3)], radius, key, value)
            })
            .collect();
        let text = spelled(&mut random, &selections);
        let query = read(&text);
        let found: Vec<_> = query
            .selections
            .iter()
            .map(|found| (found.elements, found.radius, &*found.key, &*found.value))
            .collect();
        assert_eq!(found, selections, "{text}");
    }
}
