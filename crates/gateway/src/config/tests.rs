//! Tests of sources, precedence and conflicts.

use super::*;
use meshcloak::Length;
use meshcloak::mesh_cloak::RegionRule;
use std::time::Duration;

fn error(sources: &Sources) -> String {
    Config::load(sources).expect_err("the configuration is invalid").to_string()
}

#[test]
fn an_invalid_value_is_reported_with_its_source() {
    let file = |text| Sources::new().file(Source::from_text("gate.toml", text));
    assert_eq!(
        error(&file("[limits]\nk_max = 1")),
        "`limits.k_max` is `1` (gate.toml), expected a whole number from 2 to 100000"
    );
    assert_eq!(
        error(&file("[limits]\nkmax = 1")),
        "`limits.kmax` (gate.toml) is not a setting; `meshcloak serve --example` lists all"
    );
    assert!(error(&file("k = 1")).starts_with("`k` (gate.toml) is not a setting"));
    assert!(error(&file("[limits]\nk_max = = 1")).starts_with("gate.toml: line 2: "));
    let variable = [("MESHCLOAK_ENGINE_TICK".to_owned(), "0.01".to_owned())];
    assert!(error(&Sources::new().environment(variable)).starts_with(
        "`engine.tick` is `0.01` (environment, MESHCLOAK_ENGINE_TICK), expected seconds"
    ));
    assert!(error(&Sources::new().flag("log.level", "loud")).contains("(flag), expected one of"));
}

#[test]
fn flags_override_the_environment_and_the_environment_overrides_the_file() {
    let file = Source::from_text("gate.toml", "[engine]\ntick = 2\nqueue = 7\n[results]\nkeep=9");
    let variables = [("ENGINE_TICK", "3"), ("ENGINE_QUEUE", "8"), ("MAPS", "/somewhere")];
    let variables = variables.map(|(name, value)| (format!("MESHCLOAK_{name}"), value.into()));
    let sources = Sources::new().file(file).environment(variables).flag("engine.tick", "4");
    let config = Config::load(&sources).expect("all values are valid");
    assert_eq!(config.engine.tick, Duration::from_secs(4));
    assert_eq!((config.engine.queue, config.results.keep), (8, Duration::from_secs(9)));
}

#[test]
fn an_alias_names_the_same_setting_in_every_source() {
    let file = |text| Sources::new().file(Source::from_text("gate.toml", text));
    let variables = [("LIMITS_USER_RATE", "7"), ("LIMITS_USER_QUEUE", "9")];
    let variables = variables.map(|(name, value)| (format!("MESHCLOAK_{name}"), value.into()));
    let sources = file("[results]\nmax_count = 5\n[users]\nblur = 1\n[people]\nskew = 2")
        .environment(variables)
        .flag("users.max_count", "3");
    let config = Config::load(&sources).expect("all values are valid");
    assert_eq!((config.results.max_count, config.limits.person_rate), (5, 7));
    assert_eq!(config.limits.person_queue, 9);
    assert_eq!((config.users.max_count, config.users.blur), (3, 1.0));
    assert_eq!(config.users.skew, Duration::from_secs(2));
    assert!(error(&file("[users]\nskew = -1")).starts_with("`users.skew` is `-1`"));
    assert_eq!(
        error(&file("[users]\nskew = 1\n[people]\nskew = 2")),
        "gate.toml: `people.skew` and `users.skew` are the same setting"
    );
}

#[test]
fn the_length_of_cells_belongs_to_a_region_of_cells() {
    let load = |region: &str, length: &str| {
        let sources = Sources::new().flag("engine.region", region);
        Config::load(&sources.flag("engine.cell_length", length))
    };
    let rule = |region, length| load(region, length).expect("valid").engine.region_rule();
    assert_eq!(rule("cell", "0"), RegionRule::Cell(Length::metres(3_000.0)));
    assert_eq!(rule("cell", "600"), RegionRule::Cell(Length::metres(600.0)));
    assert_eq!(rule("cells", "0").cell_length(), Some(Length::metres(1_200.0)));
    assert_eq!(rule("cells", "600").cell_length(), Some(Length::metres(600.0)));
    assert_eq!(rule("reach", "0"), RegionRule::default());
    assert!(load("reach", "600").is_err_and(|error| error.to_string().contains("no effect")));
    assert!(load("cell", "99").is_err_and(|error| error.to_string().contains("from 100")));
}

#[test]
fn contradicting_values_are_refused() {
    let paper = Sources::new().flag("engine.guarantee", "paper");
    assert!(error(&paper.clone()).contains("outside the demo"));
    assert!(Config::load(&paper.demo()).is_ok());
    let public = Sources::new().demo().flag("server.listen", "0.0.0.0:80");
    assert!(error(&public).contains("must be on loopback"));
    let half = Sources::new().flag("server.tls_key", "k.pem");
    assert!(error(&half).contains("must be set together"));
    let crossed = Sources::new().flag("limits.dc_min", "900").flag("limits.dc_max", "800");
    assert!(error(&crossed).contains("is above"));
}

#[test]
fn cleartext_off_loopback_needs_an_explicit_setting() {
    let load = |flags: &[(&str, &str)]| {
        let sources =
            flags.iter().fold(Sources::new(), |sources, (key, value)| sources.flag(key, value));
        Config::load(&sources).map(drop).map_err(|error| error.to_string())
    };
    let public = ("server.listen", "0.0.0.0:8080");
    let refused = load(&[public]).unwrap_err();
    assert!(
        refused.contains("server.insecure") && refused.contains("tls_certificate"),
        "{refused}"
    );
    assert_eq!(load(&[public, ("server.insecure", "true")]), Ok(()));
    let tls = [("server.tls_certificate", "c.pem"), ("server.tls_key", "k.pem")];
    assert_eq!(load(&[public, tls[0], tls[1]]), Ok(()));
    for listen in ["127.0.0.9:1", "[::1]:1", "[::ffff:127.0.0.1]:1"] {
        assert_eq!(load(&[("server.listen", listen)]), Ok(()), "{listen}");
    }
    // Metrics off loopback take the page along, which then needs a token or another socket.
    let metrics = ("server.metrics", "[::]:9464");
    assert!(load(&[metrics]).unwrap_err().contains("`server.metrics` is [::]:9464"));
    let insecure = ("server.insecure", "true");
    assert!(load(&[metrics, insecure]).unwrap_err().contains("server.page_token"));
    assert_eq!(load(&[metrics, insecure, ("server.page_token", "token")]), Ok(()));
    assert_eq!(load(&[metrics, insecure, ("server.page", "")]), Ok(()));
    assert_eq!(load(&[metrics, insecure, ("server.page", "127.0.0.1:9465")]), Ok(()));
    let page = ("server.page", "192.0.2.1:9465");
    assert!(
        load(&[page, ("server.page_token", "token")]).unwrap_err().contains("`server.page` is")
    );
    let several = load(&[public, metrics, ("limits.dc_min", "1900"), ("limits.dc_max", "99")]);
    assert_eq!(several.unwrap_err().lines().count(), 4, "all conflicts are named");
}

#[test]
fn a_gateway_without_keys_is_refused_outside_the_demo() {
    let sources = Sources::new().flag("accounts.keys", "");
    assert!(error(&sources).contains("every request would be refused"));
    assert!(Config::load(&sources.demo()).is_ok());
}

#[test]
fn several_cities_are_a_list_in_a_file_and_a_text_elsewhere() {
    let file = |text| Sources::new().file(Source::from_text("gate.toml", text));
    let names = |sources: &Sources| -> Vec<String> {
        let cities = Config::load(sources).expect("all values are valid").map.cities();
        cities.into_iter().map(|city| city.name).collect()
    };
    let listed = file("[map]\ncities = [\"a=city:500:1@8,53\", \"b=b.meshmap\"]");
    assert_eq!(names(&listed), ["a", "b"]);
    assert_eq!(names(&listed.clone().flag("map.cities", "c=x; d=y")), ["c", "d"]);
    assert_eq!(names(&file("[map]\ncities = []\nname = \"porto\"")), ["porto"]);
    assert!(error(&file("[map]\ncities = [1]")).contains("not a list of strings"));
    assert!(error(&file("[map]\nname = \"Porto\"")).contains("`map.name` is `Porto`"));
    assert!(error(&file("[map]\nname = [\"a\"]")).contains("neither a string nor a number"));
    let running = Config::load(&listed).expect("all values are valid");
    assert!(listed.needing_restart(&running).is_empty());
    assert_eq!(Sources::new().needing_restart(&running), ["map.cities"]);
    let both = listed.flag("map.origin", "8,53").flag("map.pois", "pois.csv");
    assert_eq!(error(&both).lines().count(), 2, "both contradict several cities");
}
