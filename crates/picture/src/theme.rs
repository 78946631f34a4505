//! Colours of map pictures.

use crate::colour::Colour;
use crate::streets::is_main_road;
use meshcloak::map::Rank;

/// Colour theme of a picture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    /// Dark lines on a light background.
    #[default]
    Light,
    /// Light lines on a dark background.
    Dark,
}

/// Colours of a street.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StreetColours {
    /// Colour of the street.
    pub core: Colour,
    /// Colour of the lines on both sides.
    pub casing: Colour,
    /// Colour of a street too narrow for a casing.
    pub hairline: Colour,
}

/// All colours of a theme.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Palette {
    /// Background around the map.
    pub page: Colour,
    /// Background of the map.
    pub paper: Colour,
    /// Line around the map.
    pub frame: Colour,
    /// Text and scale bar.
    pub ink: Colour,
    /// Secondary text.
    pub faint_ink: Colour,
    /// Arrows of one-way streets.
    pub arrow: Colour,
    /// Arrows of one-way main roads.
    pub main_arrow: Colour,
    /// Tint of one-way streets.
    pub one_way: Colour,
    /// Streets by rank, most important first.
    pub streets: [StreetColours; 7],
    /// Points of interest by [`PoiGroup`](crate::PoiGroup).
    pub pois: [Colour; 7],
}

impl Theme {
    /// Returns the colours of the theme.
    pub const fn palette(self) -> &'static Palette {
        match self {
            Theme::Light => &LIGHT,
            Theme::Dark => &DARK,
        }
    }
}

impl Palette {
    /// Returns the colours of a street. One-way streets are tinted, except main roads, whose colour
    /// shows the rank.
    pub fn street(&self, rank: Rank, is_one_way: bool) -> StreetColours {
        let StreetColours { core, casing, hairline } = self.streets[rank.number()];
        if !is_one_way || is_main_road(rank) {
            return self.streets[rank.number()];
        }
        StreetColours {
            core: core.mixed(self.one_way, 22),
            casing: casing.mixed(self.one_way, 45),
            hairline: hairline.mixed(self.one_way, 55),
        }
    }
}

const fn street(core: u32, casing: u32, hairline: u32) -> StreetColours {
    StreetColours {
        core: Colour::hex(core),
        casing: Colour::hex(casing),
        hairline: Colour::hex(hairline),
    }
}

/// Colours of Okabe and Ito, distinguishable with colour blindness, and a grey.
const fn okabe_ito(grey: u32) -> [Colour; 7] {
    [
        Colour::hex(0xd55e00),
        Colour::hex(0xe69f00),
        Colour::hex(0xcc79a7),
        Colour::hex(0x0072b2),
        Colour::hex(0x56b4e9),
        Colour::hex(0x009e73),
        Colour::hex(grey),
    ]
}

const LIGHT: Palette = Palette {
    page: Colour::hex(0xffffff),
    paper: Colour::hex(0xf5f2eb),
    frame: Colour::hex(0xcdc7ba),
    ink: Colour::hex(0x2b2d30),
    faint_ink: Colour::hex(0x6c6a66),
    arrow: Colour::hex(0x2d4d73),
    main_arrow: Colour::hex(0x4a3428),
    one_way: Colour::hex(0x3c7ec2),
    streets: [
        street(0xe07b62, 0xa94a36, 0xd0664d),
        street(0xf09f6c, 0xbd6f3d, 0xe08a54),
        street(0xf7c570, 0xc5923a, 0xe3aa4c),
        street(0xfae59f, 0xc4ac5e, 0xd6bd68),
        street(0xffffff, 0x9c9588, 0x968f82),
        street(0xffffff, 0xb0a99b, 0xb0a99c),
        street(0xfdfcfa, 0xc9c2b5, 0xcec7ba),
    ],
    pois: okabe_ito(0x6f6f6f),
};

const DARK: Palette = Palette {
    page: Colour::hex(0x0f1217),
    paper: Colour::hex(0x161b22),
    frame: Colour::hex(0x333b47),
    ink: Colour::hex(0xe8e6e1),
    faint_ink: Colour::hex(0x949ba6),
    arrow: Colour::hex(0xb4d2f5),
    main_arrow: Colour::hex(0x1d1a18),
    one_way: Colour::hex(0x4c95e0),
    streets: [
        street(0xe48566, 0x5d2a1c, 0xd27456),
        street(0xdd9d5e, 0x543718, 0xc6884b),
        street(0xcfb15f, 0x4b3e1a, 0xb4974a),
        street(0xa8a472, 0x383722, 0x8c885c),
        street(0x828c99, 0x29303a, 0x707a88),
        street(0x56606e, 0x222932, 0x4e5866),
        street(0x3a434e, 0x1c222a, 0x38404b),
    ],
    pois: okabe_ito(0xb4b8bd),
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn minor_one_way_streets_are_tinted_and_main_roads_are_not() {
        for theme in [Theme::Light, Theme::Dark] {
            let palette = theme.palette();
            for rank in Rank::ALL {
                let same = palette.street(rank, true) == palette.street(rank, false);
                assert_eq!(same, rank < Rank::Tertiary, "{rank:?}");
            }
        }
    }
}
