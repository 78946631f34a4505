//! Listeners that are not a database at the address of one.

use crate::fixture::{inquiry, questions, walker};
use gateway::question::Category;
use gateway::service::postgis::{Postgis, PostgisSettings};
use gateway::service::{
    PlanarService as _, RangeRequest, RequestPolicy, ServiceClient, ServiceClientSettings,
    ServiceError,
};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

/// Behaviour towards a connection.
#[derive(Clone, Copy, Debug)]
enum Behaviour {
    /// Reads and never writes.
    Silent,
    /// Closes the connection at once.
    Closing,
    /// Sends bytes of another protocol.
    Garbage,
    /// Sends one byte.
    Dribbling,
    /// Completes the handshake, then sends one endless message.
    Flooding,
    /// Completes the handshake, then sends notices without end.
    Chattering,
}

/// `AuthenticationOk` and `ReadyForQuery`.
const GREETING: &[u8] = b"R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I";

async fn behave(behaviour: Behaviour, mut stream: TcpStream) -> std::io::Result<()> {
    let mut received = [0; 4096];
    match behaviour {
        Behaviour::Closing => return Ok(()),
        Behaviour::Silent => {}
        Behaviour::Garbage => stream.write_all(&[0xA5; 4096]).await?,
        Behaviour::Dribbling => stream.write_all(b"R").await?,
        Behaviour::Flooding => {
            let _some = stream.read(&mut received).await?;
            stream.write_all(GREETING).await?;
            let _some = stream.read(&mut received).await?;
            stream.write_all(b"D\x7f\xff\xff\xff").await?;
            loop {
                stream.write_all(&[0; 65_536]).await?;
            }
        }
        Behaviour::Chattering => {
            let _some = stream.read(&mut received).await?;
            stream.write_all(GREETING).await?;
            let notice = b"N\0\0\0\x0cSNOTE\0\0".repeat(4_000);
            loop {
                stream.write_all(&notice).await?;
            }
        }
    }
    while stream.read(&mut received).await? > 0 {}
    Ok(())
}

/// Listens on a free port.
async fn listen(behaviour: Behaviour) -> PostgisSettings {
    serve(move |stream| behave(behaviour, stream)).await
}

async fn serve<F>(connection: impl Fn(TcpStream) -> F + Send + 'static) -> PostgisSettings
where
    F: Future<Output = std::io::Result<()>> + Send + 'static,
{
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(connection(stream));
        }
    });
    PostgisSettings::new(&format!("postgres://nobody:secret@127.0.0.1:{port}/none"))
}

async fn ask(behaviour: Behaviour) -> ServiceError {
    let settings = listen(behaviour).await;
    let walker = walker();
    let service = Postgis::service(walker.clone(), &settings).unwrap();
    let timeout = Duration::from_millis(300);
    let client = ServiceClient::new(
        Box::new(service),
        ServiceClientSettings { timeout, ..Default::default() },
    );
    let error = client.ask(&inquiry(&walker, &questions()[0])).await.unwrap_err();
    assert!(client.categories().await.is_err());
    let message = error.to_string();
    assert!(!message.contains("secret") && !message.contains("9.7"), "{message}");
    error
}

#[tokio::test]
async fn every_hostile_listener_causes_one_error() {
    assert_eq!(ask(Behaviour::Silent).await, ServiceError::TimedOut);
    assert_eq!(ask(Behaviour::Closing).await, ServiceError::Down);
    assert_eq!(ask(Behaviour::Garbage).await, ServiceError::Down);
    assert_eq!(ask(Behaviour::Dribbling).await, ServiceError::TimedOut);
    for behaviour in [Behaviour::Flooding, Behaviour::Chattering] {
        let error = ask(behaviour).await;
        let fits = matches!(error, ServiceError::Down | ServiceError::TimedOut);
        assert!(fits || matches!(error, ServiceError::Malformed(_)), "{behaviour:?}: {error}");
    }
}

#[tokio::test]
async fn a_missing_database_is_an_error() {
    let walker = walker();
    let settings = PostgisSettings::new("postgres://nobody@127.0.0.1:1/none");
    let service = Postgis::service(walker.clone(), &settings).unwrap();
    let client = ServiceClient::new(Box::new(service), ServiceClientSettings::default());
    let answer = client.ask(&inquiry(&walker, &questions()[0])).await;
    assert_eq!(answer, Err(ServiceError::Down));
    let settings = PostgisSettings::new("host=/nowhere user=nobody");
    let service = Postgis::service(walker.clone(), &settings).unwrap();
    let client = ServiceClient::new(Box::new(service), ServiceClientSettings::default());
    let answer = client.ask(&inquiry(&walker, &questions()[0])).await;
    assert_eq!(answer, Err(ServiceError::Down));
}

/// A message of the database.
fn message(kind: u8, body: &[u8]) -> Vec<u8> {
    let mut bytes = vec![kind];
    bytes.extend((body.len() as u32 + 4).to_be_bytes());
    bytes.extend(body);
    bytes
}

/// Types of the parameters and columns of a statement, as the database describes them.
fn description(statement: &str) -> Vec<u8> {
    const TEXT: u32 = 25;
    const FLOAT: u32 = 701;
    let (parameters, columns): (&[u32], &[u32]) = if statement.contains("DISTINCT") {
        (&[], &[TEXT])
    } else if statement.contains("$3") {
        (&[TEXT, TEXT, FLOAT], &[TEXT, TEXT, TEXT, FLOAT, FLOAT])
    } else {
        (&[TEXT], &[TEXT, TEXT, TEXT, FLOAT, FLOAT])
    };
    let mut types = (parameters.len() as u16).to_be_bytes().to_vec();
    types.extend(parameters.iter().flat_map(|oid| oid.to_be_bytes()));
    let mut row = (columns.len() as u16).to_be_bytes().to_vec();
    for oid in columns {
        // Name, table, column number.
        row.extend(b"c\0\0\0\0\0\0\0");
        row.extend(oid.to_be_bytes());
        // Size, modifier, format.
        row.extend([0xff; 6]);
        row.extend([0, 1]);
    }
    [message(b't', &types), message(b'T', &row)].concat()
}

/// A row of one object whose name has `name_len` bytes.
fn object(number: usize, name_len: usize) -> Vec<u8> {
    let mut row = 5_u16.to_be_bytes().to_vec();
    let (id, name) = (number.to_string().into_bytes(), vec![b'n'; name_len]);
    let (lon, lat) = (9.7_f64.to_be_bytes().to_vec(), 50.8_f64.to_be_bytes().to_vec());
    for column in [id, name, b"cafe".to_vec(), lon, lat] {
        row.extend((column.len() as u32).to_be_bytes());
        row.extend(column);
    }
    message(b'D', &row)
}

/// Speaks the protocol, and answers every statement with `rows`.
async fn speak(mut stream: TcpStream, rows: Arc<Vec<u8>>) -> std::io::Result<()> {
    let startup = stream.read_u32().await?;
    stream.read_exact(&mut vec![0; startup as usize - 4]).await?;
    stream.write_all(GREETING).await?;
    let done = message(b'C', b"SELECT 1\0");
    let ready = message(b'Z', b"I");
    loop {
        let kind = stream.read_u8().await?;
        let mut body = vec![0; stream.read_u32().await? as usize - 4];
        stream.read_exact(&mut body).await?;
        let reply = match kind {
            b'Q' => [done.clone(), ready.clone()].concat(),
            b'P' => {
                let described = description(&String::from_utf8_lossy(&body));
                [message(b'1', b""), described].concat()
            }
            b'B' => message(b'2', b""),
            b'E' => [&rows[..], &done].concat(),
            b'S' => ready.clone(),
            b'X' => return Ok(()),
            _ => continue,
        };
        stream.write_all(&reply).await?;
    }
}

/// Asks a database that answers with `rows` of which all answers may use `max_memory` bytes.
async fn ask_for_rows(rows: Vec<u8>, max_memory: usize) -> Result<usize, ServiceError> {
    let rows = Arc::new(rows);
    let settings = serve(move |stream| speak(stream, Arc::clone(&rows))).await;
    let walker = walker();
    let settings = PostgisSettings { max_memory, ..settings };
    let service = Postgis::service(walker.clone(), &settings).unwrap();
    let range = RangeRequest { around: None, category: &Category::Any };
    service
        .service()
        .range(range, &RequestPolicy::unlimited())
        .await
        .map(|answer| answer.objects.len())
}

#[tokio::test]
async fn rows_are_charged_to_the_memory_of_all_answers() {
    let rows = |count: usize| (0..count).flat_map(|row| object(row, 300)).collect::<Vec<u8>>();
    assert_eq!(ask_for_rows(rows(2_000), 512 << 20).await, Ok(2_000));
    assert_eq!(ask_for_rows(rows(100), 4 << 20).await, Ok(100));
    assert_eq!(ask_for_rows(rows(2_000), 4 << 20).await, Err(ServiceError::Memory));
    assert_eq!(ask_for_rows(rows(1), 1 << 19).await, Err(ServiceError::Memory));
    // Charged while it is received, before it is complete.
    let endless = [b"D\x7f\xff\xff\xff".to_vec(), vec![0; 2 << 20]].concat();
    assert_eq!(ask_for_rows(endless, 4 << 20).await, Err(ServiceError::Memory));
}
