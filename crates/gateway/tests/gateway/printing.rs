//! `{:?}` of the types that hold queries prints no ticket, user, position or question.

use crate::fixture::{gateway_of, generous, query, walker};
use gateway::api::QueryRequest;
use gateway::batch::BatchEngine;
use gateway::clock::Clock;
use gateway::config::Mode;
use gateway::intake::parse_query;
use gateway::submit::submit;
use gateway::tickets::Route;
use meshcloak::units::LonLat;
use std::fmt::Debug;
use std::sync::Arc;
use tokio::sync::oneshot;

const STREET: u32 = 3;

/// Texts of the private values of a query.
fn private_texts() -> Vec<String> {
    let body = query("okapi", "zebra", STREET);
    let walker = walker();
    let map = walker.map();
    let (lon, lat) = (body["lon"].as_f64().unwrap(), body["lat"].as_f64().unwrap());
    let point = map.frame().unwrap().point(LonLat { lon, lat });
    let position = map.snap(point, None).unwrap().position;
    let mut texts = vec!["okapi".to_owned(), "zebra".to_owned(), "Nearest".to_owned()];
    texts.extend([lon, lat, point.x, point.y].map(|number| format!("{number:.3}")));
    texts.extend([format!("{:?}", position.offset), "Position {".to_owned()]);
    texts
}

fn assert_private(name: &str, value: &impl Debug) {
    for printed in [format!("{value:?}"), format!("{value:#?}")] {
        for text in private_texts() {
            assert!(!printed.contains(&text), "{name} prints {text}: {printed}");
        }
    }
}

#[tokio::test]
async fn queries_print_no_private_value() {
    let (gateway, _) = gateway_of(generous(), Mode::Demo, Clock::manual());
    gateway.refresh_categories().await.unwrap();
    let account = Arc::clone(gateway.directory().account(None).unwrap());
    let json = query("okapi", "zebra", STREET).to_string();
    let request: QueryRequest<'_> = serde_json::from_str(&json).unwrap();
    assert!(json.contains("okapi") && json.contains("zebra"), "the control");
    // The question of a request is checked in its own type: the wire form is not private.
    assert_private("QueryRequest", &(&request.ticket, &request.person, &request.lon, &request.lat));
    let printed = format!("{request:?}");
    assert!(!printed.contains("okapi") && !printed.contains("zebra"), "{printed}");
    for ticket in ["okapi", "okapi2"] {
        let user = if ticket == "okapi" { "zebra" } else { "zebra2" };
        let json = query(ticket, user, STREET).to_string();
        let checked = parse_query(&gateway, &account, json.as_bytes()).unwrap();
        assert_private("CheckedQuery", &checked);
        let route = || Route::One(oneshot::channel().0);
        submit(&gateway, &account, [checked], route, |_, submission| {
            assert_private("Submission", &submission);
        });
    }
    let refused = parse_query(&gateway, &account, json.replace("\"k\":2", "\"k\":1").as_bytes());
    assert_private("RefusedQuery", &refused.unwrap_err());
    assert_private("Mailbox", gateway.city().mailbox());
    assert_private("Tickets", account.tickets());
    assert_private("Account", &account);
    gateway.clock().advance(1000);
    let round = BatchEngine::new(Arc::clone(&gateway)).turn(gateway.clock().now());
    assert_eq!((round.requests.len(), round.sets[0].members.len()), (1, 2));
    for member in &round.sets[0].members {
        assert_private("Member", member);
    }
    // The requests are public: they are what the service gets.
    for printed in [format!("{round:?}"), format!("{:?}", round.sets)] {
        for text in private_texts().iter().filter(|text| *text != "Nearest") {
            assert!(!printed.contains(text.as_str()), "Round prints {text}: {printed}");
        }
    }
}
