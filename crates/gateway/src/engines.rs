//! The running engines: for each city a thread and the delivery of its rounds; and the poll of the
//! services' categories. If one engine fails, the gateway stops.

use crate::batch::Round;
use crate::city::City;
use crate::gateway::Gateway;
use crate::listen::until_true;
use crate::page::BatchMonitor;
use crate::ticker::{Ticker, deliver};
use std::io;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// Engines of all cities.
#[derive(Debug)]
pub struct Engines {
    tickers: Vec<Ticker>,
    delivered: Vec<JoinHandle<()>>,
    failed: watch::Receiver<bool>,
}

impl Engines {
    /// Starts all engines. `observer` receives the rounds of the first city.
    ///
    /// # Errors
    /// A thread cannot be started.
    pub fn start(
        gateway: &Arc<Gateway>,
        monitor: &Arc<BatchMonitor>,
        observer: impl FnMut(&Round) + Send + 'static,
    ) -> io::Result<Engines> {
        let (failed, receiver) = watch::channel(false);
        let mut observer = Some(observer);
        let mut engines = Engines { tickers: vec![], delivered: vec![], failed: receiver };
        for city in gateway.cities().iter() {
            let (ticker, rounds) = Ticker::start(Arc::clone(gateway), Arc::clone(city))?;
            let rounds = match observer.take() {
                Some(observer) => monitor.watch(gateway, rounds, observer),
                None => monitor.count(rounds),
            };
            engines.tickers.push(ticker);
            let delivery =
                deliver_all(Arc::clone(gateway), Arc::clone(city), rounds, failed.clone());
            engines.delivered.push(tokio::spawn(delivery));
        }
        Ok(engines)
    }

    /// Becomes true when an engine has failed.
    pub fn failed(&self) -> watch::Receiver<bool> {
        self.failed.clone()
    }

    /// Runs a last batch in each city, expires the queries that still wait and returns when all
    /// results are delivered.
    pub async fn stop(self) {
        let tickers = self.tickers;
        tokio::task::spawn_blocking(move || Ticker::stop_all(tickers)).await.ok();
        for delivered in self.delivered {
            delivered.await.ok();
        }
    }
}

/// Delivers all rounds of a city. If they end before the gateway stops, the engine has failed.
async fn deliver_all(
    gateway: Arc<Gateway>,
    city: Arc<City>,
    rounds: UnboundedReceiver<Round>,
    failed: watch::Sender<bool>,
) {
    deliver(Arc::clone(&gateway), city.id(), rounds).await;
    if !*gateway.stopping().borrow() {
        tracing::error!("the engine has failed; stopping");
        gateway.begin_stop();
        failed.send_replace(true);
    }
}

/// Starts to fetch the categories of each city's service. Must be called in a Tokio runtime.
pub(crate) fn poll_categories(gateway: &Arc<Gateway>) {
    for city in gateway.cities().iter() {
        tokio::spawn(poll_city(Arc::clone(gateway), Arc::clone(city)));
    }
}

/// Fetches the categories of a city's service: every 2 s until it succeeds, then every 10 minutes.
async fn poll_city(gateway: Arc<Gateway>, city: Arc<City>) {
    let mut stopping = gateway.stopping();
    loop {
        let pause = match city.refresh_categories().await {
            Ok(()) => Duration::from_secs(600),
            Err(error) => {
                tracing::warn!(
                    %error,
                    "cannot fetch the categories of the service; retrying"
                );
                Duration::from_secs(2)
            }
        };
        tokio::select! {
            () = tokio::time::sleep(pause) => {}
            () = until_true(&mut stopping) => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::city::{CityId, CityParts};
    use crate::clock::Clock;
    use crate::config::{Config, Mode};
    use crate::gateway::Parts;
    use crate::service::BuiltIn;
    use crate::walk::Walker;
    use meshcloak::distance::Atlas;
    use meshcloak::units::Length;
    use tokio::sync::mpsc::unbounded_channel;

    fn gateway() -> Arc<Gateway> {
        let source = "city:500:7".parse().unwrap();
        let map = import::read_map(&source, &import::Options::default(), &()).unwrap().map;
        let walker = Arc::new(Walker::new(Arc::new(Atlas::new(map, Length::metres(300.0)))));
        let cities = ["a", "b"].map(|name| {
            let walker = Arc::clone(&walker);
            let service = Box::new(BuiltIn::new(Arc::clone(&walker)));
            CityParts { name: name.into(), walker, service }
        });
        let config = Config { keys: None, ..Config::default() };
        let clock = Clock::start();
        let parts = Parts { config, mode: Mode::Demo, cities: cities.into(), clock };
        Arc::new(Gateway::new(parts).unwrap())
    }

    #[tokio::test]
    async fn the_failure_of_any_engine_stops_all_cities() {
        let gateway = gateway();
        let city = Arc::clone(gateway.cities().get(CityId(1)));
        let (failed, receiver) = watch::channel(false);
        let (rounds, ended) = unbounded_channel();
        drop(rounds); // the thread has ended
        deliver_all(Arc::clone(&gateway), city, ended, failed).await;
        assert!(*receiver.borrow() && *gateway.stopping().borrow());
        assert!(gateway.cities().iter().all(|city| city.mailbox().lock().is_closed()));
    }

    #[tokio::test]
    async fn engines_stop_in_order_without_a_failure() {
        let gateway = gateway();
        let monitor = Arc::new(BatchMonitor::default());
        let engines = Engines::start(&gateway, &monitor, |_| ()).unwrap();
        let failed = engines.failed();
        assert_eq!(engines.tickers.len(), 2);
        gateway.begin_stop();
        engines.stop().await;
        assert!(!*failed.borrow());
    }
}
