//! Checked addresses, certificates and keys of a connection.
//!
//! The client reads certificates itself; this module reads them first, so that an error names the
//! file and what is wrong with it, and never its content.

use crate::connection::ClusterSettings;
use crate::error::ClusterError;
use async_nats::{ConnectOptions, ServerAddr};
use meshcloak::private::Private;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use std::path::{Path, PathBuf};

/// Largest file of credentials in bytes.
const MAX_FILE: u64 = 64 << 10;

/// Everything that proves who this client is, and where to.
#[derive(Debug)]
pub(crate) struct Access {
    /// Addresses of the servers.
    pub servers: Vec<ServerAddr>,
    /// Whether every connection needs TLS, also those to servers that the servers name.
    pub is_encrypted: bool,
    roots: Option<PathBuf>,
    certificate: Option<(PathBuf, PathBuf)>,
    credentials: Option<(PathBuf, Private<String>)>,
    nkey: Option<Private<String>>,
}

impl Access {
    /// Reads and checks all files.
    pub fn read(settings: &ClusterSettings) -> Result<Access, ClusterError> {
        let ClusterSettings { roots, certificate, credentials, nkey, .. } = settings;
        if credentials.is_some() && nkey.is_some() {
            return Err(ClusterError::Setting(
                "both credentials and nkey are set; expected one".into(),
            ));
        }
        for path in roots.iter().chain(certificate.iter().map(|(chain, _)| chain)) {
            check_certificates(path)?;
        }
        if let Some((_, key)) = certificate {
            PrivateKeyDer::from_pem_file(key)
                .map_err(|_| wrong(key, "holds no private key (PEM expected)"))?;
        }
        let credentials = credentials.as_ref().map(|path| Ok((path.clone(), read_text(path)?)));
        let nkey = nkey.as_ref().map(|path| read_seed(path));
        let servers = parse_servers(&settings.servers)?;
        let is_encrypted = roots.is_some() || certificate.is_some() || has_tls(&servers)?;
        if !is_encrypted && !settings.insecure {
            check_loopback(&servers)?;
        }
        Ok(Access {
            servers,
            is_encrypted,
            roots: roots.clone(),
            certificate: certificate.clone(),
            credentials: credentials.transpose()?,
            nkey: nkey.transpose()?,
        })
    }

    /// Adds certificates and keys to the options of the client.
    pub fn apply(&self, mut options: ConnectOptions) -> Result<ConnectOptions, ClusterError> {
        // The TLS library takes the provider of the process; every crate here uses ring.
        rustls::crypto::ring::default_provider().install_default().ok();
        options = options.require_tls(self.is_encrypted);
        if let Some(roots) = &self.roots {
            options = options.add_root_certificates(roots.clone());
        }
        if let Some((chain, key)) = &self.certificate {
            options = options.add_client_certificate(chain.clone(), key.clone());
        }
        if let Some((path, text)) = &self.credentials {
            let problem =
                "no credentials (expected a JWT and an NKey seed between BEGIN and END lines)";
            options = options.credentials(text.expose()).map_err(|_| wrong(path, problem))?;
        }
        Ok(match &self.nkey {
            Some(seed) => options.nkey(seed.expose().clone()),
            None => options,
        })
    }
}

fn wrong(path: &Path, problem: impl Into<String>) -> ClusterError {
    ClusterError::File { path: path.to_owned(), problem: problem.into() }
}

fn check_certificates(path: &Path) -> Result<(), ClusterError> {
    let certificates: Result<Vec<_>, _> =
        CertificateDer::pem_file_iter(path).and_then(Iterator::collect);
    match certificates {
        Ok(certificates) if certificates.is_empty() => {
            Err(wrong(path, "contains no certificate (PEM expected)"))
        }
        Ok(_) => Ok(()),
        Err(error) => Err(wrong(path, error.to_string())),
    }
}

fn read_text(path: &Path) -> Result<Private<String>, ClusterError> {
    let length = std::fs::metadata(path).map_err(|error| wrong(path, error.to_string()))?.len();
    if length > MAX_FILE {
        return Err(wrong(path, format!("has {length} bytes; expected at most {MAX_FILE}")));
    }
    let text = std::fs::read_to_string(path).map_err(|error| wrong(path, error.to_string()))?;
    Ok(Private::new(text))
}

/// Returns the seed of a user: the first line that begins with `SU`.
fn read_seed(path: &Path) -> Result<Private<String>, ClusterError> {
    let text = read_text(path)?;
    let seed = text.expose().lines().map(str::trim).find(|line| line.starts_with("SU"));
    let is_seed = |seed: &&str| nkeys_checksum(seed);
    match seed.filter(is_seed) {
        Some(seed) => Ok(Private::new(seed.to_owned())),
        None => Err(wrong(path, "holds no NKey seed of a user (expected a line SU…)")),
    }
}

/// Whether a seed has the right length and alphabet; the client checks the rest when it signs.
fn nkeys_checksum(seed: &str) -> bool {
    seed.len() == 58 && seed.bytes().all(|byte| matches!(byte, b'A'..=b'Z' | b'2'..=b'7'))
}

fn parse_servers(servers: &[String]) -> Result<Vec<ServerAddr>, ClusterError> {
    if servers.is_empty() {
        return Err(ClusterError::Setting(
            "no NATS server is set; expected nats://host:port".into(),
        ));
    }
    servers.iter().map(|server| parse_server(server)).collect()
}

/// Whether the addresses ask for TLS.
fn has_tls(servers: &[ServerAddr]) -> Result<bool, ClusterError> {
    match servers.iter().filter(|server| server.tls_required()).count() {
        0 => Ok(false),
        count if count == servers.len() => Ok(true),
        _ => Err(ClusterError::Setting(
            "some NATS addresses are tls:// and some are not; expected the same for all".into(),
        )),
    }
}

/// Refuses servers off loopback: positions would travel to them in the clear.
fn check_loopback(servers: &[ServerAddr]) -> Result<(), ClusterError> {
    let is_loopback = |server: &&ServerAddr| match server.host().trim_matches(['[', ']']).parse() {
        Ok(address) => std::net::IpAddr::is_loopback(&address),
        Err(_) => server.host() == "localhost",
    };
    match servers.iter().find(|server| !is_loopback(server)) {
        None => Ok(()),
        Some(server) => Err(ClusterError::Setting(format!(
            "the NATS server {} is off loopback and has no TLS: positions would travel in the \
             clear. Use tls://, or `cluster.tls_roots`, or set `cluster.insecure = true`",
            server.host()
        ))),
    }
}

/// Parses an address. One with a password is refused without quoting it: it would be visible in the
/// list of processes.
fn parse_server(server: &str) -> Result<ServerAddr, ClusterError> {
    if server.contains('@') {
        let problem = "a NATS address holds a user or password; put them into a credentials file";
        return Err(ClusterError::Setting(problem.into()));
    }
    let is_known = match server.split_once("://") {
        Some((scheme, _)) => matches!(scheme, "nats" | "tls"),
        None => true,
    };
    let address =
        server.parse::<ServerAddr>().ok().filter(|address| is_known && !address.host().is_empty());
    let problem =
        || format!("NATS address {server:?}: expected nats://host:port or tls://host:port");
    address.ok_or_else(|| ClusterError::Setting(problem()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SEED: &str = "SUAIO3FHUX5PNV2LQIIP7TZ3N4L7TX3W53MQGEIVYFIGA635OZCKEYHFLM";

    fn error_of(change: impl FnOnce(&mut ClusterSettings)) -> String {
        let mut settings = ClusterSettings::new(&["nats://127.0.0.1:4222"]);
        change(&mut settings);
        Access::read(&settings)
            .and_then(|access| access.apply(ConnectOptions::new()))
            .map(drop)
            .unwrap_err()
            .to_string()
    }

    #[test]
    fn addresses_are_checked_and_no_password_is_quoted() {
        for server in ["nats://u:hunter2@host:4222", "hunter2@host"] {
            let error = error_of(|settings| settings.servers = vec![server.into()]);
            assert!(error.contains("credentials file") && !error.contains("hunter2"), "{error}");
        }
        for server in ["http://host:4222", "nats://", "nats://host:port", ""] {
            let error = error_of(|settings| settings.servers = vec![server.into()]);
            assert!(error.contains("expected nats://host:port"), "{server}: {error}");
        }
        assert!(error_of(|settings| settings.servers.clear()).contains("no NATS server"));
    }

    #[test]
    fn a_server_off_loopback_needs_tls_or_the_word_of_the_operator() {
        let read = |servers: &[&str], insecure| {
            let settings = ClusterSettings { insecure, ..ClusterSettings::new(servers) };
            Access::read(&settings).map(|access| access.is_encrypted).map_err(|e| e.to_string())
        };
        for server in ["nats://10.0.0.1:4222", "nats.example", "nats://[2001:db8::1]", "0.0.0.0"] {
            let error = read(&["nats://127.0.0.1:4222", server], false).unwrap_err();
            assert!(error.contains("cluster.insecure") && error.contains("clear"), "{error}");
            assert_eq!(read(&[server], true), Ok(false));
        }
        let loopback = ["nats://127.0.0.1:4222", "127.8.0.1", "nats://[::1]:4222", "localhost"];
        assert_eq!(read(&loopback, false), Ok(false));
        assert_eq!(read(&["tls://10.0.0.1:4222", "tls://nats.example"], false), Ok(true));
        let mixed = read(&["tls://10.0.0.1:4222", "nats://127.0.0.1:4222"], true).unwrap_err();
        assert!(mixed.contains("expected the same for all"), "{mixed}");
    }

    #[test]
    fn errors_of_files_name_the_file_and_no_content() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("secret.txt");
        std::fs::write(&file, format!("{}\n", SEED.replace("UX5", "ux1"))).unwrap();
        let errors = [
            error_of(|settings| settings.nkey = Some(file.clone())),
            error_of(|settings| settings.credentials = Some(file.clone())),
            error_of(|settings| settings.roots = Some(file.clone())),
            error_of(|settings| settings.certificate = Some((file.clone(), file.clone()))),
            error_of(|settings| settings.nkey = Some(folder.path().join("absent/secret.txt"))),
        ];
        for error in errors {
            assert!(error.contains("secret.txt: "), "{error}");
            assert!(!error.contains("SUAIO") && !error.contains("HFLM"), "{error}");
        }
        let both = |settings: &mut ClusterSettings| {
            (settings.nkey, settings.credentials) = (Some(file.clone()), Some(file.clone()));
        };
        assert!(error_of(both).contains("expected one"));
        std::fs::write(&file, format!("# user\n{SEED}\n")).unwrap();
        let mut settings = ClusterSettings::new(&["127.0.0.1"]);
        settings.nkey = Some(file);
        let access = Access::read(&settings).unwrap();
        assert!(!format!("{access:?}").contains(SEED));
    }
}
