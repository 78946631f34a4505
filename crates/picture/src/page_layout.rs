//! Page of a map picture: placement of title, map and legend.

use crate::canvas::{Anchor, Canvas, PictureError, Stroke, TextStyle};
use crate::draw::{DrawOptions, Picture, STANDARD_WIDTH};
use crate::font::{shortened, text_width};
use crate::map_legend::MapLegend;
use crate::map_view::{MapView, Pixel, PixelBox};
use crate::poi_dots::PoiDots;
use crate::polylines::Polylines;
use crate::streets::Streets;
use crate::theme::Palette;
use meshcloak::units::Rectangle;

/// Height reserved for the legend, in pixels at scale 1.
const LEGEND_RESERVE: f64 = 250.0;

/// Placement of title, map and legend.
pub(crate) struct PageLayout<'a> {
    options: &'a DrawOptions,
    /// Size of lines and text relative to a picture of the standard width.
    pub scale: f64,
    margin: f64,
    /// Map area including its margin.
    panel: PixelBox,
    /// Placement of the streets.
    pub view: MapView,
}

impl<'a> PageLayout<'a> {
    /// Lays out the page of a map with these bounds.
    pub fn new(
        bounds: Rectangle,
        options: &'a DrawOptions,
    ) -> Result<PageLayout<'a>, PictureError> {
        let width = options.width_pixels;
        PictureError::check("wide", width, DrawOptions::MIN_WIDTH..=DrawOptions::MAX_WIDTH)?;
        let scale = (f64::from(width) / STANDARD_WIDTH).max(0.6);
        let margin = (22.0 * scale).round();
        let has_title = !(options.title.is_empty() && options.subtitle.is_empty());
        let top = if has_title { (60.0 * scale).round() } else { margin };
        let panel_width = f64::from(width) - 2.0 * margin;
        // Maps that are very long in one direction get margins instead of a matching page.
        let aspect = (bounds.height().max(1.0) / bounds.width().max(1.0)).clamp(0.4, 1.4);
        let max_height = f64::from(Canvas::MAX_SIDE) - top - LEGEND_RESERVE * scale;
        let height = (panel_width * aspect).min(max_height).round();
        let panel = PixelBox { left: margin, top, width: panel_width, height };
        let view = MapView::fit(bounds, panel.inside(14.0 * scale));
        Ok(PageLayout { options, scale, margin, panel, view })
    }

    /// Returns the legend of the shown content; `None` if the options exclude it.
    pub fn legend(&self, streets: &Streets, pois: &PoiDots) -> Option<MapLegend> {
        let DrawOptions { legend, attribution, .. } = self.options;
        legend.then(|| MapLegend::new(streets, pois, attribution, &self.view, self.scale))
    }

    /// Returns a legend of labels without symbols; `None` if the options exclude it.
    pub fn legend_of(&self, labels: &[String]) -> Option<MapLegend> {
        let DrawOptions { legend, attribution, .. } = self.options;
        legend.then(|| MapLegend::of_labels(labels, attribution, &self.view, self.scale))
    }

    /// Draws the page; `draw_map` draws the content of the map.
    pub fn draw(
        &self,
        legend: Option<MapLegend>,
        draw_map: impl FnOnce(&mut Canvas, &Palette),
    ) -> Result<Picture, PictureError> {
        let palette = self.options.theme.palette();
        let top = self.panel.bottom() + 12.0 * self.scale;
        let strip = |legend: &MapLegend| PixelBox { top, height: legend.height(), ..self.panel };
        let strip = legend.as_ref().map_or(self.panel, strip);
        let mut canvas = self.canvas(strip.bottom() + self.margin, palette)?;
        self.draw_title(&mut canvas, palette);
        draw_map(&mut canvas, palette);
        if let Some(legend) = legend {
            legend.draw(&mut canvas, strip, palette);
        }
        Ok(Picture { canvas, view: self.view, scale: self.scale })
    }

    /// Creates the canvas with background and frame of the map.
    fn canvas(&self, height: f64, palette: &Palette) -> Result<Canvas, PictureError> {
        let height = (height.ceil() as u32).clamp(Canvas::MIN_SIDE, Canvas::MAX_SIDE);
        let mut canvas = Canvas::new(self.options.width_pixels, height, palette.page)?;
        canvas.layer("paper");
        canvas.rectangle("paper", self.panel, palette.paper);
        let frame = Stroke { colour: palette.frame, width: self.scale.max(1.0) };
        canvas.lines("frame", Polylines::of(self.panel.corners()), frame);
        Ok(canvas)
    }

    /// Writes the title, and the subtitle if it has enough space.
    fn draw_title(&self, canvas: &mut Canvas, palette: &Palette) {
        let (left, right) = (self.panel.left, self.panel.right());
        let baseline = self.panel.top - 16.0 * self.scale;
        let style = TextStyle::new(palette.ink, 27.0 * self.scale).bold();
        canvas.layer("title");
        let title = shortened(&self.options.title, right - left, &style);
        canvas.text(Pixel::new(left, baseline), &title, style);
        let used = text_width(&title, style.size, style.weight) + 30.0 * self.scale;
        let free = right - left - used;
        if free > 60.0 * self.scale {
            let style = TextStyle::new(palette.faint_ink, 15.0 * self.scale).anchored(Anchor::End);
            let at = Pixel::new(right, baseline);
            canvas.text_within(at, &self.options.subtitle, free, style);
        }
    }
}
