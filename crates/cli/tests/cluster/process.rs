//! Real processes with an HTTP address.

use crate::town::{NAME, SOURCE, Town};
use cluster::testing::{Servers, eventually};
use meshcloak::map::{Position, StreetId};
use meshcloak::units::Length;
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// Length of cells.
pub const CELL_METRES: f64 = 1_500.0;

/// A process with an HTTP address. Killed on drop, without a chance to clean up.
pub struct Frontend {
    child: Child,
    url: String,
    key: String,
}

impl Frontend {
    pub fn start(town: &Town, servers: &Servers, folder: &Path, name: &str) -> Frontend {
        Frontend::with_role("frontend", town, servers, folder, name)
    }

    /// Starts a process with a role.
    pub fn with_role(
        role: &str,
        town: &Town,
        servers: &Servers,
        folder: &Path,
        name: &str,
    ) -> Frontend {
        let cluster = ["--role", role, "--cluster", &servers.urls().join(",")].map(str::to_owned);
        Frontend::with_arguments(&cluster, town, folder, name)
    }

    /// Starts a process with arguments. All processes of a folder have the same account.
    pub fn with_arguments(
        arguments: &[String],
        town: &Town,
        folder: &Path,
        name: &str,
    ) -> Frontend {
        let guarantee = format!("{:?}", town.config.engine.guarantee).to_lowercase();
        let keys = folder.join("keys.json");
        let settings = [
            ("map.name", NAME.to_owned()),
            ("cluster.secret", folder.join("secret").display().to_string()),
            ("cluster.shards", town.config.cluster.shards.to_string()),
            ("cluster.name", name.to_owned()),
            ("cluster.replicas", "1".into()),
            ("cluster.lease", "2".into()),
            ("engine.after_start", "new".into()),
            ("engine.horizon", "60".into()),
            ("accounts.keys", keys.display().to_string()),
            ("engine.guarantee", guarantee),
            ("engine.region", "cell".into()),
            ("engine.cell_length", CELL_METRES.to_string()),
            ("engine.dc_max", "1000".into()),
            ("limits.dc_max", "1000".into()),
            ("limits.user_rate", "6000".into()),
            ("limits.answer_objects", "5".into()),
            ("server.metrics", String::new()),
        ];
        let key = account_key(folder, &keys);
        let mut command = Command::new(env!("CARGO_BIN_EXE_meshcloak"));
        command.args(["serve", "--map", SOURCE, "--listen", "127.0.0.1:0"]).args(arguments);
        for (setting, value) in settings {
            command.arg("--set").arg(format!("{setting}={value}"));
        }
        let mut child = command.current_dir(folder).stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let address = lines.find_map(|line| {
            let line = line.unwrap();
            eprintln!("{line}");
            line.strip_prefix("note: listening on ").map(str::to_owned)
        });
        std::thread::spawn(move || lines.for_each(drop));
        let url = format!("http://{}", address.expect("the frontend prints its address"));
        Frontend { child, url, key }
    }

    /// Sends a query and returns the answer. Until the frontend has heard of the owners, it is busy.
    pub async fn ask(&self, town: &Town, user: &str, street: StreetId, k: u32) -> Value {
        let reply = self.reply(town, user, street, k).await;
        assert_eq!(reply["outcome"], "answered", "{user} in {street:?}: {reply}");
        reply
    }

    /// Sends a query of a user with a top speed of 50 m/s; repeats it while the reply is busy.
    pub async fn reply(&self, town: &Town, user: &str, street: StreetId, k: u32) -> Value {
        self.post(&query(town, user, street, k)).await
    }

    /// Sends a query; repeats it while the reply is busy.
    pub async fn post(&self, body: &Value) -> Value {
        eventually("the frontend takes a query", async || {
            let request = reqwest::Client::new()
                .post(format!("{}/v1/queries", self.url))
                .bearer_auth(&self.key)
                .header("content-type", "application/json")
                .body(body.to_string());
            let reply = request.send().await.unwrap();
            let reply: Value = serde_json::from_slice(&reply.bytes().await.unwrap()).unwrap();
            (reply["reason"] != "busy").then_some(reply)
        })
        .await
    }

    /// Waits until the frontend accepts queries.
    pub async fn ready(&self) {
        eventually("the frontend is ready", async || {
            let reply = reqwest::get(format!("{}/ready", self.url)).await.ok()?;
            reply.status().is_success().then_some(())
        })
        .await;
    }
}

impl Drop for Frontend {
    fn drop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

/// Returns the query of a user in the middle of a street, with a top speed of 50 m/s.
pub fn query(town: &Town, user: &str, street: StreetId, k: u32) -> Value {
    let map = town.map();
    let offset = Length::from_units(map.street(street).length.units() / 2);
    let place = map.frame().unwrap().lon_lat(map.point(Position { street, offset }));
    json!({
        "ticket": format!("{user}-{}", street.0), "person": user, "lon": place.lon,
        "lat": place.lat, "k": k, "dt": 40, "speed": 50, "interval": 10,
        "question": { "find": "nearest", "count": 1 },
    })
}

/// Returns the key of the account of a folder.
fn account_key(folder: &Path, keys: &Path) -> String {
    let known = folder.join("app.key");
    if let Ok(key) = std::fs::read_to_string(&known) {
        return key;
    }
    let mut command = Command::new(env!("CARGO_BIN_EXE_meshcloak"));
    let added = command.args(["keys", "add", "app", "--keys"]).arg(keys).output().unwrap();
    let added = String::from_utf8(added.stdout).unwrap();
    let key = added.split_whitespace().find(|word| word.starts_with("mc_")).unwrap().to_owned();
    std::fs::write(known, &key).unwrap();
    key
}
