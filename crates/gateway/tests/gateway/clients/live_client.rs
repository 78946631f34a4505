//! A WebSocket client over a real connection.

use super::World;
use futures_util::{SinkExt as _, StreamExt as _};
use gateway::listen::{ConnectionLimits, listen};
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::time::Duration;
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::watch;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{WebSocketStream, client_async};

/// Listens on a free port.
pub async fn listen_on(world: &World) -> (SocketAddr, watch::Sender<bool>) {
    let socket = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = socket.local_addr().unwrap();
    let closing = watch::Sender::new(false);
    let manners = ConnectionLimits {
        connections: 100,
        per_address: 100,
        read_timeout: Duration::from_secs(10),
        write_timeout: Duration::from_secs(10),
        tls: None,
    };
    let app = world.fixture.app.clone();
    tokio::spawn(listen(socket, app, manners, closing.subscribe()));
    (address, closing)
}

pub struct Client(pub WebSocketStream<TcpStream>);

impl Client {
    pub async fn connect(address: SocketAddr, key: &str) -> Result<Client, Error> {
        let socket = TcpSocket::new_v4().unwrap();
        // A small buffer makes a client that does not read block sooner.
        socket.set_recv_buffer_size(4096).unwrap();
        let stream = socket.connect(address).await.unwrap();
        let mut request = format!("ws://{address}/v1/live").into_client_request().unwrap();
        let bearer = format!("Bearer {key}").parse().unwrap();
        request.headers_mut().insert("authorization", bearer);
        client_async(request, stream).await.map(|(socket, _)| Client(socket))
    }

    /// Connects as a browser does: with the key as a subprotocol.
    pub async fn connect_in_browser(address: SocketAddr, key: &str) -> Result<Client, Error> {
        let stream = TcpStream::connect(address).await.unwrap();
        let mut request = format!("ws://{address}/v1/live").into_client_request().unwrap();
        let protocols = format!("meshcloak, key.{key}").parse().unwrap();
        request.headers_mut().insert("sec-websocket-protocol", protocols);
        let (socket, response) = client_async(request, stream).await?;
        assert_eq!(response.headers()["sec-websocket-protocol"], "meshcloak");
        Ok(Client(socket))
    }

    /// Sends `hello` and expects `welcome`.
    pub async fn open(address: SocketAddr, key: &str, hello: Value) -> (Client, Value) {
        let mut client = Client::connect(address, key).await.unwrap();
        client.send_json(&hello).await;
        let welcome = client.receive().await;
        assert_eq!(welcome["type"], "welcome", "{welcome}");
        (client, welcome)
    }

    pub async fn send_json(&mut self, message: &Value) {
        self.0.send(Message::text(message.to_string())).await.unwrap();
    }

    pub async fn receive(&mut self) -> Value {
        match self.0.next().await.unwrap().unwrap() {
            Message::Text(text) => serde_json::from_str(&text).unwrap(),
            other => panic!("{other:?}"),
        }
    }

    /// Returns the close code; skips earlier messages.
    pub async fn end(&mut self) -> Option<CloseCode> {
        loop {
            match self.0.next().await {
                Some(Ok(Message::Close(frame))) => return frame.map(|frame| frame.code),
                Some(Ok(_)) => {}
                _ => return None,
            }
        }
    }
}

pub fn hello(person: &str) -> Value {
    let question = json!({"find": "nearest", "count": 3});
    json!({"type": "hello", "person": person, "ask": {"k": 2, "dt": 5, "question": question}})
}

pub fn at((lon, lat): (f64, f64)) -> Value {
    json!({"type": "position", "lon": lon, "lat": lat})
}

/// Waits until this number of queries was accepted.
pub async fn accepted(world: &World, queries: u64) {
    while world.fixture.gateway.metrics().exact_counts().0 < queries {
        tokio::task::yield_now().await;
    }
}
