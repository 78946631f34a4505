//! A map with streets coloured by cell; neighbouring cells have different colours.

use crate::canvas::{PictureError, Stroke};
use crate::colour::Colour;
use crate::draw::{Layout, Options, Picture};
use crate::legend::{Contents, Legend};
use crate::lines::Lines;
use crate::places::Places;
use crate::streets::{SPACING, Streets, street_widths};
use crate::view::View;
use meshcloak::cells::Cells;
use meshcloak::map::StreetMap;

/// Distinguishable colours, those of Okabe and Ito first. Colours repeat if a cell has more
/// neighbours than there are colours, which is rare.
const COLOURS: [Colour; 10] = [
    Colour::hex(0x0072b2),
    Colour::hex(0xe69f00),
    Colour::hex(0x009e73),
    Colour::hex(0xcc79a7),
    Colour::hex(0xd55e00),
    Colour::hex(0x56b4e9),
    Colour::hex(0x7a3fa0),
    Colour::hex(0x8a6d3b),
    Colour::hex(0x8f9a1e),
    Colour::hex(0x888888),
];

/// Smallest line width with a visible colour, on a picture 1600 pixels wide.
const MIN_WIDTH: f64 = 1.6;

/// Draws a map coloured by cells: title, streets, scale bar and attribution.
pub fn draw_cells(
    map: &StreetMap,
    cells: &Cells,
    options: &Options,
) -> Result<Picture, PictureError> {
    let layout = Layout::new(map.bounds(), options)?;
    let (view, scale) = (View::fit(map.bounds(), layout.map), layout.scale);
    let (streets, places) = (Streets::none(), Places::none());
    let contents =
        Contents { streets: &streets, places: &places, attribution: &options.attribution };
    let legend = options.legend.then(|| Legend::new(&contents, &view, scale));
    let palette = options.theme.palette();
    let strip = legend.as_ref().map(|legend| layout.strip(legend.height()));
    let mut canvas = layout.canvas(strip, palette)?;
    layout.draw_title(&mut canvas, options, palette);
    canvas.layer("cells");
    let widths = street_widths(view.metres_per_pixel(), scale);
    for (colour, groups) in COLOURS.iter().zip(gather(map, cells, &view)) {
        for (lines, width) in groups.into_iter().zip(widths) {
            if !lines.is_empty() {
                let width = width.max(MIN_WIDTH * scale);
                canvas.lines(&format!("cells {colour}"), lines, Stroke { colour: *colour, width });
            }
        }
    }
    if let (Some(legend), Some(strip)) = (legend, strip) {
        legend.draw(&mut canvas, strip, palette);
    }
    Ok(Picture { canvas, view, scale })
}

/// Collects the streets by colour and rank.
fn gather(map: &StreetMap, cells: &Cells, view: &View) -> [[Lines; 7]; COLOURS.len()] {
    let mut groups: [[Lines; 7]; COLOURS.len()] = Default::default();
    let colours = cells.colours();
    for street in map.streets() {
        let colour = colours[cells.of(street).index()] as usize % COLOURS.len();
        let shape = map.shape(street).iter().map(|&point| view.to_pixel(point));
        groups[colour][map.rank(street).number()].add_spaced(shape, SPACING);
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshcloak::town::town;
    use meshcloak::units::Length;

    #[test]
    fn neighbouring_cells_have_different_colours() {
        let town = town("A 0,0  B 900,0  C 1800,0 | A-B B-C");
        let cells = Cells::new(&town.map, Length::metres(900.0));
        let options = Options { title: "Two cells".to_owned(), ..Options::default() };
        let svg = draw_cells(&town.map, &cells, &options).unwrap().to_svg();
        assert!(svg.contains("cells #0072b2") && svg.contains("cells #e69f00"), "{svg}");
        assert!(!svg.contains("cells #009e73"), "two cells need two colours");
    }
}
