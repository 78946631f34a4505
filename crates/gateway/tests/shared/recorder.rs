//! A TCP proxy that records all bytes sent to a service.

use std::sync::{Arc, Mutex};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, copy};
use tokio::net::{TcpListener, TcpStream};

/// Recorded bytes.
#[derive(Clone, Default)]
pub struct Recorder(Arc<Mutex<Vec<u8>>>);

impl Recorder {
    pub fn add(&self, bytes: &[u8]) {
        self.0.lock().unwrap().extend_from_slice(bytes);
    }

    pub fn take(&self) -> Vec<u8> {
        std::mem::take(&mut self.0.lock().unwrap())
    }

    /// Starts a proxy to `to` that records what clients send; returns its port.
    pub async fn start_proxy(&self, to: String) -> u16 {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let record = self.clone();
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let server = TcpStream::connect(&to).await.unwrap();
                tokio::spawn(record.clone().pass(client, server));
            }
        });
        port
    }

    async fn pass(self, client: TcpStream, server: TcpStream) {
        let ((mut from_client, mut to_client), (mut from_server, mut to_server)) =
            (client.into_split(), server.into_split());
        tokio::spawn(async move { copy(&mut from_server, &mut to_client).await });
        let mut buffer = [0; 4096];
        while let Ok(count @ 1..) = from_client.read(&mut buffer).await {
            self.add(&buffer[..count]);
            if to_server.write_all(&buffer[..count]).await.is_err() {
                return;
            }
        }
    }
}
