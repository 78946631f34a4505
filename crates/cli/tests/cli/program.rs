//! Runs the program and finds real maps.

use std::path::PathBuf;
use std::process::Command;

/// Result of a run of the program.
#[derive(Debug)]
pub struct Run {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

/// Runs `meshcloak` with these arguments.
pub fn meshcloak<S: AsRef<std::ffi::OsStr>>(arguments: &[S]) -> Run {
    let output = Command::new(env!("CARGO_BIN_EXE_meshcloak")).args(arguments).output().unwrap();
    Run {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

impl Run {
    /// Asserts that the run succeeded and returns it.
    #[track_caller]
    pub fn done(self) -> Run {
        assert_eq!(self.code, Some(0), "{self:?}");
        self
    }

    /// Returns standard output as JSON.
    #[track_caller]
    pub fn json(self) -> serde_json::Value {
        serde_json::from_str(&self.done().stdout).unwrap()
    }
}

/// Returns the path of a real map below `$MESHCLOAK_MAPS`; `None`, with a message, if the variable is
/// not set. A missing map fails the test if the variable is set.
#[track_caller]
pub fn real_map(name: &str) -> Option<PathBuf> {
    let Some(maps) = std::env::var_os("MESHCLOAK_MAPS") else {
        eprintln!("skipped: MESHCLOAK_MAPS is not set, so {name} is not available");
        return None;
    };
    let path = PathBuf::from(maps).join(name);
    let folder = path.parent().expect("the path has a folder");
    assert!(folder.is_dir(), "MESHCLOAK_MAPS is set, but {} is missing", folder.display());
    Some(path)
}
