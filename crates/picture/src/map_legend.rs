//! Legend strip below a map: symbols with labels, scale bar, attribution. Entries wrap into rows, so
//! that the legend fits any width.

use crate::arrows::{arrow_length, head};
use crate::canvas::{Anchor, Canvas, TextStyle, Weight};
use crate::font::text_width;
use crate::map_view::{MapView, Pixel, PixelBox};
use crate::poi_dots::{PoiDots, PoiGroup, dot};
use crate::polylines::Polylines;
use crate::scale_bar::ScaleBar;
use crate::streets::{StreetStrokes, Streets, is_main_road, street_widths};
use crate::theme::{Palette, StreetColours};
use meshcloak::map::Rank;

/// Text size in pixels, as all sizes here at scale 1.
const TEXT: f64 = 14.0;
/// Height of a row.
const ROW: f64 = 25.0;
/// Length of a street symbol.
const STREET: f64 = 30.0;
/// Diameter of a dot symbol.
const DOT: f64 = 8.0;
/// Distance between symbol and label.
const GAP: f64 = 8.0;
/// Distance between entries.
const BETWEEN: f64 = 24.0;
/// Largest length of the scale bar.
const BAR: f64 = 240.0;

/// Labels of the ranks.
const RANK_LABELS: [&str; 7] =
    ["Motorway", "Trunk road", "Primary", "Secondary", "Tertiary", "Residential", "Service lane"];

/// Symbol before a label.
#[derive(Clone, Copy)]
enum MapSymbol {
    Street(Rank),
    OneWay(Rank),
    Poi(PoiGroup),
    None,
}

impl MapSymbol {
    /// Width of symbol and gap at scale 1.
    fn width(self) -> f64 {
        match self {
            MapSymbol::Street(_) | MapSymbol::OneWay(_) => STREET + GAP,
            MapSymbol::Poi(_) => DOT + GAP,
            MapSymbol::None => 0.0,
        }
    }
}

struct MapEntry {
    symbol: MapSymbol,
    label: String,
    /// Left edge in pixels from that of the legend.
    left: f64,
    row: usize,
}

/// A legend laid out for the width of a map.
pub(crate) struct MapLegend {
    entries: Vec<MapEntry>,
    rows: usize,
    bar: ScaleBar,
    attribution: String,
    /// Whether the scale bar is beside the entries instead of below them.
    bar_beside: bool,
    /// Street widths by rank.
    widths: [f64; 7],
    scale: f64,
}

impl MapLegend {
    /// Lays out the legend of the shown streets and points of interest.
    pub fn new(
        streets: &Streets,
        pois: &PoiDots,
        attribution: &str,
        view: &MapView,
        scale: f64,
    ) -> MapLegend {
        MapLegend::with_entries(attribution, view, scale, |flow| {
            flow.add_streets(streets);
            flow.add_pois(pois);
        })
    }

    /// Lays out a legend of labels without symbols.
    pub fn of_labels(
        labels: &[String],
        attribution: &str,
        view: &MapView,
        scale: f64,
    ) -> MapLegend {
        MapLegend::with_entries(attribution, view, scale, |flow| {
            labels.iter().for_each(|label| flow.add(MapSymbol::None, label.clone()));
            flow.end_row();
        })
    }

    fn with_entries(
        attribution: &str,
        view: &MapView,
        scale: f64,
        add: impl FnOnce(&mut LegendFlow),
    ) -> MapLegend {
        let width = view.area().width;
        let bar = ScaleBar::new(view, (BAR * scale).min(width / 3.0));
        let bar_beside = width >= 800.0 * scale;
        let max_x = if bar_beside { width - (BAR + 2.0 * BETWEEN) * scale } else { width };
        let mut flow = LegendFlow { entries: Vec::new(), x: 0.0, row: 0, max_x, scale };
        add(&mut flow);
        MapLegend {
            rows: flow.row,
            entries: flow.entries,
            bar,
            attribution: attribution.to_owned(),
            bar_beside,
            widths: street_widths(view.metres_per_pixel(), scale),
            scale,
        }
    }

    /// Height in pixels.
    pub fn height(&self) -> f64 {
        let entries = self.rows as f64 * ROW * self.scale;
        let bar = 2.0 * ROW * self.scale;
        if self.bar_beside { entries.max(bar) } else { entries + bar }
    }

    /// Draws the legend into `area`.
    pub fn draw(&self, canvas: &mut Canvas, area: PixelBox, palette: &Palette) {
        canvas.layer("legend");
        for entry in &self.entries {
            let middle = area.top + (entry.row as f64 + 0.5) * ROW * self.scale;
            self.draw_entry(canvas, entry, Pixel::new(area.left + entry.left, middle), palette);
        }
        let below = if self.bar_beside { 0.0 } else { self.rows as f64 * ROW * self.scale };
        let top = area.top + below + 8.0 * self.scale;
        let left = if self.bar_beside { area.right() - self.bar.pixels } else { area.left };
        self.bar.draw(canvas, Pixel::new(left, top), palette, self.scale);
        self.draw_attribution(canvas, area, palette);
    }

    fn draw_entry(&self, canvas: &mut Canvas, entry: &MapEntry, at: Pixel, palette: &Palette) {
        let mut colour = palette.ink;
        match entry.symbol {
            MapSymbol::Street(rank) => {
                self.draw_street(canvas, at, rank, palette.street(rank, false));
            }
            MapSymbol::OneWay(rank) => {
                self.draw_street(canvas, at, rank, palette.street(rank, true));
                let length = arrow_length(self.widths[rank.number()], self.scale);
                let width = STREET * self.scale;
                let (centre, tip) = (at.moved(width / 2.0, 0.0), at.moved(width, 0.0));
                let arrow = Polylines::of(head(centre, at, tip, length));
                let fill = if is_main_road(rank) { palette.main_arrow } else { palette.arrow };
                canvas.areas("one-way", arrow, fill);
            }
            MapSymbol::Poi(group) => {
                let centre = at.moved(DOT * self.scale / 2.0, 0.0);
                let circle = dot(group, DOT / 2.0 * self.scale, palette);
                canvas.circles(group.label(), vec![centre], circle);
            }
            MapSymbol::None => colour = palette.faint_ink,
        }
        let size = TEXT * self.scale;
        let at = at.moved(entry.symbol.width() * self.scale, size * 0.36);
        canvas.text(at, &entry.label, TextStyle::new(colour, size));
    }

    fn draw_street(&self, canvas: &mut Canvas, at: Pixel, rank: Rank, colours: StreetColours) {
        // A hairline would be too thin to recognise its colour.
        let width = self.widths[rank.number()].max(1.2 * self.scale);
        let ends = [width / 2.0, STREET * self.scale - width / 2.0];
        let line = canvas.keep("sample", Polylines::of(ends.map(|x| at.moved(x, 0.0))));
        let StreetStrokes { casing, core } = StreetStrokes::new(rank, colours, width, self.scale);
        for stroke in casing.into_iter().chain([core]) {
            canvas.stroke(line, stroke);
        }
    }

    fn draw_attribution(&self, canvas: &mut Canvas, area: PixelBox, palette: &Palette) {
        let style = TextStyle::new(palette.faint_ink, 11.5 * self.scale).anchored(Anchor::End);
        let bar = if self.bar_beside { 0.0 } else { self.bar.pixels + BETWEEN * self.scale };
        canvas.layer("attribution");
        let at = Pixel::new(area.right(), area.bottom());
        canvas.text_within(at, &self.attribution, area.width - bar, style);
    }
}

/// Places entries one after the other, in rows of at most `max_x` pixels.
struct LegendFlow {
    entries: Vec<MapEntry>,
    /// Left edge of the next entry.
    x: f64,
    row: usize,
    max_x: f64,
    scale: f64,
}

impl LegendFlow {
    fn add(&mut self, symbol: MapSymbol, label: String) {
        let text = text_width(&label, TEXT * self.scale, Weight::Regular);
        let width = symbol.width() * self.scale + text;
        if self.x > 0.0 && self.x + width > self.max_x {
            self.end_row();
        }
        self.entries.push(MapEntry { symbol, label, left: self.x, row: self.row });
        self.x += width + BETWEEN * self.scale;
    }

    fn end_row(&mut self) {
        if self.x > 0.0 {
            self.row += 1;
            self.x = 0.0;
        }
    }

    fn add_streets(&mut self, streets: &Streets) {
        let ranks = streets.ranks();
        for &rank in &ranks {
            // A map without classes has one rank, whose name would say nothing.
            let label = if ranks.len() == 1 { "Street" } else { RANK_LABELS[rank.number()] };
            self.add(MapSymbol::Street(rank), label.to_owned());
        }
        if let Some(rank) = streets.one_way_example() {
            self.add(MapSymbol::OneWay(rank), "One-way street".to_owned());
        }
        self.end_row();
    }

    fn add_pois(&mut self, pois: &PoiDots) {
        for group in pois.groups() {
            self.add(MapSymbol::Poi(group), group.label().to_owned());
        }
        let (shown, hidden) = (pois.shown(), pois.hidden());
        if shown > 0 && hidden > 0 {
            self.add(MapSymbol::None, format!("{shown} of {} places shown", shown + hidden));
        }
        self.end_row();
    }
}
