//! One NATS server process.

use rustix::process::{Pid, Signal, kill_process};
use std::fs::File;
use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// A server on the loopback address; killed on drop. It keeps port and files over a restart.
#[derive(Debug)]
pub struct Server {
    config: PathBuf,
    log: PathBuf,
    port: u16,
    process: Option<Child>,
}

/// Returns the program: `MESHCLOAK_NATS`, or what `make nats` installs.
fn program() -> PathBuf {
    match std::env::var_os("MESHCLOAK_NATS") {
        Some(path) => path.into(),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/nats/bin/nats-server"),
    }
}

impl Server {
    /// Writes the configuration of a server and starts it.
    pub(super) fn start(folder: &Path, port: u16, config: &str) -> Server {
        let file = |end: &str| folder.join(format!("{port}.{end}"));
        std::fs::write(file("conf"), config).expect("a writable folder");
        let mut server = Server { config: file("conf"), log: file("log"), port, process: None };
        server.restart();
        server
    }

    /// Returns the address for clients.
    pub fn address(&self) -> SocketAddr {
        SocketAddrV4::new(Ipv4Addr::LOCALHOST, self.port).into()
    }

    /// Returns the address for clients as a URL.
    pub fn url(&self) -> String {
        format!("nats://{}", self.address())
    }

    /// Starts the process again, if it does not run.
    ///
    /// # Panics
    /// If there is no NATS server to start.
    pub fn restart(&mut self) {
        if self.process.is_some() {
            return;
        }
        let log = File::options().create(true).append(true).open(&self.log).expect("a log file");
        let mut command = Command::new(program());
        command.arg("-c").arg(&self.config).stdin(Stdio::null()).stdout(Stdio::null()).stderr(log);
        let process = command.spawn().unwrap_or_else(|error| {
            let program = program();
            panic!("{}: {error}; `make nats` installs a NATS server", program.display())
        });
        self.process = Some(process);
    }

    /// Ends the process with SIGKILL and waits for its end.
    pub fn kill(&mut self) {
        if let Some(mut process) = self.process.take() {
            process.kill().ok();
            process.wait().ok();
        }
    }

    /// Stops the process with SIGSTOP.
    pub fn pause(&self) {
        self.signal(Signal::STOP);
    }

    /// Continues a stopped process.
    pub fn resume(&self) {
        self.signal(Signal::CONT);
    }

    fn signal(&self, signal: Signal) {
        if let Some(process) = &self.process {
            kill_process(Pid::from_child(process), signal).expect("an own process");
        }
    }

    /// Whether the process has ended by itself.
    pub(super) fn has_ended(&mut self) -> bool {
        self.process.as_mut().is_some_and(|process| !matches!(process.try_wait(), Ok(None)))
    }

    /// Returns what the server has logged.
    pub fn log(&self) -> String {
        std::fs::read_to_string(&self.log).unwrap_or_default()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
    }
}
