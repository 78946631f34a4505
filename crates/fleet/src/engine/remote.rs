//! Queries of frontends inside an engine.

use crate::message::QuestionItem;
use gateway::mailbox::Origin;
use gateway::question::{Along, Category, Operation, Question};
use meshcloak::accounts::AccountId;
use meshcloak::units::Length;

/// A query of a frontend.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Remote {
    /// The frontend.
    pub frontend: u64,
    /// Number of the query, as assigned by the frontend.
    pub number: u64,
    /// Account of the user.
    pub account: AccountId,
}

impl Origin for Remote {
    fn account(&self) -> AccountId {
        self.account
    }
}

impl QuestionItem {
    /// Encodes a question.
    pub fn of(question: &Question) -> QuestionItem {
        let (is_nearest, along) = match question.operation {
            Operation::Within { along, .. } => (false, along),
            Operation::Nearest { along, .. } => (true, along),
        };
        QuestionItem {
            is_nearest,
            in_plane: along == Along::Plane,
            category: question.category.name().map(str::to_owned),
            extent: QuestionItem::extent_of(question),
        }
    }

    /// Returns the radius in units of [`Length`], or the count.
    pub fn extent_of(question: &Question) -> u32 {
        match question.operation {
            Operation::Within { radius, .. } => radius.units(),
            Operation::Nearest { count, .. } => count,
        }
    }

    /// Returns a question with another radius or count.
    pub fn with_extent(question: &Question, extent: u32) -> Question {
        let operation = match question.operation {
            Operation::Within { along, .. } => {
                Operation::Within { radius: Length::from_units(extent), along }
            }
            Operation::Nearest { along, .. } => Operation::Nearest { count: extent, along },
        };
        Question { operation, category: question.category.clone() }
    }

    /// Decodes the question; `None` for one that no frontend accepts.
    pub fn question(&self) -> Option<Question> {
        let category = match &self.category {
            None => Category::Any,
            Some(name) => Category::named(name).ok()?,
        };
        let along = if self.in_plane { Along::Plane } else { Along::Streets };
        let operation = match self.is_nearest {
            true => Operation::Nearest { count: self.extent, along },
            false => Operation::Within { radius: Length::from_units(self.extent), along },
        };
        Some(Question { operation, category }).filter(|question| question.rung().is_ok())
    }
}
