//! Decoys and questions cannot be told apart; the injected faults can.

use super::*;
use meshcloak::town::{Town, town};
use rand::seq::IndexedRandom as _;
use rand::{Rng, RngExt as _};
use std::time::Duration;

const CATEGORIES: u32 = 30;

fn category(number: u32) -> Category {
    Category::named(&format!("category {number}")).unwrap()
}

/// Decoys that have seen every category, the first ones more often.
fn decoys(decoys: usize, diversity: usize) -> Decoys {
    let config = QuestionsConfig { decoys, diversity, ..QuestionsConfig::default() };
    let mut decoys = Decoys::new(config, &town("A 0,0  B 100,0 | A-B").map).unwrap();
    for batch in 0..CATEGORIES {
        let asked: Vec<Category> = (0..=batch).map(category).collect();
        decoys.record(Time::from_millis(u64::from(batch) * 1000), asked.iter());
    }
    decoys
}

fn kind(random: &mut impl Rng, category: Category) -> QuestionKind {
    let find = [Find::Within, Find::Nearest][random.random_range(0..2)];
    let along = [Along::Plane, Along::Streets][random.random_range(0..2)];
    QuestionKind { find, along, category }
}

fn questions(random: &mut impl Rng, count: usize) -> Vec<(QuestionKind, u8)> {
    let question = |_| {
        // Squares of random numbers: low numbers are common.
        let number = random.random_range(0.0..1.0_f64).powi(2) * f64::from(CATEGORIES);
        (kind(random, category(number as u32)), random.random_range(0..4))
    };
    (0..count).map(question).collect()
}

/// What a region is asked, and which requests delay each answer.
fn asked(decoys: &Decoys, questions: &[(QuestionKind, u8)]) -> (Rungs, Joined) {
    let mut rungs = Rungs::new();
    for (kind, rung) in questions {
        let largest = rungs.entry(kind.clone()).or_default();
        *largest = (*largest).max(*rung);
    }
    let joined = decoys.add(&mut rungs);
    (rungs, joined)
}

#[test]
fn every_question_is_asked_with_its_decoys() {
    for seed in 0..200 {
        let mut random = Town::generator(seed);
        let (count, diversity) = (random.random_range(1..6), random.random_range(0..9));
        let decoys = decoys(count, diversity);
        let size = random.random_range(1..8);
        let questions = questions(&mut random, size);
        let (rungs, joined) = asked(&decoys, &questions);
        for (kind, rung) in &questions {
            assert!(rungs[kind] >= *rung, "seed {seed}");
            assert!(joined[kind].len() > count && joined[kind].contains(kind), "seed {seed}");
            assert!(joined[kind].iter().all(|other| rungs[other] == rungs[kind]), "seed {seed}");
        }
        let shape = |kind: &QuestionKind| (kind.find, kind.along);
        for kind in rungs.keys() {
            let same = rungs.keys().filter(|other| shape(other) == shape(kind)).count();
            assert!(same >= diversity, "seed {seed}: {same} of {diversity}");
        }
    }
}

/// The group hides the category: any other one of it has the same effect.
#[test]
fn another_category_of_the_group_changes_no_byte_and_no_release() {
    let mut changes = 0;
    for seed in 0..300 {
        let mut random = Town::generator(seed);
        let (count, diversity) = (random.random_range(1..6), random.random_range(0..9));
        let decoys = decoys(count, diversity);
        let size = random.random_range(1..8);
        let before = questions(&mut random, size);
        let mut after = before.clone();
        for (kind, _) in &mut after {
            let group = decoys.companions.group(&kind.category).unwrap();
            kind.category = group.choose(&mut random).unwrap().clone();
        }
        changes += usize::from(before != after);
        assert_eq!(asked(&decoys, &before), asked(&decoys, &after), "seed {seed}");
        // With more members who ask, too: the past does not depend on the member either.
        after.extend(before.iter().cloned());
        assert_eq!(asked(&decoys, &before), asked(&decoys, &after), "seed {seed}");
    }
    assert!(changes > 200, "{changes} of 300");
}

/// Categories that a region is asked in each of `batches` in which a user has a standing question
/// and others ask what they like; `decoys` adds to the categories.
fn intersection(
    random: &mut impl Rng,
    standing: &Category,
    mut decoys: impl FnMut(&mut BTreeSet<Category>),
) -> BTreeSet<Category> {
    let mut left: Option<BTreeSet<Category>> = None;
    for _ in 0..20 {
        let others = questions(random, 3).into_iter().map(|(kind, _)| kind.category);
        let mut seen: BTreeSet<Category> = others.chain([standing.clone()]).collect();
        decoys(&mut seen);
        left = Some(match left {
            Some(left) => left.intersection(&seen).cloned().collect(),
            None => seen,
        });
    }
    left.unwrap()
}

#[test]
fn an_intersection_over_batches_removes_fresh_decoys_but_not_groups() {
    let groups = decoys(4, 0);
    let (mut single, mut hidden) = (0, 0);
    for seed in 0..100 {
        let mut random = Town::generator(seed);
        let standing = category(random.random_range(0..CATEGORIES));
        let mut fresh = Town::generator(seed + 1000);
        let left = intersection(&mut random, &standing, |seen| {
            for _ in 0..4 {
                seen.insert(category(fresh.random_range(0..CATEGORIES)));
            }
        });
        assert!(left.contains(&standing));
        single += usize::from(left.len() == 1);
        let left = intersection(&mut random, &standing, |seen| {
            let all = groups.groups(seen).into_iter().flatten();
            *seen = all.collect();
        });
        let group = groups.companions.group(&standing).unwrap();
        hidden += usize::from(group.len() >= 5 && group.iter().all(|one| left.contains(one)));
    }
    assert!(single > 90, "fresh decoys are removed for {single} of 100 users");
    assert_eq!(hidden, 100, "a group stays whole for {hidden} of 100 users");
}

#[test]
fn groups_stay_the_same_for_a_period_and_follow_the_past_afterwards() {
    let mut decoys = decoys(2, 0);
    let before = decoys.companions.clone();
    let rare = category(CATEGORIES - 1);
    for second in 40..3000 {
        decoys.record(Time::from_millis(second * 1000), [rare.clone()].iter());
    }
    assert_eq!(decoys.companions, before);
    let later = Time::from_millis(0) + decoys.config.period + Duration::from_secs(3000);
    decoys.record(later, [].iter());
    assert_ne!(decoys.companions, before);
    assert_eq!(decoys.drawn_at, Some(later));
    assert!(decoys.companions.contains(&Category::Any), "categories are not lost");
}

#[test]
fn without_decoys_in_the_settings_there_are_none() {
    let map = town("A 0,0  B 100,0 | A-B").map;
    for diversity in [0, 1] {
        let config = QuestionsConfig { diversity, ..QuestionsConfig::default() };
        assert!(Decoys::new(config, &map).is_none());
    }
}

#[test]
fn the_number_of_categories_is_bounded() {
    let mut decoys = decoys(1, 0);
    let many: Vec<Category> = (0..2 * MAX_CATEGORIES as u32).map(category).collect();
    decoys.record(Time::from_millis(100_000), many.iter());
    assert_eq!((decoys.asked.len(), decoys.companions.len()), (MAX_CATEGORIES, MAX_CATEGORIES));
    let kind = kind(&mut Town::generator(1), many.last().unwrap().clone());
    let (rungs, _) = asked(&decoys, &[(kind.clone(), 2)]);
    assert_eq!(rungs, Rungs::from([(kind, 2)]));
}
