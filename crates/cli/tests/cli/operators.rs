//! Commands for operators: `doctor`, `health`, and the files of a package.

use crate::program::meshcloak;
use crate::serve::Serving;
use serde_json::Value;
use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt as _;

/// Runs `doctor --json` with settings; returns its exit code and findings.
fn doctor(settings: &[&str]) -> (Option<i32>, Vec<Value>) {
    let mut arguments = vec!["doctor", "--json"];
    settings.iter().for_each(|setting| arguments.extend(["--set", setting]));
    let run = meshcloak(&arguments);
    let findings = serde_json::from_str(&run.stdout).unwrap_or_else(|_| panic!("{run:?}"));
    (run.code, findings)
}

/// Returns the messages of a topic with a severity.
fn messages(findings: &[Value], topic: &str, severity: &str) -> Vec<String> {
    let found = findings.iter().filter(|f| f["topic"] == topic && f["severity"] == severity);
    found.map(|finding| finding["message"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn the_doctor_reports_every_topic_and_says_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let keys = folder.path().join("keys.json").display().to_string();
    meshcloak(&["keys", "add", "app", "--keys", &keys]).done();
    let settings = [
        &*format!("accounts.keys={keys}"),
        "map.source=city:500:7",
        "server.metrics=",
        "server.listen=127.0.0.1:0",
    ];
    let (code, findings) = doctor(&settings);
    assert_eq!(code, Some(0), "{findings:?}");
    for topic in ["sockets", "keys", "tls", "clock", "limits", "map", "service", "memory"] {
        assert!(findings.iter().any(|finding| finding["topic"] == topic), "{topic}: {findings:?}");
    }
    for finding in &findings {
        assert_eq!(finding["severity"] != "ok", finding["advice"].is_string(), "{finding}");
    }

    fs::set_permissions(&keys, fs::Permissions::from_mode(0o644)).unwrap();
    let broken = [&settings[..], &["service.source=missing.toml", "map.snap=0"]].concat();
    let (code, findings) = doctor(&broken);
    assert_eq!(code, Some(1), "{findings:?}");
    assert_eq!(messages(&findings, "service", "problem").len(), 1, "{findings:?}");
    assert!(messages(&findings, "files", "warning")[0].contains("644"), "{findings:?}");
    assert!(messages(&findings, "map", "warning")[0].contains("`map.snap`"), "{findings:?}");
}

#[test]
fn the_doctor_explains_settings_that_cannot_be_read() {
    let (code, findings) = doctor(&["limits.k_max=1"]);
    assert_eq!((code, findings.len()), (Some(1), 1));
    assert!(messages(&findings, "settings", "problem")[0].contains("limits.k_max"));
    let text = meshcloak(&["doctor", "--set", "limits.k_max=1"]);
    assert!(text.stdout.contains("→ correct the setting"), "{text:?}");
    assert!(text.stderr.contains("1 problem"), "{text:?}");
}

#[test]
fn health_is_that_of_the_gateway() {
    let serving = Serving::start(&["--demo"]);
    meshcloak(&["health", &serving.url]).done();
    let url = serving.url.clone();
    serving.end();
    assert_eq!(meshcloak(&["health", &url]).code, Some(1));
    assert_eq!(meshcloak(&["health", "https://127.0.0.1"]).code, Some(1));

    let socket = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", socket.local_addr().unwrap());
    let stopping = std::thread::spawn(move || {
        let (mut stream, _) = socket.accept().unwrap();
        assert!(stream.read(&mut [0; 1024]).unwrap() > 0);
        stream.write_all(b"HTTP/1.1 503 Service Unavailable\r\n\r\n").unwrap();
    });
    let run = meshcloak(&["health", &url]);
    stopping.join().unwrap();
    assert!(run.code == Some(1) && run.stderr.contains("status 503"), "{run:?}");
}

#[test]
fn every_visible_command_has_a_man_page_and_completions() {
    let folder = tempfile::tempdir().unwrap();
    meshcloak(&["generate", folder.path().to_str().unwrap()]).done();
    let page = |name: &str| fs::read_to_string(folder.path().join("man").join(name)).unwrap();
    assert!(page("meshcloak.1").starts_with(".ie"), "{}", &page("meshcloak.1")[..80]);
    for name in ["meshcloak-serve.1", "meshcloak-doctor.1", "meshcloak-keys-add.1"] {
        assert!(page(name).contains(".SH OPTIONS"), "{name}");
    }
    assert!(!folder.path().join("man/meshcloak-generate.1").exists());
    for name in ["meshcloak.bash", "_meshcloak", "meshcloak.fish"] {
        let text = fs::read_to_string(folder.path().join("completions").join(name)).unwrap();
        assert!(text.contains("doctor"), "{name}");
    }
    let other = tempfile::tempdir().unwrap();
    meshcloak(&["generate", other.path().to_str().unwrap()]).done();
    let again = fs::read_to_string(other.path().join("man/meshcloak-serve.1")).unwrap();
    assert_eq!(again, page("meshcloak-serve.1"), "pages are reproducible");
}

/// Reads the QR code of half blocks as a phone does, from the picture alone.
fn scanned(drawn: &str) -> String {
    const SCALE: usize = 4;
    let rows: Vec<Vec<char>> = drawn
        .lines()
        .filter_map(|line| line.strip_prefix("\x1b[30;47m")?.strip_suffix("\x1b[0m"))
        .map(|line| line.chars().collect())
        .collect();
    let (width, height) = (rows[0].len() * SCALE, rows.len() * 2 * SCALE);
    let mut picture = rqrr::PreparedImage::prepare_from_greyscale(width, height, |x, y| {
        let (x, y) = (x / SCALE, y / SCALE);
        let halves = match rows[y / 2][x] {
            '█' => [true, true],
            '▀' => [true, false],
            '▄' => [false, true],
            ' ' => [false, false],
            other => panic!("{other:?} in {drawn}"),
        };
        if halves[y % 2] { 0 } else { 255 }
    });
    let codes = picture.detect_grids();
    assert_eq!(codes.len(), 1, "{drawn}");
    codes[0].decode().unwrap().1
}

#[test]
fn a_token_of_a_user_is_an_address_of_the_app() {
    let folder = tempfile::tempdir().unwrap();
    let keys = folder.path().join("keys.json").display().to_string();
    let key = meshcloak(&["keys", "add", "app", "--keys", &keys]).done().stdout;
    let serving =
        Serving::start(&["--set", &format!("accounts.keys={keys}"), "--set", "server.app=true"]);
    let token = |user: &str, more: &[&str]| {
        let fixed = ["keys", "token", user, "--gateway", &serving.url, "--key", key.trim()];
        meshcloak(&[&fixed, more].concat())
    };
    let plain = token("jo", &["--plain"]).done().stdout;
    assert!(plain.starts_with(&format!("{}/app/#mp_", serving.url)), "{plain}");
    let drawn = token("jo", &[]).done().stdout;
    let address = scanned(&drawn);
    assert!(address.starts_with(&format!("{}/app/#mp_", serving.url)), "{address}");
    assert_ne!(address, plain.trim(), "each token is new");
    let (_, secret) = address.split_once('#').unwrap();
    let mut stream = TcpStream::connect(serving.url.trim_start_matches("http://")).unwrap();
    write!(stream, "GET /v1/me HTTP/1.0\r\nAuthorization: Bearer {secret}\r\n\r\n").unwrap();
    let mut me = String::new();
    stream.read_to_string(&mut me).unwrap();
    assert!(me.contains("200 OK") && me.contains("categories"), "the scanned token works: {me}");
    assert_eq!(token("a/b", &[]).code, Some(1));
    let wrong = meshcloak(&["keys", "token", "jo", "--gateway", &serving.url, "--key", "mc_0"]);
    assert!(wrong.code == Some(1) && wrong.stderr.contains("status 401"), "{wrong:?}");
    serving.end();
}
