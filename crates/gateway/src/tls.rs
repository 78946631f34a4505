//! TLS by files: read at the start and again on demand, so that a certificate can be renewed
//! without closing a connection.

use crate::config::TlsFiles;
use arc_swap::ArcSwap;
use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio_rustls::TlsAcceptor;

/// Why there is no TLS.
#[derive(Debug, thiserror::Error)]
#[error("{path}: {problem}")]
pub struct TlsError {
    path: PathBuf,
    problem: String,
}

/// Certificate and key in use.
pub struct Tls {
    config: ArcSwap<ServerConfig>,
}

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

    /// Reads them again; if that fails, the old ones stay in use.
    pub fn reload(&self, files: &TlsFiles) -> Result<(), TlsError> {
        self.config.store(Arc::new(server_config(files)?));
        Ok(())
    }

    /// For one more connection.
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
        return Err(wrong(certificate, "holds no certificate".into()));
    }
    let private =
        PrivateKeyDer::from_pem_file(key).map_err(|error| wrong(key, error.to_string()))?;
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .and_then(|builder| builder.with_no_client_auth().with_single_cert(chain, private));
    let mut config = config.map_err(|error| wrong(certificate, error.to_string()))?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(config)
}
