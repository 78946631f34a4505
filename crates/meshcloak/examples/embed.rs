//! MeshCloak inside a program of one's own: a map, people who ask, a turn for every second, and
//! what may leave for the service.
//!
//! `cargo run -p meshcloak --example embed`

use meshcloak::distance::Atlas;
use meshcloak::engine::{Batch, turn};
use meshcloak::map::{Extent, MapBuilder, MapError, RawStreet, StreetMap};
use meshcloak::mesh_cloak::{MeshCloak, Settings};
use meshcloak::query::{Query, QueryId, UserId};
use meshcloak::scheme::State;
use meshcloak::units::{Length, Point, Time};
use std::sync::Arc;
use std::time::Duration;

/// A ── B ── C ── D, 300 m each.
fn avenue() -> Result<StreetMap, MapError> {
    let mut builder = MapBuilder::new();
    let mut last = builder.terminal("A", Point::new(0.0, 0.0))?;
    for (label, end, x) in [("A-B", "B", 300.0), ("B-C", "C", 600.0), ("C-D", "D", 900.0)] {
        let next = builder.terminal(end, Point::new(x, 0.0))?;
        let (written_metres, bends) = (None, &[]);
        let (one_way, name, class) = (false, "Avenue", "residential");
        let street =
            RawStreet { label, from: last, to: next, written_metres, one_way, bends, name, class };
        builder.street(street)?;
        last = next;
    }
    Ok(builder.build(Extent::LargestPart)?.map)
}

/// Somebody near the avenue asks, wants to be one of three, and gives it two seconds.
fn ask(map: &StreetMap, number: u64, x: f64, second: u64) -> Query {
    let snapped = map.snap(Point::new(x, 5.0), Some(50.0)).expect("five metres off");
    Query {
        id: QueryId(number),
        user: UserId(number),
        asked_at: Time::from_millis(second * 1_000),
        position: snapped.position,
        k: 3,
        temporal_tolerance: Duration::from_secs(2),
        distance_constraint: Length::metres(200.0),
        speed: None,
    }
}

fn main() -> Result<(), MapError> {
    let atlas = Arc::new(Atlas::new(avenue()?, Length::metres(2_000.0)));
    let mut scheme = MeshCloak::new(Arc::clone(&atlas), Settings::default());
    let mut state = State::default();
    let asked = [(100.0, 1), (180.0, 1), (250.0, 2), (850.0, 2)];
    let mut disclosed = Vec::new();
    for second in 1..=5 {
        let now = Time::from_millis(second * 1_000);
        let arrivals = asked.iter().enumerate().filter(|(_, (_, at))| *at == second);
        let arrivals = arrivals.map(|(n, &(x, at))| ask(atlas.map(), n as u64, x, at)).collect();
        let batch = Batch { now, arrivals, cancelled: Vec::new() };
        let done = turn(&mut scheme, &mut state, batch, &mut ());
        println!("{second} s: {} served, {} expired", done.served.len(), done.expired.len());
        disclosed.extend(done.published.disclosures(now));
    }
    assert!(state.waiting.is_empty(), "the last one, alone at the far end, gave up after 4 s");
    assert_eq!(disclosed.len(), 1, "three people, one request");
    assert_eq!(disclosed[0].at, Time::from_millis(2_000), "the third came in the second second");
    let mesh = disclosed[0].region.streets(atlas.map());
    let streets = mesh.iter().map(|&street| atlas.map().street_label(street));
    assert_eq!(streets.collect::<Vec<_>>(), ["A-B", "B-C"], "all that they can reach");
    Ok(())
}
