//! MeshCloak beside other programs on the same inputs in one run (`make peers`).
//!
//! ```text
//! main.rs ── inputs as flat arrays of u32 or f64, target/peers/data ──► peers.py
//!    │ own times, petgraph, rstar                                          │ times of the others
//!    └────────────────────── table of tasks ◄──────────────────────────────┘
//! ```
//!
//! Each time is the best of three on one thread (one run if it takes more than five seconds). Each
//! task has an answer, by which programs that compute the same are compared.
//! `MESHCLOAK_MAPS` names the folder of real maps, without which the built-in city is measured.

mod bounded_search;
mod cliques;
mod matrix;
mod osm;
mod snapping;
mod streets;
mod table;

use std::path::PathBuf;
use std::process::Command;
use table::Table;

fn main() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build_global();
    pool.expect("this is the first use of the pool");
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../target/peers");
    let data = folder.join("data");
    std::fs::create_dir_all(&data).expect("the folder can be made");
    let mut table = Table::new(data.clone());
    cliques::measure(&mut table);
    matrix::measure(&mut table);
    snapping::measure(&mut table);
    streets::measure(&mut table);
    osm::measure(&mut table);
    let python = folder.join("bin/python");
    let script = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("benches/peers/peers.py");
    match Command::new(python).arg(script).arg(&data).output() {
        Ok(output) => {
            eprint!("{}", String::from_utf8_lossy(&output.stderr));
            assert!(output.status.success(), "peers.py failed");
            table.read(&String::from_utf8_lossy(&output.stdout));
        }
        Err(_) => println!("(other programs are not installed: run `make peers`)"),
    }
    table.print();
}
