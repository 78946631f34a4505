//! A read-only database session with prepared statements. Dropping it closes the connection at
//! once, even during a query.

use super::address::ParsedAddress;
use super::byte_budget::TOO_LARGE;
use super::connect::{ConnectError, DatabaseConnection, connect};
use super::sql::{self, TableName};
use crate::service::ServiceError;
use crate::service::answer_memory::Reservation;
use crate::service::lenient_json::{MAX_TEXT_BYTES, truncate_text};
use futures_util::TryStreamExt as _;
use std::pin::pin;
use std::time::Duration;
use tokio_postgres::error::SqlState;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Row, Statement};

/// An object as stored in the database.
pub(super) struct ObjectRow {
    pub id: String,
    pub name: String,
    pub category: String,
    pub lon: Option<f64>,
    pub lat: Option<f64>,
}

/// A connection with its prepared statements.
pub(super) struct DatabaseSession {
    connection: DatabaseConnection,
    limit: usize,
    near: Statement,
    anywhere: Statement,
    categories: Statement,
}

/// Settings of a session.
#[derive(Clone)]
pub(super) struct SessionSettings {
    pub table: TableName,
    /// Largest number of rows per range.
    pub limit: u32,
    pub statement_timeout: Duration,
}

/// Lines as WKT with a radius.
pub(super) struct GroundRange {
    pub wkt: String,
    pub metres: f64,
}

/// Received rows with their charged memory.
pub(super) struct ReceivedRows {
    rows: Vec<Row>,
    memory: Reservation,
}

impl ReceivedRows {
    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Decodes objects away from the async runtime, without those that `convert` rejects.
    pub(super) async fn objects<T: Send + 'static>(
        self,
        convert: impl Fn(ObjectRow) -> Option<T> + Send + 'static,
    ) -> Result<Vec<T>, ServiceError> {
        let ReceivedRows { rows, memory } = self;
        let convert = move |row: Row| object_row(&row).map(&convert).transpose();
        memory.parse(move || rows.into_iter().filter_map(convert).collect()).await
    }

    /// Decodes names away from the async runtime, ascending.
    pub(super) async fn names(self) -> Result<Vec<String>, ServiceError> {
        let ReceivedRows { rows, memory } = self;
        let name = |row: &Row| row.try_get(0).map_err(|_| WRONG_TYPE);
        let parse = move || {
            let mut names: Vec<String> = rows.iter().map(name).collect::<Result<_, _>>()?;
            names.sort();
            Ok(names)
        };
        memory.parse(parse).await
    }
}

/// A prepared statement with its parameters.
struct PreparedQuery<'a> {
    statement: &'a Statement,
    parameters: &'a [&'a (dyn ToSql + Sync)],
    max_rows: usize,
}

impl DatabaseSession {
    /// Connects, makes the session read-only and prepares the statements.
    pub(super) async fn open(
        address: &ParsedAddress,
        settings: &SessionSettings,
    ) -> Result<DatabaseSession, ServiceError> {
        let SessionSettings { table, limit, statement_timeout } = settings;
        let connection = connect(address).await.map_err(|error| match error {
            ConnectError::Io(_) => ServiceError::Down,
            ConnectError::Database(error) => failure(&error),
        })?;
        let client = &connection.client;
        let text = format!(
            "SET jit = off; SET statement_timeout = {}; SET default_transaction_read_only = on",
            statement_timeout.as_millis().clamp(1, 1 << 30)
        );
        client.batch_execute(&text).await.map_err(|error| failure(&error))?;
        let prepare =
            async |text: String| client.prepare(&text).await.map_err(|error| failure(&error));
        let near = prepare(sql::near(table, *limit)).await?;
        let anywhere = prepare(sql::anywhere(table, *limit)).await?;
        let categories = prepare(sql::categories(table)).await?;
        Ok(DatabaseSession { connection, limit: *limit as usize, near, anywhere, categories })
    }

    /// Returns whether the connection is open.
    pub(super) fn is_open(&self) -> bool {
        !self.connection.client.is_closed()
    }

    /// Returns the rows of a category in a range; `None`: everywhere, all categories.
    pub(super) async fn range(
        &self,
        range: Option<&GroundRange>,
        category: Option<&str>,
        memory: Reservation,
    ) -> Result<ReceivedRows, ServiceError> {
        let max_rows = self.limit;
        match range {
            Some(GroundRange { wkt, metres }) => {
                let parameters: &[&(dyn ToSql + Sync)] = &[&category, wkt, metres];
                let query = PreparedQuery { statement: &self.near, parameters, max_rows };
                self.rows(query, memory).await
            }
            None => {
                let parameters: &[&(dyn ToSql + Sync)] = &[&category];
                let query = PreparedQuery { statement: &self.anywhere, parameters, max_rows };
                self.rows(query, memory).await
            }
        }
    }

    /// Returns a row for each category.
    pub(super) async fn categories(
        &self,
        memory: Reservation,
    ) -> Result<ReceivedRows, ServiceError> {
        let query = PreparedQuery {
            statement: &self.categories,
            parameters: &[],
            max_rows: sql::MAX_CATEGORIES,
        };
        self.rows(query, memory).await
    }

    /// Runs a statement; fails if the database sends more rows or bytes than allowed.
    async fn rows(
        &self,
        query: PreparedQuery<'_>,
        memory: Reservation,
    ) -> Result<ReceivedRows, ServiceError> {
        let DatabaseConnection { client, budget, .. } = &self.connection;
        budget.start(memory);
        let failed =
            |error: tokio_postgres::Error| budget.failure().unwrap_or_else(|| failure(&error));
        let parameters = query.parameters.iter().copied();
        let stream = client.query_raw(query.statement, parameters).await.map_err(failed)?;
        let mut stream = pin!(stream);
        let mut rows = Vec::new();
        while let Some(row) = stream.try_next().await.map_err(failed)? {
            if rows.len() == query.max_rows {
                return Err(TOO_LARGE);
            }
            rows.push(row);
        }
        let memory = budget.end().ok_or(ServiceError::Internal)?;
        Ok(ReceivedRows { rows, memory })
    }
}

const WRONG_TYPE: ServiceError = ServiceError::Malformed("a column has the wrong type");

fn object_row(row: &Row) -> Result<ObjectRow, ServiceError> {
    let text = |column: usize| {
        let text: &str = row.try_get(column).map_err(|_| WRONG_TYPE)?;
        Ok::<String, ServiceError>(truncate_text(text).to_owned())
    };
    let number = |column: usize| row.try_get::<_, Option<f64>>(column).map_err(|_| WRONG_TYPE);
    let id = row.try_get::<_, Option<&str>>(0).map_err(|_| WRONG_TYPE)?;
    let id = id.ok_or(ServiceError::Malformed("an object has no id"))?;
    if id.len() > MAX_TEXT_BYTES {
        return Err(ServiceError::Malformed("an id is too long"));
    }
    let id = id.to_owned();
    Ok(ObjectRow { id, name: text(1)?, category: text(2)?, lon: number(3)?, lat: number(4)? })
}

/// Translates an error of the database by its SQLSTATE. Its message quotes the request, so it is
/// dropped.
fn failure(error: &tokio_postgres::Error) -> ServiceError {
    let Some(code) = error.code().map(SqlState::code) else {
        return ServiceError::Down;
    };
    let unavailable = |meaning| ServiceError::Unavailable { code: code.to_owned(), meaning };
    let meaning = match code {
        "57014" => return ServiceError::TimedOut,
        "53300" => return unavailable("the database has too many connections"),
        "57P01" | "57P02" => return unavailable("the database stops"),
        "57P03" => return unavailable("the database starts or stops"),
        _ if code.starts_with("08") => return ServiceError::Down,
        "3D000" => "there is no such database",
        "42P01" => "there is no such table",
        "42703" => "the table lacks one of the columns id, name, category, geog",
        "42883" | "42704" => "the database has no PostGIS, or the column geog is no geography",
        "42501" => "this database user may not read the table",
        "28000" | "28P01" => {
            "the user or password is wrong, or pg_hba.conf does not permit the connection"
        }
        _ => "the database reports an error",
    };
    // A lying server can send any text as code, and the code is logged.
    let is_code = code.len() == 5 && code.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let code = if is_code { code } else { "invalid SQLSTATE" };
    ServiceError::Refused { code: code.to_owned(), meaning }
}
