//! Pool of database sessions, on `deadpool`.
//!
//! `deadpool-postgres` is not used: its pooled client hides the connection, so the byte budget of
//! an answer and the statements prepared once per session would be lost, and it takes back a client
//! whose request was cancelled while the database still works on it. Here such a session is closed.

use super::address::ParsedAddress;
use super::session::{DatabaseSession, SessionSettings};
use crate::service::ServiceError;
use deadpool::managed::{self, Metrics, Object, PoolError, QueueMode, RecycleError, RecycleResult};

/// Opens sessions and checks that idle ones are still open.
struct SessionManager {
    address: ParsedAddress,
    settings: SessionSettings,
}

impl managed::Manager for SessionManager {
    type Type = DatabaseSession;
    type Error = ServiceError;

    async fn create(&self) -> Result<DatabaseSession, ServiceError> {
        DatabaseSession::open(&self.address, &self.settings).await
    }

    async fn recycle(
        &self,
        session: &mut DatabaseSession,
        _: &Metrics,
    ) -> RecycleResult<ServiceError> {
        session.is_open().then_some(()).ok_or(RecycleError::Backend(ServiceError::Down))
    }
}

/// Sessions of one database.
pub(super) struct SessionPool(managed::Pool<SessionManager>);

impl SessionPool {
    /// Builds an empty pool of at most `max_sessions` (1 to 1000) sessions.
    pub(super) fn new(
        mut address: ParsedAddress,
        settings: SessionSettings,
        max_sessions: usize,
    ) -> SessionPool {
        address.config.application_name("meshcloak");
        let pool = managed::Pool::builder(SessionManager { address, settings })
            .max_size(max_sessions.clamp(1, 1000))
            .queue_mode(QueueMode::Lifo)
            .build()
            .expect("a pool without time-outs needs no runtime");
        SessionPool(pool)
    }

    /// Runs a request on a session, as soon as one is free. The session returns to the pool after
    /// success; after an error or cancellation it is closed.
    pub(super) async fn run<T>(
        &self,
        request: impl AsyncFnOnce(&DatabaseSession) -> Result<T, ServiceError>,
    ) -> Result<T, ServiceError> {
        let session = self.0.get().await.map_err(|error| match error {
            PoolError::Backend(error) => error,
            _ => ServiceError::Internal,
        })?;
        let mut lease = Lease { session: Some(session) };
        let answer = match &lease.session {
            Some(session) => request(session).await?,
            None => return Err(ServiceError::Internal),
        };
        drop(lease.session.take());
        Ok(answer)
    }
}

/// A session in use. Dropped with its session, it removes the session from the pool.
struct Lease {
    session: Option<Object<SessionManager>>,
}

impl Drop for Lease {
    fn drop(&mut self) {
        if let Some(session) = self.session.take() {
            drop(Object::take(session));
        }
    }
}
