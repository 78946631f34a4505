//! Memory: that of the maps as read, and the bounds of everything else, against what the machine has.

use super::Finding;
use crate::config::{Config, Mode};
use crate::gateway::read_keys;
use std::fs;

/// Memory of one query in progress, in bytes: its place in the engine, its ticket and its question.
const BYTES_PER_QUERY: u64 = 1 << 10;

const MEGABYTE: u64 = 1 << 20;

/// Compares the memory in use after the maps were read, and the bounds of the settings, with the
/// memory of the machine or control group.
pub(super) fn examine(config: &Config, mode: Mode) -> Vec<Finding> {
    let accounts = read_keys(config, mode).map_or(0, |file| file.accounts.len() as u64);
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let machine = fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let facts = MemoryFacts {
        maps: kilobytes(&status, "VmRSS:").unwrap_or(0),
        total: [kilobytes(&machine, "MemTotal:"), group_limit()].into_iter().flatten().min(),
    };
    vec![facts.judge(&Bounds::of(config, accounts))]
}

/// Memory of process and machine, in bytes.
#[derive(Clone, Copy, Debug)]
struct MemoryFacts {
    /// Memory of this process, after it has read the maps.
    maps: u64,
    /// Memory of the machine, or of the control group if that is less.
    total: Option<u64>,
}

/// Largest memory that settings permit, in bytes, with the setting.
#[derive(Debug)]
struct Bounds([(&'static str, u64); 4]);

impl Bounds {
    fn of(config: &Config, accounts: u64) -> Bounds {
        let results = (config.results.max_bytes as u64).saturating_mul(accounts.max(1));
        Bounds([
            ("engine.queue", (config.engine.queue as u64).saturating_mul(BYTES_PER_QUERY)),
            ("service.held_megabytes", config.service.max_held as u64),
            ("limits.unread_mb", config.answers.max_unread as u64),
            ("results.megabytes", results),
        ])
    }
}

impl MemoryFacts {
    fn judge(self, Bounds(bounds): &Bounds) -> Finding {
        let others = bounds.iter().fold(0_u64, |sum, (_, bytes)| sum.saturating_add(*bytes));
        let needed = self.maps.saturating_add(others);
        let parts: Vec<String> =
            bounds.iter().map(|(key, bytes)| format!("`{key}` {}", bytes / MEGABYTE)).collect();
        let message = format!(
            "at most {} MB: the maps {}, {}",
            needed / MEGABYTE,
            self.maps / MEGABYTE,
            parts.join(", ")
        );
        let Some(total) = self.total else {
            let advice = "compare it with the memory of the machine";
            return Finding::warning("memory", message, advice);
        };
        let message = format!("{message}, of {} MB", total / MEGABYTE);
        if self.maps > (total / 10).saturating_mul(9) {
            let advice =
                "use a machine with more memory, a smaller map, or a smaller `engine.dc_max`";
            return Finding::problem("memory", message, advice);
        }
        if needed > total {
            let largest = bounds.iter().max_by_key(|(_, bytes)| *bytes).map_or("", |(key, _)| *key);
            let advice = format!("lower `{largest}`: under attack its whole bound can be used");
            return Finding::warning("memory", message, advice);
        }
        Finding::ok("memory", message)
    }
}

/// Reads a line of /proc in kB.
fn kilobytes(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse::<u64>().ok()?.checked_mul(1024)
}

/// Returns the memory that the control group allows; `None` without a limit.
fn group_limit() -> Option<u64> {
    let group = fs::read_to_string("/proc/self/cgroup").ok()?;
    let path = group.lines().find_map(|line| line.strip_prefix("0::"))?;
    fs::read_to_string(format!("/sys/fs/cgroup{path}/memory.max")).ok()?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::Severity;

    #[test]
    fn memory_is_judged_by_maps_and_bounds() {
        let bounds = Bounds::of(&Config::default(), 2);
        let bound: u64 = bounds.0.iter().map(|(_, bytes)| bytes).sum();
        let judge = |maps, total| MemoryFacts { maps, total }.judge(&bounds);
        let maps = 100 * MEGABYTE;
        assert_eq!(judge(maps, Some(maps + bound)).severity, Severity::Ok);
        let tight = judge(maps, Some(maps + bound - 1));
        assert_eq!(tight.severity, Severity::Warning);
        assert!(tight.advice.contains("`"), "{tight:?}");
        assert_eq!(judge(maps, Some(maps + 1)).severity, Severity::Problem);
        assert_eq!(judge(maps, None).severity, Severity::Warning);
    }

    #[test]
    fn results_are_bounded_per_account() {
        let config = Config::default();
        let of = |accounts| Bounds::of(&config, accounts).0[3].1;
        assert_eq!(of(3), 3 * of(1));
    }

    #[test]
    fn lines_of_proc_are_read_in_kilobytes() {
        assert_eq!(kilobytes("A: 1 kB\nVmRSS:\t  17 kB\n", "VmRSS:"), Some(17 * 1024));
        assert_eq!(kilobytes("VmRSS: x", "VmRSS:"), None);
    }
}
