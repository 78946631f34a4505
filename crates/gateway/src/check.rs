//! `serve --check`: opens everything that a start opens, changes nothing, and reports all problems.

use crate::city_map::CityMaps;
use crate::config::{Config, Mode, Role};
use crate::gateway::read_keys;
use crate::page::PageToken;
use crate::prepare::{PrepareError, open_service, read_walker};
use crate::private_file::with_suffix;
use crate::tls::Tls;
use crate::user_ids::UserSecret;
use crate::users::Users;
use crate::walk::Walker;
use import::Progress;
use meshcloak::guarantee::Guarantee;
use rustix::fs::{Access, access};
use std::fs::{File, OpenOptions};
use std::io::ErrorKind;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// Time-out of the service.
const SERVICE_TIMEOUT: Duration = Duration::from_secs(10);

/// Returns all problems that a start with this configuration would have. The connection to the
/// servers of a cluster is left to the caller.
pub async fn check(config: &Config, mode: Mode, progress: &dyn Progress) -> Vec<String> {
    // An engine of a cluster has no clients and no service.
    let has_clients = config.cluster.role != Role::Engine;
    let mut problems = check_sockets(config, has_clients);
    if has_clients {
        problems.extend(check_files(config, mode));
    }
    let mut maps = Vec::new();
    for city in config.map.cities() {
        match read_walker(config, &city, progress) {
            Err(error) => problems.push(error.to_string()),
            Ok(walker) => {
                if has_clients {
                    problems.extend(check_service(config, &walker).await);
                }
                maps.push((city.name, walker));
            }
        }
    }
    let users_file = config.users.file.as_deref().filter(|_| has_clients && !maps.is_empty());
    if let Some(path) = users_file {
        let users = Users::check(path, &CityMaps::new(maps, config.map.snap));
        problems.extend(users.err().map(|error| error.to_string()));
    }
    problems
}

/// Opens the service of a city and fetches its categories.
async fn check_service(config: &Config, walker: &Arc<Walker>) -> Option<String> {
    let service = match open_service(config, walker) {
        Err(error) => return Some(error.to_string()),
        Ok(service) => service,
    };
    let problem = match tokio::time::timeout(SERVICE_TIMEOUT, service.categories()).await {
        Ok(Ok(_)) => return None,
        Ok(Err(error)) => error.to_string(),
        Err(_) => "no answer within 10 s".into(),
    };
    Some(PrepareError::Service(problem).to_string())
}

fn check_files(config: &Config, mode: Mode) -> Vec<String> {
    let server = &config.server;
    let mut problems = Vec::new();
    problems.extend(read_keys(config, mode).err().map(|error| format!("`accounts.keys`: {error}")));
    let tls = server.tls.as_ref().and_then(|files| Tls::read(files).err());
    problems.extend(tls.map(|error| error.to_string()));
    let token = server.page_token.as_deref().and_then(|path| PageToken::read(path).err());
    problems.extend(token.map(|error| format!("`server.page_token`: {error}")));
    let secret = config.cluster.secret.as_deref().and_then(|path| UserSecret::read(path).err());
    problems.extend(secret.map(|error| format!("`cluster.secret`: {error}")));
    if let Some(path) = &config.users.file {
        problems.extend(check_writable("users.file", path));
    }
    if let Some(path) = config.engine.record.as_ref().filter(|_| records_users(config, mode)) {
        let files = [path.clone(), with_suffix(path, ".key"), with_suffix(path, ".old")];
        let problem = files.iter().find_map(|path| check_writable("engine.record", path));
        problems.extend(problem.or_else(|| check_readable("engine.record", files.iter())));
    }
    problems
}

/// Whether the gateway writes the record of served users.
pub(crate) fn records_users(config: &Config, mode: Mode) -> bool {
    let is_alone = config.cluster.servers.is_empty();
    mode == Mode::Guarded && is_alone && config.engine.guarantee == Guarantee::History
}

/// Checks that a file can be written or created, and that its folder can be written, since files are
/// replaced as a whole. Changes nothing.
pub(crate) fn check_writable(key: &str, path: &Path) -> Option<String> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let in_folder = access(folder.unwrap_or(Path::new(".")), Access::WRITE_OK | Access::EXEC_OK);
    let error = match OpenOptions::new().append(true).open(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => error,
        _ => in_folder.err()?.into(),
    };
    Some(format!("`{key}`: {}: cannot be written: {error}", path.display()))
}

/// Checks that the files that exist can be read.
fn check_readable<'a>(key: &str, mut paths: impl Iterator<Item = &'a PathBuf>) -> Option<String> {
    paths.find_map(|path| match File::open(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Some(format!("`{key}`: {}: cannot be read: {error}", path.display()))
        }
        _ => None,
    })
}

/// Checks that the addresses can be bound. A port in use is not a problem: a running gateway with
/// these settings uses it.
pub(crate) fn check_sockets(config: &Config, has_clients: bool) -> Vec<String> {
    let server = &config.server;
    let page = server.page_address();
    let sockets = [
        ("server.listen", Some(server.listen).filter(|_| has_clients)),
        ("server.metrics", server.metrics),
        ("server.page", page.filter(|page| has_clients && server.metrics != Some(*page))),
    ];
    let mut problems = Vec::new();
    let clients = server.listen;
    for (key, address) in &sockets[1..] {
        if has_clients && *address == Some(clients) && clients.port() != 0 {
            problems.push(format!("`{key}` = `{clients}` is the address of `server.listen`"));
        }
    }
    for (key, address) in sockets {
        let bound = address.map(|address| (address, TcpListener::bind(address)));
        if let Some((address, Err(error))) = bound
            && error.kind() != ErrorKind::AddrInUse
        {
            problems.push(format!("cannot listen on `{key}` = `{address}`: {error}"));
        }
    }
    problems
}
