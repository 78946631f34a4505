//! The distance matrix (Algorithm 1). Maximal cliques are compared with other programs in `peers`.

use crate::filter::maps;
use bench::in_pool;
use meshcloak::distance::DistanceMatrix;
use meshcloak::units::Length;
use std::time::Instant;

/// Time to build the distance matrix for two values of `dc_max`, best of five.
pub fn matrix() {
    println!("\nDistance matrix, one thread");
    for named in maps() {
        let map = named.read();
        for metres in [1_000.0, 2_000.0] {
            let (mut best, mut pairs) = (f64::MAX, 0);
            for _ in 0..5 {
                let start = Instant::now();
                pairs =
                    in_pool(1, || DistanceMatrix::new(&map, Length::metres(metres)).pair_count());
                best = best.min(start.elapsed().as_secs_f64());
            }
            println!("{:12} M({metres} m): {:8.1} ms, {pairs} pairs", named.name, best * 1e3);
        }
    }
}
