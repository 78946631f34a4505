//! The list of settings: name, what it is for, its default as written, and how it is read.

use super::parse::{
    Expected, address, constraint, lon_lat, metres, one_of, path, seconds, snap, whole,
};
use super::{Config, LogFormat, TlsFiles};
use crate::service::RemoteSettings;
use meshcloak::cells::CellRule;
use meshcloak::guarantee::Guarantee;
use meshcloak::mesh_cloak::RegionRule;
use std::path::PathBuf;

/// One setting.
#[derive(Debug)]
pub struct Setting {
    /// `section.name`.
    pub key: &'static str,
    /// What it is for.
    pub about: &'static str,
    /// Its default, as it is written in TOML.
    pub default: &'static str,
    /// Takes a value into a configuration, or says what was expected.
    pub(super) set: fn(&mut Config, &str) -> Result<(), Expected>,
}

impl Setting {
    /// The environment variable of the same meaning.
    pub fn variable(&self) -> String {
        format!("MESHCLOAK_{}", self.key.replace('.', "_").to_uppercase())
    }
}

/// Every setting, section by section.
pub fn settings() -> &'static [Setting] {
    SETTINGS
}

macro_rules! setting {
    ($key:literal, $default:literal, $about:literal, |$config:ident, $text:ident| $set:expr) => {
        Setting {
            key: $key,
            about: $about,
            default: $default,
            set: |$config, $text| {
                $set;
                Ok(())
            },
        }
    };
}

const SETTINGS: &[Setting] = &[
    setting!("server.listen", "\"127.0.0.1:8080\"", "Where people are listened to.", |c, text| {
        c.server.listen = address(text)?;
    }),
    setting!(
        "server.metrics",
        "\"127.0.0.1:9464\"",
        "Where metrics are served, for the operator alone; \"\" is nowhere.",
        |c, text| { c.server.metrics = if text.is_empty() { None } else { Some(address(text)?) } }
    ),
    setting!(
        "server.tls_certificate",
        "\"\"",
        "Certificate chain, PEM; \"\" is no TLS. Read again on SIGHUP.",
        |c, text| tls(c).certificate = PathBuf::from(text)
    ),
    setting!("server.tls_key", "\"\"", "Private key of the certificate, PEM.", |c, text| {
        tls(c).key = PathBuf::from(text);
    }),
    setting!("server.connections", "10000", "Connections at once; more are closed.", |c, text| {
        c.server.connections = whole(text, 1..=1_000_000)?;
    }),
    setting!(
        "server.request_timeout",
        "10",
        "Seconds that the head of a request may take, and then its body.",
        |c, text| c.server.request_timeout = seconds(text, 0.1..=600.0)?
    ),
    setting!(
        "server.idle_timeout",
        "300",
        "Seconds after which a silent stream, or a client that takes nothing, is let go.",
        |c, text| c.server.idle_timeout = seconds(text, 1.0..=86_400.0)?
    ),
    setting!(
        "map.source",
        "\"city\"",
        "The map: a file of any format that `meshcloak map` reads, or the built-in city.",
        |c, text| {
            c.map.source = text.parse().map_err(|_| "a map, as in porto.osm.pbf or city:7000:1")?;
        }
    ),
    setting!("map.pois", "\"\"", "Further points of interest, CSV; \"\" is none.", |c, text| {
        c.map.pois = path(text);
    }),
    setting!(
        "map.origin",
        "\"\"",
        "LON,LAT of the zero of a map in metres; \"\" if it has its own.",
        |c, text| c.map.origin = lon_lat(text)?
    ),
    setting!(
        "map.snap",
        "50",
        "Metres from a street at which one is off the map; 0 is nowhere.",
        |c, text| c.map.snap = snap(text)?
    ),
    setting!("engine.tick", "1", "Seconds between two batches.", |c, text| {
        c.engine.tick = seconds(text, 0.1..=60.0)?;
    }),
    setting!(
        "engine.guarantee",
        "\"reciprocal\"",
        "What is promised: reciprocal, history, or (in the demo alone) paper.",
        |c, text| {
            c.engine.guarantee = one_of(
                text,
                &[
                    ("reciprocal", Guarantee::Reciprocal),
                    ("history", Guarantee::History),
                    ("paper", Guarantee::Paper),
                ],
            )?;
        }
    ),
    setting!(
        "engine.region",
        "\"reach\"",
        "What the service is asked about: reach (streets members can reach) or cells (fixed ones).",
        |c, text| {
            let cells = RegionRule::Cells(CellRule::default());
            c.engine.region = one_of(text, &[("reach", RegionRule::default()), ("cells", cells)])?;
        }
    ),
    setting!(
        "engine.horizon",
        "600",
        "Seconds for which `history` minds where people were.",
        |c, text| c.engine.horizon = seconds(text, 1.0..=86_400.0)?
    ),
    setting!(
        "engine.dc_max",
        "2000",
        "Metres up to which distances on the map are prepared.",
        |c, text| c.engine.dc_max = constraint(text)?
    ),
    setting!(
        "engine.queue",
        "200000",
        "Queries under way at once; more are told to come back.",
        |c, text| c.engine.queue = whole(text, 1..=10_000_000)?
    ),
    setting!("limits.rate", "1000", "Queries per second of an account.", |c, text| {
        c.limits.rate = whole(text, 1..=10_000_000)?;
    }),
    setting!("limits.person_rate", "60", "Queries per minute of one person.", |c, text| {
        c.limits.person_rate = whole(text, 1..=60_000)?;
    }),
    setting!("limits.k_max", "50", "The largest k.", |c, text| {
        c.limits.k_max = whole(text, 2..=100_000)?;
    }),
    setting!("limits.dt_max", "60", "The longest patience, in seconds.", |c, text| {
        c.limits.dt_max = seconds(text, 0.0..=3600.0)?;
    }),
    setting!(
        "limits.dc_min",
        "50",
        "The smallest distance constraint, in metres: a tiny one is a presence detector.",
        |c, text| c.limits.dc_min = constraint(text)?
    ),
    setting!("limits.dc_max", "2000", "The largest distance constraint, in metres.", |c, text| {
        c.limits.dc_max = constraint(text)?;
    }),
    setting!(
        "accounts.keys",
        "\"keys.json\"",
        "Where `meshcloak keys` keeps the keys, hashed. Read again on SIGHUP.",
        |c, text| c.keys = path(text)
    ),
    setting!(
        "results.keep",
        "60",
        "Seconds for which a ticket that is repeated gets its result again.",
        |c, text| c.results.keep = seconds(text, 1.0..=3600.0)?
    ),
    setting!("results.most", "100000", "Results kept of one account at most.", |c, text| {
        c.results.max_count = whole(text, 1..=100_000_000)?;
    }),
    setting!("results.megabytes", "256", "Of results, kept of one account at most.", |c, text| {
        c.results.max_bytes = whole::<usize>(text, 1..=1_000_000)? << 20;
    }),
    setting!(
        "people.file",
        "\"\"",
        "Where people's settings and tokens are kept, for the owner alone; \"\" is in memory.",
        |c, text| c.people.file = path(text)
    ),
    setting!("people.most", "100000", "People who can have settings.", |c, text| {
        c.people.max_count = whole(text, 0..=10_000_000)?;
    }),
    setting!(
        "people.blur",
        "200",
        "Metres by which the edge of a person's place is moved, another way every day.",
        |c, text| c.people.blur = metres(text, 0.0..=5_000.0)?
    ),
    setting!(
        "people.skew",
        "30",
        "Seconds by which a phone's clock may be off; beyond, the time of arrival counts.",
        |c, text| c.people.skew = seconds(text, 0.0..=3600.0)?
    ),
    setting!(
        "service.source",
        "\"built-in\"",
        "Who answers: \"built-in\" (the map's own points of interest), postgresql://…, or a file of settings as in examples/services.",
        |c, text| {
            let known = text == "built-in"
                || text.starts_with("postgresql://")
                || text.starts_with("postgres://")
                || RemoteSettings::is_name(text);
            let expected = "built-in, an address that begins with postgresql://, or a file.toml";
            known.then_some(()).ok_or(expected)?;
            c.service.source = text.to_owned();
        }
    ),
    setting!(
        "service.table",
        "\"meshcloak_pois\"",
        "The table of its objects, if it is a database; `meshcloak pois load` makes one.",
        |c, text| c.service.table = text.parse().map_err(|_| "a table, as in pois or city.pois")?
    ),
    setting!(
        "service.tls_roots",
        "\"\"",
        "Certificates, PEM, from which that of the database must descend; \"\" is no TLS to it.",
        |c, text| c.service.tls_roots = path(text)
    ),
    setting!(
        "service.off_street",
        "200",
        "Metres from its street at which an object of a database is on none, and found in the plane alone.",
        |c, text| c.service.off_street = metres(text, 0.0..=10_000.0)?
    ),
    setting!("service.timeout", "2", "Seconds that the service may take.", |c, text| {
        c.service.timeout = seconds(text, 0.05..=60.0)?;
    }),
    setting!("service.concurrency", "32", "Requests to the service at once.", |c, text| {
        c.service.concurrency = whole(text, 1..=10_000)?;
    }),
    setting!("log.format", "\"text\"", "text or json.", |c, text| {
        c.log.format = one_of(text, &[("text", LogFormat::Text), ("json", LogFormat::Json)])?;
    }),
    setting!("log.level", "\"info\"", "error, warn, info, debug or trace.", |c, text| {
        use tracing::Level;
        c.log.level = one_of(
            text,
            &[
                ("error", Level::ERROR),
                ("warn", Level::WARN),
                ("info", Level::INFO),
                ("debug", Level::DEBUG),
                ("trace", Level::TRACE),
            ],
        )?;
    }),
];

fn tls(config: &mut Config) -> &mut TlsFiles {
    config.server.tls.get_or_insert_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_setting_has_a_name_of_its_own() {
        let mut names: Vec<String> = SETTINGS.iter().map(Setting::variable).collect();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), SETTINGS.len());
    }
}
