//! A colour with opacity, and mixing of two.

use std::fmt;

/// A colour of the sRGB space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Colour {
    /// 0 to 255.
    pub red: u8,
    /// 0 to 255.
    pub green: u8,
    /// 0 to 255.
    pub blue: u8,
    /// 0 is invisible, 255 hides what is below.
    pub opacity: u8,
}

impl Colour {
    /// The opaque colour written `#rrggbb`, as the number `0xrrggbb`.
    pub const fn hex(code: u32) -> Colour {
        let [_, red, green, blue] = code.to_be_bytes();
        Colour { red, green, blue, opacity: 255 }
    }

    /// The same colour, see-through.
    pub const fn with_opacity(self, opacity: u8) -> Colour {
        Colour { opacity, ..self }
    }

    /// This colour with `percent` (0 to 100) of `other` in it; keeps its own opacity.
    pub fn mixed(self, other: Colour, percent: u8) -> Colour {
        let percent = u32::from(percent.min(100));
        let mix = |a: u8, b: u8| {
            ((u32::from(a) * (100 - percent) + u32::from(b) * percent + 50) / 100) as u8
        };
        Colour {
            red: mix(self.red, other.red),
            green: mix(self.green, other.green),
            blue: mix(self.blue, other.blue),
            opacity: self.opacity,
        }
    }

    /// Whether it hides what is below.
    pub fn is_opaque(self) -> bool {
        self.opacity == 255
    }
}

/// `#rrggbb`, as SVG and CSS write it; opacity is written apart.
impl fmt::Display for Colour {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{:02x}{:02x}{:02x}", self.red, self.green, self.blue)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mixing_goes_from_one_colour_to_the_other() {
        let (black, white) = (Colour::hex(0), Colour::hex(0xffffff));
        assert_eq!(black.mixed(white, 0), black);
        assert_eq!(black.mixed(white, 100), white);
        assert_eq!(black.mixed(white, 255), white);
        assert_eq!(black.mixed(white, 50).to_string(), "#808080");
    }
}
