//! Pictures of street maps and charts, as PNG or SVG.
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
//! A [`Canvas`] records shapes in layers; the `svg` and `pixels` backends render it. A [`View`] maps
//! map coordinates to pixels. [`scene`] and [`sheet`] draw small towns with users; the other modules
//! draw parts of maps and charts. Output is deterministic: same map, same options, same bytes.

mod arrows;
mod axis;
mod canvas;
mod cells;
mod chart;
mod colour;
mod dots;
mod draw;
mod escape;
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
pub use escape::Escaped;
pub use font::text_width;
pub use lines::Lines;
pub use panels::{Panels, Scale};
pub use places::PlaceGroup;
pub use scale_bar::ScaleBar;
pub use series::Series;
pub use streets::street_widths;
pub use theme::{Palette, StreetColours, Theme};
pub use view::{Pixel, PixelBox, View};
