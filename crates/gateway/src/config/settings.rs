//! The list of settings: key, explanation, default, and parser.

use super::parse::{address, constraint, lon_lat, metres, one_of, path, seconds, snap, whole};
use super::setting::Setting;
use super::{AfterStart, Config, LogFormat, PageAddress, TlsFiles};
use crate::receipt::guarantee_name;
use crate::service::RemoteSettings;
use meshcloak::cells::CellRule;
use meshcloak::guarantee::Guarantee;
use meshcloak::mesh_cloak::RegionRule;
use meshcloak::units::Speed;
use std::path::PathBuf;

/// Returns all settings, grouped by section.
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
    setting!(
        "server.listen",
        "\"127.0.0.1:8080\"",
        "Address of the client API, host:port.",
        |c, text| c.server.listen = address(text)?
    ),
    setting!(
        "server.metrics",
        "\"127.0.0.1:9464\"",
        "Address of the operator's socket (metrics), host:port; \"\" disables it.",
        |c, text| { c.server.metrics = if text.is_empty() { None } else { Some(address(text)?) } }
    ),
    setting!(
        "server.page",
        "\"metrics\"",
        "Address of the operator's page, host:port, or metrics for the socket of the metrics; \"\" disables it.",
        |c, text| {
            c.server.page = match text {
                "" => PageAddress::Disabled,
                "metrics" => PageAddress::WithMetrics,
                _ => PageAddress::At(address(text)?),
            }
        }
    ),
    setting!(
        "server.page_token",
        "\"\"",
        "File of the token that opens the operator's page; \"\" needs none, on loopback only.",
        |c, text| c.server.page_token = path(text)
    ),
    setting!(
        "server.hosts",
        "\"\"",
        "Host names of the operator's sockets, separated by commas; localhost and IP addresses are always accepted.",
        |c, text| {
            let names = text.split(',').map(str::trim).filter(|name| !name.is_empty());
            c.server.hosts = names.map(str::to_owned).collect();
        }
    ),
    setting!(
        "server.insecure",
        "false",
        "Whether sockets off loopback may be without TLS: true or false.",
        |c, text| c.server.insecure = one_of(text, &[("true", true), ("false", false)])?
    ),
    setting!(
        "server.tls_certificate",
        "\"\"",
        "File of the TLS certificate chain, PEM; \"\" disables TLS. Reloaded on SIGHUP.",
        |c, text| tls(c).certificate = PathBuf::from(text)
    ),
    setting!(
        "server.tls_key",
        "\"\"",
        "File of the private key of the certificate, PEM. Reloaded on SIGHUP.",
        |c, text| tls(c).key = PathBuf::from(text)
    ),
    setting!(
        "server.connections",
        "10000",
        "Largest number of open client connections, 1 to 1000000; further ones are closed.",
        |c, text| c.server.connections = whole(text, 1..=1_000_000)?
    ),
    setting!(
        "server.connections_per_address",
        "1000",
        "Largest number of open connections of one address (IPv6: one /64), 1 to 1000000; loopback is not limited.",
        |c, text| c.server.connections_per_address = whole(text, 1..=1_000_000)?
    ),
    setting!(
        "server.request_timeout",
        "10",
        "Time-out of a request head, and then of its body, in seconds, 0.1 to 600.",
        |c, text| c.server.request_timeout = seconds(text, 0.1..=600.0)?
    ),
    setting!(
        "server.idle_timeout",
        "300",
        "Seconds until an idle stream, or a client that reads nothing, is disconnected, 1 to 86400.",
        |c, text| c.server.idle_timeout = seconds(text, 1.0..=86_400.0)?
    ),
    setting!(
        "map.source",
        "\"city\"",
        "Street map: a file that `meshcloak map` reads, or the built-in city (city:STREETS:SEED).",
        |c, text| {
            c.map.source = text.parse().map_err(|_| "a map, as in porto.osm.pbf or city:7000:1")?;
        }
    ),
    setting!(
        "map.pois",
        "\"\"",
        "File of additional points of interest, CSV; \"\" adds none.",
        |c, text| c.map.pois = path(text)
    ),
    setting!(
        "map.origin",
        "\"\"",
        "LON,LAT of the origin of a map in metres, in degrees; \"\" if the map has lon/lat.",
        |c, text| c.map.origin = lon_lat(text)?
    ),
    setting!(
        "map.snap",
        "50",
        "Largest snapping distance to a street in metres, 0 to 1000000; 0 disables the limit.",
        |c, text| c.map.snap = snap(text)?
    ),
    setting!("engine.tick", "1", "Time between two batches in seconds, 0.1 to 60.", |c, text| {
        c.engine.tick = seconds(text, 0.1..=60.0)?;
    }),
    setting!(
        "engine.guarantee",
        "\"reciprocal\"",
        "Privacy guarantee: reciprocal, history, or paper (demo only).",
        |c, text| {
            let values = [Guarantee::Reciprocal, Guarantee::History, Guarantee::Paper];
            let words = values.map(|guarantee| (guarantee_name(guarantee), guarantee));
            c.engine.guarantee = one_of(text, &words)?;
        }
    ),
    setting!(
        "engine.region",
        "\"reach\"",
        "Region sent to the service: reach (streets that members can reach) or cells (fixed cells).",
        |c, text| {
            let cells = RegionRule::Cells(CellRule::default());
            c.engine.region = one_of(text, &[("reach", RegionRule::default()), ("cells", cells)])?;
        }
    ),
    setting!(
        "engine.horizon",
        "600",
        "How long the history guarantee remembers a user's last position, in seconds, 1 to 86400.",
        |c, text| c.engine.horizon = seconds(text, 1.0..=86_400.0)?
    ),
    setting!(
        "engine.after_start",
        "\"refuse\"",
        "Under history after a start, users served before are refused for one horizon (refuse) or treated as new (new).",
        |c, text| {
            let words = [("refuse", AfterStart::Refuse), ("new", AfterStart::New)];
            c.engine.after_start = one_of(text, &words)?;
        }
    ),
    setting!(
        "engine.record",
        "\"served.record\"",
        "File of hashes of the users served under history; \"\" stores none, and all users are refused after a start.",
        |c, text| c.engine.record = path(text)
    ),
    setting!(
        "engine.dc_max",
        "2000",
        "Range of the prepared distance tables in metres, above 0; limits.dc_max cannot exceed it.",
        |c, text| c.engine.dc_max = constraint(text)?
    ),
    setting!(
        "engine.across_accounts",
        "false",
        "Whether every k is also met without the users of any one other account: true or false.",
        |c, text| c.engine.across_accounts = one_of(text, &[("true", true), ("false", false)])?
    ),
    setting!(
        "engine.queue",
        "200000",
        "Largest number of queries in progress, 1 to 10000000; further ones are refused as busy.",
        |c, text| c.engine.queue = whole(text, 1..=10_000_000)?
    ),
    setting!("limits.rate", "1000", "Queries per second and account, 1 to 10000000.", |c, text| {
        c.limits.rate = whole(text, 1..=10_000_000)?;
    }),
    setting!("limits.person_rate", "60", "Queries per minute and user, 1 to 60000.", |c, text| {
        c.limits.person_rate = whole(text, 1..=60_000)?;
    }),
    setting!(
        "limits.people",
        "10000",
        "Distinct users of an account within an hour, 1 to 100000000; k counts users.",
        |c, text| c.limits.users = whole(text, 1..=100_000_000)?
    ),
    setting!(
        "limits.connections",
        "5000",
        "Open streams, WebSockets and waiting requests of an account, 1 to 1000000.",
        |c, text| c.limits.connections = whole(text, 1..=1_000_000)?
    ),
    setting!("limits.k_max", "50", "Largest k of a query, 2 to 100000.", |c, text| {
        c.limits.k_max = whole(text, 2..=100_000)?;
    }),
    setting!(
        "limits.dt_max",
        "60",
        "Largest temporal tolerance dt of a query in seconds, 0 to 3600.",
        |c, text| c.limits.dt_max = seconds(text, 0.0..=3600.0)?
    ),
    setting!(
        "limits.dc_min",
        "50",
        "Smallest distance constraint dc of a query in metres; a tiny dc with k = 2 detects presence.",
        |c, text| c.limits.dc_min = constraint(text)?
    ),
    setting!(
        "limits.dc_max",
        "2000",
        "Largest distance constraint dc of a query in metres, at most engine.dc_max.",
        |c, text| c.limits.dc_max = constraint(text)?
    ),
    setting!(
        "limits.speed_max",
        "70",
        "Largest declared speed of a query in metres per second, 1 to 1000.",
        |c, text| c.limits.speed_max = Speed::metres_per_second(metres(text, 1.0..=1000.0)?)
    ),
    setting!(
        "limits.person_queue",
        "64",
        "Largest number of queries in progress per user, 1 to 10000; further ones are refused.",
        |c, text| c.limits.person_queue = whole(text, 1..=10_000)?
    ),
    setting!(
        "limits.answer_objects",
        "1000",
        "Largest number of objects of an answer, the nearest ones, 1 to 100000.",
        |c, text| c.answers.max_objects = whole(text, 1..=100_000)?
    ),
    setting!(
        "limits.answer_kb",
        "256",
        "Largest size of the objects of an answer in kB, the nearest ones, 1 to 16384.",
        |c, text| c.answers.max_bytes = whole::<usize>(text, 1..=16_384)? << 10
    ),
    setting!(
        "limits.unread_mb",
        "256",
        "Largest size of the results in all streams and sockets that are not read, MB, 1 to 1000000.",
        |c, text| c.answers.max_unread = whole::<usize>(text, 1..=1_000_000)? << 20
    ),
    setting!(
        "accounts.keys",
        "\"keys.json\"",
        "File of accounts and hashed keys, written by `meshcloak keys`. Reloaded on SIGHUP.",
        |c, text| c.keys = path(text)
    ),
    setting!(
        "results.keep",
        "60",
        "How long a repeated ticket gets the stored result, in seconds, 1 to 3600.",
        |c, text| c.results.keep = seconds(text, 1.0..=3600.0)?
    ),
    setting!(
        "results.most",
        "100000",
        "Largest number of stored results per account, 1 to 100000000.",
        |c, text| c.results.max_count = whole(text, 1..=100_000_000)?
    ),
    setting!(
        "results.megabytes",
        "256",
        "Largest size of the stored results per account in MB, 1 to 1000000.",
        |c, text| c.results.max_bytes = whole::<usize>(text, 1..=1_000_000)? << 20
    ),
    setting!(
        "people.file",
        "\"\"",
        "File of user settings and tokens, readable by its owner only; \"\" keeps them in memory.",
        |c, text| c.users.file = path(text)
    ),
    setting!(
        "people.most",
        "100000",
        "Largest number of users with settings, 0 to 10000000.",
        |c, text| c.users.max_count = whole(text, 0..=10_000_000)?
    ),
    setting!(
        "people.blur",
        "200",
        "Largest random shift of a zone's boundary in metres, 0 to 5000; changes daily.",
        |c, text| c.users.blur = metres(text, 0.0..=5_000.0)?
    ),
    setting!(
        "people.skew",
        "30",
        "Accepted clock error of a phone in seconds, 0 to 3600; beyond it the time of arrival counts.",
        |c, text| c.users.skew = seconds(text, 0.0..=3600.0)?
    ),
    setting!(
        "service.source",
        "\"built-in\"",
        "Location service: built-in (the map's points of interest), postgresql://…, or a TOML file as in examples/services.",
        |c, text| {
            let known = text == "built-in"
                || text.starts_with("postgresql://")
                || text.starts_with("postgres://")
                || RemoteSettings::is_name(text);
            let expected = "built-in, postgresql://…, a file.toml, or PROTOCOL+URL with protocol \
                            overpass, ogc-features or webhook";
            known.then_some(()).ok_or(expected)?;
            c.service.source = text.to_owned();
        }
    ),
    setting!(
        "service.table",
        "\"meshcloak_pois\"",
        "Table of objects in the database; `meshcloak pois load` creates it.",
        |c, text| c.service.table = text.parse().map_err(|_| "a table, as in pois or city.pois")?
    ),
    setting!(
        "service.tls_roots",
        "\"\"",
        "File of root certificates for the database connection, PEM; \"\" disables its TLS.",
        |c, text| c.service.tls_roots = path(text)
    ),
    setting!(
        "service.off_street",
        "200",
        "Largest distance of a database object from its street in metres, 0 to 10000; farther ones are found in the plane only.",
        |c, text| c.service.off_street = metres(text, 0.0..=10_000.0)?
    ),
    setting!(
        "service.timeout",
        "2",
        "Time-out of a request in seconds from when it is sent, retries included, 0.05 to 60.",
        |c, text| c.service.timeout = seconds(text, 0.05..=60.0)?
    ),
    setting!(
        "service.concurrency",
        "32",
        "Largest number of concurrent requests to the service, 1 to 10000.",
        |c, text| c.service.concurrency = whole(text, 1..=10_000)?
    ),
    setting!(
        "service.wait",
        "10",
        "Longest wait of a request for service.concurrency in seconds, 0.1 to 600; queries are refused as busy if half of it is expected.",
        |c, text| c.service.wait = seconds(text, 0.1..=600.0)?
    ),
    setting!(
        "service.held_megabytes",
        "512",
        "Largest size of service answers held until their sets are complete, in MB, 1 to 1000000; further ones fail.",
        |c, text| c.service.max_held = whole::<usize>(text, 1..=1_000_000)? << 20
    ),
    setting!("log.format", "\"text\"", "Log format: text or json.", |c, text| {
        c.log.format = one_of(text, &[("text", LogFormat::Text), ("json", LogFormat::Json)])?;
    }),
    setting!(
        "log.level",
        "\"info\"",
        "Log level: error, warn, info, debug or trace.",
        |c, text| {
            use tracing::Level;
            let levels = [Level::ERROR, Level::WARN, Level::INFO, Level::DEBUG, Level::TRACE];
            let names = ["error", "warn", "info", "debug", "trace"];
            let words: Vec<(&str, Level)> = names.into_iter().zip(levels).collect();
            c.log.level = one_of(text, &words)?;
        }
    ),
];

fn tls(config: &mut Config) -> &mut TlsFiles {
    config.server.tls.get_or_insert_default()
}
