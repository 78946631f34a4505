//! sRGB colours with opacity.

use std::fmt;

/// An sRGB colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Colour {
    /// Red component.
    pub red: u8,
    /// Green component.
    pub green: u8,
    /// Blue component.
    pub blue: u8,
    /// Opacity: 0 is transparent, 255 opaque.
    pub opacity: u8,
}

impl Colour {
    /// Creates the opaque colour `0xrrggbb`.
    pub const fn hex(code: u32) -> Colour {
        let [_, red, green, blue] = code.to_be_bytes();
        Colour { red, green, blue, opacity: 255 }
    }

    /// Returns this colour with another opacity.
    pub const fn with_opacity(self, opacity: u8) -> Colour {
        Colour { opacity, ..self }
    }

    /// Mixes in `percent` (0 to 100) of `other`; the opacity stays.
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

    /// Whether the colour is opaque.
    pub fn is_opaque(self) -> bool {
        self.opacity == 255
    }
}

/// Formats as `#rrggbb`, without opacity.
impl fmt::Display for Colour {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{:02x}{:02x}{:02x}", self.red, self.green, self.blue)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mixing_interpolates_between_two_colours() {
        let (black, white) = (Colour::hex(0), Colour::hex(0xffffff));
        assert_eq!(black.mixed(white, 0), black);
        assert_eq!(black.mixed(white, 100), white);
        assert_eq!(black.mixed(white, 255), white);
        assert_eq!(black.mixed(white, 50).to_string(), "#808080");
    }
}
