//! The colours of a picture, by day and by night.

use crate::colour::Colour;
use meshcloak::map::Rank;

/// Which colours a picture has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    /// Dark lines on paper.
    #[default]
    Light,
    /// Bright lines on night.
    Dark,
}

/// The colours of one kind of street.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StreetColours {
    /// Of the street itself.
    pub core: Colour,
    /// Of the line on both sides, where it is broad enough to have one.
    pub casing: Colour,
    /// Of the street where it is too narrow for a casing.
    pub hairline: Colour,
}

/// All colours of a theme.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Palette {
    /// Around the map.
    pub page: Colour,
    /// Below the streets.
    pub paper: Colour,
    /// The line around the map.
    pub frame: Colour,
    /// Text and scale bar.
    pub ink: Colour,
    /// Less important text.
    pub faint_ink: Colour,
    /// The arrows of one-way streets.
    pub arrow: Colour,
    /// The arrows on streets that have a colour of their own.
    pub main_arrow: Colour,
    /// What one-way streets are tinted with.
    pub one_way: Colour,
    /// By rank, most important first.
    pub streets: [StreetColours; 7],
    /// By [`PlaceGroup`](crate::PlaceGroup).
    pub places: [Colour; 7],
}

impl Theme {
    /// The colours of this theme.
    pub const fn palette(self) -> &'static Palette {
        match self {
            Theme::Light => &LIGHT,
            Theme::Dark => &DARK,
        }
    }
}

impl Palette {
    /// The colours of a street of that rank, two-way.
    pub fn street(&self, rank: Rank) -> StreetColours {
        self.streets[rank.number()]
    }

    /// The colours of a one-way street of that rank: main roads keep their class's colour and
    /// have arrows, streets of a quarter are tinted.
    pub fn one_way_street(&self, rank: Rank) -> StreetColours {
        let StreetColours { core, casing, hairline } = self.street(rank);
        if rank < Rank::Tertiary {
            return self.street(rank);
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

/// The colours of Okabe and Ito, which colour-blind people can tell apart too, and a grey.
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
    places: okabe_ito(0x6f6f6f),
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
    places: okabe_ito(0xb4b8bd),
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quiet_one_way_streets_are_tinted_and_main_roads_keep_their_colour() {
        for theme in [Theme::Light, Theme::Dark] {
            let palette = theme.palette();
            for rank in Rank::ALL {
                let same = palette.one_way_street(rank) == palette.street(rank);
                assert_eq!(same, rank < Rank::Tertiary, "{rank:?}");
            }
        }
    }
}
