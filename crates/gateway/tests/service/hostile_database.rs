//! Listeners that are not a database at the address of one.

use crate::fixture::{inquiry, questions, walker};
use gateway::service::postgis::{Postgis, PostgisSettings};
use gateway::service::{ServiceClient, ServiceClientSettings, ServiceError};
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
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(behave(behaviour, stream));
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
