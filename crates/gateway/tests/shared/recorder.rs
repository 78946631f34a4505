//! Everything that goes to a service, byte for byte: written down by one who stands between.

use std::sync::{Arc, Mutex};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, copy};
use tokio::net::{TcpListener, TcpStream};

/// What was sent since it was last taken.
#[derive(Clone, Default)]
pub struct Recorder(Arc<Mutex<Vec<u8>>>);

impl Recorder {
    pub fn add(&self, bytes: &[u8]) {
        self.0.lock().unwrap().extend_from_slice(bytes);
    }

    pub fn take(&self) -> Vec<u8> {
        std::mem::take(&mut self.0.lock().unwrap())
    }

    /// Stands between us and whoever is at `to`, and writes down what we say. Gives its port.
    pub async fn start_proxy(&self, to: String) -> u16 {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let record = self.clone();
        tokio::spawn(async move {
            while let Ok((near, _)) = listener.accept().await {
                let far = TcpStream::connect(&to).await.unwrap();
                tokio::spawn(record.clone().pass(near, far));
            }
        });
        port
    }

    async fn pass(self, near: TcpStream, far: TcpStream) {
        let ((mut from_us, mut to_us), (mut from_it, mut to_it)) =
            (near.into_split(), far.into_split());
        tokio::spawn(async move { copy(&mut from_it, &mut to_us).await });
        let mut some = [0; 4096];
        while let Ok(count @ 1..) = from_us.read(&mut some).await {
            self.add(&some[..count]);
            if to_it.write_all(&some[..count]).await.is_err() {
                return;
            }
        }
    }
}
