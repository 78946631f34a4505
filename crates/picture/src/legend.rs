//! The strip below a map: what its lines and dots mean, how long a kilometre is, whose data it is.
//!
//! Entries flow from left to right and wrap, so any width of picture holds any legend.

use crate::arrows::{arrow_length, head};
use crate::canvas::{Anchor, Canvas, Stroke, Text, Weight};
use crate::font::{shortened, text_width};
use crate::lines::Lines;
use crate::places::{PlaceGroup, Places, dot};
use crate::scale_bar::ScaleBar;
use crate::streets::{Streets, street_widths, strokes};
use crate::theme::{Palette, StreetColours};
use crate::view::{Pixel, PixelBox, View};
use meshcloak::map::Rank;

/// Sizes at scale 1, in pixels.
const TEXT: f64 = 14.0;
const ROW: f64 = 25.0;
const SAMPLE: f64 = 30.0;
const GAP: f64 = 8.0;
const BETWEEN: f64 = 24.0;
const BAR: f64 = 240.0;

/// What an entry explains.
enum Sample {
    Street(Rank),
    OneWay(Rank),
    Place(PlaceGroup),
    Nothing,
}

struct Entry {
    sample: Sample,
    label: String,
    /// Its left edge and its row.
    left: f64,
    row: usize,
}

/// A legend laid out for a width.
pub(crate) struct Legend {
    entries: Vec<Entry>,
    rows: usize,
    bar: ScaleBar,
    attribution: String,
    /// Whether the scale bar stands beside the entries or below them.
    beside: bool,
    widths: [f64; 7],
    scale: f64,
}

/// What a legend has to explain.
pub(crate) struct Contents<'a> {
    pub streets: &'a Streets,
    pub places: &'a Places,
    pub attribution: &'a str,
}

impl Legend {
    /// The legend of a map shown by `view`, as wide as the view's area.
    pub fn new(contents: &Contents<'_>, view: &View, scale: f64) -> Legend {
        let width = view.area().width;
        let bar = ScaleBar::new(view, (BAR * scale).min(width / 3.0));
        let beside = width >= 800.0 * scale;
        let room = if beside { width - (BAR + 2.0 * BETWEEN) * scale } else { width };
        let mut rows = Rows { entries: Vec::new(), x: 0.0, row: 0, room, scale };
        add_streets(&mut rows, contents.streets);
        add_places(&mut rows, contents.places);
        let count = rows.row + usize::from(rows.x > 0.0);
        Legend {
            rows: count,
            entries: rows.entries,
            bar,
            attribution: contents.attribution.to_owned(),
            beside,
            widths: street_widths(view.metres_per_pixel(), scale),
            scale,
        }
    }

    /// How many pixels it needs from top to bottom.
    pub fn height(&self) -> f64 {
        let entries = self.rows as f64 * ROW * self.scale;
        let bar = 2.0 * ROW * self.scale;
        if self.beside { entries.max(bar) } else { entries + bar }
    }

    /// Draws it below `top`, between the left and right edge of the view's area.
    pub fn draw(&self, canvas: &mut Canvas, area: PixelBox, palette: &Palette) {
        canvas.layer("legend");
        for entry in &self.entries {
            let middle = area.top + (entry.row as f64 + 0.5) * ROW * self.scale;
            self.draw_entry(canvas, entry, Pixel::new(area.left + entry.left, middle), palette);
        }
        let below = if self.beside { 0.0 } else { self.rows as f64 * ROW * self.scale };
        let top = area.top + below + 8.0 * self.scale;
        let left = if self.beside { area.right() - self.bar.pixels } else { area.left };
        self.bar.draw(canvas, Pixel::new(left, top), palette, self.scale);
        self.draw_attribution(canvas, area, palette);
    }

    fn draw_entry(&self, canvas: &mut Canvas, entry: &Entry, at: Pixel, palette: &Palette) {
        let sample = sample_width(&entry.sample) * self.scale;
        match entry.sample {
            Sample::Street(rank) => {
                self.draw_line(canvas, at, rank, palette.street(rank));
            }
            Sample::OneWay(rank) => {
                let width = self.widths[rank.number()];
                self.draw_line(canvas, at, rank, palette.one_way_street(rank));
                let (centre, tip) = (at.moved(sample / 2.0, 0.0), at.moved(sample, 0.0));
                let mut arrow = Lines::new();
                arrow.add(head(centre, at, tip, arrow_length(width, self.scale)));
                let main = rank < Rank::Tertiary;
                let colour = if main { palette.main_arrow } else { palette.arrow };
                canvas.areas("one-way", arrow, colour);
            }
            Sample::Place(group) => {
                let centre = at.moved(sample / 2.0, 0.0);
                let circle = dot(group, 4.0 * self.scale, palette);
                canvas.circles(group.label(), vec![centre], circle);
            }
            Sample::Nothing => {}
        }
        let gap = if sample > 0.0 { GAP * self.scale } else { 0.0 };
        let size = TEXT * self.scale;
        let faint = matches!(entry.sample, Sample::Nothing);
        let colour = if faint { palette.faint_ink } else { palette.ink };
        let style = Text { colour, size, weight: Weight::Regular, anchor: Anchor::Start };
        canvas.text(at.moved(sample + gap, size * 0.36), &entry.label, style);
    }

    fn draw_line(&self, canvas: &mut Canvas, at: Pixel, rank: Rank, colours: StreetColours) {
        // A hairline alone is too faint to be compared with its name.
        let width = self.widths[rank.number()].max(1.2 * self.scale);
        let mut line = Lines::new();
        line.add([at.moved(width / 2.0, 0.0), at.moved(SAMPLE * self.scale - width / 2.0, 0.0)]);
        let (casing, core) = strokes(rank, colours, width, self.scale);
        let line = canvas.keep("sample", line);
        let all: Vec<Stroke> = casing.into_iter().chain([core]).collect();
        for stroke in all {
            canvas.stroke(line, stroke);
        }
    }

    fn draw_attribution(&self, canvas: &mut Canvas, area: PixelBox, palette: &Palette) {
        let size = 11.5 * self.scale;
        let style =
            Text { colour: palette.faint_ink, size, weight: Weight::Regular, anchor: Anchor::End };
        let bar = if self.beside { 0.0 } else { self.bar.pixels + BETWEEN * self.scale };
        let text = shortened(&self.attribution, area.width - bar, &style);
        canvas.layer("attribution");
        canvas.text(Pixel::new(area.right(), area.bottom()), &text, style);
    }
}

/// Entries placed one after the other, in rows.
struct Rows {
    entries: Vec<Entry>,
    x: f64,
    row: usize,
    room: f64,
    scale: f64,
}

impl Rows {
    fn add(&mut self, sample: Sample, label: String) {
        let before = sample_width(&sample);
        let gap = if before > 0.0 { GAP } else { 0.0 };
        let text = text_width(&label, TEXT * self.scale, Weight::Regular);
        let width = (before + gap) * self.scale + text;
        if self.x > 0.0 && self.x + width > self.room {
            self.end_row();
        }
        self.entries.push(Entry { sample, label, left: self.x, row: self.row });
        self.x += width + BETWEEN * self.scale;
    }

    fn end_row(&mut self) {
        if self.x > 0.0 {
            self.row += 1;
            self.x = 0.0;
        }
    }
}

fn sample_width(sample: &Sample) -> f64 {
    match sample {
        Sample::Street(_) | Sample::OneWay(_) => SAMPLE,
        Sample::Place(_) => 8.0,
        Sample::Nothing => 0.0,
    }
}

fn add_streets(rows: &mut Rows, streets: &Streets) {
    let ranks = streets.ranks();
    for &rank in &ranks {
        // A map that has no classes has streets, not residential streets.
        let label = if ranks.len() == 1 { "Street" } else { rank_label(rank) };
        rows.add(Sample::Street(rank), label.to_owned());
    }
    if let Some(rank) = streets.one_way_sample() {
        rows.add(Sample::OneWay(rank), "One-way street".to_owned());
    }
    rows.end_row();
}

fn add_places(rows: &mut Rows, places: &Places) {
    for group in places.groups() {
        rows.add(Sample::Place(group), group.label().to_owned());
    }
    let (shown, hidden) = places.counts();
    if shown > 0 && hidden > 0 {
        rows.add(Sample::Nothing, format!("{shown} of {} places shown", shown + hidden));
    }
    rows.end_row();
}

fn rank_label(rank: Rank) -> &'static str {
    match rank {
        Rank::Motorway => "Motorway",
        Rank::Trunk => "Trunk road",
        Rank::Primary => "Primary",
        Rank::Secondary => "Secondary",
        Rank::Tertiary => "Tertiary",
        Rank::Residential => "Residential",
        Rank::Service => "Service lane",
    }
}
