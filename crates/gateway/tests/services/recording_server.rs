//! An HTTP server of ours on a free port that keeps every byte it is told.

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::response::Response;
use std::sync::{Arc, Mutex};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// A request as it came.
#[derive(Clone, Debug, PartialEq)]
pub struct Heard {
    pub method: String,
    /// Path and query.
    pub target: String,
    /// As they came, in order.
    pub headers: Vec<(String, String)>,
    pub body: String,
}

/// What is answered.
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
    heard: Arc<Mutex<Vec<Heard>>>,
    task: JoinHandle<()>,
}

impl Listener {
    pub async fn start(answer: impl Fn(&Heard) -> Reply + Send + Sync + 'static) -> Listener {
        let socket = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", socket.local_addr().unwrap());
        let heard: Arc<Mutex<Vec<Heard>>> = Arc::default();
        let (kept, answer) = (heard.clone(), Arc::new(answer));
        let app = Router::new().fallback(move |request: Request| {
            let (kept, answer) = (kept.clone(), answer.clone());
            async move {
                let heard = hear(request).await;
                let reply = answer(&heard);
                kept.lock().unwrap().push(heard);
                let mut response = Response::builder().status(reply.status);
                for (name, value) in reply.headers {
                    response = response.header(name, value);
                }
                response.body(Body::from(reply.body)).unwrap()
            }
        });
        let task = tokio::spawn(async move { axum::serve(socket, app).await.unwrap() });
        Listener { url, heard, task }
    }

    /// Everything it was told since the last time.
    pub fn take(&self) -> Vec<Heard> {
        std::mem::take(&mut self.heard.lock().unwrap())
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn hear(request: Request) -> Heard {
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
