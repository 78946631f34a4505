//! Binary forms: round trips and mutated bytes.

#![allow(clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use super::*;
use rand::{Rng as _, RngExt as _, SeedableRng as _};
use rand_pcg::Pcg64;

fn random_members(random: &mut Pcg64) -> Option<Members> {
    let count = random.random_range(0..20);
    match random.random_range(0..3) {
        0 => None,
        1 => Some(Members::Users((0..count).map(|_| UserId(random.next_u64())).collect())),
        _ => Some(Members::Positions((0..count).map(|_| random_entry(random)).collect())),
    }
}

fn random_entry(random: &mut Pcg64) -> Entry {
    let units = random.next_u32() >> random.random_range(0..32);
    Entry {
        user: UserId(random.next_u64()),
        position: Position {
            street: StreetId(random.next_u32()),
            offset: Length::from_units(random.next_u32()),
        },
        at: Time::from_millis(random.next_u64()),
        speed: random.random_bool(0.8).then(|| Speed::from_units(units)),
    }
}

fn random_record(random: &mut Pcg64) -> Record {
    let body = match random.random_range(0..10) {
        0 | 1 => Body::Epoch { engine: NodeId(random.next_u64()), plan: random.next_u64() },
        2 => Body::Lost { at: Time::from_millis(random.next_u64()) },
        3 => Body::Plan {
            after: Time::from_millis(random.next_u64()),
            revision: random.next_u64(),
            starts: (0..random.random_range(0..5)).map(|_| random.next_u32()).collect(),
        },
        _ => Body::Tick(Tick {
            at: Time::from_millis(random.next_u64()),
            accepted: random_members(random),
            left: random_members(random),
        }),
    };
    let [log, epoch, map, wall_ms] = std::array::from_fn(|_| random.next_u64());
    Record { log: LogId(log), epoch, map, wall_ms, body }
}

#[test]
fn records_and_identities_survive_the_binary_form() {
    for seed in 0..500 {
        let mut random = Pcg64::seed_from_u64(seed);
        let record = random_record(&mut random);
        assert_eq!(Record::decode(&record.encode()), Ok(record), "seed {seed}");
        let identity = Identity {
            log: LogId(seed),
            since: Time::from_millis(random.next_u64()),
            wall_ms: random.next_u64(),
            is_first: random.random_bool(0.5),
        };
        assert_eq!(Identity::decode(&identity.encode()), Ok(identity), "seed {seed}");
    }
}

#[test]
fn mutated_bytes_are_refused_or_read_as_what_they_say() {
    let mut accepted = 0;
    for seed in 0..20_000 {
        let mut random = Pcg64::seed_from_u64(seed);
        let mut bytes = random_record(&mut random).encode();
        for _ in 0..random.random_range(1..4) {
            let place = random.random_range(0..bytes.len());
            match random.random_range(0..4) {
                0 => bytes[place] = random.random(),
                1 => bytes[place] ^= 1 << random.random_range(0..8),
                2 => bytes.truncate(place.max(1)),
                _ => bytes.insert(place, random.random()),
            }
        }
        // Whatever is accepted has exactly one binary form.
        if let Ok(record) = Record::decode(&bytes) {
            assert_eq!(record.encode(), bytes, "seed {seed}");
            accepted += 1;
        }
        Identity::decode(&bytes).ok();
    }
    assert!(accepted > 1_000, "{accepted}");
}

#[test]
fn a_count_beyond_the_bytes_allocates_nothing() {
    let tick =
        Tick { at: Time::default(), accepted: Some(Members::Positions(Vec::new())), left: None };
    let record = Record { log: LogId(1), epoch: 1, map: 1, wall_ms: 1, body: Body::Tick(tick) };
    let mut bytes = record.encode();
    let count = bytes.len() - 5;
    bytes[count..count + 4].copy_from_slice(&u32::MAX.to_le_bytes());
    assert_eq!(Record::decode(&bytes), Err(DecodeError::Short));
    assert_eq!(Record::decode(&[]), Err(DecodeError::Short));
}

#[test]
fn nothing_of_a_user_is_printed() {
    let entry = Entry {
        user: UserId(4_711),
        position: Position { street: StreetId(4_712), offset: Length::from_units(4_713) },
        at: Time::from_millis(4_714),
        speed: Some(Speed::from_units(4_715)),
    };
    let members = [Members::Users(vec![entry.user]), Members::Positions(vec![entry])];
    for members in members {
        let tick = Tick { at: Time::default(), accepted: Some(members), left: None };
        let record = Record { log: LogId(1), epoch: 1, map: 1, wall_ms: 1, body: Body::Tick(tick) };
        assert!(!format!("{record:?}").contains("471"), "{record:?}");
    }
}
