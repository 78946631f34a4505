//! What a service gets to see, and all it gets to see: streets, and a question from the ladder.
//!
//! An inquiry has no user, no position, no k, no number of members and no order of them: nothing
//! that is sent can depend on what it is made from (SPEC §9).

use crate::question::{Along, Asked, Kind, Sort};
use meshcloak::map::{StreetId, StreetMap};
use meshcloak::scheme::Disclosure;
use std::sync::Arc;

/// One request of one published set: everything a service may know of it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Inquiry {
    region: Arc<[StreetId]>,
    asked: Asked,
}

impl Inquiry {
    /// The inquiries of one disclosure: one for each kind of question among `asked`, by kind, with
    /// the largest that was asked.
    pub fn of(map: &StreetMap, disclosure: &Disclosure, asked: Vec<Asked>) -> Vec<Inquiry> {
        let region: Arc<[StreetId]> = disclosure.region.streets(map).into();
        let asked = Asked::joined(asked).into_iter();
        asked.map(|asked| Inquiry { region: region.clone(), asked }).collect()
    }

    /// The streets, each once, ascending.
    pub fn region(&self) -> &Arc<[StreetId]> {
        &self.region
    }

    /// What is asked about them.
    pub fn asked(&self) -> &Asked {
        &self.asked
    }

    /// Which kind of question it is.
    pub fn kind(&self) -> &Kind {
        self.asked.kind()
    }

    /// Whether a question of this kind is about streets.
    pub fn along(&self) -> Along {
        self.kind().along
    }

    /// What is wanted.
    pub fn sort(&self) -> Sort {
        self.kind().sort
    }
}
