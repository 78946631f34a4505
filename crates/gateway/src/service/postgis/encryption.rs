//! TLS to the database: its certificate must descend from those that the operator names, and be
//! for the host that was asked for.

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
use tokio_postgres::tls::{ChannelBinding, MakeTlsConnect, TlsConnect, TlsStream};
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream as Stream;

/// Whom to trust.
#[derive(Clone)]
pub(super) struct Encryption(Arc<ClientConfig>);

/// Whom to trust, and who it should be.
pub(super) struct Towards {
    trust: Arc<ClientConfig>,
    host: String,
}

/// A stream that nobody else reads.
pub(super) struct Encrypted<S>(Stream<S>);

impl Encryption {
    /// Trusts the certificates of a file, PEM, and nobody else; or says what is wrong with it.
    pub(super) fn read(roots: &Path) -> Result<Encryption, String> {
        let wrong = |problem: String| format!("{}: {problem}", roots.display());
        let mut store = RootCertStore::empty();
        let read =
            CertificateDer::pem_file_iter(roots).map_err(|error| wrong(error.to_string()))?;
        for certificate in read {
            let certificate = certificate.map_err(|error| wrong(error.to_string()))?;
            store.add(certificate).map_err(|error| wrong(error.to_string()))?;
        }
        if store.is_empty() {
            return Err(wrong("holds no certificate".into()));
        }
        let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(|error| wrong(error.to_string()))?;
        let config = config.with_root_certificates(store).with_no_client_auth();
        Ok(Encryption(Arc::new(config)))
    }

    /// Towards a host.
    pub(super) fn towards(&self, host: &str) -> Towards {
        Towards { trust: Arc::clone(&self.0), host: host.to_owned() }
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin + Send + 'static> TlsConnect<S> for Towards {
    type Stream = Encrypted<S>;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<Encrypted<S>>> + Send>>;

    fn connect(self, stream: S) -> Self::Future {
        Box::pin(async move {
            let name = ServerName::try_from(self.host).map_err(io::Error::other)?;
            Ok(Encrypted(TlsConnector::from(self.trust).connect(name, stream).await?))
        })
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin + Send + 'static> MakeTlsConnect<S> for Towards {
    type Stream = Encrypted<S>;
    type TlsConnect = Towards;
    type Error = io::Error;

    fn make_tls_connect(&mut self, host: &str) -> io::Result<Towards> {
        Ok(Towards { trust: Arc::clone(&self.trust), host: host.to_owned() })
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> TlsStream for Encrypted<S> {
    fn channel_binding(&self) -> ChannelBinding {
        ChannelBinding::none()
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncRead for Encrypted<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(context, buffer)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Encrypted<S> {
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
