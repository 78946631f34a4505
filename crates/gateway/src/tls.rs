//! TLS certificate and key from files. Reloading them does not close connections.

use crate::config::TlsFiles;
use arc_swap::ArcSwap;
use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio_rustls::TlsAcceptor;

/// Reason why a certificate or key is invalid.
#[derive(Debug, thiserror::Error)]
#[error("{path}: {problem}")]
pub struct TlsError {
    path: PathBuf,
    problem: String,
}

/// Certificate and key in use, replaceable at run time.
pub struct Tls {
    config: ArcSwap<ServerConfig>,
}

/// Prints no key.
impl std::fmt::Debug for Tls {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Tls(…)")
    }
}

impl Tls {
    /// Reads certificate and key.
    pub fn read(files: &TlsFiles) -> Result<Tls, TlsError> {
        Ok(Tls { config: ArcSwap::from_pointee(server_config(files)?) })
    }

    /// Takes over certificate and key of another.
    pub fn replace(&self, new: Tls) {
        self.config.store(new.config.into_inner());
    }

    /// Returns an acceptor for a new connection.
    pub fn acceptor(&self) -> TlsAcceptor {
        TlsAcceptor::from(self.config.load_full())
    }
}

fn server_config(files: &TlsFiles) -> Result<ServerConfig, TlsError> {
    let wrong = |path: &Path, problem: String| TlsError { path: path.to_owned(), problem };
    let TlsFiles { certificate, key } = files;
    let chain: Result<Vec<_>, _> =
        CertificateDer::pem_file_iter(certificate).and_then(Iterator::collect);
    let chain = chain.map_err(|error| wrong(certificate, error.to_string()))?;
    if chain.is_empty() {
        return Err(wrong(certificate, "contains no certificate (PEM expected)".into()));
    }
    let private =
        PrivateKeyDer::from_pem_file(key).map_err(|error| wrong(key, error.to_string()))?;
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .and_then(|builder| builder.with_no_client_auth().with_single_cert(chain, private));
    let mut config = config.map_err(|error| wrong(certificate, error.to_string()))?;
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(config)
}
