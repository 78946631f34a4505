//! Phones that misbehave: nobody else is affected, and each gets what is documented.

use super::{World, asking, neighbours, shape};
use crate::fixture::place;
use serde_json::json;

/// Two who report properly, and are answered in every round; jo is the odd one.
async fn world() -> World {
    let world = World::with(|config, _| config.limits.person_rate = 60).await;
    for person in ["jo", "al", "bo"] {
        world.settle(person, &asking()).await;
    }
    world
}

async fn others_are_answered(world: &mut World) {
    world.report("al", place(3, 0.4)).await;
    world.report("bo", place(3, 0.6)).await;
    world.ticks(1).await;
    for person in ["al", "bo"] {
        let told = world.answer(person).await;
        assert_eq!(told["latest"]["outcome"], "answered", "{told}");
    }
    world.ticks(9).await;
}

#[tokio::test]
async fn a_phone_whose_battery_dies_has_its_last_report_answered_or_expired() {
    let mut world = world().await;
    let far = place(250, 0.5);
    for _ in 0..3 {
        world.report("jo", far).await;
        others_are_answered(&mut world).await;
    }
    let told = world.answer("jo").await;
    assert_eq!(told["latest"]["outcome"], "expired", "nobody was near: {told}");
    assert_eq!(told["answered"], json!(null));
    world.ticks(700).await;
    world.fixture.gateway.forget_people();
    assert_eq!(world.answer("jo").await, json!({"answered": null, "latest": null}), "forgotten");
    let (accepted, ended) = world.fixture.gateway.metrics().accounts();
    assert_eq!(accepted, ended.iter().sum::<u64>(), "and nothing is left waiting");
}

#[tokio::test]
async fn a_phone_that_reports_twice_a_second_is_dropped_beyond_its_rate() {
    let mut world = world().await;
    let mut dropped = 0;
    for round in 0..30 {
        for _ in 0..2 {
            // All within one second, as fast as it can: 200 to every report.
            world.report("jo", place(250, 0.3)).await;
            dropped += u32::from(world.answer("jo").await["latest"]["reason"] == "person-rate");
        }
        if round % 10 == 0 {
            others_are_answered(&mut world).await;
        }
    }
    assert!(dropped >= 45, "all but a burst of ten: {dropped}");
    others_are_answered(&mut world).await;
}

#[tokio::test]
async fn a_phone_whose_clock_is_a_day_off_is_served_by_the_time_of_arrival() {
    let mut world = world().await;
    for day in [86_400_i64, -86_400] {
        for minute in 0..3 {
            let unix = world.unix().checked_add_signed(day).unwrap();
            let body = shape("owntracks/location-minimal.json", place(3, 0.5), unix);
            assert_eq!(world.owntracks(if day > 0 { "jo" } else { "al" }, &body).await.0, 200);
            world.report("bo", place(3, 0.6)).await;
            world.ticks(1).await;
            let told = world.answer(if day > 0 { "jo" } else { "al" }).await;
            assert_eq!(told["latest"]["outcome"], "answered", "{minute}: {told}");
            world.ticks(59).await;
        }
    }
}

#[tokio::test]
async fn reports_that_were_kept_while_offline_are_dropped_and_the_newest_counts() {
    let mut world = world().await;
    let now = world.unix();
    world.report("jo", place(250, 0.5)).await;
    world.ticks(300).await;
    for minute in 1..5 {
        let body = shape("owntracks/location-minimal.json", place(250, 0.5), now + minute * 60);
        assert_eq!(world.owntracks("jo", &body).await.0, 200);
        assert_eq!(world.answer("jo").await["latest"]["reason"], "late");
    }
    world.report("jo", place(3, 0.5)).await;
    others_are_answered(&mut world).await;
    assert_eq!(world.answer("jo").await["latest"]["outcome"], "answered");
}

#[tokio::test]
async fn a_phone_that_jumps_500_km_is_off_the_map_and_served_again_when_it_is_back() {
    let mut world = world().await;
    let [here, _] = neighbours();
    world.report("jo", here).await;
    others_are_answered(&mut world).await;
    for far in [(here.0, here.1 - 4.5), (0.0, 0.0), (179.9, -89.9), (1e6, 1e6)] {
        world.report("jo", far).await;
        assert_eq!(world.answer("jo").await["latest"]["reason"], "off-map");
        others_are_answered(&mut world).await;
    }
    world.report("jo", here).await;
    others_are_answered(&mut world).await;
    let told = world.answer("jo").await;
    assert_eq!(told["latest"]["outcome"], "answered", "{told}");
    let reached = &told["answered"]["receipt"]["k_reached"];
    assert_eq!(*reached, 3, "all three in one set: her reach is what it was");
}
