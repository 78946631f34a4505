//! A small street map, questions and inquiries.

use gateway::inquiry::Inquiry;
use gateway::question::{Along, Category, Operation, Question};
use gateway::walk::Walker;
use meshcloak::distance::Atlas;
use meshcloak::map::{Frame, MapBuilder, StreetId};
use meshcloak::region::Region;
use meshcloak::scheme::Disclosure;
use meshcloak::town::town;
use meshcloak::units::{Length, LonLat, Time};
use std::sync::Arc;

/// Four streets around a block and a diagonal, with a location on Earth.
pub fn walker() -> Arc<Walker> {
    let map = town("A 0,0  B 300,0  C 300,300  D 0,300 | A-B B>C C-D D-A A-C").map;
    let mut builder = MapBuilder::from_map(&map);
    builder.set_frame(Frame::at(LonLat { lon: 9.7, lat: 50.8 }));
    let map = builder.build(meshcloak::map::Extent::Whole).unwrap().map;
    Arc::new(Walker::new(Arc::new(Atlas::new(map, Length::metres(300.0)))))
}

/// Returns every kind of question.
pub fn questions() -> Vec<Question> {
    let kinds = [Along::Streets, Along::Plane].into_iter().flat_map(|along| {
        let radius = Length::metres(400.0);
        [Operation::Within { radius, along }, Operation::Nearest { count: 5, along }]
    });
    let any = |operation| Question { operation, category: Category::Any };
    let cafe = |operation| Question { operation, category: Category::named("cafe").unwrap() };
    kinds.flat_map(|operation| [any(operation), cafe(operation)]).collect()
}

/// Builds an inquiry about the first two streets.
pub fn inquiry(walker: &Walker, question: &Question) -> Inquiry {
    let region = Region::Mesh(vec![StreetId(0), StreetId(1)].into());
    let disclosure = Disclosure { at: Time::from_millis(7_000), region };
    Inquiry::of(walker.map(), &disclosure, vec![question.asked().unwrap()]).remove(0)
}
