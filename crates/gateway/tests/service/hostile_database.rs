//! Listeners that are not a database at the address of one.

use crate::fake_database::{GREETING, object, speak};
use crate::fixture::{inquiry, questions, walker};
use gateway::question::Category;
use gateway::service::postgis::{Postgis, PostgisSettings};
use gateway::service::{
    PlanarService as _, RangeRequest, RequestPolicy, ServiceClient, ServiceClientSettings,
    ServiceError,
};
use meshcloak::town::Town;
use rand::RngExt as _;
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

/// Applies a few random flips, cuts and repetitions.
fn mutate(bytes: &mut Vec<u8>, random: &mut impl rand::Rng) {
    for _ in 0..random.random_range(1..4) {
        let at = random.random_range(0..bytes.len());
        match random.random_range(0..4) {
            0 => bytes[at] ^= 1 << random.random_range(0..8),
            1 => bytes[at] = [0, 1, 0x7f, 0x80, 0xff][random.random_range(0..5)],
            2 => drop(bytes.drain(at..(at + 4).min(bytes.len()))),
            _ => {
                let piece = bytes[at..(at + 16).min(bytes.len())].to_vec();
                bytes.splice(at..at, piece);
            }
        }
        if bytes.is_empty() {
            return;
        }
    }
}

#[tokio::test]
async fn mutated_rows_are_read_or_are_one_error() {
    let rows: Vec<u8> = (0..3).flat_map(|row| object(row, 9)).collect();
    let [mut read, mut failed] = [0, 0];
    for seed in 0..300 {
        let mut bytes = rows.clone();
        mutate(&mut bytes, &mut Town::generator(seed));
        match ask_for_rows(bytes, 64 << 20).await {
            Ok(objects) => {
                assert!(objects <= 20, "seed {seed}");
                read += 1;
            }
            Err(_) => failed += 1,
        }
    }
    assert!(read > 20 && failed > 100, "{read} read, {failed} failed");
}
