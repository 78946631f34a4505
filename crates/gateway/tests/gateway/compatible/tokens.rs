//! Tokens: where they may be, and that nothing is answered without one.

use super::{APIS, Api, CompatibleWorld, beside, get};
use crate::clients::World;
use axum::body::Body;
use axum::http::Request;
use serde_json::json;

/// Moves the token of a request from the path into a header or parameter.
fn without_prefix(
    request: Request<Body>,
    token: &str,
    header: Option<(&str, String)>,
) -> Request<Body> {
    let (mut parts, body) = request.into_parts();
    let path = parts.uri.to_string().replace(&format!("/compatible/{token}"), "");
    parts.uri = path.parse().unwrap();
    if let Some((name, value)) = header {
        let name: axum::http::HeaderName = name.parse().unwrap();
        parts.headers.insert(name, value.parse().unwrap());
    }
    Request::from_parts(parts, body)
}

#[tokio::test]
async fn a_token_may_be_in_the_path_or_where_the_api_has_its_key() {
    let mut world = CompatibleWorld::new().await;
    let at = beside(54, 0.3, 9.0);
    let token = world.token.clone();
    for api in APIS {
        let by_path = world.ask(api.request(&token, at), at, 1).await;
        assert_eq!(by_path.0, 200);
        let bearer = Some(("authorization", format!("Bearer {token}")));
        let mut ways = vec![without_prefix(api.request(&token, at), &token, bearer)];
        match api {
            Api::Places => {
                let header = Some(("x-goog-api-key", token.clone()));
                ways.push(without_prefix(api.request(&token, at), &token, header));
                let mut request = without_prefix(api.request(&token, at), &token, None);
                *request.uri_mut() = format!("{}?key={token}", request.uri()).parse().unwrap();
                ways.push(request);
            }
            Api::Legacy => {
                let path = format!(
                    "maps/api/place/nearbysearch/json?location={},{}&radius=400&type=cafe&key={token}",
                    at.1, at.0
                );
                ways.push(without_prefix(get(&token, &path), &token, None));
            }
            _ => {}
        }
        for request in ways {
            assert!(world.ask(request, at, 1).await == by_path, "{api:?}");
        }
    }
}

#[tokio::test]
async fn unknown_tokens_and_keys_of_accounts_are_denied() {
    let mut world = CompatibleWorld::new().await;
    let at = beside(54, 0.3, 9.0);
    let (token, key) = (world.token.clone(), world.world.key.clone());
    for (api, kind) in APIS.into_iter().zip(["401", "UNAUTHENTICATED", "REQUEST_DENIED", "401"]) {
        for presented in ["mp_0000", &key] {
            let denied = world.refused(api, api.request(presented, at)).await;
            assert_eq!((&*denied.0, denied.1.contains("token")), (kind, true));
        }
        let bare = without_prefix(api.request(&token, at), &token, None);
        assert_eq!(world.refused(api, bare).await.0, kind);
    }
}

#[tokio::test]
async fn a_token_that_is_revoked_while_its_request_waits_gets_no_answer() {
    let mut world = CompatibleWorld::new().await;
    let at = beside(54, 0.3, 9.0);
    world.world.report("al", at).await;
    let before = world.accepted();
    let reply = world.send(Api::Photon.request(&world.token, at));
    world.wait_accepted(before, 1).await;
    let (_, ids) = world.world.api("GET", "/v1/people/jo/tokens", None).await;
    let path = format!("/v1/people/jo/tokens/{}", ids["ids"][0].as_str().unwrap());
    assert_eq!(world.world.api("DELETE", &path, None).await.0, 204);
    world.world.ticks(1).await;
    let (kind, message) = Api::Photon.error(&reply.await.unwrap());
    assert_eq!((&*kind, &*message), ("401", "the key was revoked"));
}

#[tokio::test]
async fn the_apis_are_off_by_default() {
    let world = World::new().await;
    world.put_settings("jo", &json!({"k": 2, "dt": 5})).await;
    let token = world.token("jo").await;
    let world = CompatibleWorld { world, token };
    for api in APIS {
        let request = api.request(&world.token, beside(54, 0.3, 9.0));
        assert_eq!(world.send(request).await.unwrap().0, 404, "{api:?}");
    }
}
