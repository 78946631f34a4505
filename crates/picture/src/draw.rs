//! Picture of a whole map: title, map, legend.

use crate::arrows::Arrows;
use crate::canvas::{Anchor, Canvas, PictureError, Stroke, Text, Weight};
use crate::font::{shortened, text_width};
use crate::legend::{Contents, Legend};
use crate::lines::Lines;
use crate::places::Places;
use crate::streets::Streets;
use crate::theme::{Palette, Theme};
use crate::view::{Pixel, PixelBox, View};
use meshcloak::map::StreetMap;
use meshcloak::units::Rectangle;

/// Picture width in pixels at which all sizes have scale 1.
const STANDARD_WIDTH: f64 = 1600.0;

/// Content and style of a map picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Width in pixels, [`Options::MIN_WIDTH`] to [`Options::MAX_WIDTH`]; the height follows from the
    /// map.
    pub width_pixels: u32,
    /// Colour theme.
    pub theme: Theme,
    /// Whether points of interest are shown.
    pub pois: bool,
    /// Whether legend, scale bar and attribution are shown.
    pub legend: bool,
    /// Title; empty for none.
    pub title: String,
    /// Text at the right of the title; empty for none.
    pub subtitle: String,
    /// Attribution of the map data; empty for none.
    pub attribution: String,
}

impl Options {
    /// Smallest width of a map picture in pixels.
    pub const MIN_WIDTH: u32 = 200;
    /// Largest width of a map picture in pixels.
    pub const MAX_WIDTH: u32 = 8000;
}

impl Default for Options {
    fn default() -> Options {
        Options {
            width_pixels: STANDARD_WIDTH as u32,
            theme: Theme::Light,
            pois: true,
            legend: true,
            title: String::new(),
            subtitle: String::new(),
            attribution: String::new(),
        }
    }
}

/// A map picture; further layers can be added.
#[derive(Clone, Debug)]
pub struct Picture {
    /// The canvas; a new layer lies above the map.
    pub canvas: Canvas,
    /// Placement of the map on the canvas.
    pub view: View,
    /// Size of lines and text relative to a picture 1600 pixels wide.
    pub scale: f64,
}

impl Picture {
    /// Renders a PNG file.
    pub fn to_png(&self) -> Vec<u8> {
        self.canvas.to_png()
    }

    /// Renders an SVG file.
    pub fn to_svg(&self) -> String {
        self.canvas.to_svg()
    }
}

/// Draws a map: streets by rank with arrows along one-way streets, points of interest, title,
/// legend and scale bar.
pub fn draw_map(map: &StreetMap, options: &Options) -> Result<Picture, PictureError> {
    let layout = Layout::new(map.bounds(), options)?;
    let (view, scale) = (View::fit(map.bounds(), layout.map), layout.scale);
    let streets = Streets::gather(map, &view);
    let places = if options.pois { Places::gather(map, &view, scale) } else { Places::none() };
    let contents =
        Contents { streets: &streets, places: &places, attribution: &options.attribution };
    let legend = options.legend.then(|| Legend::new(&contents, &view, scale));
    let palette = options.theme.palette();
    let strip = legend.as_ref().map(|legend| layout.strip(legend.height()));
    let mut canvas = layout.canvas(strip, palette)?;

    layout.draw_title(&mut canvas, options, palette);
    streets.draw(&mut canvas, palette, &view, scale);
    let arrows = Arrows::gather(map, &view, scale);
    canvas.layer("one-way");
    canvas.areas("arrows", arrows.quiet, palette.arrow);
    canvas.areas("main-road arrows", arrows.main, palette.main_arrow);
    places.draw(&mut canvas, palette);
    if let (Some(legend), Some(strip)) = (legend, strip) {
        legend.draw(&mut canvas, strip, palette);
    }
    Ok(Picture { canvas, view, scale })
}

/// Placement of title, map and legend.
pub(crate) struct Layout {
    width: u32,
    pub scale: f64,
    margin: f64,
    /// Map area including its margin.
    panel: PixelBox,
    /// Area for streets.
    pub map: PixelBox,
}

impl Layout {
    pub fn new(bounds: Rectangle, options: &Options) -> Result<Layout, PictureError> {
        let width = options.width_pixels;
        let (min, max) = (Options::MIN_WIDTH, Options::MAX_WIDTH);
        if !(min..=max).contains(&width) {
            return Err(PictureError::Width { requested: width, min, max });
        }
        let scale = (f64::from(width) / STANDARD_WIDTH).max(0.6);
        let margin = (22.0 * scale).round();
        let titled = !(options.title.is_empty() && options.subtitle.is_empty());
        let top = if titled { (60.0 * scale).round() } else { margin };
        let panel_width = f64::from(width) - 2.0 * margin;
        // The height is limited; very long maps get margins instead.
        let aspect = (bounds.height().max(1.0) / bounds.width().max(1.0)).clamp(0.4, 1.4);
        let reserve = 250.0 * scale;
        let most = f64::from(Canvas::MAX_SIDE) - top - reserve;
        let height = (panel_width * aspect).min(most).round();
        let panel = PixelBox { left: margin, top, width: panel_width, height };
        Ok(Layout { width, scale, margin, panel, map: panel.inside(14.0 * scale) })
    }

    /// Returns the strip of `height` pixels below the map.
    pub fn strip(&self, height: f64) -> PixelBox {
        let top = self.panel.bottom() + 12.0 * self.scale;
        PixelBox { top, height, ..self.panel }
    }

    pub fn canvas(
        &self,
        strip: Option<PixelBox>,
        palette: &Palette,
    ) -> Result<Canvas, PictureError> {
        let bottom = strip.unwrap_or(self.panel).bottom() + self.margin;
        let height = (bottom.ceil() as u32).clamp(Canvas::MIN_SIDE, Canvas::MAX_SIDE);
        let mut canvas = Canvas::new(self.width, height, palette.page)?;
        canvas.layer("paper");
        canvas.rectangle("paper", self.panel, palette.paper);
        let mut frame = Lines::new();
        frame.add(self.panel.corners());
        canvas.lines("frame", frame, Stroke { colour: palette.frame, width: self.scale.max(1.0) });
        Ok(canvas)
    }

    pub fn draw_title(&self, canvas: &mut Canvas, options: &Options, palette: &Palette) {
        let (left, right) = (self.panel.left, self.panel.right());
        let baseline = self.panel.top - 16.0 * self.scale;
        let title = Text {
            colour: palette.ink,
            size: 27.0 * self.scale,
            weight: Weight::Bold,
            anchor: Anchor::Start,
        };
        let subtitle = Text {
            colour: palette.faint_ink,
            size: 15.0 * self.scale,
            weight: Weight::Regular,
            anchor: Anchor::End,
        };
        canvas.layer("title");
        let text = shortened(&options.title, right - left, &title);
        canvas.text(Pixel::new(left, baseline), &text, title);
        let used = text_width(&text, title.size, title.weight) + 30.0 * self.scale;
        let room = right - left - used;
        if room > 60.0 * self.scale {
            let text = shortened(&options.subtitle, room, &subtitle);
            canvas.text(Pixel::new(right, baseline), &text, subtitle);
        }
    }
}
