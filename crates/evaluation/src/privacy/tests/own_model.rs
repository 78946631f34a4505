//! Schemes under the assumptions of their authors.

use super::*;

fn own(name: &str) -> OwnModelResult {
    own_among(name, 300, 100)
}

/// Attacks some of the users of a scheme.
fn own_among(name: &str, users: u32, targets: usize) -> OwnModelResult {
    let atlas = city();
    let workload = workload(&atlas, users);
    let plan = AttackPlan { targets, ..AttackPlan::default() };
    let scheme = AttackedScheme::named(name).unwrap();
    attack_own_model(&scheme, &atlas, &workload, CONDITIONS(&atlas), &plan).unwrap()
}

#[test]
fn schemes_keep_the_promises_of_their_authors() {
    for name in [
        "meshcloak/reciprocal",
        "clique-cloak",
        "i-clique-cloak",
        "hilbert-cloak",
        "hilbert-streets",
        "reciprocal-framework",
        "road-network-k",
        "plpca",
        "casper",
        "interval-cloak",
        "l2p2",
        "patching",
        "patching:of=l2p2",
        "patching:of=semantics",
        "patching:of=road-network-k",
        "delaying",
        "delaying:of=hilbert-cloak",
        "k-sharing",
        "semantics",
        "semantics:places=4",
        "footprints",
        "clique-cloak-nbr",
    ] {
        let OwnModelResult { score, tally, .. } = own(name);
        assert!(score.publications > 50, "{name}: {score:?}");
        assert_eq!((score.below_k.value(), score.wrong.value()), (Some(0.0), Some(0.0)), "{name}");
        assert!(tally.succeeded > 0);
        // Every point of a last rectangle of ICliqueCloak is within its arrival boundary, and patched
        // regions contain the last ones.
        if ["i-clique-cloak", "patching", "patching:of=l2p2"].contains(&name) {
            assert_eq!(score.figure(own_judge::WITH_NEXT), Some(0.0), "{name}");
        }
    }
    for name in ["planar-laplace", "optimal"] {
        let error = own(name).score.error.value().unwrap();
        assert!(error > 100.0, "{name}: {error} m");
    }
}

#[test]
fn the_error_of_the_best_guess_is_at_most_that_of_the_published_point() {
    // The centre of a disc of planar Laplace is 2/ε from the user on average.
    for epsilon in [0.004, 0.01] {
        let score = own(&format!("planar-laplace:epsilon={epsilon}")).score;
        let (error, noise) = (score.error.value().unwrap(), 2.0 / epsilon);
        assert!(score.publications >= 500, "{score:?}");
        assert!((0.5 * noise..1.1 * noise).contains(&error), "{error} m, noise {noise} m");
    }
}

#[test]
fn replays_of_randomised_schemes_rarely_name_one_user_but_can_leave_fewer_than_k() {
    for name in ["xstar", "star-cloak"] {
        let OwnModelResult { score, .. } = own(name);
        assert!(score.publications > 50, "{name} {score:?}");
        // Dense stars are complete before they reach the target: a measure, not a bound.
        assert!(score.below_k.value() > Some(0.0), "{name} {score:?}");
        assert!(score.alone.value() < Some(0.2), "{name} {score:?}");
    }
}

#[test]
fn replays_name_askers_whom_one_copy_with_another_seed_misses() {
    let name = "query-aware:greedy=randomised";
    let OwnModelResult { model, score, .. } = own(name);
    assert_eq!(model.attack, baselines::registry::OwnAttack::Replay);
    assert!(score.publications > 50 && score.figure("below k: by complete stars").is_none());
    let atlas = city();
    let workload = workload(&atlas, 300);
    let scheme = AttackedScheme::named(name).unwrap();
    let below_k = |replays| {
        let plan = AttackPlan { targets: 100, replays, ..AttackPlan::default() };
        let found = attack_own_model(&scheme, &atlas, &workload, CONDITIONS(&atlas), &plan);
        found.unwrap().score.below_k.value().unwrap()
    };
    let (one, many) = (below_k(1), below_k(32));
    assert!(many > one + 0.05 && Some(many) == score.below_k.value(), "{one} {many}");
}

#[test]
fn users_of_complete_stars_explain_regions_below_k_where_stars_are_dense() {
    for name in ["xstar", "star-cloak"] {
        let explained = |users| {
            let score = own_among(name, users, 20).score;
            score.figure("below k: by complete stars").unwrap()
        };
        let (sparse, dense) = (explained(200), explained(1_500));
        assert!(sparse < 0.3 && dense > 0.5 && dense <= 1.0, "{name}: {sparse} {dense}");
    }
}

#[test]
fn a_constant_k_is_the_largest_of_the_user() {
    let atlas = city();
    let workload = workload(&atlas, 300);
    let constant =
        super::super::own_model::with_k_rule(&workload, baselines::registry::KRule::Constant);
    let mut largest = rustc_hash::FxHashMap::default();
    for query in &workload.queries {
        let k: &mut u32 = largest.entry(query.user).or_default();
        *k = query.k.max(*k);
    }
    assert!(constant.queries.iter().all(|query| query.k == largest[&query.user]));
    assert!(workload.queries.iter().any(|query| query.k < largest[&query.user]));
}

#[test]
fn the_sequential_schemes_and_the_printed_method_break_inversion() {
    for name in ["sequential", "sequential-edges", "meshcloak-printed"] {
        let score = own(name).score;
        assert!(score.publications > 50 && score.wrong.value() == Some(0.0), "{name} {score:?}");
        assert!(score.below_k.value() > Some(0.02), "{name} {score:?}");
    }
}

#[test]
fn a_wrapper_counts_the_crowd_of_the_scheme_that_it_wraps() {
    let (casper, patched) = (own("casper"), own("patching:of=casper"));
    let asking = own("patching:of=meshcloak");
    assert_eq!(patched.model.crowd, baselines::registry::Crowd::Registered);
    assert_eq!(asking.model.crowd, baselines::registry::Crowd::Asking);
    let metres = |result: &OwnModelResult| result.tally.region_metres.value().unwrap();
    let atlas = city();
    let workload = workload(&atlas, 300);
    let mut scheme = AttackedScheme::named("patching").unwrap().make(&atlas).unwrap();
    let askers = run(&mut scheme, atlas.map(), &workload, CONDITIONS(&atlas), &mut Costs::Free);
    assert!(metres(&casper) <= metres(&patched), "a patched region holds more");
    assert!(metres(&patched) < askers.tally.region_metres.value().unwrap() / 2.0);
}

/// Judges the regions of one scheme by the promise of another.
fn judged(shown: &str, promise: &str) -> AttackScore {
    let atlas = city();
    let workload = workload(&atlas, 300);
    let targets = Targets::of(&workload, 100);
    let scheme = |name: &str| AttackedScheme::named(name).unwrap();
    let prior = prior(&atlas, &workload, &targets);
    let (model, copy) = (scheme(promise).threat_model(), scheme(promise).copy(&atlas).unwrap());
    let mut judge = own_judge::OwnJudge::new(model.attack, atlas.map(), &targets, &prior, copy);
    let mut inspected = InspectedScheme {
        scheme: scheme(shown).make(&atlas).unwrap(),
        inspect: |state: &State, now, published: &Published| judge.inspect(state, now, published),
    };
    let conditions = Conditions { presence: Presence::Registered, ..CONDITIONS(&atlas) };
    run(&mut inspected, atlas.map(), &workload, conditions, &mut Costs::Free);
    judge.score
}

#[test]
fn requirements_of_places_are_judged_and_not_only_k() {
    // Places that a region of `l2p2` touches raise k; a scheme that ignores them keeps k alone.
    for (shown, promise) in [
        ("l2p2:share=0", "l2p2:share=0.5"),
        ("l2p2:share=0.5:requirement=basic", "l2p2:share=0.5"),
        ("patching:of=l2p2:share=0", "patching:of=l2p2:share=0.5"),
        ("semantics:places=1", "semantics:places=4"),
        ("semantics:places=2:theta=0", "semantics:places=2:theta=0.9"),
    ] {
        assert_eq!(judged(shown, shown).below_k.value(), Some(0.0), "{shown} by its own promise");
        let score = judged(shown, promise);
        assert!(score.below_k.value() > Some(0.02), "{shown} by {promise}: {score:?}");
    }
}

#[test]
fn a_broken_promise_is_noticed() {
    let paper = own(crate::schemes::PAPER).score;
    assert!(paper.below_k.value() > Some(0.02), "{paper:?}");
    // Casper promises nothing about movement, nor one region for k users.
    let atlas = city();
    let workload = workload(&atlas, 300);
    let targets = Targets::of(&workload, 100);
    let casper = AttackedScheme::named("casper").unwrap();
    let prior = prior(&atlas, &workload, &targets);
    let copy = casper.copy(&atlas).unwrap();
    let attack = baselines::registry::OwnAttack::Movement;
    let mut judge = own_judge::OwnJudge::new(attack, atlas.map(), &targets, &prior, copy);
    let mut inspected = InspectedScheme {
        scheme: casper.make(&atlas).unwrap(),
        inspect: |state: &State, now, published: &Published| judge.inspect(state, now, published),
    };
    run(&mut inspected, atlas.map(), &workload, CONDITIONS(&atlas), &mut Costs::Free);
    assert!(judge.score.below_k.value() > Some(0.02), "{:?}", judge.score);
    let with_next = judge.score.figure(own_judge::WITH_NEXT);
    assert!(with_next > Some(0.02), "{with_next:?}");
}
