//! The OpenAPI document describes every route and every status.

use crate::fixture::Fixture;
use gateway::server::document;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Returns the documented statuses by method and path.
pub fn described() -> BTreeMap<(String, String), BTreeSet<u16>> {
    let document = serde_json::to_value(document()).unwrap();
    let mut all = BTreeMap::new();
    for (path, methods) in document["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            let statuses = operation["responses"].as_object().unwrap().keys();
            let statuses = statuses.map(|status| status.parse().unwrap()).collect();
            all.insert((method.to_uppercase(), path.clone()), statuses);
        }
    }
    all
}

#[tokio::test]
async fn the_document_is_served_and_lists_every_route() {
    let fixture = Fixture::open().await;
    let (status, served) = fixture.get("/v1/openapi.json").await;
    assert_eq!(status, 200);
    assert_eq!(served, serde_json::to_value(document()).unwrap());
    let routes: Vec<(String, String)> = described().into_keys().collect();
    let expected = [
        ("DELETE", "/v1/people/{person}/settings"),
        ("DELETE", "/v1/people/{person}/tokens/{id}"),
        ("DELETE", "/v1/queries/{ticket}"),
        ("GET", "/health"),
        ("GET", "/ready"),
        ("GET", "/v1/live"),
        ("GET", "/v1/map"),
        ("GET", "/v1/me"),
        ("GET", "/v1/openapi.json"),
        ("GET", "/v1/people/{person}/answer"),
        ("GET", "/v1/people/{person}/settings"),
        ("GET", "/v1/people/{person}/tokens"),
        ("GET", "/v1/phones/traccar/{token}"),
        ("POST", "/v1/me/queries"),
        ("POST", "/v1/people/{person}/tokens"),
        ("POST", "/v1/phones/owntracks"),
        ("POST", "/v1/phones/traccar/{token}"),
        ("POST", "/v1/queries"),
        ("POST", "/v1/queries/stream"),
        ("PUT", "/v1/people/{person}/settings"),
    ];
    let expected = expected.map(|(method, path)| (method.to_owned(), path.to_owned()));
    assert_eq!(routes, expected);
}

#[test]
fn every_field_of_requests_and_responses_is_described() {
    let document = serde_json::to_value(document()).unwrap();
    let schemas = document["components"]["schemas"].as_object().unwrap();
    for name in ["QueryRequest", "QuestionBody", "ResultBody", "RefusalBody", "Receipt"] {
        let properties = schemas[name]["properties"].as_object().unwrap();
        for (property, schema) in properties {
            let keys = ["description", "$ref", "oneOf"];
            let described = keys.iter().any(|key| schema.get(key).is_some());
            assert!(described, "{name}.{property} has no description");
        }
    }
    assert_eq!(schemas["QueryRequest"]["additionalProperties"], json!(false));
    let found = &schemas["ResultBody"]["properties"]["answer"];
    assert!(found.to_string().contains("FoundBody"), "{found}");
    assert_ne!(document["components"]["securitySchemes"]["key"], Value::Null);
}
