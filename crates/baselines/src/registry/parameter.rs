//! Parameters of schemes and the values they take.

use std::fmt;

/// A parameter of a scheme.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameter {
    /// Name on the command line.
    pub name: &'static str,
    /// What the parameter sets, with its unit.
    pub meaning: &'static str,
    /// Value if none is given, in canonical form.
    pub default: &'static str,
    /// Accepted values.
    pub range: ValueRange,
}

/// Values that a parameter accepts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ValueRange {
    /// A number from the first to the second.
    Number(f64, f64),
    /// A whole number from the first to the second.
    Whole(u64, u64),
    /// One of these words.
    Word(&'static [&'static str]),
    /// A label of the map, or the empty text.
    Label,
    /// Path of a file, or the empty text.
    File,
}

impl Parameter {
    /// A parameter that is a number in a range.
    pub(crate) const fn number(
        name: &'static str,
        meaning: &'static str,
        default: &'static str,
        range: (f64, f64),
    ) -> Parameter {
        Parameter { name, meaning, default, range: ValueRange::Number(range.0, range.1) }
    }

    /// A parameter that is a whole number in a range.
    pub(crate) const fn whole(
        name: &'static str,
        meaning: &'static str,
        default: &'static str,
        range: (u64, u64),
    ) -> Parameter {
        Parameter { name, meaning, default, range: ValueRange::Whole(range.0, range.1) }
    }

    /// A parameter that is one of the words, by default the first.
    pub(crate) const fn word(
        name: &'static str,
        meaning: &'static str,
        words: &'static [&'static str],
    ) -> Parameter {
        Parameter { name, meaning, default: words[0], range: ValueRange::Word(words) }
    }

    /// A parameter that names a file, by default none.
    pub(crate) const fn file(name: &'static str, meaning: &'static str) -> Parameter {
        Parameter { name, meaning, default: "", range: ValueRange::File }
    }

    /// The random seed of a scheme.
    pub(crate) const fn seed() -> Parameter {
        Parameter::whole("seed", "random seed", "1", (0, u64::MAX))
    }

    /// The minimum area of a region.
    pub(crate) const fn min_area() -> Parameter {
        Parameter::number("min-area", "A_min, smallest published area in m²", "0", (0.0, 1e12))
    }

    /// Returns the canonical form of a value; `None` if the parameter does not accept it.
    pub(crate) fn read(&self, text: &str) -> Option<String> {
        match self.range {
            ValueRange::Number(min, max) => {
                let number: f64 = text.parse().ok()?;
                (min..=max).contains(&number).then(|| number.to_string())
            }
            ValueRange::Whole(min, max) => {
                let number: u64 = text.parse().ok()?;
                (min..=max).contains(&number).then(|| number.to_string())
            }
            ValueRange::Word(words) => words.contains(&text).then(|| text.to_owned()),
            ValueRange::Label | ValueRange::File => Some(text.to_owned()),
        }
    }
}

impl fmt::Display for ValueRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ValueRange::Number(min, max) => write!(f, "a number from {min} to {max}"),
            ValueRange::Whole(min, max) => write!(f, "a whole number from {min} to {max}"),
            ValueRange::Word(words) => f.write_str(&words.join(", ")),
            ValueRange::Label => f.write_str("a label of the map"),
            ValueRange::File => f.write_str("a path without `:` and `,`"),
        }
    }
}
