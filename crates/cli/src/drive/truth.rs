//! The truth: what somebody would have got by asking from her own position, found among all
//! points of interest of the map, without any region.

use super::crowd::{Post, QUESTIONS};
use super::told::FoundOf;
use gateway::question::{Along, Category, Operation, Question};
use gateway::refine::refine;
use gateway::service::{Completeness, Object, Objects};
use gateway::walk::Walker;
use meshcloak::distance::Atlas;
use meshcloak::map::{Position, StreetMap};
use meshcloak::units::Length;
use std::sync::Arc;

/// Everything there is to find.
pub struct Truth {
    atlas: Arc<Atlas>,
    walker: Walker,
    everything: Objects,
    questions: [Question; QUESTIONS.len()],
    one_in: u32,
}

/// Metres by which a distance may differ: positions travel as degrees, distances in centimetres.
const TOLERANCE: f64 = 0.1;

impl Truth {
    /// The truth of a map; of so many answers one is looked at.
    pub fn new(map: &StreetMap, one_in: u32) -> Truth {
        let everything = Objects::new(Object::all_of(map), Completeness::Complete);
        // Distances are searched for here, so the matrix may be as small as can be.
        let atlas = Arc::new(Atlas::new(map.clone(), Length::metres(1.0)));
        let nearest = |count, along| Operation::Nearest { count, along };
        let within = |metres, along| Operation::Within { radius: Length::metres(metres), along };
        let operations = [
            nearest(3, Along::Streets),
            within(300.0, Along::Plane),
            nearest(5, Along::Plane),
            within(400.0, Along::Streets),
        ];
        let questions = operations.map(|operation| Question { operation, category: Category::Any });
        Truth { walker: Walker::new(Arc::clone(&atlas)), atlas, everything, questions, one_in }
    }

    /// Whether a query is one of those looked at.
    pub fn looks_at(&self, post: &Post) -> bool {
        post.number.is_multiple_of(self.one_in)
    }

    /// Whether an answer is the true one: the same things at the same distances, but for those so
    /// near to the border that the way of a position through degrees decides.
    ///
    /// Somebody at a junction is on all of its streets: degrees do not say on which, and where some
    /// are one-way the answers differ. That of the street the gateway takes is as true.
    pub fn agrees(&self, post: &Post, told: &[FoundOf<'_>]) -> bool {
        let question = &self.questions[post.question];
        let as_sent = || self.as_sent(post.position);
        self.agrees_at(post.position, question, told)
            || as_sent().is_some_and(|position| self.agrees_at(position, question, told))
    }

    /// The position that a gateway makes of the degrees of a position.
    fn as_sent(&self, position: Position) -> Option<Position> {
        let map = self.atlas.map();
        let frame = map.frame()?;
        let point = frame.point(frame.lon_lat(map.point(position)));
        Some(map.snap(point, Some(TOLERANCE))?.position)
    }

    fn agrees_at(&self, position: Position, question: &Question, told: &[FoundOf<'_>]) -> bool {
        let truth = refine(&self.walker, position, question, &self.everything).found;
        let border = match question.operation {
            Operation::Within { radius, .. } => radius.as_metres(),
            Operation::Nearest { .. } => truth.last().map_or(f64::INFINITY, |last| last.metres),
        };
        let is_near_the_border = |metres: f64| (metres - border).abs() <= TOLERANCE;
        let is_told = |id: &str, metres: f64| {
            told.iter().any(|told| told.id == id && (told.metres - metres).abs() <= TOLERANCE)
        };
        let is_true = |id: &str| truth.iter().any(|found| found.object.id == id);
        truth.iter().all(|f| is_near_the_border(f.metres) || is_told(&f.object.id, f.metres))
            && told.iter().all(|f| is_near_the_border(f.metres) || is_true(&f.id))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use import::{MapSource, Options};

    #[test]
    fn at_a_junction_the_answer_of_any_street_that_degrees_may_mean_is_true_and_no_other() {
        let map = import::read_map(&MapSource::default(), &Options::default(), &());
        let map = map.expect("it is built in").map;
        let truth = Truth::new(&map, 1);
        let (mut differ, mut wrong) = (0, 0);
        for street in map.streets().filter(|&street| map.street(street).one_way).take(60) {
            let position = Position { street, offset: Length::ZERO };
            let post =
                Post { user: 0, number: 0, at: 0, body: Default::default(), position, question: 0 };
            let told = |position: Position| -> Vec<FoundOf<'static>> {
                let found = refine(&truth.walker, position, &truth.questions[0], &truth.everything);
                let told = found.found.iter();
                told.map(|f| FoundOf { id: f.object.id.to_string().into(), metres: f.metres })
                    .collect()
            };
            let meant = truth.as_sent(position).expect("there is a street");
            assert!(truth.agrees(&post, &told(meant)), "{position:?}");
            differ += usize::from(!truth.agrees_at(position, &truth.questions[0], &told(meant)));
            let elsewhere = Position { offset: map.street(street).length, street };
            wrong += usize::from(!truth.agrees(&post, &told(elsewhere)));
        }
        assert!(differ > 0 && wrong > 30, "{differ} differ, {wrong} wrong");
    }
}
