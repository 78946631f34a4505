//! Provenance of results: program, machine and settings.

use crate::result_file::ResultFile;
use std::fmt::Write as _;
use std::path::Path;

/// The running program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Program {
    /// Commit of the source.
    pub commit: String,
    /// Version of the compiler.
    pub rustc: String,
    /// Start time.
    pub date: String,
    /// Command line ([`command_line`]).
    pub command: String,
}

/// Returns a command line as it is stored: the program by its file name, since the path by which it
/// was called is a property of the machine, then the arguments as they are.
pub fn command_line(arguments: impl IntoIterator<Item = String>) -> String {
    let mut words: Vec<String> = arguments.into_iter().collect();
    if let Some(program) = words.first_mut() {
        let name = Path::new(&*program).file_name().map(|name| name.to_string_lossy().into_owned());
        *program = name.unwrap_or_default();
    }
    words.join(" ")
}

/// The machine of a run; fields that the system does not report are 0 or `unknown` (Linux only).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Machine {
    /// Processor model.
    pub cpu: String,
    /// Number of hardware threads.
    pub cores: usize,
    /// Memory in MB.
    pub memory_mb: u64,
    /// Available memory in MB.
    pub free_mb: u64,
}

impl Machine {
    /// Reads the properties of this machine.
    pub fn detect() -> Machine {
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

    /// Returns the memory limit of the street distance rows of a map, in bytes: a quarter of the
    /// available memory, or 1 GiB if that is unknown. Beyond the limit the slower terminal rows are
    /// used.
    pub fn max_row_bytes(&self) -> usize {
        match self.free_mb {
            0 => 1 << 30,
            megabytes => megabytes as usize * (1 << 20) / 4,
        }
    }
}

/// Content of `provenance.toml`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunProvenance {
    /// The program.
    pub program: Program,
    /// The machine.
    pub machine: Machine,
    /// Title of the experiment.
    pub title: String,
    /// Whether the report compares the results with the claims of the paper.
    pub is_paper: bool,
    /// Commits of the programs that ran the cells; several if earlier cells were reused.
    pub commits: Vec<String>,
    /// Number of runs in the results.
    pub cells: usize,
    /// Number of concurrent cells.
    pub jobs: usize,
    /// Threads per cell.
    pub threads: usize,
    /// The result files.
    pub files: Vec<ResultFile>,
}

impl RunProvenance {
    /// Formats the provenance as TOML.
    pub fn to_toml(&self) -> String {
        let RunProvenance { program, machine, title, is_paper, .. } = self;
        let RunProvenance { commits, cells, jobs, threads, .. } = self;
        let settings = meshcloak::mesh_cloak::Settings::default();
        let mut out = String::new();
        let mut line = |name: &str, value: String| {
            writeln!(out, "{name} = {value}").expect("writing to a String cannot fail");
        };
        line("title", quoted(title));
        line("paper", is_paper.to_string());
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
        out.extend(self.files.iter().map(ResultFile::to_toml));
        out
    }
}

/// Quotes a text for TOML. TOML reads the escapes of JSON, except that it also requires DEL to be
/// escaped.
pub(crate) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string().replace('\u{7f}', "\\u007f")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_line_names_the_program_without_its_folder() {
        let line = |words: &[&str]| command_line(words.iter().map(|word| (*word).to_owned()));
        let arguments = ["evaluate", "experiments/presence.toml", "--out", "/data/presence"];
        let expected = "meshcloak evaluate experiments/presence.toml --out /data/presence";
        for program in ["/home/user/target/release/meshcloak", "./meshcloak", "meshcloak"] {
            assert_eq!(line(&[&[program], &arguments[..]].concat()), expected);
        }
        assert_eq!(line(&["/"]), "");
        assert_eq!(line(&[]), "");
    }

    #[test]
    fn provenance_is_valid_toml_for_any_text() {
        let program = Program { command: "a \"b\" \\ \n\u{7f}".into(), ..Program::default() };
        let machine = Machine::detect();
        let commits = vec!["a".to_owned(), "b".to_owned()];
        let files = vec![ResultFile::new("runs.csv", &commits, &["evaluation"])];
        let provenance =
            RunProvenance { program, machine, commits, files, ..RunProvenance::default() };
        let table: toml::Table = toml::from_str(&provenance.to_toml()).unwrap();
        assert_eq!(table["command"].as_str(), Some("a \"b\" \\ \n\u{7f}"));
        assert_eq!(table["commits_of_cells"].as_array().map(Vec::len), Some(2));
        assert!(table["machine"]["cores"].as_integer() >= Some(1));
        assert_eq!(table["settings"]["region"].as_str(), Some("reach"));
        assert_eq!(table["file"][0]["commits"].as_array().map(Vec::len), Some(2));
    }
}
