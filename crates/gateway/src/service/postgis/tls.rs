//! TLS to the database: its certificate must descend from the configured roots and match the host.

use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use std::io;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_postgres::tls::{ChannelBinding, TlsConnect, TlsStream};
use tokio_rustls::client;

/// Trusted root certificates.
#[derive(Clone)]
pub(super) struct TlsRoots(Arc<ClientConfig>);

/// Connector to one host.
pub(super) struct TlsConnector {
    config: Arc<ClientConfig>,
    host: String,
}

/// An encrypted stream.
pub(super) struct TlsSocket<S>(client::TlsStream<S>);

impl TlsRoots {
    /// Reads root certificates from a PEM file. The error names the file and the problem.
    pub(super) fn read(roots: &Path) -> Result<TlsRoots, String> {
        let invalid = |problem: String| format!("{}: {problem}", roots.display());
        let mut store = RootCertStore::empty();
        let certificates =
            CertificateDer::pem_file_iter(roots).map_err(|error| invalid(error.to_string()))?;
        for certificate in certificates {
            let certificate = certificate.map_err(|error| invalid(error.to_string()))?;
            store.add(certificate).map_err(|error| invalid(error.to_string()))?;
        }
        if store.is_empty() {
            return Err(invalid("holds no certificate; expected PEM".into()));
        }
        let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(|error| invalid(error.to_string()))?;
        let config = config.with_root_certificates(store).with_no_client_auth();
        Ok(TlsRoots(Arc::new(config)))
    }

    /// Returns a connector to a host.
    pub(super) fn connector(&self, host: &str) -> TlsConnector {
        TlsConnector { config: Arc::clone(&self.0), host: host.to_owned() }
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin + Send + 'static> TlsConnect<S> for TlsConnector {
    type Stream = TlsSocket<S>;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<TlsSocket<S>>> + Send>>;

    fn connect(self, stream: S) -> Self::Future {
        Box::pin(async move {
            let name = ServerName::try_from(self.host).map_err(io::Error::other)?;
            let connector = tokio_rustls::TlsConnector::from(self.config);
            Ok(TlsSocket(connector.connect(name, stream).await?))
        })
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> TlsStream for TlsSocket<S> {
    fn channel_binding(&self) -> ChannelBinding {
        ChannelBinding::none()
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncRead for TlsSocket<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(context, buffer)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for TlsSocket<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(context)
    }
}
