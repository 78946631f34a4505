//! Pictures of street maps, and line charts, as PNG or SVG.
//!
//! ```
//! use picture::{Options, draw_map};
//!
//! let town = meshcloak::town::town("A 0,0  B 900,0  C 900,600 | A>B B-C C-A");
//! let options = Options { title: "Three streets".to_owned(), ..Options::default() };
//! let picture = draw_map(&town.map, &options)?;
//! assert!(picture.to_svg().starts_with("<svg"));
//! assert!(picture.to_png().starts_with(b"\x89PNG"));
//! # Ok::<(), picture::PictureError>(())
//! ```
//!
//! A [`Canvas`] records shapes in layers and is written by one of two backends; a [`View`] places
//! a map on it. [`scene`] and [`sheet`] are for towns small enough to draw, with people on them;
//! the other modules are what a map or a chart is made of. Same map, same options, same bytes.

mod arrows;
mod axis;
mod canvas;
mod cells;
mod chart;
mod colour;
mod dots;
mod draw;
mod font;
mod legend;
mod lines;
mod panels;
mod pixels;
mod places;
mod scale_bar;
pub mod scene;
mod series;
pub mod sheet;
mod streets;
mod svg;
mod theme;
mod thinning;
mod view;

pub use canvas::{Anchor, Canvas, CanvasLines, Circle, PictureError, Stroke, Text, Weight};
pub use cells::draw_cells;
pub use chart::LineChart;
pub use colour::Colour;
pub use dots::{DotPanel, Dots, Steps};
pub use draw::{Options, Picture, draw_map};
pub use font::text_width;
pub use lines::Lines;
pub use panels::{Panels, Scale};
pub use places::PlaceGroup;
pub use scale_bar::ScaleBar;
pub use series::Series;
pub use streets::street_widths;
pub use theme::{Palette, StreetColours, Theme};
pub use view::{Pixel, PixelBox, View};
