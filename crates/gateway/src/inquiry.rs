//! One request to the service: all that it learns of a published set.
//!
//! An inquiry is built from a [`Disclosure`] and the kinds of questions of its members. It holds
//! no user, position, k, member count or member order (docs/SPEC.md §9).

use crate::question::{Question, QuestionError, QuestionKind};
use meshcloak::map::{StreetId, StreetMap};
use meshcloak::scheme::Disclosure;
use std::sync::Arc;

/// Region and rounded question of one request to the service.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Inquiry {
    region: Arc<[StreetId]>,
    kind: QuestionKind,
    /// Index into the ladder of the kind.
    rung: u8,
}

impl Inquiry {
    /// Builds an inquiry. `region` is ascending, `rung` an index into the ladder of the kind.
    pub fn new(region: Arc<[StreetId]>, kind: QuestionKind, rung: u8) -> Inquiry {
        Inquiry { region, kind, rung }
    }

    /// Builds the inquiries of one disclosure: one for each kind of question, ascending by kind,
    /// with the largest rounded radius or count. The result does not depend on the order of
    /// `questions`.
    ///
    /// # Errors
    /// A radius or count is 0 or above its ladder.
    pub fn of<'a>(
        map: &StreetMap,
        disclosure: &Disclosure,
        questions: impl IntoIterator<Item = &'a Question>,
    ) -> Result<Vec<Inquiry>, QuestionError> {
        let region: Arc<[StreetId]> = disclosure.region.streets(map).into();
        let inquiry = |question: &Question| {
            let (kind, rung) = (question.kind(), question.rung()?);
            Ok(Inquiry { region: Arc::clone(&region), kind, rung })
        };
        let mut inquiries: Vec<Inquiry> =
            questions.into_iter().map(inquiry).collect::<Result<_, _>>()?;
        inquiries.sort_unstable_by(|a, b| (&a.kind, b.rung).cmp(&(&b.kind, a.rung)));
        inquiries.dedup_by(|later, first| later.kind == first.kind);
        Ok(inquiries)
    }

    /// Streets of the region, distinct and ascending.
    pub fn region(&self) -> &Arc<[StreetId]> {
        &self.region
    }

    /// The kind of question.
    pub fn kind(&self) -> &QuestionKind {
        &self.kind
    }

    /// Index into the ladder of the kind.
    pub fn rung(&self) -> u8 {
        self.rung
    }

    /// The question with its rounded radius or count.
    pub fn question(&self) -> Question {
        self.kind.question(self.rung)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::question::{Along, Category, Operation};
    use meshcloak::region::Region;
    use meshcloak::town::town;
    use meshcloak::units::{Length, Time};

    #[test]
    fn questions_of_one_kind_are_merged_to_the_largest_in_any_order() {
        let town = town("A 0,0  B 100,0 | A-B");
        let region = Region::Mesh(vec![town.street("A-B")].into());
        let disclosure = Disclosure { at: Time::from_millis(0), region };
        let within = |metres: f64| {
            let operation =
                Operation::Within { radius: Length::metres(metres), along: Along::Plane };
            Question { operation, category: Category::Any }
        };
        let nearest = |count: u32| {
            let operation = Operation::Nearest { count, along: Along::Streets };
            Question { operation, category: Category::named("cafe").unwrap() }
        };
        let questions = [within(90.0), nearest(9), within(400.0), nearest(2), within(3.0)];
        let inquiries = Inquiry::of(&town.map, &disclosure, &questions).unwrap();
        assert_eq!(
            Inquiry::of(&town.map, &disclosure, questions.iter().rev()),
            Ok(inquiries.clone())
        );
        let merged: Vec<Question> = inquiries.iter().map(Inquiry::question).collect();
        assert_eq!(merged, [within(500.0), nearest(10)]);
        assert!(Inquiry::of(&town.map, &disclosure, [&nearest(31)]).is_err());
    }
}
