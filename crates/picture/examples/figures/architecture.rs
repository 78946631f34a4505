//! Figure 4: system architecture.

use picture::sheet::{BLUE, FAINT, INK, ORANGE};
use picture::{Anchor, Canvas, Colour, Pixel, PixelBox, Polylines, Stroke, TextStyle};

/// A box with a title and lines of text.
struct Block {
    left: f64,
    width: f64,
    colour: Colour,
    title: &'static str,
    lines: &'static [&'static str],
}

const TOP: f64 = 70.0;
const HEIGHT: f64 = 190.0;

const BLOCKS: [Block; 3] = [
    Block {
        left: 24.0,
        width: 180.0,
        colour: FAINT,
        title: "Mobile users",
        lines: &["position and question", "k, dt, speed"],
    },
    Block {
        left: 330.0,
        width: 230.0,
        colour: BLUE,
        title: "Anonymizer (trusted)",
        lines: &[
            "cloaking engine:",
            "sets of users, their meshes",
            "",
            "refinement:",
            "answer of each user",
        ],
    },
    Block {
        left: 686.0,
        width: 180.0,
        colour: ORANGE,
        title: "Service (untrusted)",
        lines: &["points of interest", "near the mesh"],
    },
];

/// An arrow between two boxes.
struct Flow {
    from: f64,
    to: f64,
    y: f64,
    words: &'static str,
}

const FLOWS: [Flow; 4] = [
    Flow { from: 204.0, to: 330.0, y: 120.0, words: "query" },
    Flow { from: 560.0, to: 686.0, y: 120.0, words: "mesh, question" },
    Flow { from: 686.0, to: 560.0, y: 215.0, words: "candidates" },
    Flow { from: 330.0, to: 204.0, y: 215.0, words: "own answer" },
];

/// Figure 4: users, anonymizer and service, and what each receives.
pub fn architecture() -> Canvas {
    let mut canvas = Canvas::new(890, 320, Colour::hex(0xffffff))
        .expect("the figure is within the size limits of a canvas");
    canvas.layer("blocks");
    for block in &BLOCKS {
        draw_block(&mut canvas, block);
    }
    canvas.layer("flows");
    for flow in &FLOWS {
        draw_flow(&mut canvas, flow);
    }
    let style = TextStyle::new(FAINT, 14.0).anchored(Anchor::Middle);
    canvas.text(Pixel::new(267.0, 292.0), "secure connection", style);
    canvas.text(Pixel::new(623.0, 292.0), "insecure connection", style);
    canvas
}

fn draw_block(canvas: &mut Canvas, block: &Block) {
    let area = PixelBox { left: block.left, top: TOP, width: block.width, height: HEIGHT };
    canvas.rectangle("block", area, block.colour.with_opacity(24));
    let [first, ..] = area.corners();
    let outline = Polylines::of(area.corners().into_iter().chain([first]));
    canvas.lines("block", outline, Stroke { colour: block.colour, width: 2.0 });
    let middle = block.left + block.width / 2.0;
    let title = TextStyle::new(INK, 17.0).bold().anchored(Anchor::Middle);
    canvas.text(Pixel::new(middle, TOP - 14.0), block.title, title);
    for (row, words) in block.lines.iter().enumerate() {
        let at = Pixel::new(middle, TOP + 36.0 + row as f64 * 24.0);
        canvas.text(at, words, TextStyle::new(INK, 14.0).anchored(Anchor::Middle));
    }
}

fn draw_flow(canvas: &mut Canvas, flow: &Flow) {
    let forward = if flow.to > flow.from { 1.0 } else { -1.0 };
    let (start, tip) = (flow.from + 6.0 * forward, flow.to - 6.0 * forward);
    let line = Polylines::of([Pixel::new(start, flow.y), Pixel::new(tip, flow.y)]);
    canvas.lines("flow", line, Stroke { colour: INK, width: 2.0 });
    let base = tip - 13.0 * forward;
    let head = [(tip, 0.0), (base, -7.0), (base, 7.0)].map(|(x, y)| Pixel::new(x, flow.y + y));
    canvas.areas("heads", Polylines::of(head), INK);
    let at = Pixel::new((flow.from + flow.to) / 2.0, flow.y - 10.0);
    canvas.text(at, flow.words, TextStyle::new(INK, 14.0).anchored(Anchor::Middle));
}
