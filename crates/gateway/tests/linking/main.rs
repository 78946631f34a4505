//! Linking: can a service tell that two publications belong to one user, by anything but where the
//! regions lie and when they are asked?
//!
//! Users with standing questions move through a city. The gateway's requests are recorded by a server
//! on a socket: region, question, order, time, connection, follow-ups, repetitions, sizes. A
//! classifier learns from half of the users which pairs of publications belong together, and is
//! tested on the others: once with place and time alone, and once for each further field beside them.
//! Follow-ups and sizes depend on the question: for them all pairs have one question.
//!
//! `MESHCLOAK_LINKING=USERS` measures with that many users, both regions, ticks of 1 s and 5 s, and
//! `reciprocal` and `history` with the clock `published`; `MESHCLOAK_LINKING_SEED=N` with another
//! random seed.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

mod crowd;
mod field;
mod learner;
mod pairs;
mod publication;
mod recorder;
mod score;
mod world;

use field::Field;
use learner::Learner;
use meshcloak::RegionRule;
use meshcloak::cells::DEFAULT_CELL_LENGTH;
use meshcloak::guarantee::Guarantee;
use meshcloak::mesh::MeshRule;
use pairs::{Negatives, Pairs};
use publication::Publication;
use score::{Gain, gain};
use world::{Setting, record};

/// Records the publications of a setting.
fn recorded(setting: Setting) -> Vec<Publication> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(record(setting))
}

/// Returns how well place and time link, and what each field adds to them, in AUC.
fn gains(publications: &[Publication], fields: &[Field], seed: u64) -> (f64, Vec<(Field, Gain)>) {
    let of_pairs = |negatives: Negatives, fields: &[Field]| {
        let (train, test) = Pairs::of(publications, negatives, seed).halves();
        let scores = |fields: &[Field]| {
            let learner = Learner::train(&train.features(fields), train.labels());
            learner.scores(&test.features(fields))
        };
        let baseline = scores(&[]);
        let of_field = |&field: &Field| (field, gain(&test, &baseline, &scores(&[field])));
        let gains: Vec<(Field, Gain)> = fields.iter().map(of_field).collect();
        (score::auc(test.labels(), &baseline), gains)
    };
    let (of_question, others): (Vec<Field>, Vec<Field>) =
        fields.iter().partition(|field| field.depends_on_question());
    let (baseline, mut gains) = of_pairs(Negatives::All, &others);
    gains.extend(of_pairs(Negatives::SameQuestion, &of_question).1);
    (baseline, gains)
}

const SMALL: Setting = Setting {
    users: 300,
    ticks: 60,
    tick: 1,
    region: RegionRule::Mesh(MeshRule::Reach),
    guarantee: Guarantee::Reciprocal,
    leaks_order: false,
    seed: 1,
};

/// Gain in AUC, at the lower end of its spread, from which a field links.
const LINKS: f64 = 0.01;

/// Fields, and what they may add: those that the gateway draws at random nothing, and those that depend
/// on region and answers little (docs/THREATS.md). The question links, and is left out.
const BOUNDS: [(Field, f64); 6] = [
    (Field::Order, LINKS),
    (Field::Connection, LINKS),
    (Field::Repeats, LINKS),
    (Field::Pace, LINKS),
    (Field::FollowUps, 0.02),
    (Field::Size, 0.02),
];

#[test]
fn fields_beside_the_question_do_not_link_publications_but_a_leak_does() {
    let mut publications = recorded(SMALL);
    let (baseline, found) = gains(&publications, &BOUNDS.map(|bound| bound.0), SMALL.seed);
    assert!(baseline > 0.6, "place and time alone must link something: {baseline}");
    assert_eq!(found.len(), BOUNDS.len());
    for (field, gain) in found {
        let bound = BOUNDS.iter().find(|bound| bound.0 == field).unwrap().1;
        assert!(gain.low < bound, "{field:?} links: {gain:?}");
    }
    publications.iter_mut().for_each(Publication::leak_connection);
    let (_, leaked) = gains(&publications, &[Field::Connection], SMALL.seed);
    assert!(leaked[0].1.low > LINKS, "a socket for each user is not found: {leaked:?}");
}

#[test]
fn an_order_by_user_is_found() {
    let publications = recorded(Setting { leaks_order: true, ..SMALL });
    let (_, leaked) = gains(&publications, &[Field::Order], SMALL.seed);
    assert!(leaked[0].1.low > LINKS, "an order by user is not found: {leaked:?}");
}

/// Prints the table of docs/EVALUATION.md.
#[test]
fn measure() {
    let Ok(users) = std::env::var("MESHCLOAK_LINKING") else { return };
    let users = users.parse().expect("MESHCLOAK_LINKING is a number of users");
    let seed = std::env::var("MESHCLOAK_LINKING_SEED").unwrap_or_else(|_| "1".to_owned());
    let seed = seed.parse().expect("MESHCLOAK_LINKING_SEED is a number");
    for guarantee in [Guarantee::Reciprocal, Guarantee::History] {
        for region in [RegionRule::default(), RegionRule::Cell(DEFAULT_CELL_LENGTH)] {
            for tick in [1, 5] {
                let ticks = 300 / tick;
                let setting = Setting { users, ticks, tick, region, guarantee, seed, ..SMALL };
                let (baseline, gains) = gains(&recorded(setting), &Field::ALL, seed);
                println!("{guarantee:?}, {region:?}, tick {tick} s: place and time {baseline:.3}");
                for (field, Gain { mean, low, high }) in gains {
                    println!("  {field:?}: {mean:+.3} ({low:+.3} to {high:+.3})");
                }
            }
        }
    }
}
