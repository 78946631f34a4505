use super::*;
use evaluation::reason::Reason;
use import::{Coordinates, QueryRecord};
use meshcloak::scheme::{Description, Observer, Published, RegionDependence};
use meshcloak::town::town;
use meshcloak::units::{Length, Point};

/// Serves the newer of the last two waiting queries; records time and arrivals of each turn.
#[derive(Default)]
struct Pairs {
    turns: Vec<(u64, usize)>,
    published: Published,
}

impl Scheme for Pairs {
    fn name(&self) -> &'static str {
        "pairs"
    }

    fn describe(&self) -> Description {
        Description::unlisted(Pace::Sequential, RegionDependence::Fixed)
    }

    fn cloak(&mut self, state: &State, now: Time, _: &mut dyn Observer) -> &mut Published {
        self.turns.push((now.as_millis(), state.arrived));
        self.published.clear();
        if let ([.., a, b], 1) = (&state.waiting[..], state.arrived) {
            let members = [a.id, b.id].into_iter();
            let set = self.published.add_mesh(members, |mesh| mesh.push(a.position.street));
            self.published.serve(state.waiting.len() as u32 - 1, set);
        }
        &mut self.published
    }
}

#[test]
fn a_sequential_scheme_runs_at_each_arrival_and_batches_only_expire() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let town = town("A 0,0  B 300,0 | A-B");
    let labels = Labels::of(&town.map);
    let out = folder.path().join("o");
    let files = OutputFiles::create(&out, None, None).expect("the file is created");
    let mut scheme = Pairs::default();
    let atlas = Atlas::new(town.map.clone(), Length::metres(100.0));
    let mut batches = Batches::new(&atlas, &labels, &mut scheme, files, 1_000);
    let arrival = |name: &str, asked_at: u64| {
        let record = QueryRecord {
            query: name.to_owned(),
            user: name.to_owned(),
            asked_at,
            coordinates: Coordinates::Metres(Point::default()),
            k: 2,
            temporal_tolerance: 1_500,
            distance_constraint: Length::metres(9.0),
            speed: None,
            query_interval: None,
            asks: true,
        };
        let query = Accepted { record, position: town.at("A-B", 5.0) };
        let verdict = if name == "no" { Err(Reason::K) } else { Ok(query) };
        Arrival { id: Some(name.to_owned()), asked_at: Some(asked_at), verdict }
    };
    let rows = [("a", 100), ("no", 150), ("b", 250), ("c", 250), ("d", 2_000), ("e", 9_500)];
    for (name, asked_at) in rows {
        batches.push(arrival(name, asked_at)).expect("the row is added");
    }
    batches.finish().expect("the files are written");
    let turns = [(100, 1), (250, 1), (250, 1), (1_000, 0), (2_000, 1), (2_000, 0), (3_000, 0)];
    assert_eq!(scheme.turns[..7], turns);
    assert_eq!(scheme.turns[7..], [(4_000, 0), (9_500, 1), (10_000, 0), (11_000, 0), (12_000, 0)]);
    let outcomes = std::fs::read_to_string(out).expect("the file exists");
    let found: Vec<String> = outcomes
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).expect("valid JSON"))
        .map(|o| format!("{} {} {}", o["query"], o["outcome"], o["at"]).replace('"', ""))
        .collect();
    let expected = [
        "no refused 0.15",
        "b succeeded 0.25",
        "c succeeded 0.25",
        "a expired 2.0",
        "d expired 4.0",
        "e expired 12.0",
    ];
    assert_eq!(found, expected);
}
