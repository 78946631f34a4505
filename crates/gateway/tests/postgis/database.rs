//! A temporary PostgreSQL on a free port; stopped and deleted on drop.

use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

pub struct Database {
    folder: TempDir,
    programs: PathBuf,
    port: u16,
}

const HOW_TO_INSTALL: &str = "needs PostgreSQL with PostGIS: `make postgis` installs them";

impl Database {
    /// Starts an empty database with PostGIS in it.
    pub fn start() -> Database {
        let programs = programs();
        let folder = tempfile::Builder::new().prefix("meshcloak-pg").tempdir().unwrap();
        if let Some((user, group)) = other_user() {
            std::os::unix::fs::chown(folder.path(), Some(user), Some(group)).unwrap();
        }
        let mut database = Database { folder, programs, port: 0 };
        let data = database.data();
        database.run("initdb", &["-D", &data, "-A", "trust", "-U", "meshcloak", "-E", "UTF8"]);
        database.resume();
        database.sql("CREATE EXTENSION postgis");
        database
    }

    /// Requires TLS from now on, with this certificate and key.
    pub fn encrypt(&self, certificate: &Path, key: &Path) {
        for (from, name) in [(certificate, "server.crt"), (key, "server.key")] {
            let to = Path::new(&self.data()).join(name);
            std::fs::copy(from, &to).unwrap();
            std::fs::set_permissions(&to, std::fs::Permissions::from_mode(0o600)).unwrap();
            if let Some((user, group)) = other_user() {
                std::os::unix::fs::chown(&to, Some(user), Some(group)).unwrap();
            }
        }
        self.sql("ALTER SYSTEM SET ssl = on");
        let rules = "local all all trust\nhostssl all all 127.0.0.1/32 trust\n";
        std::fs::write(Path::new(&self.data()).join("pg_hba.conf"), rules).unwrap();
        self.sql("SELECT pg_reload_conf()");
    }

    /// URL with the host name of the certificate.
    pub fn url_by_name(&self) -> String {
        self.url().replace("127.0.0.1", "localhost")
    }

    pub fn url(&self) -> String {
        format!("postgres://meshcloak@127.0.0.1:{}/postgres", self.port)
    }

    /// Starts it again after [`Database::kill`], on the same port if it had one.
    pub fn resume(&mut self) {
        if self.port == 0 {
            self.port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        }
        let log = self.folder.path().join("log").display().to_string();
        let socket = self.folder.path().display();
        let options = format!("-F -h 127.0.0.1 -p {} -k {socket}", self.port);
        self.run("pg_ctl", &["-D", &self.data(), "-l", &log, "-w", "-o", &options, "start"]);
    }

    /// Stops the server without a shutdown handshake.
    pub fn kill(&self) {
        self.run("pg_ctl", &["-D", &self.data(), "-m", "immediate", "-w", "stop"]);
    }

    /// Runs statements and returns the rows of the last one, as text.
    pub fn sql(&self, text: &str) -> Vec<String> {
        let url = self.url();
        let output =
            self.run("psql", &["-X", "-q", "-At", "-v", "ON_ERROR_STOP=1", "-c", text, &url]);
        output.lines().map(str::to_owned).collect()
    }

    fn data(&self) -> String {
        self.folder.path().join("data").display().to_string()
    }

    fn run(&self, program: &str, arguments: &[&str]) -> String {
        let mut command = Command::new(self.programs.join(program));
        command.args(arguments).current_dir(self.folder.path());
        // The server inherits the output of pg_ctl; a pipe would stay open as long as it runs.
        if program == "pg_ctl" {
            command.stdout(Stdio::null()).stderr(Stdio::null());
        }
        if let Some((user, group)) = other_user() {
            command.uid(user).gid(group);
        }
        let done = command.output().unwrap_or_else(|error| panic!("{program}: {error}"));
        let log = std::fs::read_to_string(self.folder.path().join("log")).unwrap_or_default();
        let errors = String::from_utf8_lossy(&done.stderr);
        assert!(done.status.success(), "{program} {arguments:?}: {errors}\n{log}");
        String::from_utf8(done.stdout).unwrap()
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        if Path::new(&self.data()).join("postmaster.pid").exists() {
            self.kill();
        }
    }
}

/// Returns the folder of the programs of the newest PostgreSQL with PostGIS.
fn programs() -> PathBuf {
    let versions = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let mut versions: Vec<u32> =
        versions.filter_map(|folder| folder.file_name().to_str()?.parse().ok()).collect();
    versions.sort_unstable();
    versions.retain(|version| {
        let control = format!("/usr/share/postgresql/{version}/extension/postgis.control");
        Path::new(&control).exists()
    });
    let newest = versions.last().unwrap_or_else(|| panic!("{HOW_TO_INSTALL}"));
    PathBuf::from(format!("/usr/lib/postgresql/{newest}/bin"))
}

/// User and group `postgres` if the tests run as root, because PostgreSQL refuses to.
fn other_user() -> Option<(u32, u32)> {
    let number = |arguments: &[&str]| -> u32 {
        let output = Command::new("id").args(arguments).output().unwrap().stdout;
        String::from_utf8(output).unwrap().trim().parse().expect(HOW_TO_INSTALL)
    };
    (number(&["-u"]) == 0).then(|| (number(&["-u", "postgres"]), number(&["-g", "postgres"])))
}
