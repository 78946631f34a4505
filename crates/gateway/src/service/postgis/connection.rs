//! One connection to the database, with its statements prepared. Dropped, it hangs up at once,
//! whatever the database is doing.

use super::address::Place;
use super::metered::{Budget, Metered};
use super::sql::{self, Table};
use crate::service::ServiceError;
use futures_util::TryStreamExt as _;
use std::pin::pin;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpStream, UnixStream};
use tokio::task::AbortHandle;
use tokio_postgres::config::{Host, SslMode};
use tokio_postgres::error::SqlState;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, NoTls, Row, Statement};

/// A row as the database told it.
pub(super) struct Told {
    pub id: String,
    pub name: String,
    pub category: String,
    pub lon: Option<f64>,
    pub lat: Option<f64>,
}

/// A connection and what it can be asked.
pub(super) struct Connection {
    client: Client,
    _driver: Driver,
    budget: Budget,
    limit: usize,
    near: Statement,
    anywhere: Statement,
    categories: Statement,
}

/// A statement, what it is given, and how many rows may come of it.
struct Ask<'a>(&'a Statement, &'a [&'a (dyn ToSql + Sync)], usize);

/// More bytes than this are no answer.
const MOST_BYTES: u64 = 64 << 20;

/// What is asked of a connection.
pub(super) struct Terms<'a> {
    pub table: &'a Table,
    pub limit: u32,
    pub statement_time_out: Duration,
}

impl Connection {
    /// Connects and prepares.
    pub(super) async fn open(place: &Place, terms: Terms<'_>) -> Result<Connection, ServiceError> {
        let Terms { table, limit, statement_time_out } = terms;
        let budget = Budget::default();
        budget.set(MOST_BYTES);
        let (client, _driver) = connect(place, &budget).await?;
        let settings = format!(
            "SET jit = off; SET statement_timeout = {}; SET default_transaction_read_only = on",
            statement_time_out.as_millis().clamp(1, 1 << 30)
        );
        client.batch_execute(&settings).await.map_err(|error| failure(&error))?;
        let prepare =
            async |text: String| client.prepare(&text).await.map_err(|error| failure(&error));
        let near = prepare(sql::near(table, limit)).await?;
        let anywhere = prepare(sql::anywhere(table, limit)).await?;
        let categories = prepare(sql::categories(table)).await?;
        let limit = limit as usize;
        Ok(Connection { client, _driver, budget, limit, near, anywhere, categories })
    }

    /// Whether it can be used again.
    pub(super) fn is_usable(&self) -> bool {
        !self.client.is_closed()
    }

    /// The rows within so many metres of lines, or anywhere.
    pub(super) async fn range(
        &mut self,
        around: Option<(String, f64)>,
        category: Option<&str>,
    ) -> Result<Vec<Told>, ServiceError> {
        match &around {
            Some((lines, metres)) => {
                let values: [&(dyn ToSql + Sync); 3] = [&category, lines, metres];
                self.rows(Ask(&self.near, &values, self.limit), told).await
            }
            None => self.rows(Ask(&self.anywhere, &[&category], self.limit), told).await,
        }
    }

    /// Every category, ascending.
    pub(super) async fn categories(&mut self) -> Result<Vec<String>, ServiceError> {
        let name = |row: &Row| row.try_get(0).map_err(|_| WRONG_TYPES);
        let mut names = self.rows(Ask(&self.categories, &[], sql::MOST_CATEGORIES), name).await?;
        names.sort();
        Ok(names)
    }

    /// The rows of a statement, one after the other: no more than were asked for.
    async fn rows<T>(
        &self,
        Ask(statement, values, most): Ask<'_>,
        read: impl Fn(&Row) -> Result<T, ServiceError>,
    ) -> Result<Vec<T>, ServiceError> {
        self.budget.set(MOST_BYTES);
        let failed = |error: tokio_postgres::Error| {
            if self.budget.is_spent() { ENDLESS } else { failure(&error) }
        };
        let values = values.iter().copied();
        let stream = self.client.query_raw(statement, values).await.map_err(failed)?;
        let mut stream = pin!(stream);
        let mut rows = Vec::new();
        while let Some(row) = stream.try_next().await.map_err(failed)? {
            if rows.len() == most {
                return Err(ENDLESS);
            }
            rows.push(read(&row)?);
        }
        Ok(rows)
    }
}

/// The task behind a connection; ends with it.
struct Driver(AbortHandle);

impl Drop for Driver {
    fn drop(&mut self) {
        self.0.abort();
    }
}

const WRONG_TYPES: ServiceError = ServiceError::Malformed("a column is not of its type");
const ENDLESS: ServiceError = ServiceError::Malformed("it does not end");

fn told(row: &Row) -> Result<Told, ServiceError> {
    let text = |column: usize| row.try_get::<_, String>(column).map_err(|_| WRONG_TYPES);
    let number = |column: usize| row.try_get::<_, Option<f64>>(column).map_err(|_| WRONG_TYPES);
    let id = row.try_get::<_, Option<String>>(0).map_err(|_| WRONG_TYPES)?;
    let id = id.ok_or(ServiceError::Malformed("an object has no id"))?;
    Ok(Told { id, name: text(1)?, category: text(2)?, lon: number(3)?, lat: number(4)? })
}

/// Connects to the first host that answers.
async fn connect(place: &Place, budget: &Budget) -> Result<(Client, Driver), ServiceError> {
    let ports = place.config.get_ports();
    let mut last = ServiceError::Down;
    for (number, host) in place.config.get_hosts().iter().enumerate() {
        let port = ports.get(number).or(ports.first()).copied().unwrap_or(5432);
        match speak(place, (host, port), budget).await {
            Ok(connected) => return Ok(connected),
            Err(error) => last = error,
        }
    }
    Err(last)
}

/// Connects to one host; encrypted if it is to be, but where nothing leaves the machine.
async fn speak(
    Place { config, encryption }: &Place,
    (host, port): (&Host, u16),
    budget: &Budget,
) -> Result<(Client, Driver), ServiceError> {
    let down = |_| ServiceError::Down;
    match host {
        Host::Unix(folder) => {
            let path = folder.join(format!(".s.PGSQL.{port}"));
            let stream = metered(UnixStream::connect(path).await.map_err(down)?, budget);
            driven(config.connect_raw(stream, NoTls).await)
        }
        Host::Tcp(name) => {
            let stream = TcpStream::connect((name.as_str(), port)).await.map_err(down)?;
            // Waiting to fill a packet only costs time.
            stream.set_nodelay(true).ok();
            let stream = metered(stream, budget);
            match encryption {
                None => driven(config.connect_raw(stream, NoTls).await),
                Some(encryption) => {
                    let mut config = config.clone();
                    config.ssl_mode(SslMode::Require);
                    driven(config.connect_raw(stream, encryption.towards(name)).await)
                }
            }
        }
    }
}

fn metered<S>(stream: S, budget: &Budget) -> Metered<S> {
    Metered { stream, budget: budget.clone() }
}

/// Drives a connection, if there is one, for as long as it is used.
fn driven<S, T>(
    connected: Result<(Client, tokio_postgres::Connection<S, T>), tokio_postgres::Error>,
) -> Result<(Client, Driver), ServiceError>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    T: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let (client, connection) = connected.map_err(|error| failure(&error))?;
    // How a connection ends is told to whoever waits for an answer on it.
    let driver = tokio::spawn(async move { connection.await.ok() });
    Ok((client, Driver(driver.abort_handle())))
}

/// What a database's error means, without its words: they quote what was asked.
pub(super) fn failure(error: &tokio_postgres::Error) -> ServiceError {
    let Some(code) = error.code().map(SqlState::code) else {
        return ServiceError::Down;
    };
    let meaning = match code {
        "57014" => return ServiceError::TimedOut,
        "53300" | "57P01" | "57P02" | "57P03" => return ServiceError::Down,
        _ if code.starts_with("08") => return ServiceError::Down,
        "3D000" => "there is no such database",
        "42P01" => "there is no such table",
        "42703" => "the table lacks one of the columns id, name, category, geog",
        "42883" | "42704" => "the database has no PostGIS, or the column geog is no geography",
        "42501" => "the table may not be read by this user",
        "28000" | "28P01" => "the user or password is wrong",
        _ => "the database says no",
    };
    ServiceError::Refused { code: code.to_owned(), meaning }
}
