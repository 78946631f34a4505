//! One NATS server, or three that form a cluster.

use super::free_port::free_port;
use super::server::Server;
use super::{PATIENCE, eventually};
use crate::connection::{Cluster, ClusterSettings};
use tempfile::TempDir;
use tokio::time::Instant;

/// How often free ports are chosen anew if another process takes them first.
const ATTEMPTS: usize = 5;

/// Servers with JetStream in a temporary folder. Killed on drop.
#[derive(Debug)]
pub struct Servers {
    servers: Vec<Server>,
    folder: TempDir,
}

impl Servers {
    /// Starts 1 or 3 servers and waits until they accept writes.
    ///
    /// # Panics
    /// If the servers cannot be started.
    pub async fn start(count: usize) -> Servers {
        Servers::with_config(count, "").await
    }

    /// As [`Servers::start`], with further lines of configuration. The servers are not asked
    /// whether they are ready if the lines restrict who may connect.
    ///
    /// # Panics
    /// If the servers cannot be started.
    pub async fn with_config(count: usize, lines: &str) -> Servers {
        for _ in 0..ATTEMPTS {
            let mut servers = Servers::spawn(count, lines);
            if servers.listen().await {
                if lines.is_empty() {
                    servers.ready().await;
                }
                return servers;
            }
        }
        panic!("no server starts; log of the last: see the messages above");
    }

    fn spawn(count: usize, lines: &str) -> Servers {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut ports: Vec<u16> = Vec::new();
        while ports.len() < 2 * count {
            let port = free_port();
            if !ports.contains(&port) {
                ports.push(port);
            }
        }
        let (clients, routes) = ports.split_at(count);
        let peers: Vec<String> =
            routes.iter().map(|port| format!("nats://127.0.0.1:{port}")).collect();
        let start = |(&client, &route): (&u16, &u16)| {
            let store = folder.path().join(client.to_string());
            let mut config = format!(
                "server_name: s{client}\nlisten: \"127.0.0.1:{client}\"\n\
                 jetstream {{ store_dir: {store:?}, max_mem: 512MB, max_file: 1GB }}\n{lines}\n"
            );
            if count > 1 {
                // The name keeps out servers of another test that get the port of a killed one.
                config += &format!(
                    "cluster {{ name: c{}, listen: \"127.0.0.1:{route}\", routes: {peers:?} }}\n",
                    clients[0]
                );
            }
            Server::start(folder.path(), client, &config)
        };
        Servers { servers: clients.iter().zip(routes).map(start).collect(), folder }
    }

    /// Waits until all servers accept connections; `false` if one has ended.
    async fn listen(&mut self) -> bool {
        let end = Instant::now() + PATIENCE;
        while Instant::now() < end {
            if let Some(server) =
                self.servers.iter_mut().find_map(|server| server.has_ended().then_some(server))
            {
                eprintln!("{}", server.log());
                return false;
            }
            let mut open = 0;
            for server in &self.servers {
                open += usize::from(tokio::net::TcpStream::connect(server.address()).await.is_ok());
            }
            if open == self.servers.len() {
                return true;
            }
            tokio::time::sleep(super::PAUSE).await;
        }
        false
    }

    /// Waits until JetStream has a leader and all servers take part.
    pub async fn ready(&self) {
        let count = self.servers.len();
        eventually("JetStream is ready", async || {
            let cluster = Cluster::connect(&self.settings()).await.ok()?;
            let request = format!(
                "{{\"name\":\"READY\",\"subjects\":[\"ready\"],\"storage\":\"memory\",\"num_replicas\":{count}}}"
            );
            let client = cluster.client();
            let created = client.request("$JS.API.STREAM.CREATE.READY", request.into()).await.ok()?;
            let written = client.request("ready", "x".into()).await.ok()?;
            client.request("$JS.API.STREAM.DELETE.READY", "".into()).await.ok()?;
            let is_good = |payload: &[u8]| !String::from_utf8_lossy(payload).contains("\"error\"");
            (is_good(&created.payload) && is_good(&written.payload)).then_some(())
        })
        .await;
    }

    /// Returns the addresses of all servers.
    pub fn urls(&self) -> Vec<String> {
        self.servers.iter().map(Server::url).collect()
    }

    /// Returns settings of a client of all servers, with a time-out of 2 seconds.
    pub fn settings(&self) -> ClusterSettings {
        let mut settings = ClusterSettings::new(&[]);
        settings.servers = self.urls();
        settings
    }

    /// Connects a client.
    ///
    /// # Panics
    /// If no server accepts it.
    pub async fn connect(&self) -> Cluster {
        Cluster::connect(&self.settings()).await.expect("a running server")
    }

    /// Returns a server.
    pub fn server(&mut self, number: usize) -> &mut Server {
        &mut self.servers[number]
    }

    /// Returns the number of the server with this name, as in the state of a stream.
    pub fn number_of(&self, name: &str) -> Option<usize> {
        self.servers.iter().position(|server| name == format!("s{}", server.address().port()))
    }

    /// Kills all servers with SIGKILL.
    pub fn kill_all(&mut self) {
        self.servers.iter_mut().for_each(Server::kill);
    }

    /// Starts all servers that do not run, and waits until they accept writes.
    pub async fn restart_all(&mut self) {
        self.servers.iter_mut().for_each(Server::restart);
        self.ready().await;
    }

    /// Returns the folder of configurations, logs and stores.
    pub fn folder(&self) -> &std::path::Path {
        self.folder.path()
    }
}
