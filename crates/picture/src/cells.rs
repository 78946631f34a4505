//! A map with streets coloured by cell; neighbouring cells have different colours.

use crate::canvas::{PictureError, Stroke};
use crate::colour::Colour;
use crate::draw::{DrawOptions, Picture};
use crate::map_view::MapView;
use crate::page_layout::PageLayout;
use crate::polylines::Polylines;
use crate::streets::{SPACING, street_widths};
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

/// Draws a map coloured by cells: title, streets, legend with the number of cells and their lengths,
/// scale bar and attribution.
pub fn draw_cells(
    map: &StreetMap,
    cells: &Cells,
    options: &DrawOptions,
) -> Result<Picture, PictureError> {
    let layout = PageLayout::new(map.bounds(), options)?;
    let legend = layout.legend_of(&labels(map, cells));
    let widths = street_widths(layout.view.metres_per_pixel(), layout.scale);
    layout.draw(legend, |canvas, _| {
        canvas.layer("cells");
        for (colour, groups) in COLOURS.iter().zip(gather(map, cells, &layout.view)) {
            for (lines, width) in groups.into_iter().zip(widths) {
                if !lines.is_empty() {
                    let stroke =
                        Stroke { colour: *colour, width: width.max(MIN_WIDTH * layout.scale) };
                    canvas.lines(&format!("cells {colour}"), lines, stroke);
                }
            }
        }
    })
}

/// Returns the number of cells, and the median and the range of their street lengths.
fn labels(map: &StreetMap, cells: &Cells) -> Vec<String> {
    let length = |cell| cells.streets(cell).iter().map(|&street| map.metres(street)).sum();
    let mut lengths: Vec<f64> = cells.iter().map(length).collect();
    lengths.sort_by(f64::total_cmp);
    let (median, last) = (lengths[lengths.len() / 2], lengths[lengths.len() - 1]);
    let count = match lengths.len() {
        1 => "1 cell".to_owned(),
        count => format!("{count} cells"),
    };
    vec![
        count,
        format!("median {median:.0} m of street"),
        format!("shortest {:.0} m", lengths[0]),
        format!("longest {last:.0} m"),
    ]
}

/// Collects the streets by colour and rank.
fn gather(map: &StreetMap, cells: &Cells, view: &MapView) -> [[Polylines; 7]; COLOURS.len()] {
    let mut groups: [[Polylines; 7]; COLOURS.len()] = Default::default();
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
        let options = DrawOptions { title: "Two cells".to_owned(), ..DrawOptions::default() };
        let svg = draw_cells(&town.map, &cells, &options).unwrap().to_svg();
        assert!(svg.contains("cells #0072b2") && svg.contains("cells #e69f00"), "{svg}");
        assert!(!svg.contains("cells #009e73"), "two cells need two colours");
        let expected = ["2 cells", "median 900 m of street", "shortest 900 m", "longest 900 m"];
        assert_eq!(labels(&town.map, &cells), expected);
    }
}
