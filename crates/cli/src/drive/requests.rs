//! One request per query, on pooled connections or on shared ones.

use super::clients::ClientQuery;
use super::reference::Reference;
use super::statistics::LoadStatistics;
use super::{GatewayClient, receive_seconds};
use anyhow::Result;
use parking_lot::Mutex;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinSet;
use tokio::time::Instant;

/// Sends each query by its own request when it is due, by each client in turn; returns when all
/// responses have arrived.
pub async fn drive(
    gateways: Vec<GatewayClient>,
    clients: impl Iterator<Item = Vec<ClientQuery>> + Send + 'static,
    reference: Option<Arc<Reference>>,
) -> Result<LoadStatistics> {
    let statistics = Arc::new(Mutex::new(LoadStatistics::default()));
    let mut seconds = receive_seconds(clients);
    let start = Instant::now();
    let mut requests = JoinSet::new();
    let mut gateways = gateways.iter().cycle();
    while let Some(second) = seconds.recv().await {
        for query in second {
            tokio::time::sleep_until(start + Duration::from_millis(query.at)).await;
            if let Some(reference) = &reference {
                reference.note_sent(&query);
            }
            let Some(gateway) = gateways.next() else { break };
            let statistics = Arc::clone(&statistics);
            requests.spawn(send(gateway.clone(), query, statistics, reference.clone()));
            while requests.try_join_next().is_some() {}
        }
    }
    while requests.join_next().await.is_some() {}
    Ok(std::mem::take(&mut *statistics.lock()))
}

/// Sends a query and records the response.
async fn send(
    gateway: GatewayClient,
    query: ClientQuery,
    statistics: Arc<Mutex<LoadStatistics>>,
    reference: Option<Arc<Reference>>,
) {
    let start = Instant::now();
    let request = gateway.post("/v1/queries", "application/json").body(query.body.clone());
    let response = match request.send().await {
        Ok(response) => response.bytes().await.ok(),
        Err(_) => None,
    };
    let latency = start.elapsed();
    let mut statistics = statistics.lock();
    let recorded = response
        .is_some_and(|text| statistics.record(&text, &query, latency, reference.as_deref()));
    statistics.record_lost(u64::from(!recorded));
}
