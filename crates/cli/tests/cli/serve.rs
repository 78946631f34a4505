//! The gateway as a process: settings, keys, signals, and people who ask it.

use crate::program::meshcloak;
use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};

/// A gateway that runs, and where.
pub struct Serving {
    child: Child,
    pub url: String,
}

impl Serving {
    pub fn start(arguments: &[&str]) -> Serving {
        let mut child = Command::new(env!("CARGO_BIN_EXE_meshcloak"))
            .args(["serve", "--listen", "127.0.0.1:0", "--set", "server.metrics="])
            .args(["--map", "city:500:7", "--set", "engine.tick=0.2"])
            .args(arguments)
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let address = lines
            .find_map(|line| line.unwrap().strip_prefix("note: listening on ").map(str::to_owned))
            .expect("it says where it listens");
        // It must go on being able to speak.
        std::thread::spawn(move || lines.for_each(drop));
        Serving { child, url: format!("http://{address}") }
    }

    /// An orderly end.
    pub fn end(mut self) {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
        assert_eq!(self.child.wait().unwrap().code(), Some(0));
    }
}

#[test]
fn people_who_ask_a_gateway_get_the_truth_streamed_and_by_requests() {
    let serving = Serving::start(&["--demo", "--set", "limits.rate=100000"]);
    for by in ["stream", "requests"] {
        let told = meshcloak(&[
            "drive",
            "--target",
            &serving.url,
            "--map",
            "city:500:7",
            "--users",
            "2000",
            "--seconds",
            "4",
            "--by",
            by,
            "--json",
            "-q",
        ])
        .json();
        assert!(told["outcomes"]["answered"].as_u64().unwrap_or(0) > 20, "{told}");
        assert_eq!(told["disagreed"], 0, "{told}");
        assert_eq!(told["checked"], told["outcomes"]["answered"], "{told}");
        assert_eq!(told["said_exact"], told["checked"], "{told}");
        assert!(told["outcomes"].get("no response").is_none(), "{told}");
    }
    serving.end();
}

#[test]
fn settings_are_checked_before_anything_runs() {
    let run = meshcloak(&["serve", "--check", "--demo", "--map", "city:500:7", "-q"]).done();
    assert_eq!(run.stdout, "everything is in order\n");
    let wrong = meshcloak(&["serve", "--check", "--set", "limits.k_max=1"]);
    assert_eq!(wrong.code, Some(1));
    assert!(wrong.stderr.contains("`limits.k_max` is `1` (flag), expected"), "{}", wrong.stderr);
    let open = meshcloak(&["serve", "--check", "--demo", "--listen", "0.0.0.0:80"]);
    assert!(open.stderr.contains("must be on loopback"), "{}", open.stderr);
    let paper = meshcloak(&["serve", "--check", "--guarantee", "paper"]);
    assert!(paper.stderr.contains("outside the demo"), "{}", paper.stderr);
    let example = meshcloak(&["serve", "--example"]).done().stdout;
    assert_eq!(example, include_str!("../../../../meshcloak.example.toml"));
}

#[test]
fn keys_are_made_listed_and_revoked() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("keys.json");
    let path = path.to_str().unwrap();
    let secret = meshcloak(&["keys", "add", "app", "--keys", path, "--k-max", "9"]).done().stdout;
    assert!(secret.starts_with("mc_") && secret.len() == 68, "{secret}");
    let listed = meshcloak(&["keys", "list", "--keys", path]).done().stdout;
    assert!(listed.contains("app") && listed.contains("k at most"), "{listed}");
    assert!(!listed.contains(secret.trim()));
    let id = listed.lines().find_map(|line| line.trim().strip_prefix("key")).unwrap().trim();
    meshcloak(&["keys", "revoke", id, "--keys", path]).done();
    assert_eq!(meshcloak(&["keys", "list", "--keys", path]).done().stdout, "");
    let again = meshcloak(&["keys", "revoke", id, "--keys", path]);
    assert_eq!((again.code, again.stderr), (Some(1), format!("meshcloak: no key `{id}`\n")));
}
