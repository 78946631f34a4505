//! The file of user settings: a change appends one line, and the file stays bounded.

use super::{World, asking};
use crate::fixture::gateway_of;
use gateway::clock::Clock;
use gateway::config::{Config, Mode};
use gateway::keys::KeyError;
use gateway::users::Users;
use serde_json::json;
use std::os::unix::fs::MetadataExt as _;
use std::path::PathBuf;

async fn world_with_file() -> (World, PathBuf) {
    let world =
        World::with(|config, folder| config.users.file = Some(folder.join("people.json"))).await;
    let path = world.folder.path().join("people.json");
    (world, path)
}

/// Returns k of each of these users in a gateway started with the same file.
fn stored(world: &World, names: &[&str]) -> Vec<Option<u64>> {
    let config = Config::clone(&world.fixture.gateway.config());
    let (again, _) = gateway_of(config, Mode::Guarded, Clock::manual());
    let k = |name: &&str| {
        let user = again.user_ids().named("okapi-app", name);
        again.users().find(user).map(|profile| profile.settings.body.k)
    };
    names.iter().map(k).collect()
}

#[tokio::test]
async fn a_change_appends_one_line() {
    let (world, path) = world_with_file().await;
    for number in 0..50 {
        world.put_settings(&format!("u{number}"), &asking()).await;
    }
    let before = std::fs::metadata(&path).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    world.put_settings("u7", &json!({"k": 9, "dt": 5})).await;
    assert_eq!(world.api("DELETE", "/v1/people/u8/settings", None).await.0, 204);
    let after = std::fs::metadata(&path).unwrap();
    assert_eq!(before.ino(), after.ino(), "the file is not replaced");
    let later = std::fs::read_to_string(&path).unwrap();
    let added = later.strip_prefix(&text).expect("what was written stays");
    assert!(added.lines().count() == 2 && added.len() < 300, "{added}");
    assert_eq!(stored(&world, &["u6", "u7", "u8"]), [Some(2), Some(9), None]);
}

#[tokio::test]
async fn the_file_is_replaced_before_its_changes_outgrow_it() {
    let (world, path) = world_with_file().await;
    let mut largest = 0;
    for number in 0..2000 {
        world.put_settings("jo", &json!({"k": 2 + number % 9, "dt": 5})).await;
        largest = largest.max(std::fs::metadata(&path).unwrap().len());
    }
    assert!((64 << 10..80 << 10).contains(&largest), "{largest}");
    assert_eq!(stored(&world, &["jo"]), [Some(2 + 1999 % 9)]);
}

fn open_users(world: &World) -> Result<Users, KeyError> {
    let gateway = &world.fixture.gateway;
    Users::open(&gateway.config().users, gateway.cities().maps(), gateway.user_ids())
}

#[tokio::test]
async fn a_line_cut_off_is_dropped_and_a_corrupt_one_is_an_error() {
    let (world, path) = world_with_file().await;
    world.put_settings("jo", &json!({"k": 3, "dt": 5})).await;
    let whole = std::fs::read_to_string(&path).unwrap();
    world.put_settings("jo", &json!({"k": 4, "dt": 5})).await;
    let text = std::fs::read_to_string(&path).unwrap();
    for cut in whole.len()..text.len() {
        std::fs::write(&path, &text[..cut]).unwrap();
        assert_eq!(stored(&world, &["jo"]), [Some(3)], "cut at {cut}");
    }
    std::fs::write(&path, format!("{whole}zebra\n{text}")).unwrap();
    let opened = open_users(&world);
    let error = opened.unwrap_err().to_string();
    assert!(error.contains("change") && !error.contains("zebra"), "{error}");
}

#[tokio::test]
async fn a_file_of_the_earlier_format_is_read_and_continued() {
    let (world, path) = world_with_file().await;
    let document = json!({
        "secret": "ab".repeat(32),
        "people": [{
            "account": "okapi-app", "person": "jo", "settings": {"k": 5, "dt": 5}, "tokens": [],
        }],
    });
    for text in [document.to_string(), format!("{document:#}\n")] {
        std::fs::write(&path, text).unwrap();
        let users = open_users(&world);
        let user = world.fixture.gateway.user_ids().named("okapi-app", "jo");
        users.unwrap().add_token(user).await.unwrap();
        assert_eq!(stored(&world, &["jo"]), [Some(5)]);
        assert!(std::fs::read_to_string(&path).unwrap().contains(&"ab".repeat(32)));
    }
}
