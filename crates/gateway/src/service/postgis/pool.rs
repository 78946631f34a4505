//! Connections that are lent and given back; one that failed is not given back.

use super::PostgisSettings;
use super::address::Place;
use super::connection::{Connection, Terms};
use crate::service::ServiceError;
use parking_lot::Mutex;
use tokio::sync::{Semaphore, SemaphorePermit};

/// Some connections to one database.
pub(super) struct Pool {
    place: Place,
    settings: PostgisSettings,
    turns: Semaphore,
    idle: Mutex<Vec<Connection>>,
}

/// A connection that is lent.
pub(super) struct Lease<'a> {
    connection: Connection,
    _turn: SemaphorePermit<'a>,
}

impl Pool {
    /// No connection yet.
    pub(super) fn new(mut place: Place, settings: &PostgisSettings) -> Pool {
        place.config.application_name("meshcloak");
        let turns = Semaphore::new(settings.connections.clamp(1, 1000));
        let settings = PostgisSettings { limit: settings.limit.max(1), ..settings.clone() };
        Pool { place, settings, turns, idle: Mutex::default() }
    }

    /// How many rows come at once at most.
    pub(super) fn limit(&self) -> usize {
        self.settings.limit as usize
    }

    /// A connection, as soon as there is one.
    pub(super) async fn lease(&self) -> Result<Lease<'_>, ServiceError> {
        let turn = self.turns.acquire().await.map_err(|_| ServiceError::Down)?;
        let idle = std::iter::from_fn(|| self.idle().pop()).find(Connection::is_usable);
        let connection = match idle {
            Some(connection) => connection,
            None => {
                let PostgisSettings { table, limit, statement_time_out, .. } = &self.settings;
                let (limit, statement_time_out) = (*limit, *statement_time_out);
                Connection::open(&self.place, Terms { table, limit, statement_time_out }).await?
            }
        };
        Ok(Lease { connection, _turn: turn })
    }

    /// Takes a connection back if all went well with it.
    pub(super) fn settle<T>(
        &self,
        lease: Lease<'_>,
        told: Result<T, ServiceError>,
    ) -> Result<T, ServiceError> {
        if told.is_ok() && lease.connection.is_usable() {
            self.idle().push(lease.connection);
        }
        told
    }

    fn idle(&self) -> parking_lot::MutexGuard<'_, Vec<Connection>> {
        self.idle.lock()
    }
}

impl std::ops::Deref for Lease<'_> {
    type Target = Connection;
    fn deref(&self) -> &Connection {
        &self.connection
    }
}

impl std::ops::DerefMut for Lease<'_> {
    fn deref_mut(&mut self) -> &mut Connection {
        &mut self.connection
    }
}
