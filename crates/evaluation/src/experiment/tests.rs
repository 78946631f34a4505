use super::*;

fn read(text: &str) -> Result<Experiment, String> {
    Experiment::from_toml(Path::new("e.toml"), text).map_err(|error| error.to_string())
}

#[test]
fn an_empty_experiment_has_the_grid_of_the_paper() {
    let experiment = read("").unwrap();
    assert_eq!((&*experiment.title, experiment.grids.len()), ("e", 1));
    let grid = &experiment.grids[0];
    assert_eq!(*grid, ExperimentGrid::default());
    assert_eq!(grid.maps, ["oldenburg", "stockton", "paris", "porto", "porto-alegre"]);
    assert_eq!(grid.dt.of("p1"), [3000, 4000, 5000]);
    assert_eq!(grid.dt.of("p2"), [3000, 5000, 7000, 10_000]);
    assert_eq!(grid.dt.of("taxi-p1"), [3000, 4000, 5000]);
}

#[test]
fn fields_of_a_grid_override_top_level_fields() {
    let text = "
        title = \"Two grids\"
        maps = \"city\"
        seeds = 3
        dt = { p2 = [2.5] }
        [[grid]]
        users = [10, 20]
        [[grid]]
        seeds = [7]
        dt = 0
        volume = true
        views = [\"unlimited\", \"realtime\"]";
    let experiment = read(text).unwrap();
    assert_eq!(experiment.title, "Two grids");
    let [first, second] = &experiment.grids[..] else { panic!("two grids") };
    assert_eq!((&first.maps[..], &first.users[..]), (&["city".to_owned()][..], &[10, 20][..]));
    assert_eq!((&first.seeds[..], &second.seeds[..]), (&[1, 2, 3][..], &[7][..]));
    assert_eq!((first.dt.of("p2"), first.dt.of("p1")), (vec![2500], vec![3000, 4000, 5000]));
    assert_eq!((second.dt.of("p2"), second.volume), (vec![0], Volume::BySecond));
    assert_eq!(second.views, [TimeModel::Unlimited, TimeModel::RealTime]);
}

/// Invalid experiments and their errors.
const INVALID: &[(&str, &str)] = &[
    ("title = 3", "e.toml, line 1: `title` is 3; expected a text"),
    (
        "\n\nuser = [3]\n",
        "e.toml, line 3: unknown field `user` = [3]; expected title, maps, users, profiles, k, dt, schemes, views, seeds, volume, trips, overlay, grid",
    ),
    ("users = [3,\n 0]", "e.toml, line 2: `users` is 0; expected users from 1 to 10000000"),
    (
        "users = []",
        "e.toml, line 1: `users` is []; expected at least one: users from 1 to 10000000",
    ),
    ("users = 3.5", "e.toml, line 1: `users` is 3.5; expected users from 1 to 10000000"),
    ("maps = [\"\"]", "e.toml, line 1: `maps` is \"\"; expected names of maps"),
    (
        "k = \"5-2\"",
        "e.toml, line 1: `k` is \"5-2\"; expected MIN-MAX with 2 or more, as in \"2-5\"",
    ),
    (
        "profiles = [\"p3\"]",
        "e.toml, line 1: `profiles` is \"p3\"; expected p1, p2 or city, or one of these after `taxi-`",
    ),
    (
        "dt = -1",
        "e.toml, line 1: `dt` is -1; expected seconds from 0 to 3600 with at most three decimals",
    ),
    (
        "dt = { p1 = 1.0005 }",
        "e.toml, line 1: `dt.p1` is 1.0005; expected seconds from 0 to 3600 with at most three decimals",
    ),
    (
        "[dt]\np7 = 1",
        "e.toml, line 2: `dt.p7` is 1; expected tolerances of p1, p2 or city, or one list for all profiles",
    ),
    (
        "views = \"soon\"",
        "e.toml, line 1: `views` is \"soon\"; expected unlimited, realtime, after or timed",
    ),
    (
        "seeds = 0",
        "e.toml, line 1: `seeds` is 0; expected number of seeds from 1 to 1000, or a list of seeds",
    ),
    ("volume = 1", "e.toml, line 1: `volume` is 1; expected true or false"),
    (
        "[[grid]]\nseed = 1",
        "e.toml, line 2: unknown field `grid.seed` = 1; expected maps, users, profiles, k, dt, schemes, views, seeds, volume, trips, overlay",
    ),
    ("grid = 3", "e.toml, line 1: `grid` is 3; expected tables, as in [[grid]]"),
    ("overlay = 0", "e.toml, line 1: `overlay` is 0; expected seconds above 0, at most 3600"),
];

#[test]
fn every_error_names_line_field_value_and_expectation() {
    for &(text, message) in INVALID {
        assert_eq!(read(text).unwrap_err(), message);
    }
    assert!(read("schemes = \"magic\"").unwrap_err().starts_with(
        "e.toml, line 1: `schemes` is \"magic\"; expected all, meshcloak, meshcloak-printed"
    ));
    assert!(read("users = 1\nusers = 2").unwrap_err().starts_with("e.toml, line 2: "));
    assert!(read("users = [1\n").unwrap_err().starts_with("e.toml, line "));
}

#[test]
fn schemes_may_be_all_or_none() {
    assert_eq!(
        read("schemes = [\"casper:levels=99\"]").unwrap_err(),
        "e.toml, line 1: `schemes` is \"casper:levels=99\": scheme `casper`: levels=99; expected a \
         whole number from 1 to 16"
    );
    let schemes = |text: &str| read(text).unwrap().grids[0].schemes.clone();
    assert_eq!(schemes("schemes = \"all\""), crate::schemes::canonical_names());
    assert_eq!(schemes("schemes = []"), Vec::<String>::new());
    let more = schemes("schemes = [\"meshcloak/history\", \"all\", \"casper\"]");
    assert_eq!(
        (more[0].as_str(), &more[1..]),
        ("meshcloak/history", &schemes("schemes = \"all\"")[..])
    );
}
