//! Threads that send the requests to services on other machines, and do nothing else: requests do not
//! wait for the work that clients and results cause.

use crate::gateway::Gateway;
use std::io;
use tokio::runtime::{Builder, Runtime};

/// Number of threads. They only move bytes; responses are parsed by others.
const THREADS: usize = 2;

/// A runtime for the request queues of all cities.
#[derive(Debug)]
pub(super) struct ServiceThreads(Option<Runtime>);

impl ServiceThreads {
    /// Starts the threads and lets the queues use them.
    pub fn start(gateway: &Gateway) -> io::Result<ServiceThreads> {
        let mut builder = Builder::new_multi_thread();
        let runtime =
            builder.worker_threads(THREADS).thread_name("service").enable_all().build()?;
        for city in gateway.cities().iter() {
            city.requests().run_on(runtime.handle().clone());
        }
        Ok(ServiceThreads(Some(runtime)))
    }
}

impl Drop for ServiceThreads {
    fn drop(&mut self) {
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}
