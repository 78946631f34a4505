//! `meshcloak doctor`: examines everything that a gateway with these settings depends on, changes
//! nothing, and says what to do. One file per topic; each judges facts that are gathered apart from
//! it, so that every finding has a test.

mod app;
mod certificate;
mod clock;
mod files;
mod finding;
mod limits;
mod maps;
mod memory;
mod memory_bounds;
mod service;
mod sockets;

pub use finding::{Finding, Severity};

use crate::config::{Config, Mode, Role};
use import::Progress;

/// Examines a configuration. Reads all maps and asks the service for its categories and for objects
/// near the middle of each map.
pub async fn examine(config: &Config, mode: Mode, progress: &dyn Progress) -> Vec<Finding> {
    // An engine of a cluster has no clients and no service.
    let has_clients = config.cluster.role != Role::Engine;
    let mut findings = sockets::examine(config, has_clients);
    if has_clients {
        findings.extend(files::examine(config, mode));
        findings.extend(certificate::examine(config));
        findings.extend(app::examine(config));
    }
    findings.extend(clock::examine(config));
    findings.extend(limits::examine(config));
    let (maps, mut found) = maps::examine(config, progress);
    if has_clients {
        for map in &maps {
            found.extend(service::examine(config, map).await);
        }
    }
    findings.extend(found);
    findings.extend(memory::examine(config, mode, &maps));
    findings
}
