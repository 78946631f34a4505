//! Reference answers: the answer for the true position, computed over all points of interest of
//! the map, without any region.

use super::clients::{ClientQuery, QUESTIONS};
use super::response::AnswerObject;
use gateway::question::{Along, Category, Operation, Question};
use gateway::refine::refine;
use gateway::service::{Completeness, Object, Objects};
use gateway::walk::Walker;
use meshcloak::distance::Atlas;
use meshcloak::map::{Position, StreetMap};
use meshcloak::units::Length;
use parking_lot::Mutex;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Computes reference answers and compares them with those of the gateway.
pub struct Reference {
    atlas: Arc<Atlas>,
    walker: Walker,
    objects: Objects,
    questions: [Question; QUESTIONS.len()],
    one_in: u32,
    /// Number of the last query of each user.
    newest: Mutex<FxHashMap<u32, u32>>,
}

/// Tolerance of distances in metres: positions are sent in degrees, distances in centimetres.
const TOLERANCE: f64 = 0.1;

impl Reference {
    /// Builds the reference of a map, which checks one in `one_in` answers.
    pub fn new(map: &StreetMap, one_in: u32) -> Reference {
        let objects = Objects::new(Object::all_of(map), Completeness::Complete);
        // Distances are searched on demand, so the smallest distance matrix suffices.
        let atlas = Arc::new(Atlas::new(map.clone(), Length::metres(1.0)));
        let walker = Walker::new(Arc::clone(&atlas));
        let questions = questions();
        Reference { walker, atlas, objects, questions, one_in, newest: Mutex::default() }
    }

    /// Returns the question of the query with this number; the questions are used in turn.
    pub fn question_of(number: u64) -> Question {
        let [first, second, third, fourth] = questions();
        match number % QUESTIONS.len() as u64 {
            0 => first,
            1 => second,
            2 => third,
            _ => fourth,
        }
    }

    /// Whether the answer of the query with this number is among those to check.
    pub fn samples(&self, number: u64) -> bool {
        number.is_multiple_of(u64::from(self.one_in))
    }

    /// Notes that a query is about to be sent.
    pub fn note_sent(&self, query: &ClientQuery) {
        self.newest.lock().insert(query.user, query.number);
    }

    /// Whether the answer of a query is to be checked. A question whose user has asked again in the
    /// meantime may be answered from the newer position (docs/SPEC.md §6).
    pub fn checks(&self, query: &ClientQuery) -> bool {
        self.samples(u64::from(query.number))
            && self.newest.lock().get(&query.user) == Some(&query.number)
    }

    /// Whether an answer is right: the same objects at the same distances, except for objects
    /// within [`TOLERANCE`] of the largest distance, where rounding decides.
    ///
    /// A position at a junction lies on all of its streets, and the answers differ if some are
    /// one-way. The position to which the gateway snaps the coordinates is accepted as well.
    pub fn agrees(&self, query: &ClientQuery, answer: &[AnswerObject<'_>]) -> bool {
        let question = &self.questions[query.question];
        self.agrees_at(query.position, question, answer)
            || self
                .snapped(query.position)
                .is_some_and(|position| self.agrees_at(position, question, answer))
    }

    /// Returns the position to which the gateway snaps the lon/lat of `position`.
    fn snapped(&self, position: Position) -> Option<Position> {
        let map = self.atlas.map();
        let frame = map.frame()?;
        let point = frame.point(frame.lon_lat(map.point(position)));
        Some(map.snap(point, Some(TOLERANCE))?.position)
    }

    /// As [`Reference::agrees`], for a position that is known exactly.
    pub fn agrees_at(
        &self,
        position: Position,
        question: &Question,
        answer: &[AnswerObject<'_>],
    ) -> bool {
        let expected = refine(&self.walker, position, question, &self.objects).found;
        let largest = match question.operation {
            Operation::Within { radius, .. } => radius.as_metres(),
            Operation::Nearest { .. } => expected.last().map_or(f64::INFINITY, |last| last.metres),
        };
        let is_borderline = |metres: f64| (metres - largest).abs() <= TOLERANCE;
        let is_answered = |id: &str, metres: f64| {
            answer.iter().any(|found| found.id == id && (found.metres - metres).abs() <= TOLERANCE)
        };
        let is_expected = |id: &str| expected.iter().any(|found| found.object.id == id);
        expected.iter().all(|f| is_borderline(f.metres) || is_answered(&f.object.id, f.metres))
            && answer.iter().all(|f| is_borderline(f.metres) || is_expected(&f.id))
    }
}

/// The [`QUESTIONS`].
fn questions() -> [Question; QUESTIONS.len()] {
    let nearest = |count, along| Operation::Nearest { count, along };
    let within = |metres, along| Operation::Within { radius: Length::metres(metres), along };
    let operations = [
        nearest(3, Along::Streets),
        within(300.0, Along::Plane),
        nearest(5, Along::Plane),
        within(400.0, Along::Streets),
    ];
    operations.map(|operation| Question { operation, category: Category::Any })
}

#[cfg(test)]
mod tests {
    use super::*;
    use import::{MapSource, Options};

    fn query(user: u32, number: u32, position: Position) -> ClientQuery {
        ClientQuery { user, number, at: 0, body: Default::default(), position, question: 0 }
    }

    #[test]
    fn only_the_last_query_of_a_user_is_checked() {
        let town = meshcloak::town::town("A 0,0  B 100,0 | A-B");
        let reference = Reference::new(&town.map, 2);
        let place = town.at("A-B", 10.0);
        let queries =
            [query(1, 0, place), query(2, 2, place), query(1, 4, place), query(3, 5, place)];
        queries.iter().for_each(|query| reference.note_sent(query));
        let checked: Vec<bool> = queries.iter().map(|query| reference.checks(query)).collect();
        assert_eq!(checked, [false, true, true, false]);
    }

    #[test]
    fn at_a_junction_only_answers_for_the_true_or_the_snapped_position_agree() {
        let map = import::read_map(&MapSource::default(), &Options::default(), &());
        let map = map.expect("the built-in city").map;
        let reference = Reference::new(&map, 1);
        let (mut differ, mut wrong) = (0, 0);
        for street in map.streets().filter(|&street| map.street(street).one_way).take(60) {
            let position = Position { street, offset: Length::ZERO };
            let query = query(0, 0, position);
            let answer = |position: Position| -> Vec<AnswerObject<'static>> {
                let found = refine(
                    &reference.walker,
                    position,
                    &reference.questions[0],
                    &reference.objects,
                );
                found
                    .found
                    .iter()
                    .map(|f| AnswerObject { id: f.object.id.to_string().into(), metres: f.metres })
                    .collect()
            };
            let snapped = reference.snapped(position).expect("a street is near");
            assert!(reference.agrees(&query, &answer(snapped)), "{position:?}");
            differ += usize::from(!reference.agrees_at(
                position,
                &reference.questions[0],
                &answer(snapped),
            ));
            let elsewhere = Position { offset: map.street(street).length, street };
            wrong += usize::from(!reference.agrees(&query, &answer(elsewhere)));
        }
        assert!(differ > 0 && wrong > 30, "{differ} differ, {wrong} wrong");
    }
}
