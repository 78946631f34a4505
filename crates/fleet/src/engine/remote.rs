//! Queries of frontends inside an engine.

use gateway::mailbox::Origin;
use gateway::question::{Along, Category, Find, Question, QuestionKind};
use meshcloak::accounts::AccountId;

use crate::message::KindItem;

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

impl KindItem {
    /// Encodes the kind of a question with its rounded radius or count.
    pub fn of(question: &Question) -> Option<KindItem> {
        let rung = question.rung().ok()?;
        Some(KindItem::new(&question.kind(), rung))
    }

    /// Encodes a kind.
    pub fn new(kind: &QuestionKind, rung: u8) -> KindItem {
        KindItem {
            is_nearest: kind.find == Find::Nearest,
            in_plane: kind.along == Along::Plane,
            category: kind.category.name().map(str::to_owned),
            rung,
        }
    }

    /// Decodes the kind; `None` for a category that no frontend accepts.
    pub fn kind(&self) -> Option<QuestionKind> {
        let category = match &self.category {
            None => Category::Any,
            Some(name) => Category::named(name).ok()?,
        };
        let find = if self.is_nearest { Find::Nearest } else { Find::Within };
        let along = if self.in_plane { Along::Plane } else { Along::Streets };
        Some(QuestionKind { find, along, category })
    }
}
