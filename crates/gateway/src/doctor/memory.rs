//! Memory: that of the maps as read, and the bounds of everything that grows, against what the machine
//! has.

use super::Finding;
use super::maps::ExaminedMap;
use super::memory_bounds::{MemoryBound, MemoryPlan};
use crate::config::{Config, Mode};
use crate::gateway::read_keys;
use std::fs;

const MEGABYTE: u64 = 1 << 20;

/// Compares the memory in use after the maps were read, and the bounds of what grows, with the memory
/// of the machine or control group.
pub(super) fn examine(config: &Config, mode: Mode, maps: &[ExaminedMap]) -> Vec<Finding> {
    let keys = read_keys(config, mode).unwrap_or_default();
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let machine = fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let plan = MemoryPlan::new(config, &keys, maps);
    let facts = MemoryFacts {
        process: kilobytes(&status, "VmRSS:").unwrap_or(0),
        of_maps: plan.of_maps(),
        of_load: plan.of_load(),
        total: [kilobytes(&machine, "MemTotal:"), group_limit()].into_iter().flatten().min(),
    };
    vec![facts.judge()]
}

/// Memory of process and machine, in bytes.
#[derive(Clone, Debug)]
struct MemoryFacts {
    /// Memory of this process, after it has read the maps.
    process: u64,
    /// What grows with the streets in use.
    of_maps: Vec<MemoryBound>,
    /// What grows with queries and clients.
    of_load: Vec<MemoryBound>,
    /// Memory of the machine, or of the control group if that is less.
    total: Option<u64>,
}

impl MemoryFacts {
    fn judge(&self) -> Finding {
        let sum = |bounds: &[MemoryBound]| {
            bounds.iter().map(|bound| bound.bytes).fold(0, u64::saturating_add)
        };
        let maps = self.process.saturating_add(sum(&self.of_maps));
        let needed = maps.saturating_add(sum(&self.of_load));
        let message = self.describe(needed);
        let Some(total) = self.total else {
            let advice = "compare it with the memory of the machine";
            return Finding::warning("memory", message, advice);
        };
        let message = format!("{message}, of {} MB", total / MEGABYTE);
        if maps > (total / 10).saturating_mul(9) {
            let advice = largest(&self.of_maps).map_or("", |bound| bound.advice);
            let advice = format!("use a machine with more memory, or {advice}");
            return Finding::problem("memory", message, advice);
        }
        if needed > total {
            let largest = largest(&self.of_load).map_or("", |bound| bound.name);
            let advice = format!("lower {largest}: under attack its whole bound can be used");
            return Finding::warning("memory", message, advice);
        }
        Finding::ok("memory", message)
    }

    /// Lists the parts of the memory that is needed at most, in MB; those below one are left out.
    fn describe(&self, needed: u64) -> String {
        let bounds = self.of_maps.iter().chain(&self.of_load);
        let bounds = bounds.filter(|bound| bound.bytes >= MEGABYTE);
        let bounds = bounds.map(|bound| format!(", {} {}", bound.name, bound.bytes / MEGABYTE));
        let (needed, process) = (needed / MEGABYTE, self.process / MEGABYTE);
        format!("at most {needed} MB: maps as read {process}{}", bounds.collect::<String>())
    }
}

fn largest(bounds: &[MemoryBound]) -> Option<&MemoryBound> {
    bounds.iter().max_by_key(|bound| bound.bytes)
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
        let bound =
            |name, megabytes| MemoryBound { name, bytes: megabytes * MEGABYTE, advice: "lower it" };
        let mut facts = MemoryFacts {
            process: 100 * MEGABYTE,
            of_maps: vec![bound("distances", 700), bound("guard", 100)],
            of_load: vec![bound("`a`", 200), bound("`b`", 300), bound("`c`", 0)],
            total: None,
        };
        let unknown = facts.judge();
        assert_eq!(unknown.severity, Severity::Warning);
        let parts = "at most 1400 MB: maps as read 100, distances 700, guard 100, `a` 200, `b` 300";
        assert_eq!(unknown.message, parts);
        for (total, severity, advice) in [
            (1_400, Severity::Ok, ""),
            (1_399, Severity::Warning, "lower `b`"),
            (1_000, Severity::Warning, "lower `b`"),
            (999, Severity::Problem, "more memory, or lower it"),
        ] {
            facts.total = Some(total * MEGABYTE);
            let found = facts.judge();
            assert_eq!(found.severity, severity, "{total} {found:?}");
            assert!(found.advice.contains(advice), "{found:?}");
        }
    }

    #[test]
    fn lines_of_proc_are_read_in_kilobytes() {
        assert_eq!(kilobytes("A: 1 kB\nVmRSS:\t  17 kB\n", "VmRSS:"), Some(17 * 1024));
        assert_eq!(kilobytes("VmRSS: x", "VmRSS:"), None);
    }
}
