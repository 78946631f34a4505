//! Something that listens where a database should be.

use crate::fixture::{inquiry, questions, walker};
use gateway::service::postgis::{Postgis, PostgisSettings};
use gateway::service::{ServiceClient, ServiceClientSettings, ServiceError};
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

/// What it does to whoever connects.
#[derive(Clone, Copy, Debug)]
enum Manner {
    /// Takes everything and says nothing.
    Silent,
    /// Hangs up at once.
    Closing,
    /// Speaks another language.
    Garbage,
    /// One byte, and then nothing.
    Dribbling,
    /// Greets as a database does, and then sends one message that never ends.
    Flooding,
    /// Greets as a database does, and then sends notices for ever.
    Chattering,
}

/// All is well, you may ask: what a database says to begin with.
const GREETING: &[u8] = b"R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I";

async fn behave(manner: Manner, mut stream: TcpStream) -> std::io::Result<()> {
    let mut heard = [0; 4096];
    match manner {
        Manner::Closing => return Ok(()),
        Manner::Silent => {}
        Manner::Garbage => stream.write_all(&[0xA5; 4096]).await?,
        Manner::Dribbling => stream.write_all(b"R").await?,
        Manner::Flooding => {
            let _some = stream.read(&mut heard).await?;
            stream.write_all(GREETING).await?;
            let _some = stream.read(&mut heard).await?;
            stream.write_all(b"D\x7f\xff\xff\xff").await?;
            loop {
                stream.write_all(&[0; 65_536]).await?;
            }
        }
        Manner::Chattering => {
            let _some = stream.read(&mut heard).await?;
            stream.write_all(GREETING).await?;
            let notice = b"N\0\0\0\x0cSNOTE\0\0".repeat(4_000);
            loop {
                stream.write_all(&notice).await?;
            }
        }
    }
    while stream.read(&mut heard).await? > 0 {}
    Ok(())
}

/// Listens on a port of its own.
async fn listen(manner: Manner) -> PostgisSettings {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(behave(manner, stream));
        }
    });
    PostgisSettings::new(&format!("postgres://nobody:secret@127.0.0.1:{port}/none"))
}

async fn ask(manner: Manner) -> ServiceError {
    let settings = listen(manner).await;
    let walker = walker();
    let service = Postgis::service(walker.clone(), &settings).unwrap();
    let timeout = Duration::from_millis(300);
    let client = ServiceClient::new(
        Box::new(service),
        ServiceClientSettings { timeout, ..Default::default() },
    );
    let error = client.ask(&inquiry(&walker, &questions()[0])).await.unwrap_err();
    assert!(client.categories().await.is_err());
    let words = error.to_string();
    assert!(!words.contains("secret") && !words.contains("9.7"), "{words}");
    error
}

#[tokio::test]
async fn whatever_listens_there_costs_one_error() {
    assert_eq!(ask(Manner::Silent).await, ServiceError::TimedOut);
    assert_eq!(ask(Manner::Closing).await, ServiceError::Down);
    assert_eq!(ask(Manner::Garbage).await, ServiceError::Down);
    assert_eq!(ask(Manner::Dribbling).await, ServiceError::TimedOut);
    for manner in [Manner::Flooding, Manner::Chattering] {
        let error = ask(manner).await;
        let fits = matches!(error, ServiceError::Down | ServiceError::TimedOut);
        assert!(fits || matches!(error, ServiceError::Malformed(_)), "{manner:?}: {error}");
    }
}

#[tokio::test]
async fn nobody_there_is_an_error_as_well() {
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
