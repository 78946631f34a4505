//! The question of a user, and what of it may leave the gateway.
//!
//! An unusual radius or count is a fingerprint. Both are rounded up to a fixed ladder before they
//! leave (docs/SPEC.md §9). A question has three shapes: [`crate::api::QuestionBody`] on the wire,
//! [`Question`] inside the gateway, [`crate::inquiry::Inquiry`] towards the service.

use meshcloak::units::Length;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;
use utoipa::ToSchema;

/// A question with its exact radius or count. It does not leave the gateway.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// Operation and its radius or count.
    pub operation: Operation,
    /// Category of the objects.
    pub category: Category,
}

/// Operation of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// All objects within a radius.
    Within {
        /// Radius.
        radius: Length,
        /// Distance measure.
        along: Along,
    },
    /// The nearest objects.
    Nearest {
        /// Number of objects.
        count: u32,
        /// Distance measure.
        along: Along,
    },
}

/// Operation without its radius or count.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize, ToSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Find {
    /// All objects within a radius.
    Within,
    /// The nearest objects.
    Nearest,
}

/// Distance measure.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Deserialize,
    Serialize,
    ToSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Along {
    /// Along streets in their direction, from the user to the object's position on its street.
    #[default]
    Streets,
    /// Straight line in the plane of the map, to the object's own point.
    Plane,
}

/// Category of objects, as named by the service.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Category {
    /// All objects.
    Any,
    /// Objects of this category only.
    Of(Arc<str>),
}

/// A question without its radius or count. Members of a set with the same kind share one inquiry.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct QuestionKind {
    /// Operation.
    pub find: Find,
    /// Distance measure.
    pub along: Along,
    /// Category of the objects.
    pub category: Category,
}

/// Radii that may leave the gateway, in metres, ascending.
pub const RADII: [u32; 5] = [100, 200, 500, 1000, 2000];

/// Counts that may leave the gateway, ascending.
pub const COUNTS: [u32; 4] = [1, 3, 10, 30];

/// Longest category name, in bytes.
const MAX_CATEGORY_LEN: usize = 64;

/// Reason why a question is refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum QuestionError {
    /// The radius is 0 or above the ladder.
    #[error("`radius` must be above 0 and at most 2000 metres")]
    Radius,
    /// The count is 0 or above the ladder.
    #[error("`count` must be from 1 to 30")]
    Count,
    /// The category name has a wrong length or wrong characters.
    #[error("`category` must have 1 to 64 letters, digits, `_`, `-`, `.`, `:`, `;` or spaces")]
    Category,
}

impl Category {
    /// Checks a category name. The allowed characters need no escaping in any service's protocol.
    pub fn named(name: &str) -> Result<Category, QuestionError> {
        let plain = |c: char| c.is_alphanumeric() || "_-.:; ".contains(c);
        let valid = !name.is_empty() && name.len() <= MAX_CATEGORY_LEN && name.chars().all(plain);
        if valid { Ok(Category::Of(name.into())) } else { Err(QuestionError::Category) }
    }

    /// Returns the name, or `None` for [`Category::Any`].
    pub fn name(&self) -> Option<&str> {
        match self {
            Category::Any => None,
            Category::Of(name) => Some(name),
        }
    }

    /// Whether objects of category `name` belong to this category.
    pub fn includes(&self, name: &str) -> bool {
        self.name().is_none_or(|wanted| wanted == name)
    }
}

impl Question {
    /// Returns the kind of the question.
    pub fn kind(&self) -> QuestionKind {
        let (find, along) = match self.operation {
            Operation::Within { along, .. } => (Find::Within, along),
            Operation::Nearest { along, .. } => (Find::Nearest, along),
        };
        QuestionKind { find, along, category: self.category.clone() }
    }

    /// Returns the index of the smallest ladder value that is not below the radius or count.
    ///
    /// # Errors
    /// The radius or count is 0 or above the ladder.
    pub fn rung(&self) -> Result<u8, QuestionError> {
        match self.operation {
            Operation::Within { radius, .. } => {
                let ladder = RADII.map(|metres| Length::metres(f64::from(metres)));
                let rung = rung(&ladder, &radius).filter(|_| radius > Length::ZERO);
                rung.ok_or(QuestionError::Radius)
            }
            Operation::Nearest { count, .. } => {
                rung(&COUNTS, &count).filter(|_| count > 0).ok_or(QuestionError::Count)
            }
        }
    }
}

fn rung<T: PartialOrd>(ladder: &[T], value: &T) -> Option<u8> {
    ladder.iter().position(|step| value <= step).map(|rung| rung as u8)
}

impl QuestionKind {
    /// Returns the question of this kind with the radius or count at index `rung` of its ladder;
    /// beyond the ladder, the largest.
    pub fn question(&self, rung: u8) -> Question {
        let (along, rung) = (self.along, usize::from(rung));
        let radius = RADII.get(rung).or(RADII.last()).copied().unwrap_or_default();
        let count = COUNTS.get(rung).or(COUNTS.last()).copied().unwrap_or_default();
        let operation = match self.find {
            Find::Within => Operation::Within { radius: Length::metres(f64::from(radius)), along },
            Find::Nearest => Operation::Nearest { count, along },
        };
        Question { operation, category: self.category.clone() }
    }
}

impl fmt::Display for Along {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Along::Streets => "streets",
            Along::Plane => "plane",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn within(metres: f64) -> Question {
        let radius = Length::metres(metres);
        let operation = Operation::Within { radius, along: Along::Plane };
        Question { operation, category: Category::Any }
    }

    fn nearest(count: u32) -> Question {
        let operation = Operation::Nearest { count, along: Along::Streets };
        Question { operation, category: Category::named("cafe").unwrap() }
    }

    #[test]
    fn radii_and_counts_are_rounded_up_to_the_ladder_and_refused_above_it() {
        let rounded =
            |question: Question| question.rung().map(|rung| question.kind().question(rung));
        for (metres, expected) in [(0.1, 100.0), (100.0, 100.0), (100.1, 200.0), (1999.0, 2000.0)] {
            assert_eq!(rounded(within(metres)), Ok(within(expected)));
        }
        for (count, expected) in [(1, 1), (2, 3), (4, 10), (11, 30), (30, 30)] {
            assert_eq!(rounded(nearest(count)), Ok(nearest(expected)));
        }
        assert_eq!(within(0.0).rung(), Err(QuestionError::Radius));
        assert_eq!(within(2000.1).rung(), Err(QuestionError::Radius));
        assert_eq!(nearest(0).rung(), Err(QuestionError::Count));
        assert_eq!(nearest(u32::MAX).rung(), Err(QuestionError::Count));
    }

    #[test]
    fn a_category_name_has_no_special_characters() {
        assert!(Category::named("Café; bar 2").is_ok());
        for bad in ["", "a'b", "a\nb", "a\"", &"x".repeat(65)] {
            assert_eq!(Category::named(bad), Err(QuestionError::Category), "{bad:?}");
        }
        assert!(Category::Any.includes("x"));
        assert!(!Category::named("y").unwrap().includes("x"));
    }
}
