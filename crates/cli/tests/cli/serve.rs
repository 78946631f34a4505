//! The gateway as a process: settings, keys, signals, and simulated clients.

use crate::program::meshcloak;
use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};

/// Running gateway process and its URL.
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
            .expect("the gateway prints its address");
        // Drains standard error so that the gateway never blocks on it.
        std::thread::spawn(move || lines.for_each(drop));
        Serving { child, url: format!("http://{address}") }
    }

    /// Kills the gateway by SIGKILL.
    pub fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Stops the gateway by SIGTERM.
    pub fn end(mut self) {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
        assert_eq!(self.child.wait().unwrap().code(), Some(0));
    }
}

#[test]
fn answers_are_exact_by_stream_and_by_requests() {
    let serving = Serving::start(&["--demo", "--set", "limits.rate=100000"]);
    for by in ["stream", "requests"] {
        let result = meshcloak(&[
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
        assert!(result["outcomes"]["answered"].as_u64().unwrap_or(0) > 20, "{result}");
        assert_eq!(result["disagreed"], 0, "{result}");
        assert_eq!(result["checked"], result["outcomes"]["answered"], "{result}");
        assert_eq!(result["said_exact"], result["checked"], "{result}");
        assert!(result["outcomes"].get("no response").is_none(), "{result}");
    }
    serving.end();
}

#[test]
fn settings_are_checked_before_the_gateway_starts() {
    let run = meshcloak(&["serve", "--check", "--demo", "--map", "city:500:7", "-q"]).done();
    assert_eq!(run.stdout, "configuration is valid\n");
    let wrong = meshcloak(&["serve", "--check", "--set", "limits.k_max=1"]);
    assert_eq!(wrong.code, Some(1));
    assert!(wrong.stderr.contains("`limits.k_max` is `1` (flag), expected"), "{}", wrong.stderr);
    let open = meshcloak(&["serve", "--check", "--demo", "--listen", "0.0.0.0:80"]);
    assert!(open.stderr.contains("must be on loopback"), "{}", open.stderr);
    let paper = meshcloak(&["serve", "--check", "--guarantee", "paper"]);
    assert!(paper.stderr.contains("outside the demo"), "{}", paper.stderr);
    let everything = meshcloak(&[
        "serve",
        "--check",
        "-q",
        "--map",
        "no-such-map.osm.pbf",
        "--listen",
        "192.0.2.1:80",
        "--set",
        "server.insecure=true",
        "--set",
        "accounts.keys=no-such-keys.json",
        "--set",
        "server.page_token=no-such-token",
        "--set",
        "people.file=no-such-folder/people.json",
        "--set",
        "server.metrics=192.0.2.1:80",
        "--report",
        "no-such-report",
    ]);
    assert_eq!(everything.code, Some(1));
    for problem in [
        "`server.metrics` = `192.0.2.1:80` is the address of `server.listen`",
        "`--report`: no-such-report is not a folder",
        "no-such-map.osm.pbf",
        "cannot listen on `server.listen` = `192.0.2.1:80`",
        "`accounts.keys`: no-such-keys.json: no such file",
        "`server.page_token`: no-such-token",
        "`users.file`: no-such-folder/people.json: cannot be written",
    ] {
        assert!(everything.stderr.contains(problem), "{problem}: {}", everything.stderr);
    }
    let clear = meshcloak(&["serve", "--listen", "0.0.0.0:8080"]);
    assert!(clear.stderr.contains("server.insecure"), "{}", clear.stderr);
    let example = meshcloak(&["serve", "--example"]).done().stdout;
    assert_eq!(example, include_str!("../../../../meshcloak.example.toml"));
}

/// A process of a cluster needs NATS; an engine has no clients, and so no keys and no service.
#[test]
fn a_check_of_a_cluster_connects_to_it() {
    let check = |role: &str| {
        meshcloak(&[
            "serve",
            "--check",
            "-q",
            "--map",
            "city:500:7",
            "--cluster",
            "nats://127.0.0.1:1",
            "--role",
            role,
            "--set",
            "cluster.secret=no-such-secret",
            "--set",
            "accounts.keys=no-such-keys.json",
        ])
    };
    for (role, has_clients) in [("engine", false), ("frontend", true)] {
        let run = check(role);
        assert_eq!(run.code, Some(1), "{role}");
        let mentions = |problem: &str| run.stderr.contains(problem);
        assert!(mentions("`cluster.servers`: ") && mentions("127.0.0.1:1"), "{}", run.stderr);
        for problem in ["`cluster.secret`: no-such-secret", "`accounts.keys`: no-such-keys.json"] {
            assert_eq!(mentions(problem), has_clients, "{role} {problem}: {}", run.stderr);
        }
    }
}

#[test]
fn keys_are_created_listed_and_revoked() {
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
    assert_eq!(again.code, Some(1));
    let message = format!("meshcloak: no key with id `{id}`; `meshcloak keys list` lists all\n");
    assert_eq!(again.stderr, message);
}
