//! What a person asks the service, and what of it may be seen: an odd radius or number is a
//! fingerprint, so both are rounded up to a fixed ladder (SPEC §9) before they leave.

use meshcloak::units::Length;
use std::fmt;
use std::sync::Arc;

/// A question as a person asks it. It never leaves as it is: see [`Asked`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// What is wanted.
    pub operation: Operation,
    /// Of which kind of place.
    pub category: Category,
}

/// A question, and what of it may be seen. Who has none is there for others to hide among.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wish {
    /// As a person asks it.
    pub question: Question,
    /// As the service may see it.
    pub asked: Asked,
}

impl Wish {
    /// The wish of whoever asks that, or why it is refused.
    pub fn of(question: Question) -> Result<Wish, QuestionError> {
        let asked = question.asked()?;
        Ok(Wish { question, asked })
    }
}

/// What is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Everything within a radius.
    Within {
        /// How far at most.
        radius: Length,
        /// How distance is measured.
        along: Along,
    },
    /// The nearest few.
    Nearest {
        /// How many.
        count: u32,
        /// How distance is measured.
        along: Along,
    },
}

/// How distance is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Along {
    /// Along streets, in their direction, from the person to the object's place on its street.
    Streets,
    /// Straight, in the plane of the map, to the object's own point.
    Plane,
}

/// A kind of place, in the words of the service; or any.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Category {
    /// Every object.
    Any,
    /// Objects of this category alone.
    Of(Arc<str>),
}

/// Operation without its number, and category: members whose questions are of one kind share one
/// request.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Kind {
    /// What is wanted.
    pub sort: Sort,
    /// How distance is measured.
    pub along: Along,
    /// Of which kind of place.
    pub category: Category,
}

/// An operation without its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Sort {
    /// Everything within a radius.
    Within,
    /// The nearest few.
    Nearest,
}

/// A question as the service sees it: a kind and a rung of its ladder.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Asked {
    kind: Kind,
    rung: u8,
}

/// Metres that may be asked for.
pub const RADII: [u32; 5] = [100, 200, 500, 1000, 2000];

/// Numbers of objects that may be asked for.
pub const COUNTS: [u32; 4] = [1, 3, 10, 30];

/// The longest name of a category, in bytes.
const LONGEST_CATEGORY: usize = 64;

/// Why a question is refused at the door.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum QuestionError {
    /// Beyond the ladder, or nothing.
    #[error("the radius must be above 0 and at most 2000 m")]
    Radius,
    /// Beyond the ladder, or none.
    #[error("the number of objects must be from 1 to 30")]
    Count,
    /// No category of any service.
    #[error("a category has 1 to 64 letters, digits, `_`, `-`, `.`, `:`, `;` or spaces")]
    Category,
}

impl Category {
    /// The category of that name: a text that cannot be mistaken for anything else on its way.
    pub fn named(name: &str) -> Result<Category, QuestionError> {
        let plain = |c: char| c.is_alphanumeric() || "_-.:; ".contains(c);
        let fits = !name.is_empty() && name.len() <= LONGEST_CATEGORY && name.chars().all(plain);
        if fits { Ok(Category::Of(name.into())) } else { Err(QuestionError::Category) }
    }

    /// Its name; `None` for any.
    pub fn name(&self) -> Option<&str> {
        match self {
            Category::Any => None,
            Category::Of(name) => Some(name),
        }
    }

    /// Whether an object of category `name` is meant.
    pub fn holds(&self, name: &str) -> bool {
        self.name().is_none_or(|wanted| wanted == name)
    }
}

impl Question {
    /// The question as the service may see it, or why it is refused.
    pub fn asked(&self) -> Result<Asked, QuestionError> {
        let (sort, along, rung) = match self.operation {
            Operation::Within { radius, along } => {
                let metres = RADII.map(|metres| Length::metres(f64::from(metres)));
                let rung = rung(&metres, &radius).filter(|_| radius > Length::ZERO);
                (Sort::Within, along, rung.ok_or(QuestionError::Radius)?)
            }
            Operation::Nearest { count, along } => {
                let rung = rung(&COUNTS, &count).filter(|_| count > 0);
                (Sort::Nearest, along, rung.ok_or(QuestionError::Count)?)
            }
        };
        Ok(Asked { kind: Kind { sort, along, category: self.category.clone() }, rung })
    }
}

/// The first rung of a ladder that is not below `value`.
fn rung<T: PartialOrd>(ladder: &[T], value: &T) -> Option<u8> {
    ladder.iter().position(|step| value <= step).map(|rung| rung as u8)
}

impl Asked {
    /// What kind of question it is.
    pub fn kind(&self) -> &Kind {
        &self.kind
    }

    /// The question with the rounded number.
    pub fn question(&self) -> Question {
        let Kind { sort, along, ref category } = self.kind;
        let rung = usize::from(self.rung);
        let operation = match sort {
            Sort::Within => {
                let radius = Length::metres(f64::from(RADII[rung]));
                Operation::Within { radius, along }
            }
            Sort::Nearest => Operation::Nearest { count: COUNTS[rung], along },
        };
        Question { operation, category: category.clone() }
    }

    /// For each kind of question the largest that was asked, by kind: what a set asks for.
    pub fn joined(mut asked: Vec<Asked>) -> Vec<Asked> {
        asked.sort_unstable_by(|a, b| (&a.kind, b.rung).cmp(&(&b.kind, a.rung)));
        asked.dedup_by(|later, first| later.kind == first.kind);
        asked
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
    fn numbers_are_rounded_up_to_the_ladder_and_refused_beyond_it() {
        for (metres, rounded) in [(0.1, 100.0), (100.0, 100.0), (100.1, 200.0), (1999.0, 2000.0)] {
            assert_eq!(within(metres).asked().unwrap().question(), within(rounded));
        }
        for (count, rounded) in [(1, 1), (2, 3), (4, 10), (11, 30), (30, 30)] {
            assert_eq!(nearest(count).asked().unwrap().question(), nearest(rounded));
        }
        assert_eq!(within(0.0).asked(), Err(QuestionError::Radius));
        assert_eq!(within(2000.1).asked(), Err(QuestionError::Radius));
        assert_eq!(nearest(0).asked(), Err(QuestionError::Count));
        assert_eq!(nearest(u32::MAX).asked(), Err(QuestionError::Count));
    }

    #[test]
    fn questions_of_one_kind_are_joined_to_the_largest_whatever_their_order() {
        let questions = [within(90.0), nearest(9), within(400.0), nearest(2), within(3.0)];
        let asked: Vec<Asked> = questions.iter().map(|q| q.asked().unwrap()).collect();
        let mut reversed = asked.clone();
        reversed.reverse();
        let joined = Asked::joined(asked);
        assert_eq!(joined, Asked::joined(reversed));
        let questions: Vec<Question> = joined.iter().map(Asked::question).collect();
        assert_eq!(questions, [within(500.0), nearest(10)]);
    }

    #[test]
    fn a_category_is_plain_text() {
        assert!(Category::named("Café; bar 2").is_ok());
        for bad in ["", "a'b", "a\nb", "a\"", &"x".repeat(65)] {
            assert_eq!(Category::named(bad), Err(QuestionError::Category), "{bad:?}");
        }
        assert!(Category::Any.holds("x"));
        assert!(!Category::named("y").unwrap().holds("x"));
    }
}
