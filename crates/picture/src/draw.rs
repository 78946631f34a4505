//! Picture of a whole map: title, map, legend.

use crate::arrows::Arrows;
use crate::canvas::{Canvas, PictureError};
use crate::map_view::MapView;
use crate::page_layout::PageLayout;
use crate::poi_dots::PoiDots;
use crate::streets::Streets;
use crate::theme::Theme;
use meshcloak::map::StreetMap;

/// Picture width in pixels at which all sizes have scale 1.
pub(crate) const STANDARD_WIDTH: f64 = 1600.0;

/// Content and style of a map picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DrawOptions {
    /// Width in pixels, [`DrawOptions::MIN_WIDTH`] to [`DrawOptions::MAX_WIDTH`]; the height follows from the
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

impl DrawOptions {
    /// Smallest width of a map picture in pixels.
    pub const MIN_WIDTH: u32 = 200;
    /// Largest width of a map picture in pixels.
    pub const MAX_WIDTH: u32 = 8000;
}

impl Default for DrawOptions {
    fn default() -> DrawOptions {
        DrawOptions {
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
    pub view: MapView,
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
pub fn draw_map(map: &StreetMap, options: &DrawOptions) -> Result<Picture, PictureError> {
    let layout = PageLayout::new(map.bounds(), options)?;
    let (view, scale) = (layout.view, layout.scale);
    let streets = Streets::gather(map, &view);
    let pois = if options.pois { PoiDots::gather(map, &view, scale) } else { PoiDots::none() };
    let legend = layout.legend(&streets, &pois);
    layout.draw(legend, |canvas, palette| {
        streets.draw(canvas, palette, &view, scale);
        let arrows = Arrows::gather(map, &view, scale);
        canvas.layer("one-way");
        canvas.areas("arrows", arrows.minor, palette.arrow);
        canvas.areas("main-road arrows", arrows.main, palette.main_arrow);
        pois.draw(canvas, palette);
    })
}
