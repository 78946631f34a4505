//! Limits of the process: open files, core dumps, swap, user.

use super::Finding;
use crate::config::Config;
use rustix::process::{Resource, geteuid, getrlimit};
use std::fs;

/// Files that the gateway opens beside those of clients.
const OTHER_FILES: u64 = 100;

pub(super) fn examine(config: &Config) -> Vec<Finding> {
    let facts = ProcessFacts {
        files: getrlimit(Resource::Nofile).maximum.unwrap_or(u64::MAX),
        core_bytes: getrlimit(Resource::Core).current.unwrap_or(u64::MAX),
        has_swap: fs::read_to_string("/proc/swaps").is_ok_and(|text| text.lines().count() > 1),
        may_swap: swap_limit() != Some(0),
        is_root: geteuid().is_root(),
    };
    facts.judge(config.server.connections as u64)
}

/// Limits of this process.
#[derive(Clone, Copy, Debug)]
struct ProcessFacts {
    /// Largest number of open files.
    files: u64,
    /// Largest core dump.
    core_bytes: u64,
    /// Whether the machine has swap space.
    has_swap: bool,
    /// Whether this process may be swapped out.
    may_swap: bool,
    is_root: bool,
}

impl ProcessFacts {
    fn judge(self, connections: u64) -> Vec<Finding> {
        let mut findings = Vec::new();
        if self.files < connections.saturating_add(OTHER_FILES) {
            let message = format!(
                "{} open files are too few for `server.connections` = {connections}",
                self.files
            );
            let advice = "raise `LimitNOFILE` of the unit or `ulimit -n`, or lower the setting";
            findings.push(Finding::warning("limits", message, advice));
        }
        if self.core_bytes > 0 {
            let message = "a crash may write a core dump, which holds positions of users";
            let advice = "set `LimitCORE=0` in the unit, or `ulimit -c 0`";
            findings.push(Finding::warning("limits", message, advice));
        }
        if self.has_swap && self.may_swap {
            let message = "the machine may write memory with positions of users to its swap space";
            let advice = "set `MemorySwapMax=0` in the unit, or `swapoff -a`";
            findings.push(Finding::warning("limits", message, advice));
        }
        if self.is_root {
            let advice = "run it as a user of its own; `dist/meshcloak.service` does";
            findings.push(Finding::warning("limits", "this is the user root", advice));
        }
        if findings.is_empty() {
            findings.push(Finding::ok("limits", "open files, core dumps and swap are in order"));
        }
        findings
    }
}

/// Returns the swap that the control group allows; `None` without a limit.
fn swap_limit() -> Option<u64> {
    let group = fs::read_to_string("/proc/self/cgroup").ok()?;
    let path = group.lines().find_map(|line| line.strip_prefix("0::"))?;
    let limit = fs::read_to_string(format!("/sys/fs/cgroup{path}/memory.swap.max")).ok()?;
    limit.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::Severity;

    const GOOD: ProcessFacts = ProcessFacts {
        files: 65_536,
        core_bytes: 0,
        has_swap: true,
        may_swap: false,
        is_root: false,
    };

    #[test]
    fn each_limit_has_its_own_warning() {
        assert_eq!(GOOD.judge(10_000)[0].severity, Severity::Ok);
        for (facts, word) in [
            (ProcessFacts { files: 10_099, ..GOOD }, "10099 open files"),
            (ProcessFacts { core_bytes: 1, ..GOOD }, "core dump"),
            (ProcessFacts { may_swap: true, ..GOOD }, "swap"),
            (ProcessFacts { is_root: true, ..GOOD }, "root"),
        ] {
            let [finding] = &facts.judge(10_000)[..] else { panic!("one finding") };
            assert_eq!(finding.severity, Severity::Warning);
            assert!(finding.message.contains(word), "{finding:?}");
        }
        assert_eq!(ProcessFacts { files: 10_100, ..GOOD }.judge(10_000)[0].severity, Severity::Ok);
    }
}
