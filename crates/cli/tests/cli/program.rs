//! Running the program, and finding real maps.

use std::path::PathBuf;
use std::process::Command;

/// What a run of the program left behind.
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
    /// The run, which must have succeeded.
    #[track_caller]
    pub fn done(self) -> Run {
        assert_eq!(self.code, Some(0), "{self:?}");
        self
    }

    /// Standard output as JSON.
    #[track_caller]
    pub fn json(self) -> serde_json::Value {
        serde_json::from_str(&self.done().stdout).unwrap()
    }
}

/// A real map below `$MESHCLOAK_MAPS`; `None`, said aloud, if the variable is not set. A map that
/// is missing although the variable is set fails the test.
#[track_caller]
pub fn real_map(name: &str) -> Option<PathBuf> {
    let Some(maps) = std::env::var_os("MESHCLOAK_MAPS") else {
        eprintln!("skipped: MESHCLOAK_MAPS is not set, so {name} is not there");
        return None;
    };
    let path = PathBuf::from(maps).join(name);
    let folder = path.parent().expect("a map lies in a folder");
    assert!(folder.is_dir(), "MESHCLOAK_MAPS is set, but {} is missing", folder.display());
    Some(path)
}
