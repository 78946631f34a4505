//! An HTTP server on a free port that records every request.

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::response::Response;
use std::sync::{Arc, Mutex};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// A recorded request.
#[derive(Clone, Debug, PartialEq)]
pub struct Heard {
    pub method: String,
    /// Path and query.
    pub target: String,
    /// Names and values, in order.
    pub headers: Vec<(String, String)>,
    pub body: String,
}

/// Answer of the server.
pub struct Reply {
    pub status: u16,
    pub headers: Vec<(&'static str, String)>,
    pub body: String,
}

impl Reply {
    pub fn ok(body: String) -> Reply {
        Reply { status: 200, headers: Vec::new(), body }
    }

    pub fn bad(status: u16, why: &str) -> Reply {
        Reply { status, headers: Vec::new(), body: why.to_owned() }
    }
}

pub struct Listener {
    pub url: String,
    requests: Arc<Mutex<Vec<Heard>>>,
    task: JoinHandle<()>,
}

impl Listener {
    pub async fn start(answer: impl Fn(&Heard) -> Reply + Send + Sync + 'static) -> Listener {
        let socket = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", socket.local_addr().unwrap());
        let requests: Arc<Mutex<Vec<Heard>>> = Arc::default();
        let (recorded, answer) = (requests.clone(), Arc::new(answer));
        let app = Router::new().fallback(move |request: Request| {
            let (recorded, answer) = (recorded.clone(), answer.clone());
            async move {
                let requests = read(request).await;
                let reply = answer(&requests);
                recorded.lock().unwrap().push(requests);
                let mut response = Response::builder().status(reply.status);
                for (name, value) in reply.headers {
                    response = response.header(name, value);
                }
                response.body(Body::from(reply.body)).unwrap()
            }
        });
        let task = tokio::spawn(async move { axum::serve(socket, app).await.unwrap() });
        Listener { url, requests, task }
    }

    /// Removes and returns the recorded requests.
    pub fn take(&self) -> Vec<Heard> {
        std::mem::take(&mut self.requests.lock().unwrap())
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn read(request: Request) -> Heard {
    let (parts, body) = request.into_parts();
    let header = |(name, value): (&axum::http::HeaderName, &axum::http::HeaderValue)| {
        (name.to_string(), String::from_utf8_lossy(value.as_bytes()).into_owned())
    };
    Heard {
        method: parts.method.to_string(),
        target: parts.uri.to_string(),
        headers: parts.headers.iter().map(header).collect(),
        body: String::from_utf8(to_bytes(body, usize::MAX).await.unwrap().to_vec()).unwrap(),
    }
}
