//! MeshCloak in a program of your own: a map, queries, one tick per second, disclosures.
//!
//! `cargo run -p meshcloak --example embed`

use meshcloak::{Atlas, Engine, Extent, Length, MapBuilder, MapError, Point, Query, RawStreet};
use meshcloak::{Settings, StreetMap, Time, UserId};
use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

/// Builds A ── B ── C ── D, 300 m each.
fn avenue() -> Result<StreetMap, MapError> {
    let mut builder = MapBuilder::new();
    let mut last = builder.terminal("A", Point::new(0.0, 0.0))?;
    for (label, end, x) in [("A-B", "B", 300.0), ("B-C", "C", 600.0), ("C-D", "D", 900.0)] {
        let next = builder.terminal(end, Point::new(x, 0.0))?;
        builder.street(RawStreet::new(label, last, next).named("Avenue"))?;
        last = next;
    }
    Ok(builder.build(Extent::LargestPart)?.map)
}

fn main() -> Result<(), Box<dyn Error>> {
    let atlas = Arc::new(Atlas::new(avenue()?, Length::metres(2_000.0)));
    let mut engine = Engine::new(Arc::clone(&atlas), Settings::default());
    let queries = [(1, 100.0), (1, 180.0), (2, 250.0), (2, 850.0)];
    let mut disclosures = Vec::new();
    for second in 1..=5 {
        let now = Time::from_millis(second * 1_000);
        for (user, &(_, x)) in (0..).zip(&queries).filter(|(_, (at, _))| *at == second) {
            let snapped = atlas.map().snap(Point::new(x, 5.0), Some(50.0)).expect("5 m off");
            let query = Query::builder(UserId(user), snapped.position).at(now).k(3);
            let query = query.dt(Duration::from_secs(2)).dc(Length::metres(200.0));
            engine.submit(query.build(atlas.dc_max())?)?;
        }
        let turn = engine.tick(now);
        println!("{second} s: {} served, {} expired", turn.served.len(), turn.expired.len());
        disclosures.extend(turn.disclosures());
    }
    assert!(engine.waiting().is_empty(), "the query at the far end expired after 4 s");
    assert_eq!(disclosures.len(), 1, "one request for three users");
    assert_eq!(disclosures[0].at, Time::from_millis(2_000), "when the third query arrived");
    let mesh = disclosures[0].region.streets(atlas.map());
    let streets = mesh.iter().map(|&street| atlas.map().street_label(street));
    assert_eq!(streets.collect::<Vec<_>>(), ["A-B", "B-C"], "all streets within 200 m");
    Ok(())
}
