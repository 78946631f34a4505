//! Whole pictures, parsed back: SVG as XML, PNG as pixels.
#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

use meshcloak::map::{Extent, MapBuilder, RawPoi, RawStreet, StreetMap, TerminalId};
use meshcloak::town::town;
use meshcloak::units::Point;
use picture::{
    Anchor, Canvas, Circle, Colour, DrawOptions, Pixel, Polylines, ScaleBar, Stroke, TextStyle,
    Theme, draw_map,
};
use roxmltree::{Document, Node};

/// A square of four classes with a diagonal; the first two sides are one-way.
///
/// ```text
///   D ──── C
///   │    ╱ ▲
///   │  ╱   │
///   A ───▶ B
/// ```
fn square(side: f64) -> StreetMap {
    let mut builder = MapBuilder::new();
    for (label, x, y) in [("A", 0.0, 0.0), ("B", side, 0.0), ("C", side, side), ("D", 0.0, side)] {
        builder.terminal(label, Point::new(x, y)).unwrap();
    }
    for (index, (from, to, class)) in [
        (0, 1, "primary"),
        (1, 2, "residential"),
        (2, 3, "motorway_link"),
        (3, 0, "service"),
        (0, 2, "residential"),
    ]
    .into_iter()
    .enumerate()
    {
        let street = RawStreet {
            label: &index.to_string(),
            from: TerminalId(from),
            to: TerminalId(to),
            written_metres: None,
            one_way: index < 2,
            bends: &[],
            name: "",
            class,
        };
        builder.street(street).unwrap();
    }
    for (x, category) in [(0.2, "cafe"), (0.4, "bank"), (0.41, "pharmacy")] {
        let point = Point::new(side * x, side * 0.7);
        builder.poi(RawPoi { label: "", point, category, name: "" }).unwrap();
    }
    builder.build(Extent::Whole).unwrap().map
}

fn layer<'a>(document: &'a Document<'_>, name: &str) -> Node<'a, 'a> {
    let layers = document.root_element().children().filter(|node| node.has_tag_name("g"));
    let mut found = layers.filter(|node| node.attribute("class") == Some(name));
    found.next().unwrap_or_else(|| panic!("the picture has a layer `{name}`"))
}

fn classes<'a>(layer: Node<'a, 'a>) -> Vec<&'a str> {
    layer.children().filter_map(|node| node.attribute("class")).collect()
}

struct Pixels {
    width: usize,
    height: usize,
    bytes: Vec<u8>,
}

impl Pixels {
    fn read(png: &[u8]) -> Pixels {
        let mut reader = png::Decoder::new(std::io::Cursor::new(png)).read_info().unwrap();
        let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut bytes).unwrap();
        assert_eq!(info.color_type, png::ColorType::Rgba);
        Pixels { width: info.width as usize, height: info.height as usize, bytes }
    }

    fn at(&self, pixel: Pixel) -> Colour {
        let start = (pixel.y as usize * self.width + pixel.x as usize) * 4;
        let [red, green, blue, opacity] = self.bytes[start..start + 4] else { unreachable!() };
        Colour { red, green, blue, opacity }
    }
}

#[test]
fn svg_has_one_group_per_layer_and_one_line_per_class() {
    let map = square(4000.0);
    let svg = draw_map(&map, &DrawOptions::default()).unwrap().to_svg();
    let document = Document::parse(&svg).unwrap();
    let quiet = ["service", "residential", "residential one-way", "primary one-way"];
    assert_eq!(classes(layer(&document, "streets")), quiet);
    assert_eq!(classes(layer(&document, "main-roads")), ["motorway link"]);
    let shown = classes(layer(&document, "places"));
    assert_eq!(shown, ["Services and other", "Health", "Food and drink"]);
}

#[test]
fn svg_strokes_refer_to_lines_that_exist() {
    let svg = draw_map(&square(800.0), &DrawOptions::default()).unwrap().to_svg();
    let document = Document::parse(&svg).unwrap();
    let ids: Vec<&str> = document.descendants().filter_map(|node| node.attribute("id")).collect();
    let used = document.descendants().filter(|node| node.has_tag_name("use"));
    let links: Vec<&str> = used.filter_map(|node| node.attribute("href")).collect();
    assert!(links.len() >= 8);
    assert!(links.iter().all(|link| ids.contains(&&link[1..])));
}

#[test]
fn one_way_streets_have_arrows_and_two_way_streets_none() {
    let svg = draw_map(&square(4000.0), &DrawOptions::default()).unwrap().to_svg();
    let document = Document::parse(&svg).unwrap();
    let one_way = layer(&document, "one-way");
    for path in one_way.children().filter(Node::is_element) {
        let outlines = path.attribute("d").unwrap().matches('z').count();
        assert!((10..30).contains(&outlines), "{outlines}");
    }
    assert_eq!(classes(one_way), ["arrows", "main-road arrows"]);

    let two_way = town("A 0,0 B 900,0 C 900,900 | A-B B-C C-A").map;
    let svg = draw_map(&two_way, &DrawOptions::default()).unwrap().to_svg();
    assert!(classes(layer(&Document::parse(&svg).unwrap(), "one-way")).is_empty());
}

#[test]
fn streets_are_visible_and_empty_land_has_the_background_colour() {
    for theme in [Theme::Light, Theme::Dark] {
        let map = square(3000.0);
        let picture = draw_map(&map, &DrawOptions { theme, ..DrawOptions::default() }).unwrap();
        let pixels = Pixels::read(&picture.to_png());
        assert_eq!(pixels.width, 1600);
        assert_eq!(pixels.height, picture.canvas.height() as usize);
        let at = |x: f64, y: f64| pixels.at(picture.view.to_pixel(Point::new(x, y)));
        let paper = theme.palette().paper;
        assert_eq!(at(2500.0, 1200.0), paper);
        assert_eq!(at(600.0, 1500.0), paper);
        for (x, y) in [(1500.0, 0.0), (3000.0, 1500.0), (1500.0, 3000.0), (1500.0, 1500.0)] {
            assert_ne!(at(x, y), paper, "{x}, {y}");
        }
        assert_eq!(pixels.at(Pixel::new(3.0, 3.0)), theme.palette().page);
    }
}

#[test]
fn the_scale_bar_on_the_picture_is_as_long_as_its_label() {
    let map = square(7000.0);
    let picture = draw_map(&map, &DrawOptions::default()).unwrap();
    let svg = picture.to_svg();
    let document = Document::parse(&svg).unwrap();
    let bar = layer(&document, "scale-bar");
    let outline = bar.children().find(|node| node.attribute("class") == Some("bar")).unwrap();
    let data = outline.attribute("d").unwrap();
    let width: f64 = data.split(' ').nth(2).unwrap().parse().unwrap();
    let label = bar.descendants().filter_map(|node| node.text()).find(|text| text.ends_with('m'));
    assert_eq!(label, Some("1 km"));
    assert!((width * picture.view.metres_per_pixel() - 1000.0).abs() < 0.1, "{data}");
    assert_eq!(ScaleBar::new(&picture.view, 240.0).label(), "1 km");
}

#[test]
fn same_map_and_options_give_the_same_bytes() {
    let options = DrawOptions { title: "Twice".to_owned(), ..DrawOptions::default() };
    let [first, second] = [(); 2].map(|()| draw_map(&square(2000.0), &options).unwrap());
    assert_eq!(first.to_svg(), second.to_svg());
    assert_eq!(first.to_png(), second.to_png());
}

#[test]
fn degenerate_maps_are_drawn() {
    for text in [
        "A 0,0 B 500,0 C 90000,0 | A-B B>C",
        "A 0,0 B 0,70000 | A>B",
        "A 7,7 | A-A:500",
        "A 7,7 B 7,7 | A>B",
        "A 0,0 B 0.001,0 | A-B",
        "A -40000000,-40000000 B 40000000,40000000 | A>B B>A",
    ] {
        let map = town(text).map;
        for width_pixels in [200, 333, 1600] {
            let options = DrawOptions { width_pixels, ..DrawOptions::default() };
            let picture = draw_map(&map, &options).unwrap();
            Document::parse(&picture.to_svg()).unwrap();
            assert_eq!(Pixels::read(&picture.to_png()).width, width_pixels as usize, "{text}");
        }
    }
}

#[test]
fn a_canvas_accepts_any_numbers() {
    let extreme = [0.0, -1e300, 1e300, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e9, -1e9, 50.0];
    let (colour, mut canvas) = (Colour::hex(0), Canvas::new(100, 100, Colour::hex(0)).unwrap());
    let mut lines = Polylines::new();
    for x in extreme {
        for y in extreme {
            let at = Pixel::new(x, y);
            lines.add([Pixel::new(10.0, 10.0), at, Pixel::new(90.0, 20.0)]);
            canvas.areas("odd", lines.clone(), colour);
            let mut line = Polylines::new();
            line.add([Pixel::new(10.0, 10.0), at]);
            canvas.lines("odd", line, Stroke { colour, width: y });
            canvas.circles("odd", vec![at], Circle { radius: y, fill: colour, outline: None });
            let style = TextStyle::new(colour, y).bold().anchored(Anchor::End);
            canvas.text(at, "odd", style);
        }
    }
    Document::parse(&canvas.to_svg()).unwrap();
    assert_eq!(Pixels::read(&canvas.to_png()).width, 100);
}

#[test]
fn any_text_is_escaped() {
    let title = "<b>\"Straße\" & 'Söhne'</b>\u{0}\n]]>";
    let options = DrawOptions {
        title: title.to_owned(),
        attribution: "© A & B < C".to_owned(),
        ..DrawOptions::default()
    };
    let picture = draw_map(&square(500.0), &options).unwrap();
    let svg = picture.to_svg();
    let document = Document::parse(&svg).unwrap();
    let texts: Vec<&str> = document.descendants().filter_map(|node| node.text()).collect();
    assert!(texts.contains(&"<b>\"Straße\" & 'Söhne'</b>\u{fffd} ]]>"));
    assert!(texts.contains(&"© A & B < C"));
    picture.to_png();
}

#[test]
fn widths_outside_the_range_are_errors() {
    let map = square(500.0);
    for width_pixels in [0, 199, 8001, 100_000] {
        let options = DrawOptions { width_pixels, ..DrawOptions::default() };
        let message = draw_map(&map, &options).unwrap_err().to_string();
        let expected =
            format!("a picture cannot be {width_pixels} pixels wide; expected 200 to 8000");
        assert_eq!(message, expected);
    }
    let widest = DrawOptions { width_pixels: 8000, ..DrawOptions::default() };
    assert_eq!(draw_map(&map, &widest).unwrap().canvas.width(), 8000);
}

#[test]
fn title_legend_and_points_of_interest_can_be_omitted() {
    let options = DrawOptions { pois: false, legend: false, ..DrawOptions::default() };
    let svg = draw_map(&square(500.0), &options).unwrap().to_svg();
    let document = Document::parse(&svg).unwrap();
    assert_eq!(document.descendants().filter(|node| node.has_tag_name("text")).count(), 0);
    assert_eq!(document.descendants().filter(|node| node.has_tag_name("circle")).count(), 0);
}

#[test]
fn layers_can_be_added_to_a_finished_picture() {
    let map = square(3000.0);
    let mut picture = draw_map(&map, &DrawOptions::default()).unwrap();
    let (view, red) = (picture.view, Colour::hex(0xff0000));
    let [a, b] = [(500.0, 2500.0), (2000.0, 500.0)].map(|(x, y)| view.to_pixel(Point::new(x, y)));
    let mut mesh = Polylines::new();
    mesh.add(map.shape(meshcloak::map::StreetId(4)).iter().map(|&point| view.to_pixel(point)));
    let canvas = &mut picture.canvas;
    canvas.layer("mesh");
    canvas.lines("mesh", mesh, Stroke { colour: red.with_opacity(128), width: 9.0 });
    canvas.layer("users");
    canvas.circles("users", vec![a, b], Circle { radius: 6.0, fill: red, outline: None });
    let style = TextStyle::new(red, 16.0).bold().anchored(Anchor::Middle);
    canvas.text(a.moved(0.0, -10.0), "A", style);

    let pixels = Pixels::read(&picture.to_png());
    assert_eq!(pixels.at(a), red);
    let beside = view.to_pixel(Point::new(1500.0, 1500.0)).moved(0.0, 5.0);
    let paper = Theme::Light.palette().paper;
    let found = pixels.at(beside);
    assert!(found.green < paper.green && found.green > 100, "half red, half background: {found:?}");
    let svg = picture.to_svg();
    let document = Document::parse(&svg).unwrap();
    assert_eq!(
        layer(&document, "mesh").first_element_child().unwrap().attribute("stroke-opacity"),
        Some("0.502")
    );
}
