//! Pictures of street maps and charts, as PNG or SVG.
//!
//! ```
//! use picture::{DrawOptions, draw_map};
//!
//! let town = meshcloak::town::town("A 0,0  B 900,0  C 900,600 | A>B B-C C-A");
//! let options = DrawOptions { title: "Three streets".to_owned(), ..DrawOptions::default() };
//! let picture = draw_map(&town.map, &options)?;
//! assert!(picture.to_svg().starts_with("<svg"));
//! assert!(picture.to_png().starts_with(b"\x89PNG"));
//! # Ok::<(), picture::PictureError>(())
//! ```
//!
//! A [`Canvas`] records shapes in layers; the `svg` and `pixels` backends render it. A
//! [`MapView`] converts map coordinates to pixels. [`scene`] and [`sheet`] draw small towns with users; the other modules
//! draw parts of maps and charts. Output is deterministic: same map, same options, same bytes.

mod arrows;
mod axis;
mod canvas;
mod canvas_shape;
mod cells;
mod chart;
mod chart_legend;
mod colour;
mod dots;
mod draw;
mod escape;
mod font;
mod map_legend;
mod map_view;
mod mark;
mod number;
mod page_layout;
mod panels;
mod pixels;
mod plot_area;
mod poi_dots;
mod polylines;
mod scale_bar;
pub mod scene;
mod series;
mod series_style;
pub mod sheet;
mod street_part;
mod streets;
mod svg;
mod theme;
mod thinning;

pub use canvas::{Anchor, Canvas, CanvasLines, Circle, PictureError, Stroke, TextStyle, Weight};
pub use cells::draw_cells;
pub use chart::LineChart;
pub use colour::Colour;
pub use dots::{DotPanel, DotScale, Dots};
pub use draw::{DrawOptions, Picture, draw_map};
pub use escape::Escaped;
pub use font::text_width;
pub use map_view::{MapView, Pixel, PixelBox};
pub use number::{decimal, grouped, significant};
pub use panels::{Panels, Scale};
pub use poi_dots::PoiGroup;
pub use polylines::Polylines;
pub use scale_bar::ScaleBar;
pub use series::Series;
pub use streets::street_widths;
pub use theme::{Palette, StreetColours, Theme};
