//! Where results come from: which program, which machine, which settings.

use std::fmt::Write as _;

/// What only the process knows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Program {
    /// Of the source it was built from.
    pub commit: String,
    /// The compiler.
    pub rustc: String,
    /// When it was started.
    pub date: String,
    /// What was typed.
    pub command: String,
}

/// The machine a run is on, as far as the system tells (Linux).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Machine {
    /// Model of the processor.
    pub cpu: String,
    /// How many threads it runs at once.
    pub cores: usize,
    /// Megabytes of memory.
    pub memory_mb: u64,
    /// Megabytes of it that nobody uses.
    pub free_mb: u64,
}

impl Machine {
    /// This one.
    pub fn here() -> Machine {
        let text = |path| std::fs::read_to_string(path).unwrap_or_default();
        let field = |text: &str, name: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix(name));
            line.map(|rest| rest.trim_start_matches([' ', '\t', ':']).trim().to_owned())
        };
        let memory = text("/proc/meminfo");
        let megabytes = |name| {
            let value = field(&memory, name)?;
            let kilobytes: u64 = value.strip_suffix("kB")?.trim().parse().ok()?;
            Some(kilobytes / 1024)
        };
        Machine {
            cpu: field(&text("/proc/cpuinfo"), "model name").unwrap_or("unknown".into()),
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            memory_mb: megabytes("MemTotal").unwrap_or(0),
            free_mb: megabytes("MemAvailable").unwrap_or(0),
        }
    }

    /// How many bytes the rows of streets of one map may take: a quarter of what is free, if that
    /// is known. Larger ones give way to rows of terminals, which are smaller and slower.
    pub fn most_row_bytes(&self) -> usize {
        match self.free_mb {
            0 => 1 << 30,
            megabytes => megabytes as usize * (1 << 20) / 4,
        }
    }
}

/// Everything that `provenance.toml` says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Provenance {
    /// The process.
    pub program: Program,
    /// The machine.
    pub machine: Machine,
    /// Of the experiment.
    pub title: String,
    /// Commits of the programs that ran the cells: more than one if results were carried over.
    pub commits: Vec<String>,
    /// How many cells there are.
    pub cells: usize,
    /// How many ran at once.
    pub jobs: usize,
    /// How many threads each of them had.
    pub threads: usize,
}

impl Provenance {
    /// As TOML.
    pub fn to_toml(&self) -> String {
        let Provenance { program, machine, title, commits, cells, jobs, threads } = self;
        let settings = crate::schemes::PAPER;
        let mut out = String::new();
        let mut line = |name: &str, value: String| {
            writeln!(out, "{name} = {value}").expect("a String takes any text");
        };
        line("title", quoted(title));
        line("commit", quoted(&program.commit));
        let commits: Vec<String> = commits.iter().map(|commit| quoted(commit)).collect();
        line("commits_of_cells", format!("[{}]", commits.join(", ")));
        line("date", quoted(&program.date));
        line("command", quoted(&program.command));
        line("rustc", quoted(&program.rustc));
        line("cells", cells.to_string());
        line("jobs", jobs.to_string());
        line("threads_of_each", threads.to_string());
        line("\n[machine]\ncpu", quoted(&machine.cpu));
        line("cores", machine.cores.to_string());
        line("memory_mb", machine.memory_mb.to_string());
        line("\n[settings]\nguarantee", quoted("paper"));
        line("coverage", quoted("own"));
        line("region", quoted("reach"));
        line("places", quoted("uniform"));
        line("budget", settings.budget.to_string());
        line("dc_max_m", crate::maps::DC_MAX.to_string());
        line("batch_s", "1".to_owned());
        out
    }
}

/// A text as TOML writes it: what JSON escapes, TOML reads, but for the solidus, which JSON need
/// not escape either.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string().replace('\u{7f}', "\\u007f")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn provenance_is_toml_whatever_it_holds() {
        let program = Program { command: "a \"b\" \\ \n\u{7f}".into(), ..Program::default() };
        let machine = Machine::here();
        let commits = vec!["a".into(), "b".into()];
        let provenance = Provenance { program, machine, commits, ..Provenance::default() };
        let table: toml::Table = toml::from_str(&provenance.to_toml()).unwrap();
        assert_eq!(table["command"].as_str(), Some("a \"b\" \\ \n\u{7f}"));
        assert_eq!(table["commits_of_cells"].as_array().map(Vec::len), Some(2));
        assert!(table["machine"]["cores"].as_integer() >= Some(1));
        assert_eq!(table["settings"]["region"].as_str(), Some("reach"));
    }
}
