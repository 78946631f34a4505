//! The wall clock, which is compared with the clocks of phones and with the validity of certificates.

use super::Finding;
use crate::config::Config;
use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

/// File that systemd-timesyncd creates when it has set the clock.
const SYNCHRONISED: &str = "/run/systemd/timesync/synchronized";

/// Program that sets the clock, by the file of its process.
const CHRONY: &str = "/run/chrony/chronyd.pid";

/// Error of a clock that is tolerated.
const TOLERANCE: Duration = Duration::from_secs(60);

pub(super) fn examine(config: &Config) -> Vec<Finding> {
    let written = [config.keys.as_deref(), config.users.file.as_deref()];
    let written = written.into_iter().flatten().filter_map(modified).max();
    let is_synchronised = [SYNCHRONISED, CHRONY].iter().any(|path| Path::new(path).exists());
    vec![judge(SystemTime::now(), written, is_synchronised)]
}

fn modified(path: &Path) -> Option<SystemTime> {
    fs::metadata(path).ok()?.modified().ok()
}

/// Judges the clock by the last change of the gateway's files and by what sets it.
fn judge(now: SystemTime, written: Option<SystemTime>, is_synchronised: bool) -> Finding {
    let ahead = written.and_then(|written| written.duration_since(now).ok());
    if let Some(ahead) = ahead.filter(|ahead| *ahead > TOLERANCE) {
        let message = format!("the clock is at least {} s behind a file", ahead.as_secs());
        return Finding::problem("clock", message, "set the clock: `timedatectl set-ntp true`");
    }
    if !is_synchronised {
        return Finding::warning(
            "clock",
            "nothing shows that the clock is synchronised; reports of phones are dated by it",
            "`timedatectl` must say `System clock synchronized: yes`; in a container check the host",
        );
    }
    Finding::ok("clock", "the clock is synchronised")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::Severity;

    #[test]
    fn a_clock_behind_its_files_or_not_synchronised_is_reported() {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000);
        let file = |seconds| Some(now + Duration::from_secs(seconds));
        assert_eq!(judge(now, file(61), true).severity, Severity::Problem);
        assert_eq!(judge(now, file(60), true).severity, Severity::Ok);
        assert_eq!(judge(now, None, true).severity, Severity::Ok);
        assert_eq!(judge(now, None, false).severity, Severity::Warning);
    }
}
