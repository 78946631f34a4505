//! Time of the measured thread.

use std::time::Instant;

/// A moment on the clock and in the life of the present thread.
pub struct Clock {
    wall: Instant,
    processor: Option<u64>,
}

impl Clock {
    /// Returns the present moment.
    pub fn now() -> Clock {
        let processor = if rayon::current_num_threads() == 1 { processor_nanos() } else { None };
        Clock { wall: Instant::now(), processor }
    }

    /// Returns the seconds since then: of the processor if they are known, else on the clock.
    pub fn seconds(&self) -> f64 {
        let wall = self.wall.elapsed().as_secs_f64();
        let spent = self.processor.zip(self.processor.and_then(|_| processor_nanos()));
        spent.map_or(wall, |(before, after)| (after - before) as f64 / 1e9)
    }
}

/// Nanoseconds that the present thread has run (Linux).
fn processor_nanos() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split_whitespace().next()?.parse().ok()
}
