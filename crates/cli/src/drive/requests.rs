//! Each query by a request of its own, on connections that are kept.

use super::Target;
use super::crowd::Post;
use super::tally::Tally;
use super::truth::Truth;
use anyhow::Result;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::Instant;

/// Drives by requests. Everyone who is asked for is told before it is over.
pub async fn drive(
    target: &Target,
    crowd: impl Iterator<Item = Vec<Post>> + Send + 'static,
    truth: Option<Arc<Truth>>,
) -> Result<Tally> {
    let tally = Arc::new(Mutex::new(Tally::default()));
    let (ahead, mut seconds) = mpsc::channel(2);
    tokio::task::spawn_blocking(move || {
        for second in crowd {
            if ahead.blocking_send(second).is_err() {
                break;
            }
        }
    });
    let start = Instant::now();
    let mut asking = JoinSet::new();
    while let Some(second) = seconds.recv().await {
        for post in second {
            tokio::time::sleep_until(start + Duration::from_millis(post.at)).await;
            asking.spawn(ask(target.clone(), post, Arc::clone(&tally), truth.clone()));
            while asking.try_join_next().is_some() {}
        }
    }
    while asking.join_next().await.is_some() {}
    Ok(std::mem::take(&mut *tally.lock().unwrap_or_else(PoisonError::into_inner)))
}

/// Asks once, and notes what was said.
async fn ask(target: Target, post: Post, tally: Arc<Mutex<Tally>>, truth: Option<Arc<Truth>>) {
    let since = Instant::now();
    let request = target.post("/v1/queries", "application/json").body(post.body.clone());
    let heard = match request.send().await {
        Ok(response) => response.bytes().await.ok(),
        Err(_) => None,
    };
    let latency = since.elapsed();
    let mut tally = tally.lock().unwrap_or_else(PoisonError::into_inner);
    let was_heard = heard.is_some_and(|text| tally.hear(&text, &post, latency, truth.as_deref()));
    tally.lose(u64::from(!was_heard));
}
